/**
 * Lets the handler of a command describe its call of the grid instead of making it, so that the calls of several
 * commands run as one transaction. The handler continues with the result of its call.
 */
import { fail } from '../base/errors.ts';
import {
  type Counters,
  ENTRY_NAMES,
  type Entries,
  type Grid,
  type Queries,
  type TransactionCall,
  type TransactionResult,
} from '../grid/grid.ts';

export class RecordedCall {
  readonly #result = Promise.withResolvers<TransactionResult>();
  readonly #called = Promise.withResolvers<void>();
  #call: TransactionCall | undefined;
  #grid: Grid | undefined;

  /** The call; undefined until the handler makes it. */
  get call(): TransactionCall | undefined {
    return this.#call;
  }

  /** The grid that the handler would have used; undefined before it runs. */
  get grid(): Grid | undefined {
    return this.#grid;
  }

  /** Resolves when the handler has made its call. */
  get called(): Promise<void> {
    return this.#called.promise;
  }

  resolve(result: TransactionResult): void {
    this.#result.resolve(result);
  }

  reject(error: unknown): void {
    if (this.#call !== undefined) this.#result.reject(error);
  }

  /** Returns the grid for the handler: it records changes and reads of rows, and passes on everything else. */
  readonly view = (grid: Grid): Grid => {
    this.#grid = grid;
    return {
      ...grid,
      entries: this.#entries(),
      counters: {
        add: (...args) => this.#record({ kind: 'counter', args }),
        timeToLive: (name) => grid.counters.timeToLive(name),
        persist: (name) => grid.counters.persist(name),
      } satisfies Counters,
      queries: this.#queries(),
    };
  };

  #record<R extends TransactionResult>(call: TransactionCall): Promise<R> {
    if (this.#call !== undefined) throw new Error('a command of a batch makes one call');
    this.#call = call;
    this.#called.resolve();
    // The grid returns for each call what its operation declares.
    return this.#result.promise as Promise<R>;
  }

  #entries(): Entries {
    const methods = ENTRY_NAMES.map((name) => [
      name,
      // Each method has the parameters of the operation of its name.
      (...args: readonly unknown[]) => this.#record({ kind: 'entries', name, args } as TransactionCall),
    ]);
    return Object.fromEntries(methods) as Entries;
  }

  #queries(): Queries {
    const reject = (): never => {
      throw fail('BATCH_COMMAND', 'A cursor', 'an atomic batch has no open pages');
    };
    return {
      execute: (request) => {
        if (request.kind !== 'fields') return reject();
        const { signal: _, ...query } = request;
        return this.#record({ kind: 'statement', query });
      },
      fetch: reject,
      close: reject,
      kill: reject,
    };
  }
}
