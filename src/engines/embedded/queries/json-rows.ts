/**
 * Rows of a query as JSON that SQLite itself writes: one text for a row instead of a value for every cell of it, which
 * costs a third. What SQLite would write in another way than the contract is written by a function of ours.
 */
import type { ValueReader } from '../../../grid/row-writers.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { type JsonNode, readJson, writeJson } from '../../../values/json.ts';
import { parseText } from '../../../values/scalar-traits.ts';
import { NULL, type Value } from '../../../values/value.ts';
import { type NativeFunction, type NativeScalar, nativeName } from '../sql/native-function.ts';
import type { PreparedQuery } from '../sql/statement.ts';
import { decodeValueAs } from '../sql/storage-values.ts';
import type { StorageValue } from '../storage/value-storage.ts';

/** A query whose rows have the one cell `j`: an array of JSON. */
export interface JsonQuery {
  readonly sql: string;
  /**
   * The same with all its rows in one: `j` has them with commas between them (null: there are none), `n` is their
   * number. It gives no more than {@link MOST_JOINED} and one.
   */
  readonly joinedSql: string;
  readonly functions: readonly NativeFunction[];
}

/** A text of more rows than these is not worth having at once. */
export const MOST_JOINED = 1_000;

/** A function of SQLite takes no more arguments everywhere. */
const MOST_COLUMNS = 100;

const MADE = new WeakMap<PreparedQuery, JsonQuery | null>();

/** The query with JSON for rows; undefined where its rows cannot be written so. */
export function jsonQuery(prepared: PreparedQuery): JsonQuery | undefined {
  let made = MADE.get(prepared);
  if (made === undefined) {
    made = makeJsonQuery(prepared) ?? null;
    MADE.set(prepared, made);
  }
  return made ?? undefined;
}

function makeJsonQuery(prepared: PreparedQuery): JsonQuery | undefined {
  const { types, columns, sql, functions } = prepared;
  if (types.length > MOST_COLUMNS) return undefined;
  const needed: NativeFunction[] = [...functions];
  const items = types.map((type, index) => {
    // Only a stored cell is worth being named twice; an expression would be computed twice.
    const isStored = columns[index]?.typeName !== '';
    return jsonColumn(type, `c${index}`, isStored, needed);
  });
  const rows = `SELECT json_array(${items.join(', ')}) AS j FROM (${sql})`;
  return {
    sql: rows,
    joinedSql: `SELECT group_concat(j, ',') AS j, count(*) AS n FROM (${rows} LIMIT ${MOST_JOINED + 1})`,
    functions: needed,
  };
}

function jsonColumn(type: SqlType, column: string, isStored: boolean, needed: NativeFunction[]): string {
  const written = (): string => {
    const native = jsonFunction(type);
    needed.push(native);
    return `json(${nativeName(native.name)}(${column}))`;
  };
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
      return column;
    case 'BOOLEAN':
      return isStored ? `json(CASE WHEN ${column} THEN 'true' WHEN ${column} = 0 THEN 'false' END)` : written();
    case 'VARCHAR':
    case 'CHAR':
    case 'VARCHAR_IGNORECASE':
      // A text that is no valid Unicode is a blob, and only blobs come behind the empty one.
      return isStored ? `CASE WHEN ${column} >= x'' THEN ${written()} ELSE ${column} END` : written();
    default:
      return written();
  }
}

function jsonFunction(type: SqlType): NativeScalar {
  return {
    kind: 'scalar',
    name: `svc json ${JSON.stringify(type)}`,
    arity: 1,
    deterministic: true,
    make:
      () =>
      (storageValue: StorageValue = null) =>
        writeJson(decodeValueAs(type, storageValue)),
  };
}

const SURROGATE = /[\ud800-\udfff]/;
const SURROGATES = /[\ud800-\udfff]/g;

/** Rows as SQLite wrote them, in the form of the contract: characters beyond the basic plane are two escapes. */
export function finishJsonRows(rows: StorageValue | undefined): string {
  if (typeof rows !== 'string') throw new Error('rows that are no text');
  if (!SURROGATE.test(rows)) return rows;
  return rows.replace(SURROGATES, (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Reads the cells of a row that was written as JSON, for a page in another format. */
export function readJsonRow(row: string, types: readonly SqlType[]): ValueReader {
  const node = readJson(row);
  const items = node.kind === 'array' ? node.items : [];
  return (index) => {
    const [item, type] = [items[index], types[index]];
    return item === undefined ? NULL : valueOfNode(item, type);
  };
}

/** A value that reads in every format as the one that the JSON was made from. */
function valueOfNode(node: JsonNode, type: SqlType | undefined): Value {
  switch (node.kind) {
    case 'null':
      return NULL;
    case 'boolean':
      return { type: 'boolean', data: node.value };
    case 'string':
      return { type: 'string', data: node.value };
    case 'number':
      return numberOf(node.text, type);
    case 'array':
      return { type: 'list', data: node.items.map((item) => valueOfNode(item, undefined)) };
    case 'object':
      return {
        type: 'map',
        data: [...node.members].map(([name, member]) => [
          { type: 'string', data: name },
          valueOfNode(member, undefined),
        ]),
      };
  }
}

function numberOf(text: string, type: SqlType | undefined): Value {
  if (type?.name === 'DECIMAL') return parseText('decimal', text);
  if (type?.name === 'REAL') return parseText('float', text);
  return /^-?\d+$/.test(text) && type?.name !== 'DOUBLE'
    ? { type: 'bigInteger', data: BigInt(text) }
    : parseText('double', text);
}
