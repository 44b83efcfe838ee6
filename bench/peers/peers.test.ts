import { expect, test } from 'bun:test';
import { createHistogram, encode, merge, percentileMs, record } from '../histogram.ts';
import { runArrivals } from '../load.ts';
import { answerLength, bytesOf } from '../raw-http.ts';
import type { Workload } from '../workload.ts';
import { etcdRequest } from './etcd.ts';
import { gridRequest } from './grid-interface.ts';
import { canExecute, LEVELS, ordersOf, ratesOf, requestOf, type SystemResult, type WorkloadResult } from './measure.ts';
import { operationsOf, rowsOf, type Step, WORKLOADS } from './operations.ts';
import { latencyPlot, throughputPlot } from './plots.ts';
import { pocketbaseRequest } from './pocketbase.ts';
import { compare, groupsOf, writePeersReport } from './report.ts';
import { rqliteRequest } from './rqlite.ts';
import type { MeasuredSystem, SystemName } from './system.ts';
import { webdisRequest } from './webdis.ts';

const WORKLOAD: Workload = { entries: 1_000, distribution: 'zipf', valueBytes: 10 };
const ALL_STEPS: readonly Step[] = [
  { kind: 'read', key: 7 },
  { kind: 'update', key: 7, value: 'seven' },
  { kind: 'increment', counter: 3 },
  { kind: 'readMany', keys: [1, 2] },
  {
    kind: 'writeMany',
    entries: [
      [1, 'one'],
      [2, 'two'],
    ],
  },
  { kind: 'join', from: 10 },
];

function histogramOf(milliseconds: readonly number[]): string {
  const histogram = createHistogram();
  for (const each of milliseconds) record(histogram, each);
  return encode(histogram);
}

test('percentiles are those of all recorded times, to three digits, also after encoding and merging', () => {
  const histogram = merge([
    histogramOf(Array.from({ length: 500 }, (_, at) => at + 1)),
    histogramOf(Array.from({ length: 500 }, (_, at) => at + 501)),
  ]);
  expect(histogram.totalCount).toBe(1_000);
  for (const [percent, expected] of [
    [50, 500],
    [99, 990],
    [99.9, 999],
  ] as const) {
    expect(Math.abs(percentileMs(histogram, percent) / expected - 1)).toBeLessThan(0.001);
  }
});

test('times outside the range of the histogram count as its ends', () => {
  const histogram = merge([histogramOf([0, 10_000_000])]);
  expect(histogram.totalCount).toBe(2);
  expect(percentileMs(histogram, 50)).toBe(0.001);
  expect(percentileMs(histogram, 99)).toBeGreaterThan(119_000);
});

test('another system begins each round, and all have a turn', () => {
  expect(ordersOf(['a', 'b', 'c'], 4)).toEqual([
    ['a', 'b', 'c'],
    ['b', 'c', 'a'],
    ['c', 'a', 'b'],
    ['a', 'b', 'c'],
  ]);
});

test('rates are shares of the own maximum', () => {
  expect(ratesOf(1_000)).toEqual([
    [30, 300],
    [60, 600],
    [90, 900],
  ]);
});

test.each([
  ['ycsb-a', 0.5],
  ['ycsb-b', 0.95],
  ['ycsb-c', 1],
] as const)('%s reads its share', (name, share) => {
  const operations = operationsOf(name, WORKLOAD);
  const reads = operations.filter(([{ kind }]) => kind === 'read').length;
  expect(Math.abs(reads / operations.length - share)).toBeLessThan(0.01);
});

test('a read of ycsb-f is followed by an update of the same key in half of the operations', () => {
  const operations = operationsOf('ycsb-f', WORKLOAD);
  const pairs = operations.filter(({ length }) => length === 2);
  expect(Math.abs(pairs.length / operations.length - 0.5)).toBeLessThan(0.02);
  for (const [first, second] of pairs.slice(0, 100)) {
    expect(first.kind).toBe('read');
    expect(second).toMatchObject({ kind: 'update', key: first.kind === 'read' ? first.key : -1 });
  }
});

test('every workload has the same operations in every run, and a bulk write names its keys once, in order', () => {
  for (const name of WORKLOADS) expect(operationsOf(name, WORKLOAD)).toEqual(operationsOf(name, WORKLOAD));
  for (const [step] of operationsOf('bulk-write', WORKLOAD)) {
    const keys = step.kind === 'writeMany' ? step.entries.map(([key]) => key) : [];
    expect(keys.length).toBeGreaterThan(1);
    expect(keys).toEqual([...new Set(keys)].sort((a, b) => a - b));
  }
});

test('codes of rows are a permutation of the keys, so that a range has 100 rows', () => {
  const rows = rowsOf(WORKLOAD, 0, 5_000);
  expect(rows.length).toBe(1_000);
  expect(new Set(rows.map(({ code }) => code)).size).toBe(1_000);
});

