/** A service below which the disk and the clock can fail, and a client that knows the expected contents. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from '../../system/service-process.ts';
import { sendWhenFree } from '../busy.ts';
import { buildShim, type CallKind, failCalls, readCalls, shimEnvironment } from '../crash/shim.ts';

/** Time within which a service notices that a fault has begun or ended. */
const NOTICE_LIMIT_MS = 90_000;
const CHECK_MS = 50;
const KEYS = 12;
const ROWS = 8;

/** An error that names no internal part and tells its reader what is wrong. */
export const INTERNAL = /internal error|SQLiteError|TypeError|undefined|no such table|\bat .*\.ts:\d+/i;

export class FaultedService implements AsyncDisposable {
  readonly #folder: string;
  readonly #state: string;
  readonly #env: Readonly<Record<string, string>>;
  /** Acknowledged strings by key and row; null if removed. */
  readonly #known = new Map<string, string | null>();
  /** Strings that an unacknowledged change may have left, by key and row. */
  readonly #possible = new Map<string, Set<string | null>>();
  readonly wrong: string[] = [];
  /** Texts of the errors that clients have seen. */
  readonly errors = new Set<string>();
  service: ServiceProcess;
  acknowledged = 0;
  #count = 0;

  private constructor(folder: string, state: string, env: Readonly<Record<string, string>>, service: ServiceProcess) {
    this.#folder = folder;
    this.#state = state;
    this.#env = env;
    this.service = service;
  }

  static async start(settings: Readonly<Record<string, string>> = {}, descriptors?: number): Promise<FaultedService> {
    const folder = newFolder();
    const [dataDir, state] = [join(folder, 'data'), join(folder, 'state')];
    mkdirSync(dataDir);
    const shim = shimEnvironment(buildShim(), { dataDir, state, sync: 'journal' });
    // Task processes are limited in memory and descriptors, not in what is preloaded.
    const env = { SVC_WORKERS: '2', SVC_LOG_DIR: join(folder, 'log'), ...settings, ...shim };
    const faulted = new FaultedService(folder, state, env, await launch(dataDir, env, descriptors));
    await faulted.sql('CREATE TABLE Acc (id INT PRIMARY KEY, note VARCHAR)');
    await faulted.change(2 * (KEYS + ROWS));
    return faulted;
  }

