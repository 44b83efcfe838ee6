/** The load of the long run: everything that a service creates, keeps for a while and must release again. */
import { Random } from '../../simulation/random.ts';
import { type HttpConnection, openConnection } from '../../system/http-connection.ts';
import { queryOf } from '../../system/service-process.ts';

export const ADMIN = { user: 'svc', password: 'soak-secret' } as const;

/** The common part of a load's requests. */
export interface LoadOptions {
  readonly port: number;
  readonly seed: number;
  /** Requests per second on entries and rows; the others are few. */
  readonly rate: number;
  /** Resolves when the load may continue, at once unless it is paused; true if it was. */
  readonly unpaused: () => Promise<boolean>;
}

/** The requests since the last look. */
export interface LoadPart {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const ENTRY_KEYS = 4_000;
const ROWS = 2_000;
const ENTRY_CLIENTS = 8;
const ROW_CLIENTS = 2;
/** The share of the rate that goes to entries. */
const ENTRY_SHARE = 0.9;
const KEYED = 0.2;
const STOP_CHECK_MS = 500;

/** Entries or rows in each request that fills. */
const FILLED_AT_ONCE = 20;

/** The parameters of a `putall` of one value under several keys. */
function numbered(keys: readonly string[], val: string): Params {
  return Object.fromEntries(keys.flatMap((key, at) => [[`k${at + 1}`, key] as const, [`v${at + 1}`, val] as const]));
}

type Params = Readonly<Record<string, string | number>>;
type Send = (params: Params, headers?: Readonly<Record<string, string>>) => Promise<unknown>;

export class Load {
  readonly #options: LoadOptions;
  readonly #running: Promise<void>[] = [];
  /** The first failures; more are counted only. */
  readonly failures: string[] = [];
  failed = 0;
  /** Requests by the resource that they use. */
  readonly counts: Record<string, number> = {};
  #timesMs: number[] = [];
  #number = 0;
  #stopped = false;
  #key = '';

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Creates the table and the API key of the load, then starts its clients. */
  async start(): Promise<void> {
    const connection = await openConnection(this.#options.port);
    const token = await this.#login(connection);
    const send = this.#sendOver(connection, { sessionToken: token });
    const { key } = (await send({ cmd: 'apikeyadd', name: 'soak' })) as { key: string };
    this.#key = key;
    await send({
      cmd: 'qryfldexe',
      pageSize: 1,
      qry: 'CREATE TABLE Item (id INT PRIMARY KEY, part INT, note VARCHAR)',
    });
    await send({ cmd: 'qryfldexe', pageSize: 1, qry: 'CREATE INDEX Item_part ON Item (part)' });
    await this.#fill(send);
    connection.close();
    const { rate } = this.#options;
    const pauseMs = (clients: number, share: number) => (1_000 * clients) / (rate * share);
    for (let client = 0; client < ENTRY_CLIENTS; client++) {
      this.#every('entries', pauseMs(ENTRY_CLIENTS, ENTRY_SHARE), client, (...each) => this.#entry(...each));
    }
    for (let client = 0; client < ROW_CLIENTS; client++) {
      this.#every('rows', pauseMs(ROW_CLIENTS, 1 - ENTRY_SHARE), 20 + client, (...each) => this.#row(...each));
    }
    this.#every('cursors', 500, 30, (...each) => this.#cursor(...each));
    this.#every('structure', 1_000, 31, (...each) => this.#structure(...each));
    this.#every('tasks', 2_000, 32, (...each) => this.#task(...each));
    this.#every('sessions', 2_000, 33, () => this.#session());
    this.#every('connections', 500, 34, () => this.#brokenConnection());
    this.#every('backups', 60_000, 35, () => this.#backup());
  }

  /** Stores the data that the load replaces, so that the files have their full size from the start. */
  async #fill(send: Send): Promise<void> {
    const val = 'x'.repeat(200);
    for (let from = 0; from < ENTRY_KEYS; from += FILLED_AT_ONCE) {
      const keys = Array.from({ length: FILLED_AT_ONCE }, (_, at) => `e${from + at}`);
      for (const names of [keys, keys.map((key) => `${key}b`)]) {
        await send({ cmd: 'putall', ...numbered(names, val) });
      }
      await send({ cmd: 'putall', cacheName: 'temporary', ...numbered(keys, val) });
    }
    for (let from = 0; from < ROWS; from += FILLED_AT_ONCE) {
      const rows = Array.from({ length: FILLED_AT_ONCE }, (_, at) => `(${from + at}, ${at % 50}, '${val}')`);
      await send({ cmd: 'qryfldexe', pageSize: 1, qry: `INSERT INTO Item (id, part, note) VALUES ${rows.join(', ')}` });
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  /** Returns the number and the times of the requests on entries and rows since the last call. */
  takePart(): LoadPart {
    const sorted = this.#timesMs.sort((left, right) => left - right);
    this.#timesMs = [];
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { requests: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) };
  }

  /** Runs an action again and again on one connection, with a random pause of `pauseMs` on average. */
  #every(kind: string, pauseMs: number, client: number, action: (send: Send, random: Random) => Promise<void>): void {
    this.#running.push(
      (async () => {
        const random = new Random(this.#options.seed * 7_919 + client);
        const isMeasured = kind === 'entries' || kind === 'rows';
        let connection: HttpConnection | undefined;
        while (!this.#stopped) {
          try {
            // The service closes connections that are idle for long.
            if (await this.#options.unpaused()) {
              connection?.close();
              connection = undefined;
            }
            connection ??= await openConnection(this.#options.port);
            const startMs = performance.now();
            await action(this.#sendOver(connection, {}), random);
            if (isMeasured) this.#timesMs.push(performance.now() - startMs);
            this.counts[kind] = (this.counts[kind] ?? 0) + 1;
          } catch (error) {
            if (!this.#stopped) this.#failed(kind, error);
            connection?.close();
            connection = undefined;
          }
          await this.#sleep(random.fraction() * 2 * pauseMs);
        }
        connection?.close();
      })(),
    );
  }

  /** Waits; no longer than a moment once the load stops. */
  async #sleep(ms: number): Promise<void> {
    const endMs = performance.now() + ms;
    for (let leftMs = ms; leftMs > 0 && !this.#stopped; leftMs = endMs - performance.now()) {
      await Bun.sleep(Math.min(leftMs, STOP_CHECK_MS));
    }
  }

  #failed(kind: string, error: unknown): void {
    this.failed += 1;
    if (this.failures.length < 20) this.failures.push(`${kind}: ${error instanceof Error ? error.message : error}`);
  }

  #sendOver(connection: HttpConnection, common: Params): Send {
    return async (params, headers = {}) => {
      const all = { ...common, ...params };
      const query = queryOf(all);
      const authorization = this.#key === '' ? {} : { Authorization: `Bearer ${this.#key}` };
      const answer = await connection.sendCommand(query, { ...authorization, ...headers });
      if (answer.successStatus !== 0) throw new Error(`${query}: ${answer.error}`);
      return answer.response;
    };
  }

