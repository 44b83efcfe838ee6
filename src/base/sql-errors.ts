/**
 * Every error of SQL statements, with its text and its code in Ignite's SQL engine (H2). An error without a code is
 * Ignite's, or this service's for something that it does not support. Texts that Ignite defines stay as recorded,
 * because clients match on them (docs/spec/ignite-data.md 2.1).
 */

import { DECIMAL_BOUND } from './decimal-bound.ts';
import { COLUMN_TEXTS } from './errors/statements.ts';
import { shortened, shortenedAround } from './errors.ts';
import { type ErrorLocation, SqlFailure, type SqlFailureKind } from './sql-failure.ts';

interface SqlErrorEntry {
  readonly code?: number;
  /** Defaults to `statement`. */
  readonly kind?: SqlFailureKind;
  readonly text: (...details: never[]) => string;
  /** The remedy, if it is more specific than the kind's. */
  readonly remedy?: (...details: never[]) => string | undefined;
}

/** Quotes a detail as Ignite does: an empty one vanishes. */
function quoted(detail: string): string {
  return detail === '' ? '' : `"${shortened(detail).replaceAll('"', '""')}"`;
}

/** An entry that does not match the table's declaration. */
export interface Misfit {
  readonly key: string;
  readonly reason: string;
}

function define<const T extends Record<string, SqlErrorEntry>>(entries: T): T {
  return entries;
}

const forColumn = (column: string | undefined): string => (column === undefined ? '' : ` [colName=${column}]`);

const columnCount = (): string => 'Column count does not match';

