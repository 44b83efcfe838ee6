/** Kills statement processes and their service while statements run, and checks the consequences. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Random } from '../../simulation/random.ts';
import { type Answer, queryOf, type ServiceProcess, startService } from '../../system/service-process.ts';

export const ROWS = 20_000;
/** A child ends at most this long after its service, in ms. */
const GONE_MS = 2_000;

/** Returns the ids of the statement processes of a service, or of those with a role. */
export function processesOf(service: number, role?: 'changes' | 'reads'): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const isOne = words.includes('--statement-process') && words.includes(String(service));
      return isOne && (role === undefined || words.includes(role)) ? [Number(name)] : [];
    } catch {
      // The process has ended.
      return [];
    }
  });
}

export const run = (service: ServiceProcess, qry: string, pageSize = 10): Promise<Answer> =>
  service.send(queryOf({ cmd: 'qryfldexe', pageSize, qry }));

/** Starts a service with a table of {@link ROWS} rows whose `n` is 0. */
export async function startWithRows(dataDir: string): Promise<ServiceProcess> {
  const service = await startService({ dataDir, env: { SVC_WORKERS: '2' } });
  await run(service, 'CREATE TABLE IF NOT EXISTS t(id INT PRIMARY KEY, n INT)');
  await run(service, `MERGE INTO t SELECT x, 0 FROM SYSTEM_RANGE(1, ${ROWS})`);
  return service;
}

const READS = [
  'SELECT id, n FROM t ORDER BY n, id DESC',
  'SELECT n, COUNT(*) FROM t GROUP BY n',
  'SELECT SUM(x) FROM SYSTEM_RANGE(1, 200000)',
  'SELECT MAX(n) - MIN(n) FROM t',
];

/** The errors that clients of a killed process may get for its statement, and for the pages of its cursors. */
const ENDINGS = /The process that ran the query has ended|^null$/;

/**
 * Runs statements, kills one of the processes after a random time, and returns the errors that no client may see. The
 * service continues with other processes.
 */
export async function killProcess(service: ServiceProcess, random: Random): Promise<string[]> {
  const errors: string[] = [];
  const answers = Promise.all(
    Array.from({ length: 4 }, async (_, client) => {
      for (let round = 0; round < 4; round++) {
        const { error } = await run(service, READS[(client + round) % READS.length] ?? '');
        if (!ENDINGS.test(String(error))) errors.push(String(error));
      }
    }),
  );
  await Bun.sleep(random.below(300));
  const processes = processesOf(service.pid);
  const victim = processes[random.below(Math.max(1, processes.length))];
  if (victim !== undefined) process.kill(victim, 'SIGKILL');
  await answers;
  const after = await run(service, 'SELECT COUNT(*) FROM t');
  if (after.error !== null) errors.push(after.error);
  return errors;
}

/**
 * Kills the service while a change and statements run. Returns the violations: half a change, a lost acknowledged put,
 * a process that is still running, or a startup that fails.
 */
export async function killService(dataDir: string, random: Random): Promise<string[]> {
  const errors: string[] = [];
  const service = await startWithRows(dataDir);
  let acknowledged = 0;
  const statements = [
    run(service, 'UPDATE t SET n = n + 1'),
    ...READS.map((sql) => run(service, sql)),
    (async () => {
      for (let value = 1; ; value++) {
        await service.command(`cmd=put&key=last&val=${value}`);
        acknowledged = value;
      }
    })(),
  ].map((each) => each.catch(() => {}));
  await Bun.sleep(random.below(500));
  const processes = processesOf(service.pid);
  await service.kill();
  await Promise.all(statements);
  const untilMs = performance.now() + GONE_MS;
  const isLeft = (id: number): boolean => processesOf(service.pid).includes(id);
  while (processes.some(isLeft) && performance.now() < untilMs) await Bun.sleep(5);
  if (processes.some(isLeft)) errors.push('a process outlives its service');
  await using again = await startService({ dataDir });
  const changed = await run(again, 'SELECT COUNT(DISTINCT n) FROM t');
  const kept = await again.send('cmd=get&key=last');
  const counts = (changed.response as { items: number[][] } | null)?.items[0]?.[0];
  if (counts !== 1) errors.push(`half of a change: ${changed.error ?? counts} values`);
  if (Number(kept.response ?? 0) < acknowledged) errors.push(`lost: ${acknowledged}, kept ${String(kept.response)}`);
  return errors;
}

/** The errors that clients have received for changes that may or may not have been made. */
interface Ledger {
  acknowledged: number;
  unknown: number;
}

/** Errors of a killed process's statements: one that is not in doubt has changed nothing. */
const NOTHING_CHANGED = /The process that ran the query has ended|The process running the import has ended/;
const IN_DOUBT = /the outcome of the operation is unknown/;

/** Counts how a change ended. Returns an error that no client may see. */
function note(ledger: Ledger, error: string | null): string | undefined {
  if (error === null) ledger.acknowledged++;
  else if (IN_DOUBT.test(error)) ledger.unknown++;
  else if (!NOTHING_CHANGED.test(error)) return error;
  return undefined;
}

const PAIR = ['UPDATE pair SET n = n + 1 WHERE id = 1', 'UPDATE pair SET n = n + 1 WHERE id = 2'];
const IMPORTED_ROWS = 20_000;
const SOURCE = `id,n\n${Array.from({ length: IMPORTED_ROWS }, (_, id) => `${id},${id}\n`).join('')}`;

