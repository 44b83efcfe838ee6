import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { entriesOf } from '../../../test/grid/entry-methods.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { childEnvironment } from '../../base/child-environment.ts';
import { systemClock } from '../../base/clock.ts';
import type { TaskOutcome, TaskOwner } from '../../commands/context.ts';
import type { Grid, Queries, QueryPage } from '../../grid/grid.ts';
import { text } from '../../values/value.ts';
import { createLog } from '../monitoring/log.ts';
import { BUILT_IN_TASKS } from './built-in-tasks.ts';
import { ProcessPool, type ProcessPoolOptions } from './process-pool.ts';
import { createTaskService, type LocalTaskService, type TaskServiceOptions } from './task-service.ts';

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(1);
}

const CONFIGURATION = `
const words = {
  map: (argument) => {
    if (argument === null) return [];
    if (typeof argument !== 'string') throw new Error('not one text');
    return argument.split(' ');
  },
  job: (word) => word.length,
  reduce: (lengths) => lengths.reduce((sum, each) => sum + each, 0),
};
export default {
  tasks: {
    words,
    'failing.job': { map: () => [1, 2], job: () => { throw new Error('no luck'); }, reduce: () => 0 },
    'failing.reduce': { map: () => [1], job: () => 1, reduce: () => { throw new Error('no sum'); } },
    'failing.function': () => { throw new Error('no luck'); },
    'order': { map: () => [40, 1, 20], job: async (ms) => { await Bun.sleep(ms); return ms; }, reduce: (all) => all },
    'hang': () => { for (;;); },
    'exit': () => process.exit(7),
    'kill': () => process.kill(process.pid, 'SIGKILL'),
    'grow': () => { const kept = []; for (;;) kept.push(new Uint8Array(10_000_000).fill(1)); },
    'pid': () => process.pid,
    'secret': () => [process.env.SVC_TELEMETRY_HEADERS, process.env.AWS_SECRET_ACCESS_KEY, process.env.REPORT_MODE],
    'read': async (key, { caches }) => [await caches.names(), await caches.size('c'), (await caches.get('c', key))?.data ?? null],
    'unknownCache': (key, { caches }) => caches.get('nosuch', 'k'),
    'say': (words, { log, name }) => { log.info(name + ' says ' + words); console.log('plainly', words); return null; },
    'noData': () => () => 1,
    'module': './module.ts',
    'no.module': './nowhere.ts',
    'no.task': 5,
    'scan': async (cache, { caches }) => {
      const keys = [];
      for await (const { key } of caches.scan(cache)) keys.push(key);
      return keys;
    },
    'scan.first': async (cache, { caches }) => {
      for await (const { key } of caches.scan(cache)) return key;
    },
    'query': async (sql, { caches }) => {
      const sums = [];
      for await (const [a, b] of caches.query('c', sql, 'x')) sums.push(a + b);
      return sums;
    },
    'patient': async (ms, { signal }) => { while (!signal.aborted) await Bun.sleep(5); return 'stopped'; },
  },
};
`;