export const SQL_ERRORS = define({
  // Syntax.
  SYNTAX: {
    code: 42000,
    text: (marked: string) => `Syntax error in SQL statement "${shortenedAround(marked, '[*]')}"`,
  },
  SYNTAX_EXPECTED: {
    code: 42001,
    text: (marked: string, expected: string) =>
      `Syntax error in SQL statement "${shortenedAround(marked, '[*]')}"; expected "${expected}"`,
  },
  STATEMENT_BLANK: {
    text: (sql: string) => `Failed to parse SQL statement ${quoted(`[*]${sql}`)}: Invalid SQL query.`,
  },
  TOO_COMPLEX: { text: () => 'The statement is too complex: it is nested too deeply' },
  TOO_MANY_FUNCTIONS: {
    text: (limit: number) => `The statement needs more than ${limit} different functions and conversions`,
  },
  NUMBER_TOO_LONG: { text: (limit: number) => `A number has more than ${limit} characters` },
  MULTIPLE_STATEMENTS: { text: () => 'Multiple statements queries are not supported.' },
  STATEMENT_UNSUPPORTED: { text: (statement: string) => `Unsupported statement: ${statement}` },
  COMMAND_UNSUPPORTED: {
    text: (marked: string, word: string) =>
      `Failed to parse SQL statement "${shortenedAround(marked, '[*]')}": ${word} command is not supported`,
  },
  EXPLAIN_OF_CHANGE: { text: () => 'Explains of update queries are not supported.' },
  SET_STREAMING: { text: () => 'SET STREAMING command can only be executed from JDBC or ODBC driver.' },
  FULL_OUTER_JOIN: {
    text: () => 'FULL OUTER JOIN is not supported: join to the left, and add with UNION ALL what has no partner',
  },
  OUTER_JOIN_OPERATOR: { text: () => 'The outer join operator (+) is not supported' },
  WITH_ORDINALITY: { text: () => 'WITH ORDINALITY is not supported' },
  DISTRIBUTED_JOIN: {
    text: (cache: string) =>
      `Failed to prepare distributed join query: join condition does not use index [joinedCache=${cache}]`,
  },
  SELECT_FOR_UPDATE: { text: () => 'SELECT FOR UPDATE is not supported.' },
  VARIABLES: { text: () => 'Variables are not supported; send values as arguments' },
  SEQUENCES: { text: () => 'Sequences are not supported; use the counter commands' },
  ROWNUM: { text: () => 'Unsupported expression: ROWNUM() [type=Rownum]' },
  DEFAULT_MISPLACED: { text: () => 'DEFAULT is allowed only as a value of INSERT, MERGE and UPDATE' },

  // KILL QUERY.
  KILL_QUERY_ID: {
    text: () =>
      "Expected the id of a query in the format {node_id}_{query_id}, e.g. '6fa749ee-7cf8-4635-be10-36a1c75267a7_54321'",
  },
  KILL_QUERY_NODE: {
    text: (nodeId: string, queryId: number) =>
      `Failed to cancel query, node is not alive [nodeId=${nodeId}, qryId=${queryId}]`,
  },
  KILL_QUERY_NOT_FOUND: {
    text: (nodeId: string, queryId: number) => {
      const query = `[nodeId=${nodeId}, qryId=${queryId}`;
      return `Failed to cancel query ${query}, err=Query with provided ID doesn't exist ${query}]]`;
    },
  },

  // Limits of the engine that runs the statement.
  TABLES_CHANGED: { text: () => 'The tables of the statement have changed meanwhile, run it again.' },
  TOO_MANY_REGIONS: {
    text: (limit: number) => `A statement can be over tables of at most ${limit} data regions that do not persist.`,
  },
  STATEMENT_TOO_LARGE: { text: (what: string) => `The statement is too large: ${what}` },
  ANALYZED_TABLE_NOT_FOUND: {
    kind: 'notFound',
    text: (schema: string, table: string) => `Table doesn't exist [schema=${schema}, table=${table}]`,
  },

  // Definitions of tables, columns, indexes and views. Ignite's own commands have no codes.
  DDL_TABLE_NOT_FOUND: { kind: 'notFound', text: (name: string) => `Table doesn't exist: ${name}` },
  DDL_COLUMN_NOT_FOUND: { kind: 'notFound', text: (name: string) => `Column doesn't exist: ${name}` },
  DDL_INDEX_NOT_FOUND: { kind: 'notFound', text: (name: string) => `Index doesn't exist: ${name}` },
  DDL_VIEW_NOT_FOUND: { kind: 'notFound', text: (name: string) => `View doesn't exist: ${name}` },
  DDL_TEMPLATE_NOT_FOUND: { kind: 'notFound', text: (name: string) => `Cache doesn't exist: ${name}` },
  /** `cache` is one without a table that has the name of the new one. */
  TABLE_EXISTS: {
    kind: 'conflict',
    text: (name: string) => `Table already exists: ${name}`,
    remedy: (_name: string, cache?: string) =>
      cache &&
      `The cache ${cache} exists, but has no table. Make it one by WITH "CACHE_NAME=${cache}" in the statement, or remove ` +
        'it with destcache.',
  },
  COLUMN_EXISTS: { kind: 'conflict', text: (name: string) => `Column already exists: ${name}` },
  INDEX_EXISTS: { kind: 'conflict', text: (name: string) => `Index already exists: ${name}` },
  VIEW_EXISTS: { kind: 'conflict', text: (name: string) => `View already exists: ${name}` },
  CACHE_INDEXED: { kind: 'conflict', text: (cache: string) => `Cache is already indexed: ${cache}` },
  ENTRIES_UNFIT: {
    kind: 'conflict',
    text: (cache: string, count: number, shown: readonly Misfit[]) =>
      `${count === 1 ? 'An entry' : `${count} entries`} of the cache ${cache} ${count === 1 ? 'does' : 'do'} not fit ` +
      `the table: ${shown.map(({ key, reason }) => `${key} (${reason})`).join(', ')}` +
      (count > shown.length ? ', ...' : ''),
    remedy: (_cache: string, _count: number, _shown: readonly Misfit[]) =>
      'Nothing was changed. Change or remove these entries, or declare columns that fit them.',
  },
  FIELD_NAMES_DIFFER: {
    kind: 'conflict',
    text: (cache: string, type: string, variants: readonly string[]) =>
      `Objects of type ${type} in the cache ${cache} write the field of one column in several ways: ` +
      variants.join(', '),
    remedy: (_cache: string, _type: string, _names: readonly string[]) =>
      'Nothing was changed. Put these objects again with one name for the field.',
  },
  DEFAULT_CACHE_AS_TABLE: {
    kind: 'conflict',
    text: (cache: string) => `The default cache cannot become a table: ${cache}`,
  },
  NOT_A_TABLE_OF_SQL: {
    text: (cache: string) => `Only cache created with CREATE TABLE may be removed with DROP TABLE [cacheName=${cache}]`,
    remedy: (cache: string) => `Remove the cache and its entries with destcache (cacheName=${cache}).`,
  },
  UNWRAPPED_VALUE: {
    text: (change: 'add' | 'drop') =>
      `Cannot ${change} column(s) because table was created with WRAP_VALUE=false option.`,
  },
  KEY_COLUMN_DROP: {
    text: (column: string, isWholeKey: boolean) =>
      `Cannot drop column "${column}" because it ` +
      (isWholeKey ? 'represents an entire cache key' : 'is a part of a cache key'),
  },
  INDEXED_COLUMN_DROP: {
    text: (column: string, index: string) =>
      `Cannot drop column "${column}" because an index exists ("${index}") that uses the column.`,
  },
  OPTION_UNKNOWN: { text: (name: string) => `Unsupported parameter: ${name}` },
  OPTION_MALFORMED: { text: (pair: string) => `Invalid parameter (key[=value] expected): ${pair}` },
  OPTION_EMPTY: { text: (name: string) => `Parameter value cannot be empty: ${name}` },
  OPTION_TWICE: { text: (name: string) => `Duplicate parameter: ${name}` },
  OPTION_INVALID: {
    text: (name: string, expected: string, value: string) =>
      `Invalid value of "${name}" parameter (${expected}): ${value}`,
  },
  OPTION_NOT_BOOLEAN: {
    text: (name: string, value: string) => `Parameter value must be a boolean [name=${name}, value=${value}]`,
  },
  OPTION_NOT_INTEGER: {
    text: (name: string, value: string) => `Parameter value must be an integer [name=${name}, value=${value}]`,
  },
  OPTION_NOT_POSITIVE: { text: (name: string, value: string) => `"${name}" must be positive: ${value}` },
  OPTION_NEGATIVE: { text: (name: string, value: string) => `"${name}" cannot be negative: ${value}` },
  OPTION_ENCRYPTED: { text: () => 'Tables cannot be encrypted [ENCRYPTED=true]: encrypt the disk' },
  OPTION_NEEDS: { text: (name: string, other: string) => `Parameter "${name}" needs the parameter "${other}"` },
  OPTION_OF_NEW_CACHE: {
    text: (name: string, cache: string) => `Parameter "${name}" applies to a new cache, but there is one: ${cache}`,
  },
  NO_PRIMARY_KEY: { text: () => 'No PRIMARY KEY defined for CREATE TABLE' },
  RESERVED_COLUMN: { text: () => 'Direct specification of _KEY and _VAL columns is forbidden' },
  TABLE_COLUMN_TWICE: { text: (name: string) => `Duplicate column name: ${name}` },
  KEY_COLUMN_UNDEFINED: { text: (name: string) => `PRIMARY KEY column is not defined: ${name}` },
  NO_VALUE_COLUMNS: { text: () => 'Table must have at least one non PRIMARY KEY column.' },
  UNWRAPPED_COLUMNS: { text: () => 'WRAP_VALUE cannot be false when multiple non-primary key columns exist.' },
  UNWRAPPED_VALUE_TYPE: { text: () => 'WRAP_VALUE cannot be false when VALUE_TYPE is set.' },
  UNWRAPPED_KEY_TYPE: { text: () => 'WRAP_KEY cannot be false when KEY_TYPE is set.' },
  UNWRAPPED_COMPOSITE_KEY: { text: () => 'WRAP_KEY cannot be false when composite primary key exists.' },
  AFFINITY_COLUMN_NOT_FOUND: {
    text: (column: string) => `Affinity key column with given name not found: ${column}`,
  },
  AFFINITY_COLUMN_NOT_KEY: {
    text: (column: string) => `Affinity key column must be one of key columns: ${column}`,
  },
  DEFAULT_NOT_CONSTANT: {
    text: (column: string) => `Non-constant DEFAULT expressions are not supported${forColumn(column)}`,
  },
  DEFAULT_INVALID: {
    text: (column: string, type: string, defaultType: string) =>
      `Invalid default value for column. [colName=${column}, colType=${type}, dfltValueType=${defaultType}]`,
  },
  INDEX_NULLS: { text: () => 'NULLS FIRST and NULLS LAST modifiers are not supported for index columns' },
  INDEX_MODIFIER: { text: () => 'Only SPATIAL modifier is supported for CREATE INDEX' },
  SPATIAL_INDEX: { text: () => 'Spatial indexes are not supported' },
  TEMPORARY_TABLE: { text: () => 'GLOBAL TEMPORARY keyword is not supported' },
  MEMORY_TABLE: { text: () => 'MEMORY and NOT PERSISTENT keywords are not supported' },
  CREATE_TABLE_AS: { text: () => 'CREATE TABLE ... AS ... syntax is not supported' },
  SECOND_PRIMARY_KEY: { code: 90017, text: () => 'Attempt to define a second primary key' },
  TOO_MANY_CONSTRAINTS: { text: () => 'Too many constraints - only PRIMARY KEY is supported for CREATE TABLE' },
  AFFINITY_KEY: { text: () => 'Use WITH "affinity_key=column"' },
  AUTO_INCREMENT: { text: (column?: string) => `AUTO_INCREMENT columns are not supported${forColumn(column)}` },
  COLUMN_CHECK: { text: (column: string) => `Column CHECK constraints are not supported${forColumn(column)}` },
  COMPUTED_COLUMN: { text: (column: string) => `Computed columns are not supported${forColumn(column)}` },
  ON_UPDATE: { text: (column: string) => `ON UPDATE is not supported${forColumn(column)}` },
  TABLE_COLUMNS: { text: (limit: number) => `A table can have at most ${limit} columns` },
  INVISIBLE_COLUMN: { text: (column: string) => `INVISIBLE columns are not supported${forColumn(column)}` },
  ENUM_TYPE: { text: (column?: string) => `ENUM type is not supported${forColumn(column)}` },
  GEOMETRY_TYPE: { text: (column?: string) => `GEOMETRY type is not supported${forColumn(column)}` },
  TIME_ZONE_TYPE: { text: (column?: string) => `TIMESTAMP WITH TIMEZONE type is not supported${forColumn(column)}` },
  TYPE_UNKNOWN: { code: 50004, text: (type: string) => `Unknown data type: "${type}"` },
  INDEX_COLUMN_TWICE: {
    text: (column: string, order: 'ASC' | 'DESC') => `Already defined column in index: ${column} ${order}`,
  },
  VIEW_PARAMETERS: { text: () => 'A view cannot have parameters' },
  ALTER_COLUMN: { text: () => 'ALTER COLUMN is not supported' },
  ADD_COLUMN_PLACE: { text: (word: string) => `${word} keyword is not supported` },
  ADD_COLUMN_DEFAULT: {
    text: (column: string) => `ALTER TABLE ADD COLUMN with DEFAULT value is not supported [col=${column}]`,
  },
  ADD_COLUMN_KEY: {
    text: (column: string) => `ALTER TABLE ADD COLUMN with PRIMARY KEY is not supported [col=${column}]`,
  },

  // Names.
  SCHEMA_NOT_FOUND: { code: 90079, kind: 'notFound', text: (name: string) => `Schema "${name}" not found` },
  TABLE_NOT_FOUND: { code: 42102, kind: 'notFound', text: (name: string) => `Table "${name}" not found` },
  INDEX_NOT_FOUND: { code: 42112, kind: 'notFound', text: (name: string) => `Index "${name}" not found` },
  COLUMN_NOT_FOUND: { code: 42122, kind: 'notFound', text: (name: string) => `Column "${name}" not found` },
  FUNCTION_NOT_FOUND: { code: 90022, kind: 'notFound', text: (name: string) => `Function "${name}" not found` },
  FUNCTION_UNSUPPORTED: { text: (name: string, reason: string) => `Function "${name}" is not supported: ${reason}` },
  DUPLICATE_COLUMN: { code: 42121, text: (name: string) => `Duplicate column name "${name}"` },
  COLUMN_AMBIGUOUS: { code: 90059, text: (name: string) => `Ambiguous column name "${name}"` },
  VIEW_INVALID: { code: 90109, text: (name: string) => `View "${name}" is invalid` },
  /** Without a code, like Ignite's own commands. */
  VIEW_READS_ITSELF: { text: (name: string) => `View "${name}" would read itself` },
  VIEW_COLUMN_COUNT: { text: columnCount },
  VIEWS_NESTED: { text: () => 'Views are nested too deeply' },
  VIEWS_EXPANDED: {
    text: (limit: number, what: string) => `The statement contains more than ${limit} ${what}, with those in views`,
  },

  // Queries.
  COLUMN_COUNT: { code: 21002, text: columnCount },
  SUBQUERY_COLUMNS: { code: 90052, text: () => 'Subquery is not a single column query' },
  SUBQUERY_ROWS: { code: 90053, text: () => 'Scalar subquery contains more than one row' },
  ORDER_NOT_IN_RESULT: {
    code: 90068,
    text: (expression: string) => `Order by expression "${expression}" must be in the result list in this case`,
  },
  NOT_GROUPED: { code: 90016, text: (column: string) => `Column "${column}" must be in the GROUP BY list` },
  /** Ignite's text has the placeholder for FLOAT, whose bits are the scale. */
  SCALE_TOO_LARGE: {
    code: 90051,
    text: (scale: string, precision = '{1}') => `Scale($"${scale}") must not be bigger than precision(${precision})`,
  },
  AGGREGATE_MISPLACED: { code: 90054, text: (call: string) => `Invalid use of aggregate function "${call}"` },
  AGGREGATE_TYPE: { code: 90015, text: (call: string) => `SUM or AVG on wrong data type for "${call}"` },
  NOT_AN_AGGREGATE: { text: (name: string) => `"${name}" is not an aggregate function` },
  WINDOW_MISPLACED: {
    code: 90054,
    text: (name: string) => `Window function "${name}" is allowed only in the select list and ORDER BY`,
  },
  WINDOW_DISTINCT: { text: (name: string) => `${name}(DISTINCT ...) cannot be computed with OVER (...)` },
  WINDOW_ARGUMENT: { code: 90008, text: (name: string) => `The argument of ${name} is not positive in some row` },
  WINDOW_FRAME: { text: (reason: string) => `Invalid frame of a window: ${reason}` },
  OVER_MISSING: { text: (name: string) => `Function "${name}" needs OVER (...)` },
  RECURSION: {
    text: (table: string, rule: string) => `Invalid recursion of the common table "${table}": ${rule}`,
  },
  TYPE_QUERY: {
    text: (statement: string) =>
      "Only queries starting with 'SELECT *' and 'SELECT alias.*' are supported (rewrite your query or use " +
      `SqlFieldsQuery instead): ${statement}`,
  },

  // Changes.
  TABLE_READ_ONLY: { text: (name: string) => `Table "${name}" cannot be changed` },
  COMPOSITE_KEY_INSERT: { text: () => 'Insert of composite key column is not supported' },
  COMPOSITE_VALUE_UPDATE: { text: () => 'Update of composite value column is not supported' },
  NO_KEY_COLUMNS: { text: (table: string) => `Table "${table}" has no key columns that a statement could set` },
  EXPLICIT_DEFAULT: { text: (verb: string) => `Explicit DEFAULT values are unsupported for ${verb}.` },
  UPDATE_DEFAULT: { text: () => 'DEFAULT values are unsupported for UPDATE.' },
  UPDATE_PLAN: {
    text: (key: string) => `Failed to prepare update plan. (the statement has no value for the key ${key})`,
  },
  KEY_UPDATE: { text: () => "SQL UPDATE can't modify key or its fields directly" },
  ENTRY_PART: { text: (column: string) => `The statement has no value for ${column}: an entry has a key and a value` },
  ENTRY_TYPE: { text: () => 'VALUE_TYPE is the type of a new value: set _VAL in the same statement' },
  ENTRY_ROW: { text: () => 'The columns of entries cannot be set together from one sub-query' },
  MERGE_SUBQUERY: { text: () => 'MERGE cannot set several columns from one sub-query' },
  KEYS_EXIST: {
    kind: 'conflict',
    text: (key: string) => `Failed to INSERT some keys because they are already in cache [keys=[${key}]]`,
  },
  /** A column's value in an imported record. */
  COLUMN_VALUE: { text: (column: string, reason: string) => `column ${column}: ${reason}` },
  NULL_NOT_ALLOWED: { text: COLUMN_TEXTS.NULL_NOT_ALLOWED },
  VALUE_TOO_LONG: { text: COLUMN_TEXTS.VALUE_TOO_LONG },
  PRECISION_OUT_OF_RANGE: { text: COLUMN_TEXTS.PRECISION_OUT_OF_RANGE },
  SCALE_OUT_OF_RANGE: { text: COLUMN_TEXTS.SCALE_OUT_OF_RANGE },

  // Arguments of a statement.
  ARGUMENT_COUNT: {
    text: (expected: number, actual: number) =>
      `Invalid number of query parameters [expected=${expected}, actual=${actual}]`,
  },
  ARGUMENT_SURPLUS: {
    text: (expected: number, actual: number, value: string) =>
      `Failed to bind parameter [idx=${expected + 1}, obj=${value}]: there are more arguments than parameters ` +
      `[expected=${expected}, actual=${actual}]`,
  },

  // Data: conversions, operators and functions.
  DATA_CONVERSION: { code: 22018, text: (data: string) => `Data conversion error converting ${quoted(data)}` },
  CONVERSION_OUT_OF_RANGE: {
    code: 22004,
    text: (number: string) => `Numeric value out of range: ${quoted(number)} in column `,
  },
  OUT_OF_RANGE: { code: 22003, text: (number: string) => `Numeric value out of range: ${quoted(number)}` },
  DECIMAL_OUT_OF_BOUNDS: {
    code: 22003,
    text: () => `Numeric value out of range: ${quoted(`a decimal can have ${DECIMAL_BOUND}`)}`,
  },
  /** `operand` is the dividend, or the call as text. */
  DIVISION_BY_ZERO: { code: 22012, text: (operand: string) => `Division by zero: ${quoted(operand)}` },
  CONSTANT_UNREADABLE: {
    code: 22007,
    text: (type: 'DATE' | 'TIME' | 'TIMESTAMP' | 'TIMESTAMP WITH TIME ZONE', text: string) =>
      `Cannot parse ${quoted(type)} constant ${quoted(text)}`,
  },
  INVALID_VALUE: {
    code: 90008,
    text: (value: string, parameter: string) => `Invalid value ${quoted(value)} for parameter ${quoted(parameter)}`,
  },
  // Functions on JSON, which Ignite does not have.
  JSON_PATH: {
    text: (path: string, at: number) =>
      `The path ${quoted(path)} is invalid at character ${at}: write names and indexes, such as $.home.city or $.tags[0]`,
  },
  INDEX_EXPRESSION: {
    text: () =>
      'An index is on columns, or on one JSON_VALUE(_VAL, path RETURNING type) of the entries of a cache, without clauses',
  },
  INDEX_PATH_TYPE: { text: (type: string) => `An index on a path cannot have the type ${type}` },
  JSON_INVALID: { text: (reason: string) => `The text is no JSON: ${reason}` },
  JSON_EMPTY: { text: () => 'The path leads to nothing' },
  JSON_NOT_SCALAR: { text: () => 'The path leads to an object or an array; JSON_QUERY returns it' },
  JSON_SCALAR: { text: () => 'The path leads to neither an object nor an array; JSON_VALUE returns it' },
  FEATURE_UNSUPPORTED: { code: 50100, text: (feature: string) => `Feature not supported: ${quoted(feature)}` },
  PARAMETER_COUNT: {
    code: 7001,
    text: (name: string, expected: string) =>
      `Invalid parameter count for ${quoted(name)}, expected count: ${quoted(expected)}`,
  },
  HEX_LENGTH: {
    code: 90003,
    text: (text: string) => `Hexadecimal string with odd number of characters: ${quoted(text)}`,
  },
  HEX_DIGIT: { code: 90004, text: (text: string) => `Hexadecimal string contains non-hex character: ${quoted(text)}` },
  LIKE_ESCAPE: { code: 22025, text: (detail: string) => `Error in LIKE ESCAPE: ${quoted(detail)}` },
  STRING_FORMAT: { code: 90095, text: (marked: string) => `String format error: ${quoted(marked)}` },
  DATE_FORMAT: {
    code: 90056,
    text: (name: string, detail: string) => `Function ${quoted(name)}: Invalid date format: ${quoted(detail)}`,
  },
  DATE_UNREADABLE: { code: 90014, text: (detail: string) => `Error parsing ${quoted(detail)}` },
  NUMBER_FORMAT: { code: 90010, text: (pattern: string) => `Invalid TO_CHAR format ${quoted(pattern)}` },
  CIPHER_UNSUPPORTED: { code: 90055, text: (name: string) => `Unsupported cipher ${quoted(name)}` },
  COMPRESSION_UNSUPPORTED: {
    code: 90103,
    text: (name: string) => `Unsupported compression algorithm: ${quoted(name)}`,
  },
  COMPRESSION: { code: 90104, text: () => 'Compression error' },
  GENERAL: { code: 50000, text: (detail: string) => `General error: ${quoted(detail)}` },
  /** The error that a statement raises with SIGNAL. */
  SIGNAL: { code: 0, text: (text: string) => text },
});

