/** The simulated clients: each sends one operation after another to any of the threads that serve requests. */

import { GridError } from '../../../src/base/errors.ts';
import { type Grid, TransactionAborted } from '../../../src/grid/grid.ts';
import { text, type Value } from '../../../src/values/value.ts';
import { countersOf, entriesOf } from '../../grid/entry-methods.ts';
import type { Random } from '../../simulation/random.ts';
import { LinearizedObject } from './linearizability.ts';
import {
  type ContainerOperation,
  containerModel,
  counterModel,
  type EntryOperation,
  entryModel,
  NO_CONTAINER,
  NO_ENTRY,
} from './models.ts';
import type { EventSource, Scheduler } from './scheduler.ts';

const KEYS = 5;
const CONTAINERS = 2;
const CACHE = 'default';
const ROWS = 'rows';

/**
 * Errors that say that nothing was changed: those of a disk that fails (SQLite reports a read that fails with EIO as
 * damage), and of a statement whose process has ended.
 */
const REJECTIONS: ReadonlySet<string> = new Set([
  'QUERY_LOST',
  'STORAGE_FAILED',
  'STORAGE_FULL',
  'STORAGE_READ_ONLY',
  'STORAGE_CORRUPT',
]);
/** Errors of an operation whose thread has ended or is stopping: it may or may not have taken effect. */
const LOST_ERRORS: ReadonlySet<string> = new Set(['STOPPING', 'QUERY_CANCELLED', 'QUERY_TIMEOUT', 'OUTCOME_UNKNOWN']);
/** Events within which every operation is answered. */
const MAX_EVENTS = 15_000;
const MISSING = /not found|does not exist|doesn't exist|no such table/i;

/** The effect of an operation on each of its objects: the call, and the results of the objects in their order. */
interface Operation {
  readonly title: string;
  /** Begins the operation of each object. */
  readonly call: (number: number, nowMs: number) => void;
  readonly send: (grid: Grid) => Promise<readonly string[]>;
  /** Ends the operation of each object; returns the problem. */
  readonly end: (number: number, nowMs: number, end: End) => ReadonlyArray<string | undefined>;
}

type End = { readonly kind: 'answered'; readonly results: readonly string[] } | { readonly kind: 'rejected' | 'lost' };

export interface ClientsOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly grids: () => readonly Grid[];
  readonly trace: (line: string) => void;
}

/** Counts of the clients' operations. */
export interface ClientCounts {
  sent: number;
  answered: number;
  rejected: number;
  lost: number;
}

export class Clients {
  readonly #options: ClientsOptions;
  readonly counts: ClientCounts = { sent: 0, answered: 0, rejected: 0, lost: 0 };
  readonly wrong: string[] = [];
  /** Operations under way. */
  readonly #open = new Map<number, Operation>();
  /** The event with which each of them was sent. */
  readonly #sentAt = new Map<number, number>();
  /** Operations that were abandoned, because the engine has been closed. */
  readonly #abandoned = new Set<number>();
  readonly #entries = objects('entry', KEYS, NO_ENTRY, entryModel);
  readonly #expiring = objects('expiring', KEYS, NO_ENTRY, entryModel);
  readonly #rows = objects('row', KEYS, NO_ENTRY, entryModel);
  readonly #counters = objects('counter', CONTAINERS, 0, counterModel);
  readonly #caches = objects('cache', CONTAINERS, NO_CONTAINER, containerModel);
  readonly #tables = objects('table', CONTAINERS, NO_CONTAINER, containerModel);
  /** The clients that wait for an answer. */
  readonly #waiting = new Set<number>();
  /** Number of the engine, for answers of an earlier one. */
  #epoch = 0;
  #number = 0;
  isPaused = false;

  constructor(options: ClientsOptions, count: number) {
    this.#options = options;
    for (let client = 0; client < count; client++) options.scheduler.sources.push(this.#client(client));
  }

  get underWay(): number {
    return this.#open.size;
  }

  /** Ends the operations that the closed engine has not answered. */
  abandon(): void {
    const { events } = this.#options.scheduler;
    for (const [number, operation] of this.#open) {
      const sentAt = this.#sentAt.get(number) ?? events;
      if (events - sentAt > MAX_EVENTS)
        this.wrong.push(`${operation.title} is not answered in ${events - sentAt} events`);
      this.#abandoned.add(number);
      this.#ended(number, operation, { kind: 'lost' });
    }
    this.#epoch += 1;
    this.#waiting.clear();
  }

  /** Returns the operations that have no answer yet. */
  unanswered(): string[] {
    return [...this.#open.values()].map(({ title }) => title);
  }

  #client(client: number): EventSource {
    return {
      name: `client${client}`,
      isReady: () => !this.#waiting.has(client) && !this.isPaused,
      run: () => {
        this.#waiting.add(client);
        const epoch = this.#epoch;
        void this.#send().finally(() => {
          if (epoch === this.#epoch) this.#waiting.delete(client);
        });
      },
    };
  }