  get dataDir(): string {
    return join(this.#folder, 'data');
  }

  /** Number of operations below SQLite so far, and of those that failed. */
  get calls(): ReturnType<typeof readCalls> {
    return readCalls(this.#state);
  }

  /** Makes operations of some kinds fail from now on; without an error they work again. */
  failDisk(error: Parameters<typeof failCalls>[1] | undefined, kinds?: readonly CallKind[]): void {
    failCalls(
      this.#state,
      error ?? 'EIO',
      this.calls.calls + 1,
      error === undefined ? 0 : Number.MAX_SAFE_INTEGER,
      kinds,
    );
  }

  /** Makes one operation fail, the `distance`-th from now. */
  failOnce(error: Parameters<typeof failCalls>[1], distance: number): void {
    failCalls(this.#state, error, this.calls.calls + distance, 1);
  }

  /** The file that controls the shim. */
  get shimState(): string {
    return this.#state;
  }

  async sql(qry: string): Promise<string | null> {
    return (await sendWhenFree(this.service, queryOf({ cmd: 'qryfldexe', pageSize: 100, qry }), NOTICE_LIMIT_MS)).error;
  }

  /** Sends changes one after another, and records the data that each must or may have left. Returns how many failed. */
  async change(count: number): Promise<number> {
    let failed = 0;
    for (let sent = 0; sent < count; sent++) {
      const number = this.#count++;
      const text = `t${number}`;
      const key = `k${number % KEYS}`;
      const row = number % ROWS;
      const [query, names, after] = [
        [queryOf({ cmd: 'put', key, val: text }), [key], text] as const,
        [queryOf({ cmd: 'putall', k1: key, v1: text, k2: 'both', v2: text }), [key, 'both'], text] as const,
        [rowQuery(`MERGE INTO Acc (id, note) VALUES (${row}, '${text}')`), [`r${row}`], text] as const,
        [rowQuery(`UPDATE Acc SET note = '${text}'`), undefined, text] as const,
        [queryOf({ cmd: 'rmv', key }), [key], null] as const,
      ][number % 5] ?? [queryOf({ cmd: 'put', key, val: text }), [key], text];
      const changed =
        names ?? [...this.#known].flatMap(([name, value]) => (name.startsWith('r') && value !== null ? [name] : []));
      const answer = await sendWhenFree(this.service, query, NOTICE_LIMIT_MS).catch(() => undefined);
      if (answer?.successStatus === 0) {
        this.acknowledged += 1;
        for (const name of changed) {
          this.#known.set(name, after);
          this.#possible.delete(name);
        }
        continue;
      }
      failed += 1;
      if (answer === undefined) {
        for (const name of changed) this.#possible.set(name, (this.#possible.get(name) ?? new Set()).add(after));
      } else this.noteError(query, answer.error);
    }
    return failed;
  }

  /** Records the text of an error, and reports a violation if it does not say what is wrong. */
  noteError(query: string, error: string | null): void {
    if (error === null || INTERNAL.test(error)) this.wrong.push(`${query} fails with an unclear error: ${error}`);
    else this.errors.add(error.replaceAll(this.#folder, 'FOLDER').slice(0, 160));
  }

  async isReady(): Promise<boolean> {
    const answer = await fetch(`${this.service.origin}/health/ready`, { signal: AbortSignal.timeout(NOTICE_LIMIT_MS) });
    return answer.ok;
  }

  /** Waits until the service reports that it is ready, or is not. */
  async untilReady(isReady: boolean): Promise<void> {
    const endMs = performance.now() + NOTICE_LIMIT_MS;
    while ((await this.isReady().catch(() => !isReady)) !== isReady) {
      if (performance.now() > endMs) {
        this.wrong.push(`/health/ready says for ${NOTICE_LIMIT_MS} ms that it is ${isReady ? 'not ready' : 'ready'}`);
        return;
      }
      await Bun.sleep(CHECK_MS);
    }
  }

  /** Checks that the fault has ended: the service is ready, and changes succeed. */
  async recovered(): Promise<void> {
    await this.untilReady(true);
    const failed = await this.change(10);
    if (failed > 0) this.wrong.push(`${failed} of 10 changes fail after the fault has ended`);
    await this.check();
  }

  /** Compares everything with the acknowledged data. */
  async check(): Promise<void> {
    for (const [name, expected] of this.#known) {
      const isRow = name.startsWith('r');
      const query = isRow
        ? rowQuery(`SELECT note FROM Acc WHERE id = ${name.slice(1)}`)
        : queryOf({ cmd: 'get', key: name });
      const { response, error } = await sendWhenFree(this.service, query, NOTICE_LIMIT_MS);
      const found = isRow
        ? ((response as { items: string[][] } | null)?.items[0]?.[0] ?? null)
        : (response as string | null);
      if (error !== null) this.wrong.push(`${query} fails: ${error}`);
      else if (found !== expected && this.#possible.get(name)?.has(found) !== true) {
        this.wrong.push(`${name} is ${found}, but ${expected} was acknowledged`);
      }
    }
  }

  /** Kills the service, starts it again and checks its contents. */
  async checkAfterKill(): Promise<void> {
    await this.service.kill();
    this.service = await launch(this.dataDir, { ...this.#env, IO_SHIM_DIR: '' });
    await this.check();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function rowQuery(qry: string): string {
  return queryOf({ cmd: 'qryfldexe', pageSize: 100, qry });
}

function launch(dataDir: string, env: Readonly<Record<string, string>>, descriptors?: number): Promise<ServiceProcess> {
  const under = descriptors === undefined ? [] : ['sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`];
  const args = ['--config', join(import.meta.dir, 'faults.config.ts')];
  return startService({ under, dataDir, args, env, startLimitMs: NOTICE_LIMIT_MS });
}
