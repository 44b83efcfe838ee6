/**
 * The resources: their addresses, methods, parameters, and the commands that each method translates to. Routing, the
 * OpenAPI document and the tables of docs/resources.md are derived from these declarations.
 */

export const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;
export type ResourceMethod = (typeof METHODS)[number];

export const JSON_MEDIA = 'application/json';
export const TEXT_MEDIA = 'text/plain';
export const NDJSON_MEDIA = 'application/x-ndjson';
export const CSV_MEDIA = 'text/csv';

export interface ResourceParameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly summary: string;
}

export interface ResourceOperation {
  readonly summary: string;
  /** The commands; each request executes one or several of them. */
  readonly commands: readonly string[];
  readonly parameters: readonly ResourceParameter[];
  /** Media types of the request body, or undefined if it has none. */
  readonly reads?: readonly string[];
  /** The meaning of each HTTP status of a success, and of those that only resources have. */
  readonly answers: Readonly<Record<number, string>>;
}

export interface ResourceDeclaration {
  /** Below the endpoint; a segment in braces is a parameter. */
  readonly path: string;
  readonly summary: string;
  /** The meaning of the parameters in the path. */
  readonly segments: Readonly<Record<string, string>>;
  /** Media types of responses, in order of preference. */
  readonly returns: readonly string[];
  readonly methods: Readonly<Partial<Record<ResourceMethod, ResourceOperation>>>;
}

const keyType = query('keyType', 'Type of the key (default: the key type that the cache declares, or else string).');
const valueType = query(
  'valueType',
  'Type of the value (default: the value type that the cache declares, or else as the JSON of the body has it).',
);
const ttlMs = query('ttlMs', 'Time to live in milliseconds; 0: none. Absent: an entry keeps its deadline.');
const ifMatch = header('If-Match', 'Only change the value that has this ETag, or with `*` one that exists.');
const ifNoneMatch = header('If-None-Match', 'GET: answer 304 if the ETag is this one. Changes: `*` only creates.');
const prefer = header(
  'Prefer',
  '`return=representation` returns what was stored or removed, `dry-run` what a change would do; ' +
    '`numbers=string` and `dates=iso` as for commands.',
);
const preferDryRun = header(
  'Prefer',
  '`dry-run` returns what a change would do; `numbers=string` and `dates=iso` as for commands.',
);
const idempotencyKey = header('Idempotency-Key', 'Makes a change at most once, as for commands.');

const select = query('select', 'The columns, separated by commas, called as written here (default: all of them).');
const order = query('order', 'Columns, each with `.asc` or `.desc`, `.nullsfirst` or `.nullslast` (default: the key).');
const limit = query('limit', 'Maximum number of rows (default: 100; at most `limits.pageRows`).');
const cursor = query('cursor', 'Where the page before this one ended, from its header Link.');
const filter = query(
  'COLUMN',
  'A condition on a column: eq, neq, gt, gte, lt, lte, like, ilike, in or is, then a dot and a value; `not.` before it ' +
    'negates. `and=(...)` and `or=(...)` combine conditions, also on a column with the name of another parameter.',
);
const TABLE = 'The table, as in SQL: `city`, `PUBLIC.CITY` or `"City"`.';
const ROW_MEDIA = [JSON_MEDIA, NDJSON_MEDIA, CSV_MEDIA];

const CONDITIONS = [ifMatch, ifNoneMatch, prefer];

const entryFilter = query(
  'COLUMN',
  'A condition on `key`, `valueType`, `expires` or a path into the values, such as `home.city`, as on columns of rows. A ' +
    'value that is a number is compared with numbers, any other one with texts.',
);

