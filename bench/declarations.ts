/**
 * `npm run bench:declarations [-- --objects 1000000]`: declares over stored objects: CREATE TABLE, ADD COLUMN, and an
 * entity of the configuration at startup. Prints how long each takes, whether the values of all rows are right, how
 * often the progress changed, the memory beyond that of the idle service, and the latency of other clients' gets
 * meanwhile. Exits with 1 for wrong values, a 99th percentile above 200 ms or more than 256 MiB.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile, residentMegabytes } from './process-usage.ts';
import { freePort } from './servers.ts';

const { values } = parseArgs({ options: { objects: { type: 'string', default: '1000000' } } });
const objects = Number(values.objects);
const PART = 50_000;
const CACHE = 'c';
const MOST_MB = 268;
const MOST_P99_MS = 200;
const CLIENTS = 4;
const BETWEEN_GETS_MS = 5;
const BETWEEN_SAMPLES_MS = 250;
const SETTLE_MS = 3_000;
const MAIN = join(import.meta.dir, '../src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'svc-declarations-'));
const dataDir = join(folder, 'data');
const port = freePort();
const url = `http://127.0.0.1:${port}/svc`;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function start(config?: string) {
  return Bun.spawn([process.execPath, '--no-orphans', MAIN], {
    cwd: folder,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))),
      ...{ SVC_DATA_DIR: dataDir, SVC_HTTP_HOST: '127.0.0.1', SVC_HTTP_PORT: String(port), SVC_HTTP_PORT_RANGE: '1' },
      ...(config !== undefined && { SVC_CONFIG: config }),
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  });
}
type Child = ReturnType<typeof start>;

/** Waits until the service answers or, with `isReady`, until it is ready. */
async function answering(child: Child, isReady: boolean): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`exited with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${port}/health/${isReady ? 'ready' : 'live'}`).catch(() => undefined);
    if (answer?.ok === true) return;
    await Bun.sleep(10);
  }
}

async function send(parameters: Readonly<Record<string, string>>, init?: RequestInit): Promise<unknown> {
  const answer = await fetch(`${url}?${new URLSearchParams(parameters)}`, init);
  const { error, response } = (await answer.json()) as { readonly error: string | null; readonly response: unknown };
  if (error !== null) throw new Error(error);
  return response;
}

async function rows(qry: string): Promise<ReadonlyArray<readonly unknown[]>> {
  const response = await send({ cmd: 'qryfldexe', cacheName: CACHE, pageSize: '10', timeout: '0', qry });
  return (response as { readonly items: ReadonlyArray<readonly unknown[]> }).items;
}

async function fill(): Promise<void> {
  await send({ cmd: 'getorcreate', cacheName: CACHE });
  for (let from = 0; from < objects; from += PART) {
    const lines: string[] = [];
    for (let n = from; n < Math.min(objects, from + PART); n++)
      lines.push(`{"key":"k${n}","value":{"name":"name ${n}","n":${n},"born":${1900 + (n % 100)},"toy":"ball"}}`);
    const init = { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body: `${lines.join('\n')}\n` };
    await send({ cmd: 'import', cacheName: CACHE, keyType: 'string', valueType: 'O' }, init);
  }
}

interface Measured {
  readonly ms: number;
  readonly latenciesMs: readonly number[];
  readonly peakMb: number;
  /** The distinct numbers of converted entries that were shown. */
  readonly shown: number;
}

/** Measures gets, memory and progress while `action` runs. */
async function measure(pid: number, withClients: boolean, action: () => Promise<unknown>): Promise<Measured> {
  let isRunning = true;
  const latenciesMs: number[] = [];
  const shown = new Set<unknown>();
  let peakMb = 0;
  const client = async (number: number): Promise<void> => {
    for (let turn = number; isRunning; turn += CLIENTS) {
      const key = `k${(turn * 7_919) % objects}`;
      const beginMs = performance.now();
      await send({ cmd: 'get', cacheName: CACHE, key });
      latenciesMs.push(performance.now() - beginMs);
      await Bun.sleep(BETWEEN_GETS_MS);
    }
  };
  const sample = async (): Promise<void> => {
    while (isRunning) {
      peakMb = Math.max(peakMb, residentMegabytes(pid));
      if (withClients) {
        const found = await rows('SELECT converted_rows FROM sys.running_statements WHERE converted_rows > 0');
        if (found[0] !== undefined) shown.add(found[0][0]);
      }
      await Bun.sleep(BETWEEN_SAMPLES_MS);
    }
  };
  const others = [sample(), ...(withClients ? Array.from({ length: CLIENTS }, (_, number) => client(number)) : [])];
  const beginMs = performance.now();
  await action();
  const ms = performance.now() - beginMs;
  isRunning = false;
  await Promise.all(others);
  return { ms, latenciesMs: latenciesMs.sort((one, two) => one - two), peakMb, shown: shown.size };
}

