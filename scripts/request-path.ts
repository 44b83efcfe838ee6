/**
 * Counts the files whose code a request runs: `npm run count:path`. Starts a service in this process whose functions
 * are counted, sends each request many times, one after another, and prints the files of which one function ran for
 * every one of them. Work of timers and work that is shared by several requests therefore does not count; neither do
 * files that hold only types and constants, and code of other threads. `-- --list` prints the files, too.
 */
import { join } from 'node:path';
import { plugin } from 'bun';
import { createInstrumenter } from 'istanbul-lib-instrument';

const REQUESTS = 200;
const root = join(import.meta.dir, '..');
const instrumenter = createInstrumenter({ esModules: true, compact: false, coverageVariable: '__svcCoverage' });
const transpiler = new Bun.Transpiler({ loader: 'ts', target: 'bun' });

plugin({
  name: 'function counts',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const code = transpiler.transformSync(await Bun.file(path).text());
      return { contents: instrumenter.instrumentSync(code, path.slice(root.length + 1)), loader: 'js' };
    });
  },
});

/** The requests that are counted, by name. */
const PATHS: Readonly<Record<string, string>> = {
  get: 'cmd=get&cacheName=c&key=1',
  put: 'cmd=put&cacheName=c&key=1&val=2',
  'SELECT by key': `cmd=qryfldexe&pageSize=10&cacheName=c&qry=${encodeURIComponent('SELECT v FROM t WHERE id = 1')}`,
};

const { start } = await import('../src/embedding.ts');
await using service = await start();
await send('cmd=getorcreate&cacheName=c');
await send('cmd=put&cacheName=c&key=1&val=2');
for (const statement of ['CREATE TABLE t (id INT PRIMARY KEY, v INT)', 'INSERT INTO t (id, v) VALUES (1, 2)']) {
  await send(`cmd=qryfldexe&pageSize=10&cacheName=c&qry=${encodeURIComponent(statement)}`);
}
for (const [name, query] of Object.entries(PATHS)) {
  for (let sent = 0; sent < REQUESTS; sent++) await send(query);
  let before = runs();
  let crossed = new Map([...before].map(([path, counts]) => [path, counts.map((_, index) => index)]));
  for (let sent = 0; sent < REQUESTS; sent++) {
    await send(query);
    const after = runs();
    crossed = new Map(
      [...crossed].flatMap(([path, functions]) => {
        const ran = functions.filter((index) => after.get(path)?.[index] !== before.get(path)?.[index]);
        return ran.length === 0 ? [] : [[path, ran] as const];
      }),
    );
    before = after;
  }
  process.stdout.write(`${name} crosses ${crossed.size} files\n`);
  if (process.argv.includes('--list'))
    for (const path of [...crossed.keys()].sort()) process.stdout.write(`    ${path}\n`);
}

async function send(query: string): Promise<void> {
  const response = await fetch(`${service.url}?${query}`);
  const envelope: unknown = await response.json();
  if (typeof envelope !== 'object' || envelope === null || Reflect.get(envelope, 'successStatus') !== 0) {
    throw new Error(`${query}: ${JSON.stringify(envelope)}`);
  }
}

/** Returns how often each function of each file has run. */
function runs(): Map<string, readonly number[]> {
  const counted: Record<string, { readonly f: Readonly<Record<string, number>> }> =
    Reflect.get(globalThis, '__svcCoverage') ?? {};
  return new Map(Object.entries(counted).map(([path, { f }]) => [path, Object.values(f)]));
}
