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

/** What the grid of a request and its parts refer to. */
interface OfRequest {
  readonly request: IdempotentGrid;
}

/** Creates an object of a request, all of whose other members are those of a prototype. */
type CreateForRequest<T> = (request: IdempotentGrid) => T;

/** The creators of the grids of requests, by the grid that they belong to. */
const creators = new WeakMap<Grid, CreateForRequest<Grid>>();

/** Returns a creator of objects with a prototype. A constructor takes a tenth of the time of `Object.create`. */
function creatorOf<T extends object>(prototype: T): CreateForRequest<T> {
  class ForRequest implements OfRequest {
    readonly request: IdempotentGrid;

    constructor(request: IdempotentGrid) {
      this.request = request;
    }
  }
  Object.setPrototypeOf(ForRequest.prototype, prototype);
  // The instances inherit every member of the prototype.
  return (request) => new ForRequest(request) as unknown as T;
}

/** Returns a creator of grids in which the changes are made by the request that they are created for. */
function creatorFor(grid: Grid): CreateForRequest<Grid> {
  let create = creators.get(grid);
  if (create === undefined) {
    const createEntries = creatorOf(entriesOf(grid));
    const prototype = Object.create(grid, {
      entries: {
        get(this: OfRequest) {
          return createEntries(this.request);
        },
      },
      counters: {
        get(this: OfRequest): Counters {
          return {
            add: (...args) => this.request.once({ kind: 'counter', args }),
            timeToLive: (name) => grid.counters.timeToLive(name),
            persist: (name) => grid.counters.persist(name),
          };
        },
      },
      queries: {
        get(this: OfRequest) {
          return this.request.queries(grid);
        },
      },
    }) as Grid;
    create = creatorOf(prototype);
    creators.set(grid, create);
  }
  return create;
}

/** Returns the operations, of which those that change something are made by the request that `this` refers to. */
function entriesOf({ entries }: Grid): Entries {
  const methods = ENTRY_NAMES.map((name) => [
    name,
    isReadOfEntries(name)
      ? entries[name].bind(entries)
      : function (this: OfRequest, ...args: readonly unknown[]) {
          // Each method has the parameters of the operation of its name.
          return this.request.once({ kind: 'entries', name, args } as SingleCall);
        },
  ]);
  return Object.fromEntries(methods) as Entries;
}

export class IdempotentGrid {
  readonly #key: IdempotencyKey;
  readonly #idempotency: Pick<Idempotency<SingleCall, EntryResult>, 'call'>;
  #replayed = false;

  constructor(key: IdempotencyKey, idempotency: Idempotency<SingleCall, EntryResult>) {
    this.#key = key;
    this.#idempotency = idempotency;
  }

  /** Whether the change had been made before. */
  get replayed(): boolean {
    return this.#replayed;
  }

  /** Returns the grid for the handler, which makes one change. */
  readonly view = (grid: Grid): Grid => creatorFor(grid)(this);

  /** Makes the change. */
  once<R extends EntryResult>(call: SingleCall): Promise<R> {
    return this.#idempotency.call(call, this.#key).then(({ result, replayed }) => {
      this.#replayed = replayed;
      // The grid returns for each call what its operation declares.
      return result as R;
    });
  }

  /** Returns the queries, of which a change runs as a transaction. */
  queries({ queries, transactions }: Grid): Queries {
    return {
      execute: async (request: QueryRequest) => {
        if (request.kind !== 'fields') throw new TypeError('a query that changes something');
        const { signal = new AbortController().signal, ...query } = request;
        const { owner, timeoutMs = 0 } = query;
        const tenant = query.tenant ?? { key: owner, isAdministrator: false };
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
          const [page] = await transactions.run([step], { owner, tenant, timeoutMs, signal, once });
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
