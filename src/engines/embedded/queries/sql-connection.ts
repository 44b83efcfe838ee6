/** A connection that runs statements: the data file, with the files of the non-persistent regions attached. */
import type { Database, Statement } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import {
  DATA_DATABASE,
  type DatabaseFiles,
  databasePath,
  openForReading,
  openForWriting,
  prepare,
} from '../databases.ts';
import type { FunctionEnvironment } from '../sql/sql-types.ts';
import { FunctionRegister } from '../sql/statement.ts';
import type { Binding, Cell } from '../value-cells.ts';
import { attachedName } from './engine-catalog.ts';

/** A row of a statement whose columns are c0, c1 ... */
export type CellRow = Readonly<Record<string, Cell>>;
export type CellStatement = Statement<CellRow, Binding[]>;

/** Prepared statements that a connection keeps. */
const KEPT_STATEMENTS = 200;

/** Statements of one connection, by their text; the least used are let go. */
export class StatementCache {
  readonly #database: Database;
  readonly #statements = new Map<string, CellStatement>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The functions that the text needs must have been registered. */
  get(sql: string): CellStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) {
      this.#statements.delete(sql);
      this.#statements.set(sql, known);
      return known;
    }
    const statement = prepare<CellRow>(this.#database, sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > KEPT_STATEMENTS) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) {
        this.#statements.get(oldest)?.finalize();
        this.#statements.delete(oldest);
      }
    }
    return statement;
  }

  finalize(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
  }
}

/** Makes the register of a connection; its environment is set before each run. */
export function functionRegister(database: Database): FunctionRegister {
  return new FunctionRegister(database, {
    environment: { nowMs: 0, user: '', schema: '', random: randomFraction },
    poll: () => {},
    replacedRows: 0,
  });
}

/** A number in [0, 1) from the system's generator. */
export function randomFraction(): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return number / 2 ** 32;
}

/** The surroundings of a statement. */
export function environmentOf(clock: Clock, user: string, schema: string): FunctionEnvironment {
  return { nowMs: clock.nowMs(), user, schema, random: randomFraction };
}

export class SqlConnection {
  readonly database: Database;
  readonly register: FunctionRegister;
  readonly statements: StatementCache;
  /** Count of the lives of non-persistent regions when it was opened. */
  readonly life: number;

  /** SQLite attaches at most ten files; tables of further regions can be read through their caches only. */
  constructor(files: DatabaseFiles, life: number, regionsLive: boolean, mode: 'read' | 'write') {
    const path = databasePath(files, DATA_DATABASE, life);
    this.database = mode === 'read' ? openForReading(path) : openForWriting(path, true);
    this.life = life;
    if (regionsLive) {
      files.temporaryRegions.slice(0, MAX_ATTACHED).forEach((_, index) => {
        const name = attachedName(index + 1);
        this.database.run(`ATTACH ? AS ${name}`, [databasePath(files, index + 1, life)]);
        if (mode === 'write') this.database.run(`PRAGMA ${name}.synchronous = OFF`);
      });
    }
    this.register = functionRegister(this.database);
    this.statements = new StatementCache(this.database);
  }

  close(): void {
    this.statements.finalize();
    this.database.close(true);
  }
}

const MAX_ATTACHED = 10;

/** The read connections of a query thread: each open cursor has one of its own, free ones are used again. */
export class ConnectionPool {
  readonly #open: () => SqlConnection;
  readonly #life: () => number;
  readonly #free: SqlConnection[] = [];

  constructor(open: () => SqlConnection, life: () => number) {
    this.#open = open;
    this.#life = life;
  }

  take(): SqlConnection {
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (free.life === this.#life()) return free;
      free.close();
    }
    return this.#open();
  }

  give(connection: SqlConnection): void {
    if (this.#free.length < KEPT_CONNECTIONS && connection.life === this.#life()) this.#free.push(connection);
    else connection.close();
  }

  /** Closes those that nobody uses. */
  closeFree(): void {
    for (const connection of this.#free) connection.close();
    this.#free.length = 0;
  }
}

const KEPT_CONNECTIONS = 4;

/** What ends a statement before it is done: its client went away, or its time is over. */
export function pollOf(clock: Clock, isCancelled: () => boolean, deadlineMs: number): () => void {
  return () => {
    if (isCancelled()) throw fail('QUERY_CANCELLED', 'the client went away or the query was closed');
    if (clock.monotonicMs() > deadlineMs) throw fail('QUERY_CANCELLED', 'the time limit is over');
  };
}
