/**
 * The transactions of a connection that changes database files. All writing transactions begin, commit and roll back
 * here, whether they run clients' changes, a statement, a batch, an import or a definition. The exceptions are a file's
 * migration and the cleanup after a crash, which run before the file is opened elsewhere.
 */
import type { Database, Statement } from 'bun:sqlite';
import { attachedName, DATA_DATABASE, prepare, readSchema, rollBack, schemaStatement } from './databases.ts';
import type { SpaceUse, TransactionSpace } from './disk-space.ts';
import { fileFailure } from './file-watch.ts';
import type { SharedState } from './shared-state.ts';
import type { Binding } from './value-storage.ts';
import type { LockHolder } from './write-lock.ts';

/**
 * Runs `action`, which writes, while no other thread does. Calls `poll` repeatedly while waiting, and stops waiting if
 * that throws. Throws STORAGE_FAILED if the data file is gone.
 */
export function whileLocked<T>(
  shared: SharedState,
  holder: LockHolder,
  action: () => T,
  poll?: () => void,
): Promise<T> {
  const checked = (): T => {
    if (shared.isFileGone()) throw fileFailure();
    return action();
  };
  return shared.writeLock.hold(holder, checked, poll);
}

interface TransactionOptions {
  /** The numbers of the databases that are read; the changed one if undefined. */
  readonly databases?: Iterable<number>;
  /** If false, the commit does not wait for the disk. The next durable one waits for itself and for all before it. */
  readonly isDurable?: boolean;
  /** If true, rolls the transaction back when `action` has ended. */
  readonly rollsBack?: boolean;
  /** Its effect on the data file's space, or undefined if it needs next to none, or was checked in another way. */
  readonly space?: SpaceUse | undefined;
}

export class WriteTransactions {
  readonly #database: Database;
  /** The number of the connection's main file; others are attached. */
  readonly #main: number;
  readonly #shared: SharedState;
  readonly #space: TransactionSpace | undefined;
  readonly #begin: Statement<unknown, Binding[]>;
  readonly #commit: Statement<unknown, Binding[]>;
  readonly #schemas = new Map<number, Statement<unknown, Binding[]>>();
  /** Whether commits wait for the disk, in the data file; commits to the other files never do. */
  #isDurable = true;

  /** `space` bounds the space for transactions that change the data file; undefined if none does. */
  constructor(database: Database, main: number, shared: SharedState, space?: TransactionSpace) {
    this.#database = database;
    this.#space = space;
    this.#main = main;
    this.#shared = shared;
    this.#begin = prepare(database, 'BEGIN IMMEDIATE');
    this.#commit = prepare(database, 'COMMIT');
  }

  /**
   * Runs `action` in a transaction that changes one database, commits it, and makes it visible to all threads. Rolls
   * back on failure. The caller holds the write lock. Throws STORAGE_LOW.
   */
  run<T>(changed: number, action: () => T, { databases, isDurable, rollsBack, space }: TransactionOptions = {}): T {
    const use = changed === DATA_DATABASE && this.#main === DATA_DATABASE ? space : undefined;
    const read = databases === undefined ? [changed] : [changed, ...databases];
    this.begin(read, isDurable ?? true);
    try {
      if (use !== undefined) {
        this.#space?.begin(use, (between) => {
          this.rollBack();
          between();
          this.begin(read, isDurable ?? true);
        });
      }
      const result = action();
      if (rollsBack === true) this.rollBack();
      else {
        this.#space?.check();
        this.commit(changed);
      }
      this.#space?.committed();
      return result;
    } catch (error) {
      this.rollBack();
      throw this.#space === undefined ? error : this.#space.failed(error);
    }
  }

  /** Runs the part of a transaction that frees whole tables. */
  free<T>(action: () => T): T {
    return this.#space === undefined ? action() : this.#space.free(action);
  }

  /** Begins a transaction over databases. The caller holds the write lock until it has committed or rolled back. */
  begin(databases: Iterable<number>, isDurable: boolean): void {
    this.#setDurable(isDurable);
    this.#begin.run();
    try {
      for (const number of new Set(databases)) this.#readSchema(number);
    } catch (error) {
      this.rollBack();
      throw error;
    }
  }

  /** Commits the transaction, which has changed one database, and makes it visible to all threads. */
  commit(changed: number): void {
    this.#commit.run();
    this.#shared.committed(changed);
  }

  /** Rolls the transaction back, if there is one. */
  rollBack(): void {
    rollBack(this.#database);
  }

  /** Runs `action`, which only reads, in one snapshot. */
  read<T>(databases: Iterable<number>, action: () => T): T {
    this.#database.run('BEGIN');
    try {
      for (const number of new Set(databases)) this.#readSchema(number);
      return action();
    } finally {
      rollBack(this.#database);
    }
  }

  /** Forgets the statements of attached files, which then can be detached. */
  detach(): void {
    for (const [number, statement] of this.#schemas) {
      if (number === this.#main) continue;
      statement.finalize();
      this.#schemas.delete(number);
    }
  }

  #readSchema(number: number): void {
    let statement = this.#schemas.get(number);
    if (statement === undefined) {
      const prefix = number === this.#main ? '' : `${attachedName(number)}.`;
      statement = prepare(this.#database, schemaStatement(prefix));
      this.#schemas.set(number, statement);
    }
    readSchema(this.#database, statement);
  }

  #setDurable(isDurable: boolean): void {
    if (this.#main !== DATA_DATABASE || isDurable === this.#isDurable) return;
    this.#database.run(`PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
    this.#isDurable = isDurable;
  }
}