export type SqlErrorKey = keyof typeof SQL_ERRORS;
/** The arguments of an error's text, or of its remedy, which may take more. */
export type SqlErrorDetails<K extends SqlErrorKey> = (typeof SQL_ERRORS)[K] extends {
  readonly remedy: (...details: infer D) => string | undefined;
}
  ? D
  : Parameters<(typeof SQL_ERRORS)[K]['text']>;

/** Returns the failure `key`, with the arguments of its text. */
export function sqlFailure<K extends SqlErrorKey>(key: K, ...details: SqlErrorDetails<K>): SqlFailure {
  return sqlFailureAt({}, key, ...details);
}

/** Returns the failure `key` with its location in the statement. */
export function sqlFailureAt<K extends SqlErrorKey>(
  place: ErrorLocation,
  key: K,
  ...details: SqlErrorDetails<K>
): SqlFailure {
  const entry: SqlErrorEntry = SQL_ERRORS[key];
  const text = SQL_ERRORS[key].text as (...all: SqlErrorDetails<K>) => string;
  return new SqlFailure(text(...details), entry.code, entry.kind, place);
}

/** Returns the remedy for an error, or undefined for the remedy of its kind. */
export function sqlRemedy<K extends SqlErrorKey>(key: K, ...details: SqlErrorDetails<K>): string | undefined {
  const { remedy }: SqlErrorEntry = SQL_ERRORS[key];
  return (remedy as ((...all: SqlErrorDetails<K>) => string | undefined) | undefined)?.(...details);
}

/** Maximum number of names that an error lists. */
const LISTED_NAMES = 10;

/** Returns the failure for a list of values or names that is longer or shorter than the columns. */
export function columnCountFailure(
  values: number,
  columns: ReadonlyArray<{ readonly name: string }>,
  noun: 'value' | 'name' = 'value',
): SqlFailure {
  const names = columns.slice(0, LISTED_NAMES).map(({ name }) => name);
  const listed = `${names.join(', ')}${columns.length > LISTED_NAMES ? ', ...' : ''}`;
  const given = `${values} ${noun}${values === 1 ? '' : 's'}`;
  const wanted = `${columns.length} column${columns.length === 1 ? '' : 's'}`;
  return sqlFailureAt({ about: `${given} for ${wanted}: ${listed}` }, 'COLUMN_COUNT');
}
