/** The SQLite statements of a connection, and the functions that they call. */
import type { Database, Statement } from 'bun:sqlite';
import { randomBytes } from '../../../base/clock.ts';
import { SQL_BOUNDS } from '../../../base/limits.ts';
import { TextCache } from '../../../base/text-cache.ts';
import { RandomSource } from '../../../sql/types/random-source.ts';
import type { FunctionEnvironment } from '../../../sql/types/sql-types.ts';
import type { Value } from '../../../values/value.ts';
import { prepare } from '../storage/databases.ts';
import type { Binding, StorageValue } from '../storage/value-storage.ts';
import { type ExecutionContext, FunctionRegister, type NativeFunction } from './native-function.ts';
import type { PreparedQuery } from './statement.ts';
import { decodeValueAs } from './storage-values.ts';

/** A row of a statement; its columns are named c0, c1 ... */
export type StorageRow = Readonly<Record<string, StorageValue>>;
export type StorageStatement = Statement<StorageRow, Binding[]>;

/** Maximum number of SQLite statements in one connection's cache; the least recently used is finalized first. */
const MAX_STATEMENTS = 200;
/** Total characters of their texts. A statement takes up to twenty bytes per character. */
const MAX_CHARACTERS = 1024 * 1024;

interface CachedStatement {
  readonly statement: StorageStatement;
  /** The number of replaced functions when the functions called by the text were registered. */
  replaced: number;
}

/** One connection's SQLite statements by text. The least recently used ones are finalized. */
export class StatementCache {
  readonly register: FunctionRegister;
  readonly #database: Database;
  readonly #statements = new TextCache<CachedStatement>({
    max: MAX_STATEMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, sql) => Math.min(sql.length + 1, MAX_CHARACTERS),
    dispose: ({ statement }) => statement.finalize(),
  });
  readonly #long = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
    this.register = functionRegister(database);
  }

  /**
   * Returns the statement for a text after registering the functions that it calls, unless they are still registered
   * from its last use. The caller sets the environment of the register before each run.
   */
  get(sql: string, functions: readonly NativeFunction[] = []): StorageStatement {
    const cached = this.#statements.get(sql);
    if (cached !== undefined && cached.replaced === this.register.replaced) return cached.statement;
    this.register.ensure(functions);
    const { replaced } = this.register;
    if (cached !== undefined) {
      cached.replaced = replaced;
      return cached.statement;
    }
    const statement = prepare<StorageRow>(this.#database, sql);
    this.#statements.set(sql, { statement, replaced });
    if (sql.length >= SQL_BOUNDS.longCharacters) this.#long.add(sql);
    return statement;
  }

  /** Sets the environment for the functions of the next statement. */
  setEnvironment(nowMs: number, user: string, schema: string): void {
    this.register.context.environment = new StatementEnvironment(nowMs, user, schema);
  }

  /** Finalizes long statements, which are rarely sent twice. None of them may be running. */
  finalizeLong(): void {
    for (const sql of this.#long) this.#statements.delete(sql);
    this.#long.clear();
  }

  finalize(): void {
    this.#long.clear();
    this.#statements.clear();
  }
}

class StatementEnvironment implements FunctionEnvironment {
  readonly nowMs: number;
  readonly user: string;
  readonly schema: string;
  #numbers: RandomSource | undefined;

  constructor(nowMs: number, user: string, schema: string) {
    this.nowMs = nowMs;
    this.user = user;
    this.schema = schema;
  }

  random(): number {
    return this.#source().next();
  }

  seed(value: bigint): void {
    this.#source().seed(value);
  }

  #source(): RandomSource {
    this.#numbers ??= new RandomSource(randomFraction);
    return this.#numbers;
  }
}

/** Creates a connection's function register. The caller sets its environment before each run. */
export function functionRegister(database: Database): FunctionRegister {
  const context: ExecutionContext = {
    environment: { nowMs: 0, user: '', schema: '', random: randomFraction, seed: () => {} },
    poll: () => {},
    replacedRows: 0,
    duplicates: undefined,
  };
  return new FunctionRegister(database, context);
}

/** Returns a random number in [0, 1) from the system's generator. */
export function randomFraction(): number {
  return new DataView(randomBytes(4).buffer).getUint32(0) / 2 ** 32;
}

/** Returns the value of column c`index` of a row. */
export function columnValue({ types }: Pick<PreparedQuery, 'types'>, row: StorageRow, index: number): Value {
  const type = types[index];
  if (type === undefined) throw new RangeError(`column ${index}`);
  return decodeValueAs(type, row[`c${index}`] ?? null);
}