function report(name: string, { ms, latenciesMs, peakMb, shown }: Measured, idleMb: number, isRight: boolean): void {
  const p99 = percentile(latenciesMs, 0.99);
  const gets = latenciesMs.length === 0 ? '' : `${latenciesMs.length} gets, p99 ${p99.toFixed(1)} ms, `;
  const longest = latenciesMs.length === 0 ? '' : `longest ${latenciesMs.at(-1)?.toFixed(1)} ms; `;
  say(
    `${name}: ${(ms / 1_000).toFixed(1)} s for ${objects} objects; ${gets}${longest}` +
      `memory ${idleMb.toFixed(0)} MB idle, at most ${peakMb.toFixed(0)} MB; progress shown ${shown} times; ` +
      `values ${isRight ? 'right' : 'WRONG'}`,
  );
  if (!isRight || p99 > MOST_P99_MS || peakMb - idleMb > MOST_MB) process.exitCode = 1;
}

async function isRight(table: string, column: string, sum: number): Promise<boolean> {
  const value = column === 'toy' ? 'LENGTH(toy)' : column;
  const found = await rows(`SELECT COUNT(*), COUNT(${column}), SUM(${value}) FROM ${table}`);
  return JSON.stringify(found) === JSON.stringify([[objects, objects, sum]]);
}

async function stop(child: Child): Promise<void> {
  child.kill('SIGTERM');
  await child.exited;
}

/** How often the log shows the progress of a startup. */
function logged(): number {
  const log = join(dataDir, 'log');
  const text = readdirSync(log).map((name) => readFileSync(join(log, name), 'utf8'));
  return text.join('').split(/"Converted \d+ of/).length - 1;
}

let child = start();
try {
  await answering(child, true);
  await fill();
  await stop(child);
  child = start();
  await answering(child, true);
  await Bun.sleep(SETTLE_MS);
  const idleMb = residentMegabytes(child.pid);
  const alone = await measure(child.pid, true, () => Bun.sleep(SETTLE_MS));
  say(`gets alone: p99 ${percentile(alone.latenciesMs, 0.99).toFixed(1)} ms`);
  const numbers = (objects * (objects - 1)) / 2;
  const declarations: ReadonlyArray<readonly [name: string, statement: string, column: string, sum: number]> = [
    [
      'CREATE TABLE',
      `CREATE TABLE T (id VARCHAR PRIMARY KEY, name VARCHAR, n INT) WITH "CACHE_NAME=${CACHE},VALUE_TYPE=O"`,
      'n',
      numbers,
    ],
    ['ADD COLUMN', 'ALTER TABLE T ADD COLUMN toy VARCHAR', 'toy', objects * 'ball'.length],
  ];
  for (const [name, statement, column, sum] of declarations) {
    const measured = await measure(child.pid, true, () => rows(statement));
    report(name, measured, idleMb, await isRight('T', column, sum));
  }
  await stop(child);
  const fields = { id: 'string', name: 'string', n: 'int', toy: 'string', born: 'int' };
  const entity = { keyType: 'string', valueType: 'O', tableName: 'T', keyFields: ['id'], fields };
  const config = join(folder, 'svc.config.mjs');
  writeFileSync(
    config,
    `export default ${JSON.stringify({ caches: [{ name: CACHE, schema: 'PUBLIC', entities: [entity] }] })};\n`,
  );
  child = start(config);
  let aliveMs = 0;
  const beginMs = performance.now();
  const measured = await measure(child.pid, false, async () => {
    await answering(child, false);
    aliveMs = performance.now() - beginMs;
    await answering(child, true);
  });
  const births = Array.from({ length: objects }, (_, n) => 1900 + (n % 100)).reduce((sum, each) => sum + each, 0);
  say(`the start answered /health/live after ${aliveMs.toFixed(0)} ms`);
  report('entity at a start', { ...measured, shown: logged() }, idleMb, await isRight('T', 'born', births));
} finally {
  await stop(child);
  rmSync(folder, { recursive: true, force: true });
}
