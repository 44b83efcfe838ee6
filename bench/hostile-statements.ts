/**
 * `npm run bench:hostile -- [--rounds 3] [--duration 1000] [WORD ...]`: measures other clients' puts, statements and
 * scans while a hostile statement of each kind runs, and before and after it. Prints the medians of the ratios of
 * throughput and of the 99th percentile. Words select the kinds whose titles contain one of them. Exits with 1 when a
 * load keeps less than half its throughput or has more than twice its p99.
 */
import { parseArgs } from 'node:util';
import { type Answer, type ServiceProcess, startService } from '../test/system/service-process.ts';
import { medianOf } from './load.ts';
import { keysOf, oneWorkload, oneWorkloadOptions, valueText } from './workload.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...oneWorkloadOptions,
    rounds: { type: 'string', default: '3' },
    duration: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '2' },
  },
});
const durationMs = Number(values.duration);
const rounds = Number(values.rounds);
const clients = Number(values.clients);
const MIN_THROUGHPUT = 0.5;
const MAX_LATENCY = 2;
const workload = oneWorkload(values);
const ROWS = workload.entries;
const KEY = keysOf(workload);
const WARM_UPS = 3;
/** Number of rows inserted at once. */
const PORTION = 100_000;
/** Time for a hostile statement to get going. */
const SETTLE_MS = 500;

/** Statements that run until they are cancelled. */
const HOSTILE: ReadonlyArray<readonly [title: string, sql: string]> = [
  [
    'an endless recursive query',
    'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r',
  ],
  ['a product of tables', 'SELECT sum(a.n * b.n) FROM item a, item b'],
  [
    'a sort that spills',
    "SELECT x, REPEAT('a', 500) || MOD(x * 7919, 1000003) s FROM SYSTEM_RANGE(1, 50000000) ORDER BY 2",
  ],
  ['an update', 'UPDATE other SET n = (SELECT count(*) FROM SYSTEM_RANGE(1, 1000000000))'],
  ['an index', 'CREATE INDEX slow ON large(name, n)'],
  ['a hash of each row', "SELECT count(HASH('SHA256', STRINGTOUTF8(a.name || b.name), 1000)) FROM item a, item b"],
  ['a regular expression', "SELECT count(*) FROM item a, item b WHERE REGEXP_LIKE(a.name || b.name, '(n|m)*[0-9]+x')"],
  ['a large array', "SELECT LENGTH(ARRAY_AGG(REPEAT('a', 100) || x)) FROM SYSTEM_RANGE(1, 10000000)"],
];
/** Statements that hold the write lock: puts wait for them by design, up to `query.maxWriteLockMs`. */
const LOCKING: ReadonlySet<string> = new Set(['an update', 'an index']);

const LOADS: ReadonlyArray<readonly [title: string, request: (at: number) => string]> = [
  ['put', (at) => `cmd=put&key=${KEY()}&val=${valueText(at, workload)}`],
  [
    'statement',
    (at) =>
      `cmd=qryfldexe&pageSize=100&qry=${encodeURIComponent(`SELECT count(*) FROM small WHERE n + 0 > ${at % 100}`)}`,
  ],
  ['scan', () => 'cmd=qryscanexe&pageSize=2000&cacheName=small'],
];