  #fresh(): string {
    return (++this.#number).toString(36);
  }

  async #entry(send: Send, random: Random): Promise<void> {
    const key = `e${random.below(ENTRY_KEYS)}`;
    const val = `${this.#fresh()}${'x'.repeat(random.below(400))}`;
    const headers: Record<string, string> = random.fraction() < KEYED ? { 'Idempotency-Key': this.#fresh() } : {};
    const temporary = {
      cmd: 'put',
      cacheName: 'expiring',
      key: `x${this.#fresh()}`,
      val,
      exp: 200 + random.below(20_000),
    };
    const params = random.pick<Params>([
      { cmd: 'get', key },
      { cmd: 'get', key },
      { cmd: 'get', key },
      { cmd: 'put', key, val },
      { cmd: 'getput', key, val },
      { cmd: 'putifabs', key, val },
      { cmd: 'rmv', key },
      { cmd: 'cas', key, val, val2: 'never' },
      { cmd: 'incr', key: `n${random.below(100)}`, delta: 1 },
      { cmd: 'putall', k1: key, v1: val, k2: `${key}b`, v2: val },
      { cmd: 'getall', k1: key, k2: `${key}b` },
      { cmd: 'put', cacheName: 'temporary', key, val },
      { cmd: 'size' },
      temporary,
      temporary,
    ]);
    await send(params, params.cmd === 'get' || params.cmd === 'getall' || params.cmd === 'size' ? {} : headers);
  }

