/** Clients of a service in front of a cluster; each knows the expected contents of its keys and rows. */
import { Random } from '../../simulation/random.ts';
import { queryOf, type ServiceProcess } from '../../system/service-process.ts';
import { INTERNAL } from './faulted-service.ts';

/**
 * An error that says that the change did not happen, and one that says that it may have. Nodes that have come back
 * become active when all of them are there.
 */
const NOTHING_DONE =
  /No node of the cluster can be reached|^All statement processes are busy|because the cluster is inactive/;
const OUTCOME_UNKNOWN = /outcome of the operation is unknown/;
const STATEMENT_CANCELLED = /^The query was cancelled while executing: the time limit is over/;
const ANSWER_INVALID = /A node of the cluster sent an unreadable response/;
/** A request takes 30 s at most, and the wait for a node 10 s; a busy machine adds to both. */
const ANSWER_LIMIT_MS = 80_000;
/** Time limit of a statement that changes rows: it has none by itself, and a node whose answer is lost stays silent. */
const STATEMENT_LIMIT_MS = 30_000;
/** Reads of an object after a fault: an earlier loss may end a connection once more. */
const TRIES = 3;
/** Pause after an error: while no node answers, there would be countless errors. */
const ERROR_PAUSE_MS = 100;

/** An object of the cluster that only one client changes. */
interface Owned {
  readonly read: string;
  /** Value of the last acknowledged change, and those that a change without an answer may have left. */
  value: string | null;
  readonly possible: Set<string | null>;
}

interface Change {
  readonly query: string;
  readonly after: string | null;
}

type Kind = 'entry' | 'row' | 'counter';
const KINDS = ['entry', 'row', 'counter'] as const;

export class ClusterLoad {
  readonly #service: Pick<ServiceProcess, 'send'>;
  readonly #random: Random;
  readonly #owned: Owned[] = [];
  readonly #clients: Promise<void>[] = [];
  readonly wrong: string[] = [];
  /** How often each error occurred, without the parts that vary. */
  readonly errors = new Map<string, number>();
  acknowledged = 0;
  failed = 0;
  unknown = 0;
  /** Returns the number of a new object, which no other load uses. */
  readonly #newNumber: () => number;
  #ends = false;

  constructor(service: Pick<ServiceProcess, 'send'>, newNumber: () => number, clients: number, seed: number) {
    this.#service = service;
    this.#newNumber = newNumber;
    this.#random = new Random(seed);
    for (let client = 0; client < clients; client++) this.#clients.push(this.#run(new Random(seed * 31 + client)));
  }

  /** Ends the clients after their last requests. */
  async end(): Promise<void> {
    this.#ends = true;
    await Promise.all(this.#clients);
  }

  /** Compares everything with the acknowledged data. */
  async check(): Promise<void> {
    for (const owned of this.#owned) await this.#read(owned, TRIES);
  }

  async #run(random: Random): Promise<void> {
    const own = new Map<Kind, Owned>();
    while (!this.#ends) {
      const kind = random.pick(KINDS);
      const owned = own.get(kind) ?? this.#create(kind, own);
      const isSure =
        random.fraction() < 0.4 ? await this.#read(owned, 0) : await this.#change(owned, this.#next(kind, owned));
      // Unanswered requests may arrive later and would interfere with later changes.
      if (!isSure) own.delete(kind);
    }
  }

  #create(kind: Kind, own: Map<Kind, Owned>): Owned {
    const number = this.#newNumber();
    const select = `SELECT note FROM R WHERE id = ${number}`;
    const read = {
      entry: queryOf({ cmd: 'get', cacheName: 'Entries', key: `e${number}` }),
      row: queryOf({ cmd: 'qryfldexe', pageSize: 10, qry: select }),
      counter: queryOf({ cmd: 'incr', key: `c${number}`, delta: 0 }),
    }[kind];
    const owned: Owned = { read, value: kind === 'counter' ? '0' : null, possible: new Set() };
    this.#owned.push(owned);
    own.set(kind, owned);
    return owned;
  }

  #next(kind: Kind, { read, value }: Owned): Change {
    const name = new URLSearchParams(read).get('key') ?? '';
    const fresh = `v${this.acknowledged}-${this.#random.below(1_000_000)}`;
    if (kind === 'counter') {
      return { query: queryOf({ cmd: 'incr', key: name, delta: 1 }), after: String(Number(value) + 1) };
    }
    if (kind === 'row') {
      const id = /\d+$/.exec(new URLSearchParams(read).get('qry') ?? '')?.[0];
      const qry = `MERGE INTO R (id, note) VALUES (${id}, '${fresh}')`;
      return { query: queryOf({ cmd: 'qryfldexe', pageSize: 10, timeout: STATEMENT_LIMIT_MS, qry }), after: fresh };
    }
    return value !== null && this.#random.fraction() < 0.2
      ? { query: queryOf({ cmd: 'rmv', cacheName: 'Entries', key: name }), after: null }
      : { query: queryOf({ cmd: 'put', cacheName: 'Entries', key: name, val: fresh }), after: fresh };
  }

  /** Returns whether the outcome is known. */
  async #change(owned: Owned, { query, after }: Change): Promise<boolean> {
    const error = (await this.#send(query))?.error;
    if (error === null) {
      this.acknowledged += 1;
      owned.value = after;
      return true;
    }
    if (error !== undefined && NOTHING_DONE.test(error)) return true;
    this.unknown += 1;
    owned.possible.add(after);
    return false;
  }

  /** Reads a value, and retries after an error if it must succeed within some tries. Always returns true. */
  async #read(owned: Owned, tries: number): Promise<boolean> {
    const answer = await this.#send(owned.read);
    if (answer?.error !== null) {
      if (tries > 1) return this.#read(owned, tries - 1);
      if (tries === 1) this.wrong.push(`${owned.read} fails after the fault: ${answer?.error}`);
      // The counters are read by a change of 0.
      return true;
    }
    const { response } = answer;
    const items = typeof response === 'object' && response !== null && 'items' in response ? response.items : undefined;
    const found = Array.isArray(items) ? (items[0]?.[0] ?? null) : response === null ? null : String(response);
    if (found !== owned.value && !owned.possible.has(found)) {
      const others = [...owned.possible].map((value) => ` or ${value}`).join('');
      this.wrong.push(`${owned.read} is ${found}, but ${owned.value}${others} was acknowledged`);
    }
    return true;
  }

  /** Sends a request, and records its error. Returns undefined if there was no response at all. */
  async #send(query: string): Promise<{ readonly error: string | null; readonly response: unknown } | undefined> {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const answer = await this.#service.send(query, { signal }).catch((error: unknown) => {
      this.wrong.push(`${query} has no answer: ${error}`);
      return undefined;
    });
    if (answer === undefined || answer.error === null) return answer;
    const { error } = answer;
    this.failed += 1;
    const general = error.replaceAll(/\d+/g, 'N').slice(0, 160);
    this.errors.set(general, (this.errors.get(general) ?? 0) + 1);
    const isClear = [NOTHING_DONE, OUTCOME_UNKNOWN, STATEMENT_CANCELLED, ANSWER_INVALID].some((known) =>
      known.test(error),
    );
    if (!isClear || INTERNAL.test(error)) this.wrong.push(`${query} fails with an unclear error: ${error}`);
    await Bun.sleep(ERROR_PAUSE_MS);
    return answer;
  }
}
