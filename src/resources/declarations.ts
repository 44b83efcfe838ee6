/**
 * The resources: their addresses, methods, parameters, and the commands that each method is translated to. Routing, the
 * OpenAPI document and the tables of docs/resources.md follow from these declarations.
 */

export const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;
export type ResourceMethod = (typeof METHODS)[number];

export const JSON_MEDIA = 'application/json';
export const TEXT_MEDIA = 'text/plain';

export interface ResourceParameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly summary: string;
}

export interface ResourceOperation {
  readonly summary: string;
  /** The commands of which each request executes one or some. */
  readonly commands: readonly string[];
  readonly parameters: readonly ResourceParameter[];
  /** Media types of the request's body; absent: it has none. */
  readonly reads?: readonly string[];
  /** What each HTTP status of a success means, and those that only resources have. */
  readonly answers: Readonly<Record<number, string>>;
}

export interface ResourceDeclaration {
  /** Below the endpoint; a segment in braces is a parameter. */
  readonly path: string;
  readonly summary: string;
  /** What the parameters of the path mean. */
  readonly segments: Readonly<Record<string, string>>;
  /** Media types of answers, the preferred one first. */
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
const idempotencyKey = header('Idempotency-Key', 'Makes a change at most once, as for commands.');

const CONDITIONS = [ifMatch, ifNoneMatch, prefer];

export const RESOURCES = {
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
} as const satisfies Readonly<Record<string, ResourceDeclaration>>;

export type ResourceName = keyof typeof RESOURCES;

function query(name: string, summary: string): ResourceParameter {
  return { name, in: 'query', summary };
}

function header(name: string, summary: string): ResourceParameter {
  return { name, in: 'header', summary };
}