  async #send(): Promise<void> {
    const { random, scheduler, grids, trace } = this.#options;
    const number = ++this.#number;
    const operation = this.#choose(random);
    const threads = grids();
    const grid = threads[random.below(threads.length)];
    if (grid === undefined) return;
    this.counts.sent += 1;
    this.#open.set(number, operation);
    this.#sentAt.set(number, scheduler.events);
    operation.call(number, scheduler.nowMs);
    trace(`${number} ${operation.title}`);
    let end: End;
    try {
      end = { kind: 'answered', results: await operation.send(grid) };
    } catch (error) {
      end = { kind: this.#kindOf(error, operation) };
    }
    if (!this.#abandoned.delete(number)) this.#ended(number, operation, end);
  }

  #kindOf(error: unknown, { title }: Operation): 'rejected' | 'lost' {
    const reason = error instanceof TransactionAborted ? error.reason : error;
    const code = reason instanceof GridError ? reason.code : '';
    if (LOST_ERRORS.has(code)) return 'lost';
    if (!REJECTIONS.has(code)) {
      this.wrong.push(`${title} fails: ${code} ${String(error)}`);
    }
    return 'rejected';
  }

  #ended(number: number, operation: Operation, end: End): void {
    const { scheduler, trace } = this.#options;
    this.#open.delete(number);
    this.#sentAt.delete(number);
    this.counts[end.kind] += 1;
    trace(`${number} ${end.kind} ${end.kind === 'answered' ? end.results.join() : ''}`);
    for (const each of operation.end(number, scheduler.nowMs, end)) if (each !== undefined) this.wrong.push(each);
  }

  #fresh(): string {
    return `v${this.#number}`;
  }

  #choose(random: Random): Operation {
    const chance = random.fraction();
    if (chance < 0.3) return this.#entryOperation(random);
    if (chance < 0.45) return this.#expiringOperation(random);
    if (chance < 0.53) return this.#manyOperation(random);
    if (chance < 0.6) return this.#counterOperation(random);
    if (chance < 0.66) return this.#transaction(random);
    if (chance < 0.86) return this.#rowOperation(random);
    return random.below(2) === 0 ? this.#cacheOperation(random) : this.#tableOperation(random);
  }

  #entryOperation(random: Random): Operation {
    const number = random.below(KEYS);
    const name = random.pick([
      'get',
      'get',
      'put',
      'putIfAbsent',
      'replace',
      'cas',
      'remove',
      'getAndPut',
      'getAndRemove',
    ]);
    const operation = { name, value: this.#fresh(), expected: `v${this.#number - 1 - random.below(40)}` } as const;
    const key = text(`e${number}`);
    return single(this.#entries, number, operation, (grid) => sendEntry(grid, key, operation));
  }

  #expiringOperation(random: Random): Operation {
    const number = random.below(KEYS);
    const name = random.pick(['get', 'get', 'get', 'put', 'getAndPut', 'putIfAbsent', 'remove']);
    const operation = { name, value: this.#fresh(), ttlMs: 1 + random.below(300) } as const;
    const key = text(`x${number}`);
    return single(this.#expiring, number, operation, (grid) => sendEntry(grid, key, operation));
  }

  #manyOperation(random: Random): Operation {
    const first = random.below(KEYS);
    const numbers = [first, (first + 1) % KEYS, (first + 2) % KEYS];
    const keys = numbers.map((number) => text(`e${number}`));
    if (random.below(2) === 0) {
      return several(
        this.#entries,
        numbers,
        () => ({ name: 'get' }) as const,
        async (grid) => {
          const found = await entriesOf(grid).getAll(CACHE, keys);
          return keys.map((key) =>
            shown(found.find((each) => each.key.type === 'string' && each.key.data === key.data)?.value),
          );
        },
      );
    }
    const value = this.#fresh();
    return several(
      this.#entries,
      numbers,
      () => ({ name: 'put', value }) as const,
      async (grid) => {
        await entriesOf(grid).putAll(
          CACHE,
          keys.map((key) => ({ key, value: text(value) })),
        );
        return keys.map(() => 'done');
      },
    );
  }

  #counterOperation(random: Random): Operation {
    const number = random.below(CONTAINERS);
    const delta = random.below(5);
    return single(this.#counters, number, { name: 'add', delta } as const, async (grid) =>
      String(await countersOf(grid).add(`c${number}`, BigInt(delta), 0n)),
    );
  }

  #transaction(random: Random): Operation {
    const first = random.below(KEYS);
    const numbers = [first, (first + 2) % KEYS];
    const value = this.#fresh();
    return several(
      this.#entries,
      numbers,
      () => ({ name: 'getAndPut', value }) as const,
      async (grid) => {
        const steps = numbers.map((number) => ({
          call: { kind: 'getAndPut', cache: CACHE, key: text(`e${number}`), value: text(value) } as const,
        }));
        const options = { owner: '', tenant: { key: '', isAdministrator: false }, timeoutMs: 0, signal: NEVER };
        const results = await grid.transactions.run(steps, options);
        return results.map((result) => shown(isValue(result) ? result : undefined));
      },
    );
  }

  #rowOperation(random: Random): Operation {
    const number = random.below(KEYS);
    const value = this.#fresh();
    const expected = `v${this.#number - 1 - random.below(40)}`;
    const row = (operation: EntryOperation, sql: string, ...args: readonly (string | number)[]) =>
      single(this.#rows, number, operation, async (grid) => {
        const [[first] = []] = await rowsOf(grid, sql, args);
        if (operation.name === 'get') return first === undefined ? 'none' : String(first);
        return operation.name === 'put' ? 'done' : String(first === 1);
      });
    switch (random.below(8)) {
      case 0:
        return row({ name: 'get' }, 'SELECT v FROM R WHERE k = ?', number);
      case 1:
        return row({ name: 'put', value }, 'MERGE INTO R (k, v) VALUES (?, ?)', number, value);
      case 2:
        return row({ name: 'replace', value }, 'UPDATE R SET v = ? WHERE k = ?', value, number);
      case 3:
        return row(
          { name: 'cas', value, expected },
          'UPDATE R SET v = ? WHERE k = ? AND v = ?',
          value,
          number,
          expected,
        );
      case 4:
        return row({ name: 'remove' }, 'DELETE FROM R WHERE k = ?', number);
      case 5: {
        // The same row as an entry of the table's cache.
        const operation = { name: random.pick(['get', 'put', 'getAndRemove']), value } as const;
        const key: Value = { type: 'integer', data: number };
        return single(this.#rows, number, operation, (grid) => sendEntry(grid, key, operation, ROWS));
      }
      case 6:
        // Not by key: in the process for changes.
        return row({ name: 'remove' }, 'DELETE FROM R WHERE k >= ? AND k < ?', number, number + 1);
      default:
        return this.#range();
    }
  }

  /** A range of rows, which a statement process reads. */
  #range(): Operation {
    const numbers = Array.from({ length: KEYS }, (_, number) => number);
    return several(
      this.#rows,
      numbers,
      () => ({ name: 'get' }) as const,
      async (grid) => {
        const rows = await rowsOf(grid, 'SELECT k, v FROM R WHERE k BETWEEN ? AND ? ORDER BY v', [0, KEYS]);
        const found = new Map(rows.map(([key, value]) => [Number(key), String(value)]));
        return numbers.map((number) => found.get(number) ?? 'none');
      },
    );
  }

  #cacheOperation(random: Random): Operation {
    const number = random.below(CONTAINERS);
    const name = random.pick<ContainerOperation['name']>(['ensure', 'destroy', 'put', 'put', 'get', 'get']);
    const operation = { name, value: this.#fresh() };
    const cache = `own${number}`;
    return single(this.#caches, number, operation, (grid) => orMissing(() => sendCache(grid, cache, operation)));
  }

  #tableOperation(random: Random): Operation {
    const number = random.below(CONTAINERS);
    const name = random.pick<ContainerOperation['name']>(['create', 'drop', 'put', 'put', 'get', 'get']);
    const operation = { name, value: this.#fresh() };
    const isByKey = random.below(2) === 0;
    return single(this.#tables, number, operation, (grid) =>
      orMissing(() => sendTable(grid, `T${number}`, operation, isByKey)),
    );
  }
}

