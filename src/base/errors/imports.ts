/** Errors of imports and exports. */
import { defineErrors, defineTexts, type Text } from './error-entry.ts';

export const IMPORT_ERRORS = defineErrors({
  IMPORT_INVALID: {
    http: 400,
    text: (line: Text, reason: string) => `Line ${line}: ${reason}`,
    cause:
      'The header or a line of the import is invalid, parameters do not match it, or the source has an unknown format.',
    remedy: 'Correct the line, the header or the parameter that the text names.',
  },
  IMPORT_REJECTED: {
    http: 400,
    text: (line: Text, reason: string) => `Line ${line} was rejected: ${reason}`,
    cause: 'The values of a record do not fit the table or the cache, or its key exists.',
    remedy:
      'Correct the line and continue, or send onError=skip to import the other rows. `response` says what is stored.',
  },
  IMPORT_RECORD_TOO_LONG: {
    http: 413,
    text: (line: Text, limit: Text) => `Line ${line}: the record is too long [limitBytes=${limit}]`,
    cause: 'A record exceeds `limits.importRecordBytes`, often because a quote is not closed.',
    remedy: 'Check the quotes, or raise limits.importRecordBytes.',
  },
  IMPORT_NOT_FOUND: {
    http: 404,
    text: (id: string) => `There is no import with this id [importId=${id}]`,
    cause: 'No import of this user has the id, or it is no longer remembered.',
    remedy: 'Use the id of an import of the same user. Imports are forgotten a day after their last change.',
  },
  IMPORT_IN_USE: {
    http: 409,
    text: (id: string) => `Another request is running this import [importId=${id}]`,
    cause:
      'A request with the id of this import has not ended, or the service has not noticed yet that its client is gone.',
    remedy: 'Retry after the other request has ended.',
  },
  IMPORT_CONFLICT: {
    http: 409,
    text: (id: string, name: string) =>
      `The import was started with a different value of ${name}: send the same parameters, or another id [importId=${id}]`,
    cause: 'The import cannot continue with this request; the text says why.',
    remedy: 'Follow the advice in the text.',
  },
  IMPORTS_BUSY: {
    http: 503,
    httpAlways: true,
    text: (limit: Text) => `Too many imports are running [limit=${limit}]`,
    cause: '`limits.imports` imports are running.',
    remedy: 'Retry after another import has ended, or raise limits.imports.',
  },
  TABLE_NOT_FOUND: {
    http: 404,
    text: (name: string, nearest: string | undefined) =>
      `There is no table ${name}${nearest === undefined ? '' : `. Did you mean ${nearest}?`}`,
    cause: 'No table has this name.',
    remedy:
      'Create the table (import creates it with create=true), or correct its name. Views and system views store no rows.',
  },
});

const LISTED_NAMES = 8;

function shortList(names: readonly string[]): string {
  return names.length <= LISTED_NAMES ? names.join(', ') : `${names.slice(0, LISTED_NAMES).join(', ')}, ...`;
}

