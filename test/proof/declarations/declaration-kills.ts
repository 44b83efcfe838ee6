/**
 * Kills the service while it declares things over existing objects: a table or a column, an entity at startup, an index
 * on a path, and while it migrates a file of schema 2. Afterwards, the declaration exists completely or not at all, and
 * the objects are unchanged. Kills are armed at events below SQLite, or sent at random times.
 */
import { Database } from 'bun:sqlite';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pick, type RandomSource, seededRandom } from '../../fixtures/values/random-values.ts';
import { queryOf, type ServiceProcess, StartFailure, sendTo, startService } from '../../system/service-process.ts';
import { arm, buildShim, readState, type ShimEvent, shimEnvironment } from '../crash/shim.ts';

const BATCH = 1_000;
const START_LIMIT_MS = 120_000;
const EVENTS: readonly [ShimEvent, ...ShimEvent[]] = [
  'beforeLogWrite',
  'beforeLogWrite',
  'tornLogWrite',
  'tornLogWrite',
  'beforeLogSync',
  'afterLogSync',
  'beforeDataWrite',
  'beforeDataSync',
];
/** One kill in this many is sent at a random time instead. */
const TIMED = 4;
const TABLE = 'T';
const WORK = ['column', 'table', 'entity', 'index', 'migration'] as const;
type Work = (typeof WORK)[number];

const STATEMENTS: Readonly<Partial<Record<Work, string>>> = {
  column: `ALTER TABLE ${TABLE} ADD COLUMN n INT`,
  table: `CREATE TABLE ${TABLE} (id VARCHAR PRIMARY KEY, name VARCHAR, n INT) WITH "CACHE_NAME=c,VALUE_TYPE=O"`,
  index: 'CREATE INDEX path_n ON "c".ENTRIES (JSON_VALUE(_val, \'$.n\' RETURNING INT))',
};

export interface DeclarationKillsOptions {
  readonly seed: number;
  readonly kills: number;
  readonly objects: number;
  readonly onKill?: (line: string) => void;
}

export interface DeclarationKillsResult {
  /** Kills that ended the service before the work was done. */
  readonly inside: number;
  readonly done: number;
  readonly wrong: readonly string[];
}

/** The writes of an undisturbed run of the work. */
interface Extent {
  readonly logWrites: number;
  readonly logSyncs: number;
  readonly dataWrites: number;
  readonly dataSyncs: number;
  readonly ms: number;
}

interface Moment {
  readonly event: ShimEvent;
  readonly count: number;
  /** When the kill is sent; undefined if it is armed at the event. */
  readonly afterMs?: number;
}

