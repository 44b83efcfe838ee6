/**
 * Makes exactly one operation below SQLite fail, each of a fixed workload in turn, and checks after each failure that
 * errors are clear, that nothing acknowledged is lost, that failed requests changed nothing, and that the service
 * continues without a restart. Then the same for each operation of a startup.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, StartFailure, startService } from '../../system/service-process.ts';
import { sendWhenFree } from '../busy.ts';
import { violationsIn } from '../crash/file-check.ts';
import {
  buildShim,
  type CallKind,
  type Calls,
  failCalls,
  type IoError,
  readCalls,
  shimEnvironment,
} from '../crash/shim.ts';

export interface IoErrorsOptions {
  readonly error: IoError;
  /** Number of the first operation that fails, and the distance to the next one. */
  readonly first: number;
  readonly step: number;
  /** Number of the last operation that fails; by default, the last of the workload. */
  readonly last?: number;
  /** The distance between operations of a startup that fail; if absent, startups are not tested. */
  readonly startStep?: number;
  /** Whether the run waits at the end until the service is ready, up to a minute after a failed read. */
  readonly waits: boolean;
  readonly onFailure?: (line: string) => void;
}

export interface IoErrorsResult {
  /** Operations of one run of the workload without a failure, and of a startup. */
  readonly workloadCalls: number;
  readonly startCalls: number;
  /** Operations that failed, by kind. */
  readonly failed: Readonly<Partial<Record<CallKind, number>>>;
  readonly requests: number;
  readonly rejected: number;
  /** How often the service reported after a failure that it was not ready, and for how long at the end. */
  readonly notReady: number;
  readonly lastNotReadyMs: number;
  /** Starts that failed with an error. */
  readonly failedStarts: number;
  readonly errors: readonly string[];
  readonly wrong: readonly string[];
}

const ROWS = 5;
const REQUEST_LIMIT_MS = 60_000;
/** A failed read counts as damage of the file for a minute. */
const READY_LIMIT_MS = 90_000;
/** An error that names internals, or is not informative. */
const UNCLEAR = /internal error|SQLiteError|TypeError|RangeError|undefined|no such table|\bat .*\.ts:\d+/i;

type Content = ReadonlyMap<string, string | null>;

/** A request of the workload with the values that it leaves, by name: `k...` entries, `t...` temporary ones, rows. */
interface Request {
  readonly params: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly after?: Readonly<Record<string, string | null>>;
}

function sql(qry: string): Request['params'] {
  return { cmd: 'qryfldexe', pageSize: 100, qry };
}

/** The workload: every way to change data and definitions, and reads in each thread. */
function workload(number: number, expected: Content): readonly Request[] {
  const text = `v${number}`;
  const batch = ['kb1', 'kb2'].map((key) => ({ cmd: 'put', key, val: text }));
  const counter = String(Number(expected.get('counter') ?? 0) + 1);
  const rows = Array.from({ length: ROWS }, (_, row) => [`row${row}`, text] as const);
  return [
    { params: { cmd: 'put', key: 'k1', val: text }, after: { k1: text } },
    { params: { cmd: 'putall', k1: 'k2', v1: text, k2: 'k3', v2: text }, after: { k2: text, k3: text } },
    { params: { cmd: 'rmv', key: 'k2' }, after: { k2: null } },
    { params: { cmd: 'incr', key: 'counter', delta: 1 }, after: { counter } },
    {
      params: { cmd: 'batch', atomic: 'true', commands: JSON.stringify(batch) },
      after: { kb1: text, kb2: text },
    },
    {
      params: { cmd: 'put', key: 'k4', val: text },
      headers: { 'Idempotency-Key': `io-${number}` },
      after: { k4: text },
    },
    { params: { cmd: 'put', key: 'k5', val: text, exp: 3_600_000 }, after: { k5: text } },
    { params: { cmd: 'put', cacheName: 'temporary', key: 't1', val: text }, after: { t1: text } },
    { params: sql(`MERGE INTO Acc (id, note) VALUES (0, '${text} alone')`), after: { row0: `${text} alone` } },
    { params: sql(`UPDATE Acc SET note = '${text}'`), after: Object.fromEntries(rows) },
    { params: sql(`CREATE TABLE Own${number} (id INT PRIMARY KEY, a INT)`) },
    { params: sql(`CREATE INDEX Own${number}_a ON Own${number} (a)`) },
    { params: sql(`INSERT INTO Own${number} (id, a) VALUES (1, 1), (2, 2)`) },
    { params: sql(`SELECT count(*), max(a) FROM Own${number} WHERE a > 0`) },
    { params: sql(`DROP TABLE Own${number}`) },
    { params: { cmd: 'getorcreate', cacheName: `Cache${number}` } },
    { params: { cmd: 'put', cacheName: `Cache${number}`, key: 'a', val: text } },
    { params: { cmd: 'destcache', cacheName: `Cache${number}` } },
    { params: { cmd: 'qryscanexe', pageSize: 10, cacheName: 'default' } },
    { params: sql('SELECT count(*), max(note) FROM Acc') },
  ];
}