const NEVER = new AbortController().signal;

function objects<S, O>(
  kind: string,
  count: number,
  initial: S,
  model: ConstructorParameters<typeof LinearizedObject<S, O>>[2],
): ReadonlyArray<LinearizedObject<S, O>> {
  return Array.from({ length: count }, (_, number) => new LinearizedObject(`${kind} ${number}`, initial, model));
}

function single<S, O>(
  all: ReadonlyArray<LinearizedObject<S, O>>,
  number: number,
  operation: NoInfer<O>,
  send: (grid: Grid) => Promise<string>,
): Operation {
  return several(
    all,
    [number],
    () => operation,
    async (grid) => [await send(grid)],
  );
}

function several<S, O>(
  all: ReadonlyArray<LinearizedObject<S, O>>,
  numbers: readonly number[],
  operationOf: () => NoInfer<O>,
  send: (grid: Grid) => Promise<readonly string[]>,
): Operation {
  const chosen = all.filter((_, number) => numbers.includes(number));
  const inOrder = numbers.map((number) => all[number]).filter((each) => each !== undefined);
  return {
    title: `${chosen.map(({ name }) => name).join()} ${JSON.stringify(operationOf())}`,
    call: (number, nowMs) => {
      for (const each of chosen) each.called(number, operationOf(), nowMs);
    },
    send,
    end: (number, nowMs, end) =>
      inOrder.map((each, index) => {
        if (end.kind === 'answered') return each.answered(number, end.results[index] ?? 'none', nowMs);
        if (end.kind === 'rejected') return each.rejected(number);
        each.lost(number, nowMs);
        return undefined;
      }),
  };
}

