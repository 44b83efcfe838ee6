/**
 * The transactions of a connection that changes database files. Nothing else begins, commits or rolls back a
 * transaction that writes, whether it runs changes of clients, a statement, a batch, an import or a definition; but
 * before anybody else has opened a file, its migration and what a crash has left have transactions of their own.
 */
import type { Database, Statement } from 'bun:sqlite';
import { attachedName, DATA_DATABASE, prepare, readSchema, rollBack, schemaStatement } from './databases.ts';
import type { SpaceUse, TransactionSpace } from './disk-space.ts';
import { fileFailure } from './file-watch.ts';
import type { SharedState } from './shared-state.ts';
import type { Binding } from './value-storage.ts';
import type { LockHolder } from './write-lock.ts';

/**
 * Runs `action`, which writes, while nobody else does. Calls `poll` repeatedly while it waits, and stops waiting if
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
  /** The numbers of the databases that are read; absent: the one that is changed. */
  readonly databases?: Iterable<number>;
  /** False: the commit does not wait for the disk. The next durable one waits for itself and for all before it. */
  readonly isDurable?: boolean;
  /** True: rolls the transaction back when `action` has ended. */
  readonly rollsBack?: boolean;
  /** What it does to the space of the data file; absent: it needs next to none, or was checked in another way. */
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

  /** `space` bounds what transactions take that change the data file; absent: none does. */
  constructor(database: Database, main: number, shared: SharedState, space?: TransactionSpace) {
    this.#database = database;
    this.#space = space;
    this.#main = main;
    this.#shared = shared;
    this.#begin = prepare(database, 'BEGIN IMMEDIATE');
    this.#commit = prepare(database, 'COMMIT');
  }

  /**
   * Runs `action` in a transaction that changes one database, commits it, and has all threads see it. Rolls back what
   * fails. The caller holds the write lock. Throws STORAGE_LOW.
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

  /** Commits the transaction, which has changed one database, and has all threads see it. */
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
