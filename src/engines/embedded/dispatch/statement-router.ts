/**
 * Implements the port's queries on a request thread. Statements by key run here, all others in statement processes,
 * which start on demand.
 */

import { type Clock, sleep } from '../../../base/clock.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import type { Tenant } from '../../../base/shares.ts';
import type { DefinitionChange, DefinitionPreviews, DefinitionStatement } from '../../../grid/definition-changes.ts';
import {
  type MaybePromise,
  type Queries,
  type QueryKiller,
  type QueryPage,
  type QueryRequest,
  TransactionAborted,
  type TransactionOptions,
  type TransactionStep,
} from '../../../grid/grid.ts';
import { dataOf } from '../../../grid/queries.ts';
import type { QueryId } from '../../../grid/query-id.ts';
import { boundedFor, type TimeBudget, timeLimitMs } from '../../../grid/statement-budget.ts';
import type { RunningStatement } from '../shared/running-statements.ts';
import { type SharedQueryState, STATEMENT_PROCESSES } from '../shared/shared-query-state.ts';
import {
  KILLED,
  type PageChunk,
  processOfQuery,
  type SentQuery,
  type StatementChannel,
  type StatementProcesses,
  shownTransaction,
  TIME_OVER,
  type TicketedTransaction,
  type TransactionEnd,
  tenantOf,
  withTimesOf,
} from '../shared/statement-protocol.ts';
import type { RecordPositions } from '../writer/changes.ts';
import { ResponseGarbage } from './response-garbage.ts';
import type { StatementKills } from './statement-kills.ts';
import type { ProcessKind, StatementAdmission } from './statement-slots.ts';
import { StatementWait } from './statement-wait.ts';

/** Delay before a statement is sent to another process because its own has ended, in ms. */
const RETRY_MS = 50;
/** Memory that a waiting statement holds besides its text, and per unit of its text. */
const STATEMENT_BYTES = 1_024;
const CHARACTER_BYTES = 2;

const NO_RECORDS: RecordPositions = { since: {} };

/** Runs a query on this thread, or returns the kind of statement process that must run it. */
export interface LocalQueries extends DefinitionPreviews {
  (request: QueryRequest): MaybePromise<QueryPage> | ProcessKind;
}

export interface StatementRouterOptions {
  readonly processes: StatementProcesses;
  readonly queryState: SharedQueryState;
  /** Loads the code that runs queries on this thread. Called at the first query. */
  readonly loadLocal: () => Promise<LocalQueries>;
  readonly clock: Clock;
  /** Maximum number of processes for statements that read. */
  readonly readers: number;
  readonly slots: StatementAdmission;
  readonly budget: TimeBudget;
  readonly kills: StatementKills;
}

/** The reason for ending a process whose statement used more memory than the process may have. */
export const MEMORY_OVER = 'its process has run out of memory';

/** The end of a statement process, which fails the requests that were sent to it. */
export class ProcessEnded extends GridError {
  /** The statement for which the process was ended, or undefined if it ended by itself. */
  readonly ticket: number | undefined;
  /** The statement that was running when the process ended. */
  readonly running: number | undefined;

  constructor(reason: string, ticket?: number, running?: number) {
    const { code, message } = ticket === undefined ? gridError('QUERY_LOST') : endOfStatement(reason);
    super(code, message);
    this.ticket = ticket;
    this.running = running;
  }
}

/** Returns the error of the statement for which a process has ended. */
function endOfStatement(reason: string): GridError {
  switch (reason) {
    case TIME_OVER:
      return gridError('QUERY_TIMEOUT', '');
    case MEMORY_OVER:
      return gridError('QUERY_PROCESS_MEMORY');
    default:
      return gridError('QUERY_CANCELLED', reason);
  }
}

/** The end of a process that no longer accepts requests. */
class ProcessRetired extends ProcessEnded {}

/** A response, and the process that sent it. */
interface Placed<T> {
  readonly index: number;
  readonly response: T;
}