test('a system executes a workload only if it has all its steps', () => {
  const system: Pick<MeasuredSystem, 'steps'> = { steps: new Set(['read', 'update'] as const) };
  const can = (name: (typeof WORKLOADS)[number]) => canExecute(system, operationsOf(name, WORKLOAD));
  expect(WORKLOADS.filter(can)).toEqual(['ycsb-a', 'ycsb-b', 'ycsb-c', 'ycsb-f']);
});

test('requests of the grid interface are those of the contract', () => {
  const paths = ALL_STEPS.map((step) => gridRequest({ path: '/svc' }, 'c', step).path);
  expect(paths.slice(0, 5)).toEqual([
    '/svc?cmd=get&cacheName=c&key=7',
    '/svc?cmd=put&cacheName=c&key=7&val=seven',
    '/svc?cmd=incr&cacheName=c&key=counter3&delta=1',
    '/svc?cmd=getall&cacheName=c',
    '/svc?cmd=putall&cacheName=c',
  ]);
  expect(paths[5]).toContain('cmd=qryfldexe');
});

test('requests of the peers have the same keys and values', () => {
  const shown = (requestFor: (step: Step) => { path: string; body: string }, count: number) =>
    ALL_STEPS.slice(0, count).map((step) => {
      const { path, body } = requestFor(step);
      return `${path} ${body}`.trim();
    });
  expect(shown(webdisRequest, 5)).toEqual([
    '/GET/7',
    '/SET/7/seven',
    '/INCRBY/counter3/1',
    '/ MGET/1/2',
    '/ MSET/1/one/2/two',
  ]);
  expect(shown(etcdRequest, 2)).toEqual([
    '/v3/kv/range {"key":"Nw=="}',
    '/v3/kv/put {"key":"Nw==","value":"c2V2ZW4="}',
  ]);
  const records = '/api/collections/entries/records';
  expect(shown(pocketbaseRequest, 2)).toEqual([
    `${records}/k00000000000007`,
    `${records}/k00000000000007 {"value":"seven"}`,
  ]);
  expect(shown(rqliteRequest, 1)).toEqual(['/db/query [["SELECT value FROM entries WHERE id = ?",7]]']);
  expect(() => etcdRequest({ kind: 'increment', counter: 1 })).toThrow('no step');
});

test('the requests of an operation follow each other', () => {
  const [read, update] = [ALL_STEPS[0] as Step, ALL_STEPS[1] as Step];
  expect(requestOf({ request: webdisRequest }, [read, update])).toMatchObject({
    path: '/GET/7',
    next: { path: '/SET/7/seven' },
  });
});

test('a response is complete with the length that it names, or with its last chunk', () => {
  const length = (text: string) => answerLength(Buffer.from(text));
  expect(length('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab')).toBe(40);
  expect(length('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na')).toBeUndefined();
  expect(length('HTTP/1.1 200 OK\r\n\r\n2\r\nab\r\n0\r\n\r\n')).toBe(31);
  expect(bytesOf(1, { method: 'PATCH', path: '/a', body: '{}', contentType: 'application/json' }).toString()).toBe(
    'PATCH /a HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  );
});

const SLOW_MS = 300;
const DURATION_MS = 900;

/** Serves requests at once, except that nothing is answered for a while after the first. */
async function stallingServer(act: (port: number) => Promise<void>): Promise<void> {
  let stallsUntilMs = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch() {
      if (stallsUntilMs === 0) stallsUntilMs = performance.now() + SLOW_MS;
      await Bun.sleep(Math.max(0, stallsUntilMs - performance.now()));
      return new Response('well');
    },
  });
  try {
    await act(server.port ?? 0);
  } finally {
    server.stop(true);
  }
}

test('operations that are due while the server stalls count with the time that they wait', async () => {
  await stallingServer(async (port) => {
    const plan = { port, connections: 2, warmUpMs: 0, durationMs: DURATION_MS, serverPid: process.pid, perSecond: 200 };
    const result = await runArrivals(plan, [{ method: 'GET', path: '/', body: '', success: 'well' }]);
    // 200 a second for 0.9 s: all that were due are counted, though two connections wait during the stall.
    expect(result.requests).toBe(180);
    expect(result.unanswered).toBe(0);
    const histogram = merge([result.histogram]);
    expect(histogram.totalCount).toBe(180);
    // The server stalls for a third of the time: the 80th percentile waits, which two long requests alone would not
    // show.
    expect(percentileMs(histogram, 80)).toBeGreaterThan(SLOW_MS / 6);
    expect(percentileMs(histogram, 99)).toBeGreaterThan((SLOW_MS * 3) / 4);
  });
});

test('an operation of two requests is counted once, and a wrong answer fails the load', async () => {
  const paths: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      paths.push(new URL(request.url).pathname);
      return new Response('well');
    },
  });
  try {
    const plan = {
      port: server.port ?? 0,
      connections: 1,
      warmUpMs: 0,
      durationMs: 200,
      serverPid: process.pid,
      perSecond: 50,
    };
    const second = { method: 'GET', path: '/second', body: '', success: 'well' } as const;
    const result = await runArrivals(plan, [{ ...second, path: '/first', next: second }]);
    expect(result.requests).toBe(10);
    expect(paths).toEqual(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? '/first' : '/second')));
    expect(runArrivals(plan, [{ ...second, success: 'other' }])).rejects.toThrow('failed');
  } finally {
    server.stop(true);
  }
});