export async function runIoErrors(options: IoErrorsOptions): Promise<IoErrorsResult> {
  const folder = newFolder();
  try {
    return await new IoErrors(options, folder).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class IoErrors {
  readonly #options: IoErrorsOptions;
  readonly #folder: string;
  readonly #state: string;
  readonly #wrong: string[] = [];
  readonly #errors = new Set<string>();
  readonly #failed: Partial<Record<CallKind, number>> = {};
  /** The acknowledged contents; null if removed. */
  readonly #expected = new Map<string, string | null>();
  #told = 0;
  #number = 0;
  #requests = 0;
  #rejected = 0;
  #notReady = 0;
  #lastNotReadyMs = 0;
  #failedStarts = 0;
  #startCalls = 0;

  constructor(options: IoErrorsOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#state = join(folder, 'state');
  }

  async run(): Promise<IoErrorsResult> {
    const dataDir = join(this.#folder, 'data');
    mkdirSync(dataDir);
    const service = await this.#start(dataDir, 0);
    let workloadCalls = 0;
    try {
      await this.#must(service, sql('CREATE TABLE Acc (id INT PRIMARY KEY, note VARCHAR)'));
      for (let row = 0; row < ROWS; row++) {
        await this.#must(service, sql(`INSERT INTO Acc (id, note) VALUES (${row}, 'new')`));
        this.#expected.set(`row${row}`, 'new');
      }
      // Statements and connections that are kept afterwards.
      await this.#workload(service, 'before');
      const before = this.#calls.calls;
      await this.#workload(service, 'before');
      workloadCalls = this.#calls.calls - before;
      await this.#eachCall(service, workloadCalls);
      if (this.#options.waits) await this.#untilReady(service);
      await this.#workload(service, 'at the end', true);
    } finally {
      await service.kill();
    }
    await this.#checkFiles(dataDir);
    if (this.#options.startStep !== undefined) await this.#eachCallOfStart(dataDir, this.#options.startStep);
    return {
      workloadCalls,
      startCalls: this.#startCalls,
      failed: this.#failed,
      requests: this.#requests,
      rejected: this.#rejected,
      notReady: this.#notReady,
      lastNotReadyMs: Math.round(this.#lastNotReadyMs),
      failedStarts: this.#failedStarts,
      errors: [...this.#errors],
      wrong: this.#wrong,
    };
  }

  get #calls(): Calls {
    return readCalls(this.#state);
  }

  /** Starts the service; its `failing`-th operation fails, unless that is 0. */
  #start(dataDir: string, failing: number): Promise<ServiceProcess> {
    const shim = shimEnvironment(buildShim(), { dataDir, state: this.#state, sync: 'journal', countsShared: true });
    if (failing > 0) failCalls(this.#state, this.#options.error, failing, 1);
    const args = ['--config', join(import.meta.dir, 'faults.config.ts')];
    const env = { SVC_WORKERS: '2', SVC_LOG_DIR: join(this.#folder, 'log'), ...shim };
    return startService({ dataDir, args, env, startLimitMs: REQUEST_LIMIT_MS });
  }

  async #eachCall(service: ServiceProcess, workloadCalls: number): Promise<void> {
    const { first, step, error, last } = this.#options;
    for (let call = first; ; call += step) {
      const before = this.#calls;
      failCalls(this.#state, error, before.calls + call, 1);
      const rejected = this.#rejected;
      await this.#workload(service, `call ${call}`);
      failCalls(this.#state, error, 0, 0);
      const after = this.#calls;
      const isHit = after.failed > before.failed;
      if ((!isHit && call > workloadCalls) || call === last) return;
      if (isHit) this.#countFailed(after);
      await this.#check(service, `call ${call}`);
      const kind = isHit ? `a failed ${after.lastFailed}` : 'none failed';
      this.#tell(`call ${call}, ${kind}: ${this.#rejected - rejected} requests rejected, ${this.#wrong.length} wrong`);
    }
  }

  /** Passes on a line, and the violations since the last one, so an interrupted run has reported what it saw. */
  #tell(line: string): void {
    const { onFailure } = this.#options;
    for (const violation of this.#wrong.slice(this.#told)) onFailure?.(`(fail) ${violation}`);
    this.#told = this.#wrong.length;
    onFailure?.(line);
  }

  #countFailed({ lastFailed }: Calls): void {
    if (lastFailed !== undefined) this.#failed[lastFailed] = (this.#failed[lastFailed] ?? 0) + 1;
  }

  /** Sends the requests of the workload one after another, and records the data that each must have left. */
  async #workload(service: ServiceProcess, when: string, mustSucceed = false): Promise<void> {
    const number = this.#number++;
    for (const { params, headers, after } of workload(number, this.#expected)) {
      this.#requests += 1;
      const answer = await sendWhenFree(service, queryOf(params), REQUEST_LIMIT_MS, headers).catch((error: unknown) =>
        String(error),
      );
      if (typeof answer === 'string') this.#wrong.push(`${when}: ${queryOf(params)} has no answer: ${answer}`);
      else if (answer.successStatus === 0) {
        for (const [name, value] of Object.entries(after ?? {})) this.#expected.set(name, value);
      } else {
        this.#rejected += 1;
        if (mustSucceed) this.#wrong.push(`${when}: ${queryOf(params)} fails: ${answer.error}`);
        this.#note(`${when}: ${queryOf(params)}`, answer.error);
      }
    }
    // The remains of a failure must be removable.
    await this.#must(service, sql(`DROP TABLE IF EXISTS Own${number}`), when);
    await this.#must(service, { cmd: 'destcache', cacheName: `Cache${number}` }, when);
  }

  /**
   * Keeps the text of an error, and reports a violation if it does not say what is wrong. A missing table follows its
   * error.
   */
  #note(what: string, error: string | null): void {
    if (error === null || UNCLEAR.test(error)) this.#wrong.push(`${what} fails with an unclear error: ${error}`);
    else this.#errors.add(error.replaceAll(this.#folder, 'FOLDER').replaceAll(/\d+/g, 'N').slice(0, 160));
  }

  /** Sends a request that must succeed. While a failure is armed, it may hit this request, which is then sent again. */
  async #must(service: ServiceProcess, params: Request['params'], when = 'before'): Promise<unknown> {
    const failed = this.#calls.failed;
    const { successStatus, response, error } = await sendWhenFree(service, queryOf(params), REQUEST_LIMIT_MS);
    if (successStatus === 0) return response;
    if (this.#calls.failed === failed) {
      this.#wrong.push(`${when}: ${queryOf(params)} fails: ${error}`);
      return null;
    }
    this.#note(`${when}: ${queryOf(params)}`, error);
    const again = await sendWhenFree(service, queryOf(params), REQUEST_LIMIT_MS);
    if (again.successStatus !== 0) this.#wrong.push(`${when}: ${queryOf(params)} fails again: ${again.error}`);
    return again.response;
  }

  /** Compares everything with the acknowledged data, and checks the service's report of its state. */
  async #check(service: ServiceProcess, when: string, isRestarted = false): Promise<void> {
    const names = [...this.#expected.keys()];
    const keys = names.filter((name) => name.startsWith('k'));
    const numbered = Object.fromEntries(keys.map((key, index) => [`k${index + 1}`, key]));
    const entries = (await this.#must(service, { cmd: 'getall', ...numbered }, when)) as Record<string, string> | null;
    const page = (await this.#must(service, sql('SELECT id, note FROM Acc'), when)) as {
      items: [number, string][];
    } | null;
    const counter = await this.#must(service, { cmd: 'incr', key: 'counter', delta: 0 }, when);
    const temporary = await this.#must(service, { cmd: 'get', cacheName: 'temporary', key: 't1' }, when);
    const found = new Map<string, unknown>([
      ...keys.map((key) => [key, entries?.[key] ?? null] as const),
      ...(page?.items ?? []).map(([id, note]) => [`row${id}`, note] as const),
      ['counter', String(counter)],
      ['t1', temporary],
    ]);
    for (const [name, expected] of this.#expected) {
      if (isRestarted && name === 't1') continue;
      const value = found.get(name) ?? null;
      if (value !== expected) this.#wrong.push(`${when}: ${name} is ${value}, but ${expected} was acknowledged`);
    }
    const sendKeyed = () =>
      service.send(queryOf({ cmd: 'put', key: 'keyed', val: when }), {
        headers: { 'Idempotency-Key': when.replaceAll(/[^a-z0-9]/g, '-') },
      });
    let keyed = await sendKeyed();
    // The operation that fails may be one of this request.
    if (keyed.successStatus !== 0) keyed = await sendKeyed();
    if (keyed.successStatus !== 0) this.#wrong.push(`${when}: a request with an idempotency key fails: ${keyed.error}`);
    if (!(await isReady(service))) this.#notReady += 1;
  }

  async #untilReady(service: ServiceProcess): Promise<void> {
    const startMs = performance.now();
    while (!(await isReady(service))) {
      this.#lastNotReadyMs = performance.now() - startMs;
      if (performance.now() - startMs > READY_LIMIT_MS) {
        this.#wrong.push(`at the end: the service is not ready after ${READY_LIMIT_MS} ms`);
        return;
      }
      await Bun.sleep(100);
    }
  }

  /** Starts copies of the folder in which the first, second ... operation fails. */
  async #eachCallOfStart(dataDir: string, step: number): Promise<void> {
    for (let call = 1; ; call += step) {
      const copy = join(this.#folder, 'copy');
      rmSync(copy, { recursive: true, force: true });
      cpSync(dataDir, copy, { recursive: true });
      const when = `start, call ${call}`;
      let outcome = 'started';
      try {
        const service = await this.#start(copy, call);
        const { calls, failed } = this.#calls;
        this.#startCalls = calls;
        try {
          await this.#check(service, when, true);
        } finally {
          await service.kill();
        }
        if (failed === 0) return;
      } catch (error) {
        if (!(error instanceof StartFailure)) throw error;
        outcome = 'rejected';
        this.#failedStarts += 1;
        const lines = error.output.trim().split('\n');
        if (error.exitCode === null || error.exitCode === 0) {
          this.#wrong.push(`${when}: the start ends with ${error.exitCode}: ${lines.at(-1)}`);
        }
        this.#note(when, lines.at(-1) ?? null);
        const service = await this.#start(copy, 0);
        try {
          await this.#check(service, `${when}, next start`, true);
        } finally {
          await service.kill();
        }
      }
      this.#countFailed(this.#calls);
      this.#tell(`${when}: ${outcome}, ${this.#wrong.length} wrong`);
    }
  }

  async #checkFiles(dataDir: string): Promise<void> {
    const copy = join(this.#folder, 'copy');
    cpSync(dataDir, copy, { recursive: true });
    this.#wrong.push(...(await violationsIn(copy)));
  }
}

async function isReady(service: ServiceProcess): Promise<boolean> {
  const answer = await fetch(`${service.origin}/health/ready`, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
  return answer.ok;
}