/** The work requested from a statement process. */
interface Work<T> {
  readonly ticket: number;
  /** Time from now within which it must be answered, in ms. */
  readonly limitMs: number;
  readonly tenant: Tenant;
  /** Memory that it holds while it waits. */
  readonly bytes: number;
  /** Whether it can run again after a commit, because it finds the results that it has recorded. */
  readonly isRepeatable?: boolean;
  /** Its entry in the system views while it waits for a process. */
  readonly shown: Omit<RunningStatement, 'id'>;
  /** Asks a process. The response is null if it has not run the work: see `claim` of the shared state. */
  call(channel: StatementChannel): Promise<T | null>;
  /** Frees what a process keeps for a response that came too late. */
  discard(response: T): void;
}

export class StatementRouter implements Queries {
  readonly #processes: StatementProcesses;
  readonly #queryState: SharedQueryState;
  readonly #loadLocal: () => Promise<LocalQueries>;
  #loading: Promise<void> | undefined;
  #local: LocalQueries | undefined;
  readonly #clock: Clock;
  readonly #readers: number;
  readonly #budget: TimeBudget;
  readonly #kills: StatementKills;
  readonly #garbage = new ResponseGarbage();
  readonly #slots: StatementAdmission;

  constructor({ processes, queryState, loadLocal, clock, readers, slots, budget, kills }: StatementRouterOptions) {
    this.#slots = slots;
    this.#processes = processes;
    this.#queryState = queryState;
    this.#loadLocal = loadLocal;
    this.#clock = clock;
    this.#readers = readers;
    this.#budget = budget;
    this.#kills = kills;
  }

  async previewDefinition(statement: DefinitionStatement): Promise<readonly DefinitionChange[] | undefined> {
    if (this.#local === undefined) await this.#load();
    return this.#local?.previewDefinition?.(statement);
  }

  execute(request: QueryRequest): MaybePromise<QueryPage> {
    if (this.#local === undefined) return this.#load().then(() => this.execute(request));
    const local = this.#local(request);
    if (local !== 'reading' && local !== 'writing') return local;
    const ticket = this.#queryState.nextTicket();
    const query: SentQuery = { ...dataOf(request), ticket, sentAtMs: this.#clock.nowMs() };
    return this.#execute(query, local, request.sender?.signal());
  }

  /** Runs a query in a statement process. */
  #execute(query: SentQuery, place: ProcessKind, signal: AbortSignal | undefined): Promise<QueryPage> {
    const { ticket, owner } = query;
    const work: Work<PageChunk> = {
      ticket,
      limitMs: limitMsOf(withTimesOf(this.#budget, query), query.timeoutMs ?? 0),
      tenant: tenantOf(query),
      bytes: STATEMENT_BYTES + (query.kind === 'scan' ? 0 : query.sql.length * CHARACTER_BYTES),
      shown: shownQuery(query),
      call: (channel) => channel.call('execute', query),
      discard: ({ queryId, more, last }) => {
        if (more || !last) this.close(queryId, owner).catch(() => {});
      },
    };
    return this.#run(work, place, signal).then(({ index, response }) =>
      this.#page(index, response, ticket, owner, signal),
    );
  }

  #load(): Promise<void> {
    this.#loading ??= this.#loadLocal().then((local) => {
      this.#local = local;
    });
    return this.#loading;
  }