function systemResult(system: SystemName, maximum: number, cpuMicros: number, milliseconds: number): SystemResult {
  const histogram = histogramOf([milliseconds]);
  const levels = LEVELS.map((level) => ({
    level,
    perSecond: (maximum * level) / 100,
    cpuMicros,
    megabytes: 100,
    histogram,
    unanswered: 0,
    delayP99Micros: 50,
  }));
  return { system, title: system, setting: `${system} as by default`, maximum, generatorCores: 0.5, levels };
}

function resultOfWorkload(
  name: WorkloadResult['name'],
  systems: readonly SystemResult[],
  own: Partial<WorkloadResult> = {},
): WorkloadResult {
  return {
    durability: 'synced',
    name,
    workload: WORKLOAD,
    machine: 'a machine',
    fileSystem: 'ext4',
    rounds: 3,
    durationMs: 5_000,
    connections: 64,
    loads: [0, 1],
    missing: { rqlite: 'download it' },
    systems,
    ...own,
  };
}

const RESULT = resultOfWorkload('ycsb-a', [
  systemResult('svc', 1_000, 20, 2),
  systemResult('etcd', 500, 10, 4),
  systemResult('ignite', 2_000, 40, 1),
]);

test('svc is behind in what a peer does better', () => {
  expect(compare(RESULT).map(({ peer, throughput, cpu, behind }) => [peer.system, throughput, cpu, behind])).toEqual([
    ['etcd', 2, 2, ['CPU']],
    ['ignite', 0.5, 0.5, ['throughput', 'p99']],
  ]);
});

test('the report has a row for each peer, with the reason where svc is behind, and what is missing', () => {
  const reasons = {
    CPU: 'of any peer',
    'etcd CPU': 'a reason',
    throughput: 'its storage',
    'unsynced ycsb-a ignite throughput': 'of another row',
  };
  const text = writePeersReport([RESULT], reasons, new Map([['synced-1000-zipf-10', ['results-peers/plot.svg']]]));
  expect(text).toContain('| ycsb-a | etcd | 2.00 | 2.00 | 0.50 | 1.00 | CPU | CPU: a reason |');
  expect(text).toContain(
    '| ycsb-a | ignite | 0.50 | 0.50 | 2.00 | 1.00 | throughput, p99 | throughput: its storage; p99: not known yet |',
  );
  expect(text).toContain('Not measured: rqlite: download it.');
  expect(text).toContain('](results-peers/plot.svg)');
  expect(text).toContain('ext4');
  expect(text).not.toContain('of another row');
  expect(text).toContain('| svc | 1000 | 20.0 | 100 | 2.00 | 2.00 | 2.00 |');
});

test('a latency that is longer at a higher rate is compared at the rate of the peer', () => {
  const own = systemResult('svc', 1_000, 20, 4);
  const levels = own.levels.map((each) => (each.level === 30 ? { ...each, histogram: histogramOf([1]) } : each));
  const result = resultOfWorkload('ycsb-a', [{ ...own, levels }, systemResult('etcd', 500, 30, 2)]);
  expect(compare(result)[0]?.atPeersRate).toEqual({ perSecond: 300, p99Ms: expect.closeTo(1, 1) });
  const text = writePeersReport([result], {}, new Map());
  expect(text).toContain(
    "p99: at 2.00 times the peer's rate, on cores that the generator shares; at 300/s, no less than the peer's, 1.00 ms (2.00) |",
  );
});

test('results are grouped by durability and working set, in the order of the workloads', () => {
  const other = { ...WORKLOAD, valueBytes: 1_024 };
  const groups = groupsOf([
    resultOfWorkload('join', []),
    resultOfWorkload('ycsb-a', [], { durability: 'unsynced' }),
    resultOfWorkload('ycsb-c', [], { workload: other }),
    RESULT,
  ]);
  expect(groups.map((group) => group.map(({ name, durability }) => `${name} ${durability}`))).toEqual([
    ['ycsb-a synced', 'join synced'],
    ['ycsb-c synced'],
    ['ycsb-a unsynced'],
  ]);
});

test('plots are SVG for light and dark, with every system and workload', () => {
  for (const text of [throughputPlot('A <title>', [RESULT]), latencyPlot('A <title>', [RESULT])]) {
    expect(text).toStartWith('<svg ');
    expect(text).toContain('prefers-color-scheme: dark');
    expect(text).not.toContain('NaN');
    expect(text).not.toContain('<title>');
    for (const word of ['>svc<', '>etcd<', '>ignite<', '>ycsb-a<']) expect(text).toContain(word);
  }
});