export const RESOURCES = {
  entries: {
    path: '/caches/{cache}/entries',
    summary: 'The entries of a cache',
    segments: { cache: 'The cache; `default` is the default cache.' },
    returns: ROW_MEDIA,
    methods: {
      GET: {
        summary: 'Returns entries whose keys have one type, at most `limit`; the header Link leads to the next ones.',
        commands: ['qryfldexe'],
        parameters: [
          query(
            'keyType',
            'Type of the keys: string, int, long, short or byte (default: the declared one, or string).',
          ),
          query('select', 'Which of `key`, `value`, `valueType` and `expires` (default: all of them).'),
          query('order', 'These or paths, each with `.asc` or `.desc` (default: the key).'),
          query('limit', 'Maximum number of entries (default: 100; at most `limits.pageRows`).'),
          cursor,
          entryFilter,
          ifNoneMatch,
          prefer,
        ],
        answers: {
          200: 'An array of objects, lines of JSON, or CSV.',
          304: 'The entries have the ETag in If-None-Match.',
          404: 'No cache.',
        },
      },
    },
  },
  entry: {
    path: '/caches/{cache}/entries/{key}',
    summary: 'An entry of a cache',
    segments: {
      cache: 'The cache; `default` is the default cache.',
      key: 'The key, percent-encoded: a slash is %2F. The empty key is the empty segment after `entries/`.',
    },
    returns: [JSON_MEDIA],
    methods: {
      GET: {
        summary: 'Returns the value of an entry.',
        commands: ['get'],
        parameters: [keyType, ...CONDITIONS],
        answers: { 200: 'The value as JSON.', 304: 'The value has the ETag in If-None-Match.', 404: 'No entry.' },
      },
      PUT: {
        summary: 'Stores the value of an entry.',
        commands: ['put', 'putifabs', 'rep', 'repval', 'get'],
        parameters: [keyType, valueType, ttlMs, ...CONDITIONS, idempotencyKey],
        reads: [JSON_MEDIA, TEXT_MEDIA],
        answers: { 201: 'The entry is new.', 204: 'The value was replaced.', 412: 'A condition is not met.' },
      },
      POST: {
        summary: 'Creates an entry.',
        commands: ['putifabs', 'get'],
        parameters: [keyType, valueType, ttlMs, prefer, idempotencyKey],
        reads: [JSON_MEDIA, TEXT_MEDIA],
        answers: { 201: 'The entry is new.', 409: 'There is an entry with the key.' },
      },
      PATCH: {
        summary: 'Appends to the value of an entry: characters to a string, items to an array, members to an object.',
        commands: ['append', 'get'],
        parameters: [keyType, valueType, ttlMs, prefer, idempotencyKey],
        reads: [JSON_MEDIA, TEXT_MEDIA],
        answers: { 204: 'The value was changed.', 404: 'No entry.' },
      },
      DELETE: {
        summary: 'Removes an entry.',
        commands: ['rmv', 'rmvval', 'getrmv'],
        parameters: [keyType, ifMatch, prefer, idempotencyKey],
        answers: {
          200: 'The removed value, with return=representation.',
          204: 'The entry was removed.',
          404: 'No entry.',
        },
      },
    },
  },
  rows: {
    path: '/tables/{table}/rows',
    summary: 'The rows of a table',
    segments: { table: TABLE },
    returns: ROW_MEDIA,
    methods: {
      GET: {
        summary: 'Returns rows, at most `limit`; the header Link leads to the next ones.',
        commands: ['qryfldexe'],
        parameters: [select, order, limit, cursor, filter, ifNoneMatch, prefer],
        answers: {
          200: 'An array of objects, lines of JSON, or CSV.',
          304: 'The rows have the ETag in If-None-Match.',
        },
      },
      POST: {
        summary: 'Stores new rows: an object, an array of objects, or a source as NDJSON or CSV; all or none.',
        commands: ['qryfldexe', 'import'],
        parameters: [prefer, idempotencyKey],
        reads: [JSON_MEDIA, NDJSON_MEDIA, CSV_MEDIA],
        answers: { 201: 'The rows are stored.', 409: 'There is a row with a key.' },
      },
      PATCH: {
        summary: 'Changes columns of the rows that the filters select. At least one filter is required.',
        commands: ['qryfldexe'],
        parameters: [filter, preferDryRun, idempotencyKey],
        reads: [JSON_MEDIA],
        answers: { 200: 'The number of changed rows.' },
      },
      DELETE: {
        summary: 'Removes the rows that the filters select. At least one filter is required.',
        commands: ['qryfldexe'],
        parameters: [filter, preferDryRun, idempotencyKey],
        answers: { 200: 'The number of removed rows.' },
      },
    },
  },
  row: {
    path: '/tables/{table}/rows/{key}',
    summary: 'A row of a table',
    segments: {
      table: TABLE,
      key: 'The primary key, percent-encoded. Columns of a key follow each other with commas; a comma inside is %2C.',
    },
    returns: ROW_MEDIA,
    methods: {
      GET: {
        summary: 'Returns a row.',
        commands: ['qryfldexe'],
        parameters: [select, ...CONDITIONS],
        answers: { 200: 'The row.', 304: 'The row has the ETag in If-None-Match.', 404: 'No row.' },
      },
      PUT: {
        summary: 'Stores a row: a new one, or in place of the one with the key.',
        commands: ['qryfldexe'],
        parameters: [...CONDITIONS, idempotencyKey],
        reads: [JSON_MEDIA],
        answers: { 201: 'The row is new.', 204: 'The row was replaced.', 412: 'A condition is not met.' },
      },
      PATCH: {
        summary: 'Changes columns of a row.',
        commands: ['qryfldexe'],
        parameters: [ifMatch, prefer, idempotencyKey],
        reads: [JSON_MEDIA],
        answers: { 204: 'The row was changed.', 404: 'No row.', 412: 'A condition is not met.' },
      },
      DELETE: {
        summary: 'Removes a row.',
        commands: ['qryfldexe'],
        parameters: [ifMatch, prefer, idempotencyKey],
        answers: { 200: 'The removed row, with return=representation.', 204: 'The row was removed.', 404: 'No row.' },
      },
    },
  },
} as const satisfies Readonly<Record<string, ResourceDeclaration>>;

export type ResourceName = keyof typeof RESOURCES;

function query(name: string, summary: string): ResourceParameter {
  return { name, in: 'query', summary };
}

function header(name: string, summary: string): ResourceParameter {
  return { name, in: 'header', summary };
}