let folder = '';
let grid: Grid;
let lines: string[] = [];
const open: LocalTaskService[] = [];

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-tasks-'));
  fs.writeFileSync(path.join(folder, 'svc.config.ts'), CONFIGURATION);
  fs.writeFileSync(path.join(folder, 'module.ts'), 'export default (words: string) => ({ from: "module", words });');
  fs.writeFileSync(
    path.join(folder, 'entry.ts'),
    `import { runTaskProcess } from ${JSON.stringify(path.join(import.meta.dir, 'task-process.ts'))};
     runTaskProcess(async (file) => (await import(file)).default.tasks);`,
  );
  grid = { ...openModelGrid({ clock: systemClock }), queries: pages() };
  await grid.caches.getOrCreate('c', {});
  await entriesOf(grid).put('c', text('k'), text('v'));
});
/** Rows by the name of a cache or the text of a statement. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  ab: ['{"key":"a","value":9223372036854775807}', '{"key":"b","value":[1.5,null]}', '{"key":"c","value":{"n":-7}}'],
  ba: ['{"key":"c","value":{"n":-7}}', '{"key":"b","value":[1.5,null]}', '{"key":"a","value":9223372036854775807}'],
  other: ['{"key":"a","value":9223372036854775806}', '{"key":"b","value":[1.5,null]}', '{"key":"c","value":{"n":-7}}'],
  none: [],
  'select a, b': ['[1,2]', '[3,4]', '["x","y"]'],
};
const openCursors = new Map<number, readonly string[]>();

/** Returns queries with one row per page, as a string or in chunks. */
function pages(): Queries {
  let lastId = 0;
  const page = (queryId: number, rows: readonly string[]): QueryPage => {
    const [first, ...rest] = rows;
    if (rest.length > 0) openCursors.set(queryId, rest);
    else openCursors.delete(queryId);
    const text = first ?? '';
    async function* chunks() {
      yield text.slice(0, 3);
      yield text.slice(3);
    }
    return {
      queryId,
      columns: [],
      rows: rest.length % 2 === 0 ? text : chunks(),
      end: () => ({ last: rest.length === 0, rowCount: 1 }),
    };
  };
  return {
    execute: (request) => page(++lastId, ROWS[request.kind === 'fields' ? request.sql : request.cache] ?? []),
    fetch: (queryId) => page(queryId, openCursors.get(queryId) ?? []),
    close(queryId) {
      openCursors.delete(queryId);
    },
    kill({ number }) {
      openCursors.delete(number);
    },
  };
}

afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
  lines = [];
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const NAMES = new Set([...CONFIGURATION.matchAll(/^ {4}'?([\w.]+)'?[:,]/gm)].map(([, name = '']) => name));

function service(pool: Partial<ProcessPoolOptions> = {}, own: Partial<TaskServiceOptions> = {}): LocalTaskService {
  const processes = new ProcessPool({
    grid,
    clock: systemClock,
    log: createLog({ append: (line) => lines.push(line) }, 'info', systemClock),
    command: [process.execPath, path.join(folder, 'entry.ts')],
    environment: childEnvironment(
      { PATH: process.env.PATH, SVC_TELEMETRY_HEADERS: 'secret', AWS_SECRET_ACCESS_KEY: 'secret', REPORT_MODE: 'abc' },
      ['REPORT_*'],
    ),
    configuration: path.join(folder, 'svc.config.ts'),
    count: 2,
    memoryBytes: 1024 ** 3,
    maxWaiting: 100,
    targetMs: 100,
    ...pool,
  });
  const names = new Set([...NAMES, ...Object.keys(BUILT_IN_TASKS)]);
  const made = createTaskService({
    grid,
    clock: systemClock,
    pool: processes,
    names,
    maxResults: 10,
    maxTimeoutMs: 3_600_000,
    ...own,
  });
  open.push(made);
  return made;
}

const never = () => new AbortController().signal;
const ownerOf = (user: string): TaskOwner => ({ user, tenant: { key: user, isAdministrator: false } });
/** The owner of tasks without authentication. */
const nobody: TaskOwner = { user: '', tenant: { key: 'network 192.0.2.1', isAdministrator: false } };