/** Kills of the process that changes, in one service whose tables {@link startForChanges} has created. */
export class KilledChanges {
  readonly #service: ServiceProcess;
  readonly #updates: Ledger = { acknowledged: 0, unknown: 0 };
  readonly #batches: Ledger = { acknowledged: 0, unknown: 0 };
  readonly #others: Ledger = { acknowledged: 0, unknown: 0 };
  #puts = 0;
  #imports = 0;

  constructor(service: ServiceProcess) {
    this.#service = service;
  }

  /** Returns how many changes of any kind were in doubt: their process was killed between commit and answer. */
  get inDoubt(): number {
    return this.#updates.unknown + this.#batches.unknown + this.#others.unknown;
  }

  /** Kills the process at a random time during a change. Returns the errors that no client may see. */
  async kill(random: Random): Promise<string[]> {
    const service = this.#service;
    const errors: string[] = [];
    const check = (ledger: Ledger, error: string | null): void => {
      const wrong = note(ledger, error);
      if (wrong !== undefined) errors.push(wrong);
    };
    let isKilled = false;
    const again = async (change: () => Promise<void>): Promise<void> => {
      do await change();
      while (!isKilled);
    };
    const clients = [
      again(async () => check(this.#updates, (await run(service, 'UPDATE t SET n = n + 1')).error)),
      again(async () => check(this.#batches, await this.#batch())),
      again(async () => {
        check(this.#others, (await run(service, 'CREATE INDEX IF NOT EXISTS byn ON t(n)')).error);
        check(this.#others, (await run(service, 'DROP INDEX IF EXISTS byn')).error);
      }),
      again(async () => check(this.#others, await this.#import(random.below(2) === 0))),
      again(async () => {
        await service.command(`cmd=put&key=last&val=${this.#puts + 1}`);
        this.#puts++;
      }),
    ];
    await Bun.sleep(random.below(400));
    for (const id of processesOf(service.pid, 'changes')) process.kill(id, 'SIGKILL');
    isKilled = true;
    await Promise.all(clients);
    return [...errors, ...(await this.#wrong())];
  }

  async #batch(): Promise<string | null> {
    const commands = PAIR.map((qry) => ({ cmd: 'qryfldexe', pageSize: 1, qry }));
    const body = JSON.stringify(commands);
    const headers = { 'content-type': 'application/json' };
    return (await this.#service.send('cmd=batch&atomic=true', { method: 'POST', headers, body })).error;
  }

  /** Imports rows, all of them at once or with a position. */
  async #import(isAtomic: boolean): Promise<string | null> {
    const id = isAtomic ? { atomic: 'true' } : { importId: `import${++this.#imports}` };
    const query = queryOf({ cmd: 'import', table: isAtomic ? 'whole' : 'parts', onDuplicate: 'replace', ...id });
    const headers = { 'Content-Type': 'text/csv' };
    const answer = await this.#service.send(query, { method: 'POST', headers, body: SOURCE });
    // A reported position is stored.
    if (!isAtomic && answer.response !== null) {
      const { rows } = answer.response as { rows: number };
      const stored = await this.#number('SELECT COUNT(*) FROM parts');
      if (stored < rows) return `lost rows of an import: ${rows}, stored ${stored}`;
    }
    return answer.error;
  }

  async #number(sql: string): Promise<number> {
    const { response, error } = await run(this.#service, sql);
    if (error !== null) throw new Error(`${sql}: ${error}`);
    return Number((response as { items: number[][] }).items[0]?.[0]);
  }

  /** Returns the violations in the data: missing acknowledged changes, and partial changes. */
  async #wrong(): Promise<string[]> {
    const wrong: string[] = [];
    const within = (what: string, { acknowledged, unknown }: Ledger, found: number): void => {
      if (found < acknowledged || found > acknowledged + unknown)
        wrong.push(`${what}: ${found}, acknowledged ${acknowledged}, unknown ${unknown}`);
    };
    if ((await this.#number('SELECT COUNT(DISTINCT n) FROM t')) !== 1) wrong.push('half of an update');
    within('updates', this.#updates, await this.#number('SELECT MAX(n) FROM t'));
    if ((await this.#number('SELECT MAX(n) - MIN(n) FROM pair')) !== 0) wrong.push('half of a batch');
    within('batches', this.#batches, await this.#number('SELECT MAX(n) FROM pair'));
    const whole = await this.#number('SELECT COUNT(*) FROM whole');
    if (whole !== 0 && whole !== IMPORTED_ROWS) wrong.push(`half of an atomic import: ${whole} rows`);
    const put = Number(await this.#service.command('cmd=get&key=last'));
    if (put < this.#puts) wrong.push(`lost put: ${this.#puts}, kept ${put}`);
    return wrong;
  }
}

/** Starts a service with the tables that {@link KilledChanges} changes. */
export async function startForChanges(dataDir: string): Promise<ServiceProcess> {
  const service = await startWithRows(dataDir);
  for (const table of ['pair', 'whole', 'parts'])
    await run(service, `CREATE TABLE ${table}(id INT PRIMARY KEY, n INT)`);
  await run(service, 'MERGE INTO pair VALUES (1, 0), (2, 0)');
  return service;
}