interface Measured {
  readonly perSecond: number;
  readonly p99Ms: number;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function measure(service: ServiceProcess, request: (at: number) => string): Promise<Measured> {
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  let at = 0;
  const client = async (): Promise<void> => {
    while (performance.now() - startMs < durationMs) {
      const begunMs = performance.now();
      const { error } = await service.send(request(at++));
      if (error !== null) throw new Error(error);
      latenciesMs.push(performance.now() - begunMs);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  latenciesMs.sort((a, b) => a - b);
  const seconds = (performance.now() - startMs) / 1000;
  return {
    perSecond: latenciesMs.length / seconds,
    p99Ms: latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? Number.POSITIVE_INFINITY,
  };
}

function run(service: ServiceProcess, qry: string, signal?: AbortSignal): Promise<Answer> {
  return service.send('cmd=qryfldexe&pageSize=10', {
    method: 'POST',
    body: new URLSearchParams({ qry }),
    ...(signal && { signal }),
  });
}

async function define(sql: string): Promise<void> {
  const { error } = await run(service, sql);
  if (error !== null) throw new Error(`${sql}: ${error}`);
}

/**
 * Reports whether a hostile statement succeeded or met one of its limits. An index exists when its client left while it
 * was built.
 */
function isExpected(error: string | null): boolean {
  return error === null || /\b(?:cancelled|limit|already exists|query\.\w+)\b/i.test(error);
}

/** Measures a load during a hostile statement, which is restarted if a limit ends it. */
async function beside(service: ServiceProcess, sql: string, request: (at: number) => string): Promise<Measured> {
  const leaving = new AbortController();
  const hostile = (async () => {
    while (!leaving.signal.aborted) {
      const ended = await run(service, sql, leaving.signal).catch(() => undefined);
      if (ended !== undefined && !isExpected(ended.error)) throw new Error(`${sql}: ${ended.error}`);
      if (sql.startsWith('CREATE INDEX')) await run(service, 'DROP INDEX IF EXISTS slow');
    }
  })();
  await Bun.sleep(SETTLE_MS);
  try {
    return await measure(service, request);
  } finally {
    leaving.abort();
    await hostile;
  }
}

await using service = await startService({ env: { SVC_QUERY_MAX_MEMORY_BYTES: String(256 * 1024 * 1024) } });
for (const name of ['item', 'other', 'small', 'large']) {
  await define(`CREATE TABLE ${name}(id INT PRIMARY KEY, name VARCHAR, n INT) WITH "CACHE_NAME=${name}"`);
  const count = name === 'small' ? 1_000 : name === 'large' ? 5 * ROWS : ROWS;
  for (let first = 1; first <= count; first += PORTION) {
    const range = `SYSTEM_RANGE(${first}, ${Math.min(count, first + PORTION - 1)})`;
    await define(`INSERT INTO ${name} SELECT x, 'n' || MOD(x * 7919, 1000003), x FROM ${range}`);
  }
}
// Warm-up: code is compiled, threads start, and the log of the initial load is checkpointed.
for (let pass = 0; pass < WARM_UPS; pass++) {
  for (const [, request] of LOADS) await measure(service, request);
}

let failed = false;
for (const [title, sql] of HOSTILE) {
  if (positionals.length > 0 && !positionals.some((word) => title.includes(word))) continue;
  const shown: string[] = [];
  for (const [load, request] of LOADS) {
    if (load === 'put' && LOCKING.has(title)) continue;
    const ratios: Array<readonly [throughput: number, latency: number]> = [];
    const p99Ms: Array<readonly [idle: number, busy: number]> = [];
    let before = await measure(service, request);
    for (let round = 0; round < rounds; round++) {
      const busy = await beside(service, sql, request);
      const after = await measure(service, request);
      // The mean of both neighbours: the speed of the machine drifts, and code gets compiled.
      const idlePerSecond = (before.perSecond + after.perSecond) / 2;
      const idleP99Ms = (before.p99Ms + after.p99Ms) / 2;
      ratios.push([busy.perSecond / idlePerSecond, busy.p99Ms / idleP99Ms]);
      p99Ms.push([idleP99Ms, busy.p99Ms]);
      before = after;
    }
    const throughput = medianOf(ratios.map(([first]) => first));
    const latency = medianOf(ratios.map(([, second]) => second));
    const isKept = throughput >= MIN_THROUGHPUT && latency <= MAX_LATENCY;
    failed ||= !isKept;
    const [idleMs, busyMs] = [0, 1].map((at) => medianOf(p99Ms.map((pair) => pair[at] ?? Number.NaN)).toFixed(1));
    shown.push(
      `${load}: throughput x ${throughput.toFixed(2)}, p99 x ${latency.toFixed(2)} (${idleMs} to ${busyMs} ms)` +
        (isKept ? '' : ' MISSED'),
    );
  }
  say(`${title}: ${shown.join('; ')}`);
}
process.exitCode = failed ? 1 : 0;