export async function runDeclarationKills(options: DeclarationKillsOptions): Promise<DeclarationKillsResult> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-declarations-'));
  try {
    return await new DeclarationKills(folder, options).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class DeclarationKills {
  readonly #folder: string;
  readonly #options: DeclarationKillsOptions;
  readonly #random: RandomSource;
  readonly #state: string;
  readonly #config: string;
  readonly #wrong: string[] = [];
  /** The objects as they are exported, by the kind of work. */
  readonly #objects = new Map<Work, string>();

  constructor(folder: string, options: DeclarationKillsOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#state = join(folder, 'state');
    this.#config = join(folder, 'svc.config.mjs');
    const fields = { id: 'string', name: 'string', n: 'int' };
    const entity = { keyType: 'string', valueType: 'O', tableName: TABLE, keyFields: ['id'], fields, indexes: ['n'] };
    writeFileSync(this.#config, `export default ${JSON.stringify({ caches: [{ name: 'c', entities: [entity] }] })};\n`);
  }

  async run(): Promise<DeclarationKillsResult> {
    const { kills, onKill } = this.#options;
    const extents = new Map<Work, Extent>();
    for (const work of WORK) {
      await this.#prepare(work);
      extents.set(work, await this.#measure(work));
    }
    let inside = 0;
    for (let kill = 0; kill < kills; kill++) {
      const work = WORK[kill % WORK.length] ?? 'column';
      const moment = this.#moment(extents.get(work), kill);
      const before = this.#wrong.length;
      const { wasDone, found } = await this.#kill(work, moment);
      if (!wasDone) inside++;
      const { event, count, afterMs } = moment;
      const when = afterMs === undefined ? `${event} ${count}` : `${afterMs} ms`;
      for (let at = before; at < this.#wrong.length; at++) this.#wrong[at] = `${work}, ${when}: ${this.#wrong[at]}`;
      onKill?.(`${work}, ${when}: ${wasDone ? 'after the answer' : 'before the answer'}, then ${found}`);
    }
    return { inside, done: kills - inside, wrong: this.#wrong };
  }

  #moment(extent: Extent | undefined, kill: number): Moment {
    if (extent === undefined) throw new Error('not measured');
    const { logWrites, logSyncs, dataWrites, dataSyncs, ms } = extent;
    const isTimed = Math.floor(kill / WORK.length) % TIMED === TIMED - 1;
    const event = pick(this.#random, EVENTS);
    const most: Readonly<Partial<Record<ShimEvent, number>>> = {
      beforeLogWrite: logWrites,
      tornLogWrite: logWrites,
      beforeLogSync: logSyncs,
      afterLogSync: logSyncs,
      beforeDataWrite: dataWrites,
      beforeDataSync: dataSyncs,
    };
    const count = 1 + this.#random.below(Math.max(1, most[event] ?? 1));
    return { event, count, ...(isTimed && { afterMs: 1 + this.#random.below(Math.ceil(ms)) }) };
  }

  #base(work: Work): string {
    return join(this.#folder, `base-${work}`);
  }

  /** Stores the objects and other data that the work needs. */
  async #prepare(work: Work): Promise<void> {
    const dataDir = this.#base(work);
    mkdirSync(dataDir);
    {
      await using service = await startService({ dataDir, startLimitMs: START_LIMIT_MS });
      await this.#fill(service, work === 'migration' ? 'objects' : 'c');
      const create = `CREATE TABLE ${TABLE} (id VARCHAR PRIMARY KEY, name VARCHAR${work === 'migration' ? ', n INT' : ''})`;
      if (work === 'column' || work === 'migration')
        await statement(service, `${create} WITH "CACHE_NAME=c,VALUE_TYPE=O"`);
    }
    if (work === 'migration') leaveAsSchema2(join(dataDir, 'svc.db'));
    const copy = this.#copy(work);
    await using service = await startService({ dataDir: copy, startLimitMs: START_LIMIT_MS });
    this.#objects.set(work, await exported(service));
  }

  async #fill(service: ServiceProcess, cacheName: string): Promise<void> {
    await service.command(queryOf({ cmd: 'getorcreate', cacheName }));
    for (let from = 0; from < this.#options.objects; from += BATCH) {
      const body = new URLSearchParams({ cmd: 'putall', cacheName, valueType: 'O' });
      for (let index = 0; index < Math.min(BATCH, this.#options.objects - from); index++) {
        const n = from + index;
        body.set(`k${index + 1}`, `k${n}`);
        body.set(`v${index + 1}`, JSON.stringify({ name: `name ${n}`, n, further: { nested: ['x', n] } }));
      }
      const { error } = await service.send('', { method: 'POST', body });
      if (error !== null) throw new Error(error);
    }
  }

  #copy(work: Work): string {
    const dataDir = join(this.#folder, 'data');
    rmSync(dataDir, { recursive: true, force: true });
    cpSync(this.#base(work), dataDir, { recursive: true });
    return dataDir;
  }

  #start(work: Work, dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
    const config = work === 'entity' ? { SVC_CONFIG: this.#config } : {};
    return startService({ dataDir, startLimitMs: START_LIMIT_MS, env: { ...config, ...env } });
  }

  #shim(dataDir: string): Record<string, string> {
    return { ...shimEnvironment(buildShim(), { dataDir, state: this.#state }), SVC_LOG_DIR: join(this.#folder, 'log') };
  }

  async #measure(work: Work): Promise<Extent> {
    const dataDir = this.#copy(work);
    const env = this.#shim(dataDir);
    let startMs = performance.now();
    await using service = await this.#start(work, dataDir, env);
    const text = STATEMENTS[work];
    const before = text === undefined ? undefined : readState(this.#state);
    if (text !== undefined) {
      startMs = performance.now();
      await statement(service, text);
    }
    const after = readState(this.#state);
    const difference = (name: 'logWrites' | 'logSyncs' | 'dataWrites' | 'dataSyncs') =>
      after[name] - (before?.[name] ?? 0);
    return {
      logWrites: difference('logWrites'),
      logSyncs: difference('logSyncs'),
      dataWrites: difference('dataWrites'),
      dataSyncs: difference('dataSyncs'),
      ms: performance.now() - startMs,
    };
  }

  async #kill(work: Work, moment: Moment): Promise<{ readonly wasDone: boolean; readonly found: string }> {
    const dataDir = this.#copy(work);
    const env = this.#shim(dataDir);
    const text = STATEMENTS[work];
    const wasDone =
      text === undefined
        ? await this.#killStart(work, dataDir, env, moment)
        : await this.#killStatement(work, dataDir, env, { moment, text });
    return { wasDone, found: await this.#check(work, dataDir, wasDone) };
  }

  async #killStatement(
    work: Work,
    dataDir: string,
    env: Readonly<Record<string, string>>,
    { moment, text }: { readonly moment: Moment; readonly text: string },
  ): Promise<boolean> {
    const service = await this.#start(work, dataDir, env);
    if (moment.afterMs === undefined) arm(this.#state, moment.event, moment.count);
    const answered = sendTo(service.url, statementQuery(text)).then(
      ({ error }) => {
        if (error !== null) this.#wrong.push(error);
        return true;
      },
      () => false,
    );
    if (moment.afterMs !== undefined) {
      await Bun.sleep(moment.afterMs);
      await service.kill();
    }
    const wasDone = await answered;
    await service.kill();
    return wasDone;
  }

  async #killStart(
    work: Work,
    dataDir: string,
    env: Readonly<Record<string, string>>,
    moment: Moment,
  ): Promise<boolean> {
    if (moment.afterMs === undefined) {
      arm(this.#state, moment.event, moment.count);
      try {
        const service = await this.#start(work, dataDir, env);
        await service.kill();
        return true;
      } catch (error) {
        if (!(error instanceof StartFailure) || error.exitCode !== null) throw error;
        return false;
      }
    }
    // The shell is replaced by the program, so that its process can be killed before it listens.
    const pidFile = join(this.#folder, 'pid');
    rmSync(pidFile, { force: true });
    const under = ['sh', '-c', `echo $$ > ${pidFile}; exec "$@"`, 'sh'];
    const config = work === 'entity' ? { SVC_CONFIG: this.#config } : {};
    const starting = startService({ dataDir, startLimitMs: START_LIMIT_MS, env: { ...config, ...env }, under });
    const started = starting.then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof StartFailure) || error.exitCode !== null) throw error;
        return false;
      },
    );
    while (!existsSync(pidFile) || readFileSync(pidFile, 'utf8') === '') await Bun.sleep(1);
    await Bun.sleep(moment.afterMs);
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    return started;
  }

  /**
   * Checks that the work was done completely or not at all, and that it can be repeated. Returns whether it was done.
   */
  async #check(work: Work, dataDir: string, wasDone: boolean): Promise<string> {
    let found = 'complete';
    {
      // Without the configuration, an entity is one that the killed start has left.
      await using service = await startService({ dataDir, startLimitMs: START_LIMIT_MS });
      const isThere = await this.#isComplete(service, work);
      if (!isThere) found = 'absent';
      if (wasDone && !isThere && work !== 'migration') this.#wrong.push('what was acknowledged is absent');
      if ((await exported(service)) !== this.#objects.get(work)) this.#wrong.push('the objects have changed');
      const text = STATEMENTS[work];
      if (!isThere && text !== undefined) await statement(service, text);
      if (work === 'migration' && !isThere) this.#wrong.push('a start has not migrated');
      if (text !== undefined && !(await this.#isComplete(service, work))) this.#wrong.push('it cannot be done again');
    }
    if (work === 'entity') {
      await using service = await this.#start(work, dataDir);
      if (!(await this.#isComplete(service, work))) this.#wrong.push('the next start has not applied the entity');
      if ((await exported(service)) !== this.#objects.get(work)) this.#wrong.push('the next start changed the objects');
    }
    using database = new Database(join(dataDir, 'svc.db'), { readonly: true });
    const [[state] = []] = database.query('PRAGMA integrity_check').values();
    if (state !== 'ok') this.#wrong.push(`the file is damaged: ${String(state)}`);
    return found;
  }

  /** Whether the declaration exists, with the values of all objects; false if it does not exist at all. */
  async #isComplete(service: ServiceProcess, work: Work): Promise<boolean> {
    const { objects } = this.#options;
    const sum = (objects * (objects - 1)) / 2;
    const all = JSON.stringify([[objects, objects, sum]]);
    const path = "JSON_VALUE(_val, '$.n' RETURNING INT)";
    const text =
      work === 'index'
        ? `SELECT COUNT(*), COUNT(${path}), SUM(${path}) FROM "c".ENTRIES`
        : `SELECT COUNT(*), COUNT(n), SUM(n) FROM ${work === 'entity' ? `"c".${TABLE}` : TABLE}`;
    const { error, response } = await service.send(statementQuery(text));
    if (error !== null) {
      if (!/not found/.test(error)) this.#wrong.push(error);
      return false;
    }
    const shown = JSON.stringify((response as { readonly items: unknown }).items);
    if (shown !== all) this.#wrong.push(`${shown} instead of ${all}`);
    if (work !== 'index') return true;
    const searched = `SELECT _key FROM "c".ENTRIES WHERE ${path} = 7`;
    if (JSON.stringify(await statement(service, searched)) !== '[["k7"]]') this.#wrong.push('a search finds nothing');
    return JSON.stringify(await statement(service, `EXPLAIN ${searched}`)).includes('PATH_N');
  }
}

function statementQuery(qry: string): string {
  return queryOf({ cmd: 'qryfldexe', pageSize: 1_000, qry });
}

async function statement(service: ServiceProcess, qry: string): Promise<unknown> {
  return ((await service.command(statementQuery(qry))) as { readonly items: unknown }).items;
}

/** Returns the entries of the cache, sorted. */
async function exported({ url }: ServiceProcess): Promise<string> {
  const text = await (await fetch(`${url}?${queryOf({ cmd: 'export', cacheName: 'c' })}`)).text();
  return text.split('\n').sort().join('\n');
}

/**
 * Turns the objects into rows of the table as the previous version did: with all of their fields in addition to the
 * columns.
 */
function leaveAsSchema2(file: string): void {
  using database = new Database(file, { readwrite: true, create: false });
  const idOf = (name: string): unknown => database.query('SELECT id FROM caches WHERE name = ?').values(name)[0]?.[0];
  const [from, to] = [String(idOf('objects')), String(idOf('c'))];
  database.run(`INSERT INTO e${to} (kt, k, vt, v) SELECT kt, k, vt, v FROM e${from}`);
  database.run(`INSERT OR REPLACE INTO entry_counts (cache, entries) SELECT ${to}, COUNT(*) FROM e${to}`);
  database.run('PRAGMA user_version = 2');
}
