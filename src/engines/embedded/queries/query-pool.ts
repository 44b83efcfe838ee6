/**
 * Queries as the port has them, on a thread that answers requests: statements by key run here, all others in query
 * threads, which are started when they are first needed.
 */
import type { ThreadLink } from '../../../base/thread-link.ts';
import type { MaybePromise, Queries, QueryPage, QueryRequest } from '../../../grid/grid.ts';
import { type PagePiece, type QueryServices, type Tickets, threadOfQuery } from './query-protocol.ts';

export type QueryLink = ThreadLink<QueryServices, Record<string, never>>;

/** The links to the query threads; asking for one starts its thread. */
export interface QueryThreads {
  readonly count: number;
  link(index: number): Promise<QueryLink>;
}

/** Runs what needs no query thread; undefined: it does. */
export type LocalQueries = (request: QueryRequest) => MaybePromise<QueryPage> | undefined;

export class QueryPool implements Queries {
  readonly #threads: QueryThreads;
  readonly #tickets: Tickets;
  readonly #local: LocalQueries;
  /** Questions under way to each thread. */
  readonly #busy: number[];

  constructor(threads: QueryThreads, tickets: Tickets, local: LocalQueries) {
    this.#threads = threads;
    this.#tickets = tickets;
    this.#local = local;
    this.#busy = Array.from({ length: threads.count }, () => 0);
  }

  execute(request: QueryRequest): MaybePromise<QueryPage> {
    const local = this.#local(request);
    if (local !== undefined) return local;
    const { signal, ...sent } = request;
    const thread = this.#leastBusy();
    const ticket = this.#tickets.next();
    return this.#ask(thread, ticket, signal, (link) => link.call('execute', { ...sent, ticket })).then((piece) =>
      this.#page(thread, piece, ticket, request.owner, signal),
    );
  }

  async fetch(
    queryId: number,
    pageSize: number,
    owner: string,
    format: QueryRequest['format'],
    signal?: AbortSignal,
  ): Promise<QueryPage> {
    const thread = this.#threadOf(queryId);
    const ticket = this.#tickets.next();
    const piece = await this.#ask(thread, ticket, signal, (link) =>
      link.call('fetch', { queryId, pageSize, owner, format, ticket }),
    );
    return this.#page(thread, piece, ticket, owner, signal);
  }

  async close(queryId: number, owner: string): Promise<void> {
    const thread = this.#threadOf(queryId);
    const link = await this.#threads.link(thread);
    await link.call('close', { queryId, owner });
  }

  #threadOf(queryId: number): number {
    const thread = threadOfQuery(Math.max(0, queryId));
    return thread < this.#threads.count ? thread : 0;
  }

  /** A started thread without work, else a new one, else the one with the least. */
  #leastBusy(): number {
    let best = 0;
    for (let index = 0; index < this.#threads.count; index++) {
      const busy = this.#busy[index] ?? 0;
      if (busy === 0) return index;
      if (busy < (this.#busy[best] ?? 0)) best = index;
    }
    return best;
  }

  async #ask<T>(
    thread: number,
    ticket: number,
    signal: AbortSignal | undefined,
    ask: (link: QueryLink) => Promise<T>,
  ): Promise<T> {
    const cancel = (): void => this.#tickets.cancel(ticket);
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel);
    this.#busy[thread] = (this.#busy[thread] ?? 0) + 1;
    try {
      return await ask(await this.#threads.link(thread));
    } finally {
      this.#busy[thread] = (this.#busy[thread] ?? 1) - 1;
      signal?.removeEventListener('abort', cancel);
    }
  }

  #page(thread: number, first: PagePiece, ticket: number, owner: string, signal: AbortSignal | undefined): QueryPage {
    let known = first;
    const ask = (): Promise<PagePiece> =>
      this.#ask(thread, ticket, signal, (link) => link.call('more', { queryId: first.queryId, owner }));
    const close = (): Promise<void> => this.close(first.queryId, owner);
    async function* pieces(): AsyncGenerator<string> {
      let finished = false;
      try {
        yield first.text;
        while (known.more) {
          known = await ask();
          yield known.text;
        }
        finished = true;
      } finally {
        // The client went away in the middle of a page: nobody can go on from there.
        if (!finished) await close();
      }
    }
    return {
      queryId: first.queryId,
      columns: first.columns,
      rows: first.more ? pieces() : first.text,
      end: () => ({ last: known.last, rowCount: known.rowCount }),
    };
  }
}