  async #row(send: Send, random: Random): Promise<void> {
    const [id, part] = [random.below(ROWS), random.below(50)];
    const [qry, ...args] = random.pick<readonly [string, ...(string | number)[]]>([
      ['MERGE INTO Item (id, part, note) VALUES (?, ?, ?)', id, part, this.#fresh()],
      ['MERGE INTO Item (id, part, note) VALUES (?, ?, ?)', id, part, 'y'.repeat(random.below(400))],
      ['SELECT note FROM Item WHERE id = ?', id],
      ['UPDATE Item SET part = ? WHERE id = ?', part, id],
      ['UPDATE Item SET note = note WHERE part = ?', part],
      ['DELETE FROM Item WHERE id = ?', id],
      ['SELECT count(*), max(note) FROM Item WHERE part = ?', part],
      ['SELECT a.id, b.note FROM Item a JOIN Item b ON a.part = b.part WHERE a.id = ? AND b.id < 20', id],
      // A different text each time: everything that is kept about statements must be bounded.
      [`SELECT id FROM Item WHERE id = ${id} AND part <> ${this.#number}`],
    ]);
    const numbered = Object.fromEntries(args.map((value, index) => [`arg${index + 1}`, value]));
    await send({ cmd: 'qryfldexe', pageSize: 1_000, qry, ...numbered });
  }

  /** Opens a cursor, reads a page or two, and abandons it. */
  async #cursor(send: Send, random: Random): Promise<void> {
    const opened = random.pick<Params>([
      { cmd: 'qryfldexe', pageSize: 3, qry: 'SELECT id, note FROM Item ORDER BY note' },
      { cmd: 'qryscanexe', pageSize: 3, cacheName: 'default' },
    ]);
    const { queryId, last } = (await send(opened)) as { queryId: number; last: boolean };
    if (!last && random.below(2) === 0) await send({ cmd: 'qryfetch', qryId: queryId, pageSize: 3 });
  }

  /** A cache or a table with a new name, filled and destroyed. */
  async #structure(send: Send, random: Random): Promise<void> {
    const name = `Own${this.#fresh()}`;
    const run = (qry: string) => send({ cmd: 'qryfldexe', pageSize: 1, qry });
    if (random.below(2) === 0) {
      await send({ cmd: 'getorcreate', cacheName: name });
      for (let key = 0; key < 5; key++) await send({ cmd: 'put', cacheName: name, key, val: name });
      await send({ cmd: 'destcache', cacheName: name });
      return;
    }
    await run(`CREATE TABLE ${name} (id INT PRIMARY KEY, a INT)`);
    await run(`INSERT INTO ${name} (id, a) VALUES (1, 1), (2, 2), (3, 3)`);
    await run(`CREATE INDEX ${name}_a ON ${name} (a)`);
    await run(`ALTER TABLE ${name} ADD COLUMN b INT`);
    await run(`DROP TABLE ${name}`);
  }

  /** A task whose result is fetched, awaited, or abandoned. */
  async #task(send: Send, random: Random): Promise<void> {
    const task = { cmd: 'exe', name: 'svc.echo', p1: this.#fresh() };
    if (random.below(2) === 0) return void (await send(task));
    const { id } = (await send({ ...task, async: 'true' })) as { id: string };
    if (random.below(2) === 0) await send({ cmd: 'res', id });
  }

  /** A session that is used once or twice and abandoned. */
  async #session(): Promise<void> {
    const connection = await openConnection(this.#options.port);
    try {
      const sessionToken = await this.#login(connection);
      const answer = await connection.sendCommand(queryOf({ cmd: 'noop', sessionToken }));
      if (answer.successStatus !== 0) throw new Error(`noop: ${answer.error}`);
    } finally {
      connection.close();
    }
  }

  /** A client that leaves in the middle of its request. */
  async #brokenConnection(): Promise<void> {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port: this.#options.port, socket: { data() {} } });
    socket.write('POST /svc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ncmd=put&key=');
    await Bun.sleep(20);
    socket.terminate();
  }

  /** Receives a backup, besides the scheduled ones. */
  async #backup(): Promise<void> {
    const connection = await openConnection(this.#options.port);
    try {
      const sessionToken = await this.#login(connection);
      const url = `http://127.0.0.1:${this.#options.port}/svc?cmd=backup&stream=true&sessionToken=${encodeURIComponent(sessionToken)}`;
      const answer = await fetch(url);
      const bytes = await answer.arrayBuffer();
      const isBackup = answer.headers.get('content-type') === 'application/octet-stream';
      const text = isBackup ? '' : new TextDecoder().decode(bytes);
      // A scheduled backup may be running.
      if (!isBackup && !/backup is running|already running/i.test(text)) throw new Error(`backup: ${text}`);
    } finally {
      connection.close();
    }
  }

  async #login(connection: HttpConnection): Promise<string> {
    const { user, password } = ADMIN;
    const query = new URLSearchParams({ cmd: 'authenticate', 'svc.login': user, 'svc.password': password });
    const answer = await connection.send(`GET /svc?${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const { successStatus, sessionToken, error } = JSON.parse(answer.body);
    if (successStatus !== 0) throw new Error(`authenticate: ${error}`);
    return String(sessionToken);
  }
}