function isValue(result: unknown): result is Value {
  return typeof result === 'object' && result !== null && 'type' in result;
}

function shown(value: Value | undefined): string {
  return value?.type === 'string' ? value.data : 'none';
}

async function sendEntry(grid: Grid, key: Value, operation: EntryOperation, cache = CACHE): Promise<string> {
  const entries = entriesOf(grid);
  const value = text(operation.value ?? '');
  const ttlMs = operation.ttlMs === undefined ? undefined : BigInt(operation.ttlMs);
  switch (operation.name) {
    case 'get':
      return shown(await entries.get(cache, key));
    case 'put':
      await entries.put(cache, key, value, ttlMs);
      return 'done';
    case 'getAndPut':
      return shown(await entries.getAndPut(cache, key, value, ttlMs));
    case 'putIfAbsent':
      return String(await entries.putIfAbsent(cache, key, value, ttlMs));
    case 'replace':
      return String(await entries.replace(cache, key, value, ttlMs));
    case 'cas':
      return String(await entries.replaceIfEquals(cache, key, text(operation.expected ?? ''), value, ttlMs));
    case 'remove':
      return String(await entries.remove(cache, key));
    case 'getAndRemove':
      return shown(await entries.getAndRemove(cache, key));
  }
}

async function sendCache(grid: Grid, cache: string, { name, value = '' }: ContainerOperation): Promise<string> {
  const key = text('k');
  switch (name) {
    case 'create':
    case 'ensure':
      await grid.caches.getOrCreate(cache, {});
      return 'done';
    case 'drop':
    case 'destroy':
      await grid.caches.destroy(cache);
      return 'done';
    case 'put':
      await entriesOf(grid).put(cache, key, text(value));
      return 'done';
    case 'get':
      return shown(await entriesOf(grid).get(cache, key));
  }
}

async function sendTable(
  grid: Grid,
  table: string,
  { name, value = '' }: ContainerOperation,
  isByKey: boolean,
): Promise<string> {
  switch (name) {
    case 'create':
    case 'ensure':
      await rowsOf(grid, `CREATE TABLE ${table} (id INT PRIMARY KEY, v VARCHAR)`, []);
      return 'done';
    case 'drop':
    case 'destroy':
      await rowsOf(grid, `DROP TABLE ${table}`, []);
      return 'done';
    case 'put':
      await rowsOf(grid, `MERGE INTO ${table} (id, v) VALUES (1, ?)`, [value]);
      return 'done';
    case 'get': {
      const condition = isByKey ? 'id = 1' : 'id > 0 ORDER BY v';
      const [[found] = []] = await rowsOf(grid, `SELECT v FROM ${table} WHERE ${condition}`, []);
      return found === undefined ? 'none' : String(found);
    }
  }
}

/** Returns the result of an operation on a cache or table that may not exist. */
async function orMissing(send: () => Promise<string>): Promise<string> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof GridError)) throw error;
    if (/already exists/i.test(error.message)) return 'exists';
    if (error.code === 'CACHE_NOT_FOUND' || MISSING.test(error.message)) return 'missing';
    throw error;
  }
}

export async function rowsOf(grid: Grid, sql: string, args: readonly (string | number)[]): Promise<unknown[][]> {
  const page = await grid.queries.execute({
    kind: 'fields',
    cache: CACHE,
    owner: '',
    pageSize: 1_000,
    format: 'json',
    sql,
    args: args.map((data) => (typeof data === 'number' ? { type: 'integer', data } : text(data))),
  });
  let rows = '';
  if (typeof page.rows === 'string') rows = page.rows;
  else for await (const chunk of page.rows) rows += chunk;
  return JSON.parse(`[${rows}]`) as unknown[][];
}
