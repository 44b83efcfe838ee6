/**
 * Counts the files whose code a request runs: `npm run count:path`. Starts a service in this process whose functions
 * are counted, and those of its statement processes; sends each request many times, one after another, and prints the
 * files of which one function ran for every one of them. Work of timers and work that is shared by several requests
 * therefore does not count; neither do files that hold only types and constants. `-- --list` also prints the files,
 * with the requests that run each.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FunctionCounts, functionCounts } from './function-counts.ts';

const REQUESTS = 200;
/** Statement processes write their counts ten times a second. */
const WRITTEN_MS = 500;
/** Of the first request, until the processes that it needs have started. */
const ATTEMPTS = 20;
const folder = mkdtempSync(join(tmpdir(), 'svc-counts-'));
process.env.FUNCTION_COUNTS = join(folder, 'counts');
// The runtime reads it in the processes that the service starts.
process.env.BUN_OPTIONS = `--preload ${join(import.meta.dir, 'function-counts.ts')}`;

const statement = (sql: string): string => `cmd=qryfldexe&pageSize=10&cacheName=c&qry=${encodeURIComponent(sql)}`;

/** The requests that are counted, by name. A statement over three tables never runs on the thread of its request. */
const PATHS: Readonly<Record<string, string>> = {
  get: 'cmd=get&cacheName=c&key=1',
  put: 'cmd=put&cacheName=c&key=1&val=2',
  'SELECT by key': statement('SELECT v FROM t WHERE id = 1'),
  'an analytical statement': statement(
    'SELECT a.v, COUNT(*), SUM(c.v) FROM t a JOIN t b ON b.v = a.v JOIN t c ON c.v = b.v GROUP BY a.v ORDER BY 2 DESC',
  ),
};

const { start } = await import('../src/embedding.ts');
await using service = await start();
await send('cmd=getorcreate&cacheName=c');
await send('cmd=put&cacheName=c&key=1&val=2');
for (const sql of ['CREATE TABLE t (id INT PRIMARY KEY, v INT)', 'INSERT INTO t (id, v) VALUES (1, 2)'])
  await send(statement(sql));
const ways = new Map<string, string[]>();
for (const [name, query] of Object.entries(PATHS)) {
  await sendUntilAnswered(query);
  for (let sent = 0; sent < REQUESTS; sent++) await send(query);
  await Bun.sleep(WRITTEN_MS);
  const elsewhere = countsOfProcesses();
  let before = functionCounts();
  let crossed = Object.entries(before).map(([path, counts]) => [path, counts.map((_, index) => index)] as const);
  for (let sent = 0; sent < REQUESTS; sent++) {
    await send(query);
    const after = functionCounts();
    crossed = crossed.flatMap(([path, functions]) => {
      const ran = functions.filter((index) => after[path]?.[index] !== before[path]?.[index]);
      return ran.length === 0 ? [] : [[path, ran] as const];
    });
    before = after;
  }
  await Bun.sleep(WRITTEN_MS);
  const ran = Object.entries(countsOfProcesses()).flatMap(([path, counts]) =>
    counts.some((count, index) => count - (elsewhere[path]?.[index] ?? 0) >= REQUESTS) ? [path] : [],
  );
  const files = new Set([...crossed.map(([path]) => path), ...ran]);
  const shown = ran.length === 0 ? '' : `, ${ran.length} of them in a statement process`;
  process.stdout.write(`${name} crosses ${files.size} files${shown}\n`);
  for (const path of files) ways.set(path, [...(ways.get(path) ?? []), name]);
}
if (process.argv.includes('--list'))
  for (const [path, names] of [...ways].sort()) process.stdout.write(`    ${path}: ${names.join(', ')}\n`);
rmSync(folder, { recursive: true, force: true });

async function send(query: string): Promise<void> {
  const response = await fetch(`${service.url}?${query}`);
  const envelope: unknown = await response.json();
  if (typeof envelope !== 'object' || envelope === null || Reflect.get(envelope, 'successStatus') !== 0) {
    throw new Error(`${query}: ${JSON.stringify(envelope)}`);
  }
}

/** On a busy machine, the first statement may fail because no statement process has started in time. */
async function sendUntilAnswered(query: string): Promise<void> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    try {
      return await send(query);
    } catch {
      await Bun.sleep(WRITTEN_MS);
    }
  }
  return send(query);
}

/** Returns the counts of all statement processes together. */
function countsOfProcesses(): FunctionCounts {
  const sums: Record<string, number[]> = {};
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.new')) continue;
    const counts: FunctionCounts = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    for (const [path, each] of Object.entries(counts)) {
      sums[path] = each.map((count, index) => count + (sums[path]?.[index] ?? 0));
    }
  }
  return sums;
}