async function outcomeOf(work: () => Promise<TaskOutcome> | TaskOutcome): Promise<unknown> {
  try {
    return (await work()).result;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

async function finished(tasks: LocalTaskService, id: string, user: string): Promise<TaskOutcome> {
  for (;;) {
    const outcome = await tasks.result(id, user);
    if (outcome.finished) return outcome;
    await Bun.sleep(5);
  }
}

const list = (...data: unknown[]) => ({ type: 'list', data });
const integer = (data: number) => ({ type: 'integer', data });
const thrown = (message: string) =>
  `Remote job threw user exception (override or implement ComputeTask.result(..) method if you would like to have automatic failover for this exception): ${message}`;

describe('the outcome of a task', () => {
  const cases: ReadonlyArray<readonly [string, string, readonly string[], unknown]> = [
    ['jobs and their reduction', 'words', ['ab cde'], integer(5)],
    ['an empty string as one job', 'words', [''], integer(0)],
    ['no argument and therefore no jobs', 'words', [], 'Split returned no jobs.'],
    [
      'a map that throws',
      'words',
      ['a', 'b'],
      'Failed to map task jobs to nodes due to undeclared user exception [cause=not one text]',
    ],
    ['a job that throws', 'failing.job', [], thrown('no luck')],
    ['a function that throws', 'failing.function', [], thrown('no luck')],
    [
      'a reduce that throws',
      'failing.reduce',
      [],
      'Failed to reduce job results due to undeclared user exception [task=failing.reduce, err=no sum]',
    ],
    ['results in the order of the jobs', 'order', [], { type: 'list', data: [integer(40), integer(1), integer(20)] }],
    ['a process that exits', 'exit', [], 'The process of the task ended before the task did [task=exit, exit=7]'],
    [
      'a process that is killed',
      'kill',
      [],
      'The process of the task ended before the task did [task=kill, exit=SIGKILL]',
    ],
    [
      'an unknown task',
      'nosuch',
      [],
      'Unknown task name or failed to auto-deploy task (was task (re|un)deployed?) [taskName=nosuch]',
    ],
    ['a result that is not data', 'noData', [], thrown('A result cannot be a function')],
    [
      'a task in its own module',
      'module',
      ['x'],
      {
        type: 'map',
        data: [
          [text('from'), text('module')],
          [text('words'), text('x')],
        ],
      },
    ],
    [
      'an export that is not a task',
      'no.task',
      [],
      'The task no.task is neither a function nor an object with map, job and reduce',
    ],
    ['the environment without secrets', 'secret', [], list({ type: 'null' }, { type: 'null' }, text('abc'))],
    ['an error of the grid', 'unknownCache', [], thrown('Failed to find cache for given cache name: nosuch')],
    ['echo without an argument', 'svc.echo', [], { type: 'null' }],
    ['echo of one argument', 'svc.echo', ['a'], text('a')],
    ['echo of several arguments', 'svc.echo', ['a', 'b'], { type: 'list', data: [text('a'), text('b')] }],
    ['sleep', 'svc.sleep', ['1'], integer(1)],
    ['sleep with an invalid number', 'svc.sleep', ['x'], thrown('Not a number of milliseconds of at most an hour: x')],
    ['a scan over several pages', 'scan', ['ab'], list(text('a'), text('b'), text('c'))],
    ['a scan of an empty cache', 'scan', ['none'], list()],
    ['the rows of a statement', 'query', ['select a, b'], list(integer(3), integer(7), text('xy'))],
    ['sizes of caches', 'svc.cacheSizes', ['c'], { type: 'map', data: [[text('c'), integer(1)]] }],
  ];
  for (const [title, name, args, expected] of cases) {
    test(title, async () => {
      expect(await outcomeOf(() => service().run(name, args, 0, never(), nobody))).toEqual(expected);
    });
  }

  test('a missing module', async () => {
    expect(await outcomeOf(() => service().run('no.module', [], 0, never(), nobody))).toContain('nowhere.ts');
  });

  test('the id of a synchronous task contains only the node', async () => {
    const { id, finished: is } = await service().run('svc.echo', [], 0, never(), nobody);
    expect([id, is]).toEqual([`~${grid.cluster.localNodeId}`, true]);
  });

  test('tasks read entries through the service', async () => {
    expect(await outcomeOf(() => service().run('read', ['k'], 0, never(), nobody))).toMatchObject({
      data: [{ data: expect.arrayContaining([text('c')]) }, integer(1), text('v')],
    });
  });

  test('an unfinished scan is closed', async () => {
    expect(await outcomeOf(() => service().run('scan.first', ['ab'], 0, never(), nobody))).toEqual(text('a'));
    await Bun.sleep(5);
    expect(openCursors.size).toBe(0);
  });

  test('the digest of entries depends on all digits but not on their order', async () => {
    const digest = async (cache: string) => {
      const { result } = await service().run('svc.entriesDigest', [cache], 0, never(), nobody);
      const [, map] = result.type === 'map' ? (result.data[0] ?? []) : [];
      return JSON.stringify(map, (_name, each) => (typeof each === 'bigint' ? String(each) : each));
    };
    const [first, turned, changed] = [await digest('ab'), await digest('ba'), await digest('other')];
    expect(first).toContain('"data":3');
    expect(first).toMatch(/"[0-9a-f]{64}"/);
    expect(turned).toBe(first);
    expect(changed).not.toBe(first);
  });

  test('output of a task is logged', async () => {
    await service().run('say', ['hello'], 0, never(), nobody);
    await Bun.sleep(20);
    expect(lines.join('\n')).toContain('say says hello');
    expect(lines.join('\n')).toContain('plainly hello');
  });
});

describe('time limits and cancellation', () => {
  const cases: ReadonlyArray<readonly [string, string, number]> = [
    ['a hanging task times out', 'hang', 60],
    ['a waiting task times out', 'svc.sleep', 60],
    ['a negative limit times out immediately', 'svc.echo', -1],
  ];
  for (const [title, name, timeoutMs] of cases) {
    test(title, async () => {
      const tasks = service({ count: 1 });
      expect(await outcomeOf(() => tasks.run(name, [], timeoutMs, never(), nobody))).toBe(
        `Task timed out (check logs for error messages): [taskName=${name}, timeout=${timeoutMs}]`,
      );
      // The only process has hung; the next task gets another one.
      expect(await outcomeOf(() => tasks.run('svc.echo', ['on'], 0, never(), nobody))).toEqual(text('on'));
    });
  }

  test('no task exceeds the configured maximum', async () => {
    expect(await outcomeOf(() => service({}, { maxTimeoutMs: 50 }).run('hang', [], 0, never(), nobody))).toBe(
      'Task timed out (check logs for error messages): [taskName=hang, timeout=50]',
    );
  });

  test('a disconnecting client cancels its task', async () => {
    const tasks = service({ count: 1 });
    const client = new AbortController();
    const waiting = outcomeOf(() => tasks.run('hang', [], 0, client.signal, nobody));
    await Bun.sleep(50);
    client.abort();
    expect(await waiting).toBe('The task was cancelled [taskName=hang]');
    expect(await outcomeOf(() => tasks.run('svc.echo', ['on'], 0, never(), nobody))).toEqual(text('on'));
  });

  test('a task that handles the signal keeps its process', async () => {
    const tasks = service({ count: 1 });
    const before = await outcomeOf(() => tasks.run('pid', [], 0, never(), nobody));
    await outcomeOf(() => tasks.run('patient', [], 30, never(), nobody));
    expect(await outcomeOf(() => tasks.run('pid', [], 0, never(), nobody))).toEqual(before);
  });

  test('a task that exceeds the memory limit fails', async () => {
    const tasks = service({ memoryBytes: 1024 ** 3 });
    expect(await outcomeOf(() => tasks.run('grow', [], 20_000, never(), nobody))).not.toContain('timed out');
    expect(await outcomeOf(() => tasks.run('svc.echo', ['on'], 0, never(), nobody))).toEqual(text('on'));
  });
});

describe('asynchronous tasks', () => {
  test('return their result any number of times once finished', async () => {
    const tasks = service();
    const { id, finished: is, result } = await tasks.start('svc.sleep', ['30'], 0, ownerOf('ann'));
    expect(id).toMatch(/^[0-9a-f]+-[0-9a-f-]{36}~[0-9a-f-]{36}$/);
    expect([is, result.type]).toEqual([false, 'null']);
    expect((await tasks.result(id, 'ann')).finished).toBe(false);
    for (let time = 0; time < 2; time++)
      expect((await finished(tasks, id, 'ann')).result).toEqual(integer(30) as never);
  });

  const failures: ReadonlyArray<readonly [string, string, number, string]> = [
    ['an unknown task', 'nosuch', 0, 'Unknown task name'],
    ['a failing task', 'failing.function', 0, 'Remote job threw user exception'],
    ['a time limit', 'hang', 30, 'Task timed out'],
    ['a negative time limit', 'svc.echo', -5, 'Task timed out'],
  ];
  for (const [title, name, timeoutMs, expected] of failures) {
    test(`${title}: start succeeds, result fails`, async () => {
      const tasks = service();
      const { id } = await tasks.start(name, [], timeoutMs, ownerOf('ann'));
      expect(await outcomeOf(() => finished(tasks, id, 'ann'))).toContain(expected);
      expect(await outcomeOf(() => tasks.result(id, 'ann'))).toContain(expected);
    });
  }

  test('are visible to their user only', async () => {
    const tasks = service();
    const { id } = await tasks.start('svc.echo', [], 0, ownerOf('ann'));
    const [taskId] = id.split('~');
    expect(await outcomeOf(() => tasks.result(id, 'bob'))).toBe(
      `Task with provided id has never been started on provided node [taskId=${taskId}, taskResHolderId=${grid.cluster.localNodeId}]`,
    );
  });

  test('keep only the newest results', async () => {
    const tasks = service({}, { maxResults: 3 });
    const ids: string[] = [];
    for (const word of ['a', 'b', 'c', 'd', 'e']) {
      const { id } = await tasks.start('svc.echo', [word], 0, nobody);
      ids.push(id);
      await finished(tasks, id, '');
    }
    const kept = await Promise.all(ids.map((id) => outcomeOf(() => tasks.result(id, ''))));
    expect(kept.slice(2)).toEqual([text('c'), text('d'), text('e')]);
    expect(kept.slice(0, 2).every((each) => String(each).startsWith('Task with provided id'))).toBe(true);
  });

  test('are rejected while the maximum number run', async () => {
    const tasks = service({}, { maxResults: 2 });
    for (let count = 0; count < 2; count++) await tasks.start('svc.sleep', ['1000'], 0, nobody);
    expect(() => tasks.start('svc.sleep', ['1000'], 0, nobody)).toThrow('Too many requests are waiting');
  });

  test('are rejected if their name is that of a class', async () => {
    expect(await outcomeOf(() => service().run('java.lang.String', [], 0, never(), nobody))).toBe(
      'Failed to auto-deploy task (deployed class is not a task) [taskName=java.lang.String]',
    );
  });

  const node = '00000000-0000-0000-0000-000000000001';
  const grids = 'ffffffffff-00000000-0000-0000-0000-000000000000';
  const ids: ReadonlyArray<readonly [string, string]> = [
    ['abc', 'Failed to parse id parameter: abc'],
    ['a~b~c', 'Failed to parse id parameter: a~b~c'],
    ['a~b', 'Invalid UUID string: a'],
    ['a-b~c', 'Invalid UUID string: b'],
    [`x-${node}~c`, `Invalid UUID string: x-${node}`],
    [`${grids}~b`, 'Invalid UUID string: b'],
    [`~${node}`, `Failed to parse id parameter: ~${node}`],
    [`${grids}~`, `Failed to parse id parameter: ${grids}~`],
    ['~', 'Failed to parse id parameter: ~'],
    ['~a~~b', 'Invalid UUID string: a'],
    [`a${'~'.repeat(10_000)}b`, `Failed to parse id parameter: a${'~'.repeat(999)}...`],
    [`${grids}~${node}`, `Task result holder has left grid: ${node}`],
  ];
  for (const [id, expected] of ids) {
    test(`id ${id}`, async () => expect(await outcomeOf(() => service().result(id, ''))).toBe(expected));
  }
});

describe('task processes', () => {
  test('start with the first task and run steps one after another', async () => {
    const tasks = service({ count: 2 });
    const pids = await Promise.all(
      Array.from({ length: 6 }, () => outcomeOf(() => tasks.run('pid', [], 0, never(), nobody))),
    );
    expect(new Set(pids.map((pid) => JSON.stringify(pid))).size).toBeLessThanOrEqual(2);
  });

  test('run short tasks while long ones run', async () => {
    const tasks = service({ count: 1 });
    const abort = new AbortController();
    const endless = outcomeOf(() => tasks.run('hang', [], 0, abort.signal, ownerOf('greedy')));
    const further = outcomeOf(() => tasks.run('hang', [], 0, abort.signal, ownerOf('greedy')));
    await Bun.sleep(200);
    const begunMs = performance.now();
    expect(await outcomeOf(() => tasks.run('words', ['ab cde'], 0, never(), ownerOf('modest')))).toEqual(integer(5));
    expect(performance.now() - begunMs).toBeLessThan(8_000);
    abort.abort();
    await Promise.all([endless, further]);
  }, 20_000);

  test('serve users in turn', async () => {
    const tasks = service({ count: 1 });
    const order: string[] = [];
    const run = async (user: string) => {
      await tasks.run('words', ['ab'], 0, never(), ownerOf(user));
      order.push(user);
    };
    const greedy = Array.from({ length: 6 }, () => run('greedy'));
    await Promise.all([...greedy, run('modest')]);
    expect(order.indexOf('modest')).toBeLessThan(4);
  });

  test('let one user fill the queue, and its steps give way to those of another up to equal shares', async () => {
    const tasks = service({ count: 1, maxWaiting: 20 });
    const abort = new AbortController();
    const outcomes: string[] = [];
    const run = (user: string) =>
      tasks.run('hang', [], 0, abort.signal, ownerOf(user)).then(
        () => {},
        (error: Error) => {
          if (!abort.signal.aborted) outcomes.push(`${user}: ${error.message}`);
        },
      );
    // The first step has a process.
    const all = Array.from({ length: 21 }, () => run('greedy'));
    await Bun.sleep(1);
    expect(outcomes).toEqual([]);
    all.push(run('greedy'));
    await until(() => outcomes.length > 0);
    expect(outcomes).toEqual(['greedy: Too many requests are waiting [waiting=20]']);
    for (let n = 0; n < 11; n++) all.push(run('modest'));
    await until(() => outcomes.some((outcome) => outcome.startsWith('modest')));
    const counts = Map.groupBy(outcomes, (outcome) => outcome.split(':')[0]);
    expect(counts.get('greedy')?.length).toBe(11);
    expect(counts.get('modest')).toEqual(['modest: Too many requests are waiting [waiting=20]']);
    abort.abort();
    await Promise.all(all);
  });

  test('reject further tasks of whoever waits while all wait too long, but none that is asynchronous', async () => {
    const tasks = service({ count: 1, maxWaiting: 1_000, targetMs: 20 }, { maxResults: 1_000 });
    const abort = new AbortController();
    const rejected: string[] = [];
    const run = (user: string) =>
      tasks.run('svc.sleep', ['5'], 0, abort.signal, ownerOf(user)).catch((error: Error) => {
        if (!abort.signal.aborted) rejected.push(`${user}: ${error.message}`);
      });
    await run('greedy');
    const all: Array<Promise<unknown>> = [];
    for (let n = 0; n < 300 && rejected.length < 10; n++) {
      all.push(run('greedy'), run('greedy'));
      await Bun.sleep(5);
    }
    expect(rejected[0]).toMatch(/^greedy: Too many requests are waiting/);
    rejected.length = 0;
    const asynchronous = [];
    for (let n = 0; n < 10; n++) asynchronous.push(await tasks.start('svc.echo', [], 0, ownerOf('greedy')));
    await run('modest');
    expect(rejected.filter((each) => each.startsWith('modest'))).toEqual([]);
    for (const { id } of asynchronous) await finished(tasks, id, 'greedy');
    abort.abort();
    await Promise.all(all);
  });

  test('reject more waiting steps than the limit', async () => {
    const tasks = service({ count: 1, maxWaiting: 2 });
    const answers = Promise.all(
      Array.from({ length: 6 }, () => outcomeOf(() => tasks.run('svc.sleep', ['20'], 0, never(), nobody))),
    );
    const rejected = (await answers).filter((each) => String(each).startsWith('Too many requests are waiting'));
    expect(rejected.length).toBeGreaterThanOrEqual(3);
  });

  test('fail the waiting tasks if they cannot start', async () => {
    const tasks = service({ command: [process.execPath, path.join(folder, 'nothing.ts')] });
    expect(await outcomeOf(() => tasks.run('svc.echo', [], 0, never(), nobody))).toContain('could not start');
    const without = service({ command: ['/nonexistent/program'], memoryBytes: 0 });
    expect(await outcomeOf(() => without.run('svc.echo', [], 0, never(), nobody))).toContain('could not start');
  });

  test('report an invalid configuration as the error of the task', async () => {
    const broken = path.join(folder, 'broken.ts');
    fs.writeFileSync(broken, 'throw new Error("broken configuration");');
    const tasks = service({ configuration: broken });
    expect(await outcomeOf(() => tasks.run('words', ['a'], 0, never(), nobody))).toContain('broken configuration');
  });

  test('end with the service, which rejects running tasks', async () => {
    const tasks = service();
    const running = outcomeOf(() => tasks.run('hang', [], 0, never(), nobody));
    await Bun.sleep(50);
    await tasks.close();
    expect(await running).toContain('stopping');
    expect(await outcomeOf(() => tasks.run('svc.echo', [], 0, never(), nobody))).toContain('stopping');
  });
});
