/** The grid of a request that is executed at most once: the engine keeps the result in the commit of the change. */
import {
  type Counters,
  ENTRY_NAMES,
  type Entries,
  type EntryResult,
  type Grid,
  isReadOfEntries,
  type Queries,
  type QueryRequest,
  type SingleCall,
  TransactionAborted,
} from '../grid/grid.ts';
import type { Idempotency, IdempotencyKey } from '../grid/idempotency.ts';

export class OnceGrid {
  readonly #key: IdempotencyKey;
  readonly #call: NonNullable<Idempotency<SingleCall, EntryResult>['call']>;
  #replayed = false;

  constructor(key: IdempotencyKey, call: NonNullable<Idempotency<SingleCall, EntryResult>['call']>) {
    this.#key = key;
    this.#call = call;
  }

  /** Whether the change had been made before. */
  get replayed(): boolean {
    return this.#replayed;
  }

  /** Returns the grid for the handler, which makes one change. */
  readonly view = (grid: Grid): Grid => ({
    ...grid,
    entries: this.#entries(grid),
    counters: { add: (...args) => this.#once({ kind: 'counter', args }) } satisfies Counters,
    queries: this.#queries(grid),
  });

  async #once<R extends EntryResult>(call: SingleCall): Promise<R> {
    const { result, replayed } = await this.#call(call, this.#key);
    this.#replayed = replayed;
    // The grid returns for each call what its operation declares.
    return result as R;
  }

  #entries({ entries }: Grid): Entries {
    const methods = ENTRY_NAMES.map((name) => [
      name,
      isReadOfEntries(name)
        ? Reflect.get(entries, name).bind(entries)
        : // Each method has the parameters of the operation of its name.
          (...args: readonly unknown[]) => this.#once({ kind: 'entries', name, args } as SingleCall),
    ]);
    return Object.fromEntries(methods) as Entries;
  }

  #queries({ queries, transactions }: Grid): Queries {
    return {
      execute: async (request: QueryRequest) => {
        if (request.kind !== 'fields') throw new TypeError('a query that changes something');
        const { signal = new AbortController().signal, ...query } = request;
        const { owner, timeoutMs = 0 } = query;
        const claimant = query.claimant ?? { key: owner, isAdministrator: false };
        const once = {
          key: this.#key,
          onReplay: () => {
            this.#replayed = true;
          },
        };
        try {
          const step = {
            call: { kind: 'statement', query: { ...query, pageSize: Math.max(1, query.pageSize) } },
          } as const;
          const [page] = await transactions.run([step], { owner, claimant, timeoutMs, signal, once });
          // A statement returns a page.
          return page as Awaited<ReturnType<Queries['execute']>>;
        } catch (error) {
          throw error instanceof TransactionAborted ? error.reason : error;
        }
      },
      fetch: (...args) => queries.fetch(...args),
      close: (...args) => queries.close(...args),
      kill: (...args) => queries.kill(...args),
    };
  }
}