  /** Runs a transaction in the process for changes. With a key, it looks for a record after `positions`. */
  async transact(
    steps: readonly TransactionStep[],
    { signal, once, ...options }: TransactionOptions,
    positions = NO_RECORDS,
  ): Promise<Extract<TransactionEnd, { queryId: number }>> {
    const ticket = this.#queryState.nextTicket();
    const transaction: TicketedTransaction = {
      ...options,
      steps,
      once: once && { key: once.key, ...positions },
      ticket,
      sentAtMs: this.#clock.nowMs(),
    };
    const { tenant, timeoutMs } = options;
    const { response } = await this.#run<TransactionEnd>(
      {
        ticket,
        limitMs: limitMsOf(boundedFor(this.#budget, tenant), timeoutMs),
        tenant,
        bytes: STATEMENT_BYTES * steps.length,
        isRepeatable: once !== undefined,
        shown: shownTransaction(transaction),
        call: (channel) => channel.call('transact', transaction),
        discard: () => {},
      },
      'writing',
      signal,
    );
    if (!('results' in response))
      throw new TransactionAborted(response.step, new GridError(response.code, response.message, response));
    const { queryId, results, replayed } = response;
    return { queryId, results, replayed };
  }

  /**
   * Runs work in a process, and resolves to its response. The time limit counts from here, and ends the wait
   * whatever the process does, unless it is committing. Throws QUERIES_BUSY, QUERY_CANCELLED, QUERY_TIMEOUT,
   * QUERY_PREEMPTED and OVERLOADED.
   */
  async #run<T>(work: Work<T>, place: ProcessKind, signal: AbortSignal | undefined): Promise<Placed<T>> {
    const { ticket, limitMs, shown } = work;
    const queryState = this.#queryState;
    const noSlot = (): GridError => gridError('QUERIES_BUSY', this.#readers);
    const wait = new StatementWait({ clock: this.#clock, queryState, place, ticket, limitMs, shown, noSlot });
    const cancel = (): void => queryState.cancel(ticket);
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel);
    try {
      return await Promise.race([wait.ended, this.#answer(work, place, wait)]);
    } catch (error) {
      throw wait.isKilled ? gridError('QUERY_CANCELLED', KILLED) : error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      wait.close();
    }
  }

  /** Asks one process after another until one has run the work. A client that has received a response gets no other. */
  async #answer<T>(work: Work<T>, place: ProcessKind, wait: StatementWait): Promise<Placed<T>> {
    const { ticket, tenant, bytes } = work;
    for (;;) {
      const slot = await this.#slots.acquire({ place, ticket, tenant, limitMs: wait.leftMs, bytes });
      try {
        // Its client has claimed it.
        if (this.#queryState.isClaimed(ticket)) return wait.ended;
        const { index } = slot;
        const response = await this.#request(index, ticket, undefined, (channel) => work.call(channel));
        if (response !== null && !wait.isAbandoned) return { index, response };
        if (response !== null) work.discard(response);
        if (response !== null || place === 'writing' || this.#queryState.isClaimed(ticket)) return wait.ended;
      } catch (error) {
        if (!(error instanceof ProcessEnded)) throw error;
        if (this.#queryState.isClaimed(ticket)) {
          const failure = place === 'reading' ? error : this.#changeEnded(work, error);
          if (failure !== undefined) throw failure;
          this.#queryState.unclaim(ticket);
        }
        // Another process runs the work that this one had not begun.
      } finally {
        slot.release();
      }
      await sleep(this.#clock, RETRY_MS);
    }
  }

  /**
   * Returns the error of a change that was sent to a process which has since ended, or undefined if it can run again.
   */
  #changeEnded({ ticket, isRepeatable }: Work<unknown>, error: ProcessEnded): GridError | undefined {
    if (this.#queryState.isCommitting(ticket)) {
      return isRepeatable === true
        ? undefined
        : gridError('OUTCOME_UNKNOWN', 'the process that ran the statement has ended');
    }
    const isOwn = error.running === ticket || error.ticket === ticket;
    return isOwn || this.#queryState.isAbandoned(ticket) ? error : undefined;
  }

  async fetch(
    queryId: number,
    pageSize: number,
    owner: string,
    format: QueryRequest['format'],
    signal?: AbortSignal,
  ): Promise<QueryPage> {
    if (this.#isLost(queryId)) throw gridError('QUERY_LOST');
    const index = this.#threadOf(queryId);
    if (index === undefined) throw gridError('QUERY_NOT_FOUND', queryId);
    const ticket = this.#queryState.nextTicket();
    const chunk = await this.#request(index, ticket, signal, (channel) =>
      channel.call('fetch', { queryId, pageSize, owner, format, ticket }),
    ).catch((error: unknown) => {
      // Only a process without cursors retires.
      throw error instanceof ProcessRetired ? gridError('QUERY_NOT_FOUND', queryId) : error;
    });
    return this.#page(index, chunk, ticket, owner, signal);
  }

  async close(queryId: number, owner: string): Promise<void> {
    const index = this.#threadOf(queryId);
    if (index === undefined) return;
    // A process that writes a page reads no messages.
    this.#queryState.cancelQuery(index, queryId, owner);
    const channel = await this.#processes.channel(index);
    await channel.call('close', { queryId, owner }).catch((error: unknown) => {
      // Its cursors have ended with it.
      if (!(error instanceof ProcessEnded)) throw error;
    });
  }

  kill(id: QueryId, killer: QueryKiller): Promise<void> {
    return this.#kills.kill(id, killer);
  }

  /** Reports whether the query has ended with its process. Clients may send any number. */
  #isLost(queryId: number): boolean {
    // Pages without more rows have the id 0.
    if (queryId <= 0) return false;
    const index = processOfQuery(queryId);
    return index < STATEMENT_PROCESSES && this.#queryState.isLost(index, queryId);
  }

  /** Returns the process that may hold the query, or undefined if none can. */
  #threadOf(queryId: number): number | undefined {
    if (queryId < 0) return undefined;
    const index = processOfQuery(queryId);
    return index < STATEMENT_PROCESSES && this.#queryState.isStarted(index) ? index : undefined;
  }

  async #request<T>(
    index: number,
    ticket: number,
    signal: AbortSignal | undefined,
    send: (channel: StatementChannel) => Promise<T>,
  ): Promise<T> {
    if (!this.#queryState.requestSent(index)) throw new ProcessRetired('its process ended');
    const cancel = (): void => this.#queryState.cancel(ticket);
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel);
    try {
      return await send(await this.#processes.channel(index));
    } catch (error) {
      // The reason concerns the statement for which the process was ended, and no other.
      const isOther = error instanceof ProcessEnded && error.ticket !== undefined && error.ticket !== ticket;
      throw isOther ? new ProcessEnded('its process ended', undefined, error.running) : error;
    } finally {
      this.#queryState.requestEnded(index);
      signal?.removeEventListener('abort', cancel);
    }
  }

  #page(index: number, first: PageChunk, ticket: number, owner: string, signal: AbortSignal | undefined): QueryPage {
    // The closures must not keep the first chunk: its text would be held for as long as the page is read.
    const { queryId, columns, more } = first;
    let { text, ...known } = first;
    this.#garbage.note(text.length);
    const readMore = async (): Promise<void> => {
      ({ text, ...known } = await this.#request(index, ticket, signal, (channel) =>
        channel.call('more', { queryId, owner, ticket }),
      ));
      this.#garbage.note(text.length);
    };
    const close = (): Promise<void> => this.close(queryId, owner);
    async function* chunks(): AsyncGenerator<string> {
      let finished = false;
      try {
        yield text;
        while (known.more) {
          await readMore();
          yield text;
        }
        finished = true;
      } finally {
        // The client left in the middle of a page: the query cannot be continued.
        if (!finished) await close();
      }
    }
    return {
      queryId,
      columns,
      rows: more ? chunks() : text,
      end: () => ({ last: known.last, rowCount: known.rowCount }),
    };
  }
}

/** Returns the time limit of a statement whose request sets `timeoutMs` (0 for none); Infinity for none. */
function limitMsOf(budget: TimeBudget, timeoutMs: number): number {
  const limitMs = timeLimitMs(budget, timeoutMs);
  return limitMs > 0 ? limitMs : Number.POSITIVE_INFINITY;
}

/** Returns the entry in the system views of a query that waits for a process. */
function shownQuery({ owner, pageSize, sentAtMs, ...query }: SentQuery): Omit<RunningStatement, 'id'> {
  const [kind, text] = query.kind === 'scan' ? (['scan', query.cache] as const) : (['sql', query.sql] as const);
  return { kind, text, detail: '', owner, startedAtMs: sentAtMs, pageSize };
}