/** Texts of errors that share their code with others. */
export const IMPORT_TEXTS = defineTexts({
  IMPORT_BODY_MISSING: {
    code: 'IMPORT_INVALID',
    text: () =>
      'The rows are missing: send them as the body of a POST request, with Content-Type text/csv or ' +
      'application/x-ndjson and all parameters in the address',
  },
  IMPORT_BODY_JSON: {
    code: 'IMPORT_INVALID',
    text: () =>
      'A body of the type application/json holds the parameters of a command, and this command reads rows: send them ' +
      'with Content-Type application/x-ndjson (one JSON object a line) or text/csv, and all parameters in the address',
  },
  IMPORT_FORMAT_MISSING: {
    code: 'IMPORT_INVALID',
    text: (type: string | null) =>
      `The format of the rows is unknown: send format=csv or format=ndjson [Content-Type=${type ?? 'none'}]`,
  },
  IMPORT_TARGET: {
    code: 'IMPORT_INVALID',
    text: (given: string) => `Send either table or cacheName (${given})`,
  },
  IMPORT_COLUMN_UNKNOWN: {
    code: 'IMPORT_INVALID',
    text: (name: string, columns: readonly string[]) =>
      `There is no column "${name}". The columns are ${columns.join(', ')}`,
  },
  IMPORT_HEADER_WRONG: {
    code: 'IMPORT_INVALID',
    text: (name: string, advice: string) => `There is no column ${JSON.stringify(name.slice(0, 100))}: ${advice}`,
  },
  IMPORT_COLUMN_RESERVED: {
    code: 'IMPORT_INVALID',
    text: (name: string) =>
      `A table column cannot be called ${name}: name the columns, such as columns=id,name instead of the header, and key=id for the key`,
    parameter: () => 'columns',
  },
  IMPORT_COLUMN_REPEATED: {
    code: 'IMPORT_INVALID',
    text: (name: string) => `The column "${name}" is listed twice`,
  },
  IMPORT_COLUMN_REQUIRED: {
    code: 'IMPORT_INVALID',
    text: (name: string) => `The column ${name} is missing`,
  },
  IMPORT_QUOTES_WRONG: {
    code: 'IMPORT_INVALID',
    text: (line: Text, limit: Text) =>
      `Line ${line}: too many records have misplaced quotes; is the delimiter correct? [limit=${limit}]`,
  },
  IMPORT_COLUMNS_TOO_MANY: {
    code: 'IMPORT_INVALID',
    text: (line: Text, limit: Text) => `Line ${line}: the record has too many fields [limit=${limit}]`,
  },
  IMPORT_SOURCE_UNREADABLE: {
    code: 'IMPORT_INVALID',
    text: (what: string) => `The source ${what}`,
  },
  IMPORT_NOTHING_TO_INFER: {
    code: 'IMPORT_INVALID',
    text: (reason: string) => `The columns cannot be inferred from the source: ${reason}`,
  },
  IMPORT_HEADER_UNCLEAR: {
    code: 'IMPORT_INVALID',
    text: (names: readonly string[]) =>
      'The first record may be a header or a row, and the source does not show which: send header=true ' +
      `for columns called ${shortList(names)}, or header=false for columns called ${shortList(names.map((_, at) => `C${at + 1}`))}`,
    parameter: () => 'header',
  },
  IMPORT_DELIMITER_UNCLEAR: {
    code: 'IMPORT_INVALID',
    text: (one: string, other: string, fields: Text) =>
      `Both ${one} and ${other} divide the records into ${fields} fields: send delimiter=${one} or delimiter=${other}`,
    parameter: () => 'delimiter',
  },
  IMPORT_NESTED: {
    code: 'IMPORT_INVALID',
    text: (name: string, kind: string) =>
      `The column "${name}" holds a JSON ${kind}, but columns hold single values: write its members as separate columns`,
  },
  IMPORT_ONLY_KEY: {
    code: 'IMPORT_INVALID',
    text: () =>
      'A table needs a column besides its key: name fewer columns in key, or number the records with rowNumber=row_number',
  },
  IMPORT_TYPE: {
    code: 'PARAMETER_INVALID',
    text: (column: string, problem: string) => `types must name SQL types (column ${column}): ${problem}`,
    parameter: () => 'types',
  },
  IMPORT_WITHOUT_TABLE: {
    code: 'IMPORT_INVALID',
    text: (name: string) => `${name} needs the name of a table (table=people)`,
  },
  IMPORT_TABLE_REMOVED: {
    code: 'IMPORT_REJECTED',
    text: (reason: string, remedy: string | undefined, table: string) =>
      `${reason}${remedy === undefined ? '' : `. ${remedy}`}. Nothing was stored: the new table ${table} was removed`,
  },
  REGION_LOST: {
    code: 'IMPORT_CONFLICT',
    text: () =>
      'The data region has lost its entries since the import began, because the cluster was inactive: start again',
  },
  EXPORT_VALUE: {
    code: 'VALUE_REJECTED',
    text: (column: string, reason: string) => `A value of ${column} cannot be written: ${reason}`,
  },
  BEGAN_ONCE: {
    code: 'OUTCOME_UNKNOWN',
    text: () =>
      'An earlier request with this Idempotency-Key began, and its outcome is unknown: this request changed nothing',
  },
  ENTRY_NULL: { code: 'VALUE_REJECTED', text: (part: string) => `The ${part} is missing or null` },
  KEY_EXISTS: { code: 'VALUE_REJECTED', text: (key: string) => `The key already exists: ${key}` },
  IMPORT_POSITION: {
    code: 'IMPORT_CONFLICT',
    text: (sent: Text, stored: Text) =>
      `The body begins after the stored position: send the source from that position [offset=${sent}, stored=${stored}]`,
  },
  IMPORT_REPEATS: {
    code: 'IMPORT_INVALID',
    text: () =>
      'On a cluster an import with an id needs onDuplicate=replace or skip: after an interruption its last records are sent again, and cannot be distinguished from duplicates',
  },
  IMPORT_ATOMIC_OPTION: {
    code: 'IMPORT_INVALID',
    text: (name: string) =>
      `atomic=true cannot be combined with ${name}: an atomic import is stored as a whole by one request, or not at all`,
  },
  IMPORT_ATOMIC_ROWS: {
    code: 'IMPORT_CONFLICT',
    text: (name: string, limit: Text) =>
      `${name} has entries, and an atomic import adds at most ${limit} to them: empty it first, or import without atomic`,
  },
  IMPORT_LOST: {
    code: 'QUERY_LOST',
    text: (advice: string) => `The process running the import has ended: ${advice}`,
  },
  IMPORT_ATOMIC_KEYS: {
    code: 'IMPORT_CONFLICT',
    text: (count: Text, key: string) =>
      `Nothing was imported, because keys already exist: send onDuplicate=replace or skip [keys=${count}, first=${key}]`,
  },
  IMPORT_TABLE_CHANGED: {
    code: 'IMPORT_CONFLICT',
    text: (name: string) => `The definition of ${name} has changed since the import began: start again`,
  },
});
