/** Declares parameters, from which decoders, checks, OpenAPI, reference page and help are derived. */
import type { RequestCompatibility } from '../base/compatibility.ts';
import { type ErrorCode, gridError } from '../base/errors.ts';
import { type Limits, SCALAR_CHARACTERS } from '../base/limits.ts';
import { splitNameList } from '../base/lists.ts';
import { namedCacheOf } from '../grid/declarations.ts';
import type { TimeToLive } from '../grid/grid.ts';
import { decodeTyped } from '../values/decode-parameter.ts';
import type { TypedText } from '../values/typed-text.ts';
import type { TypeRegistry, Value } from '../values/value.ts';

/** The input for decoding a parameter: the strings of one request, and the service's rules. */
export interface Source {
  readonly params: ReadonlyMap<string, string>;
  /** The types of keys and values in the request's cache. */
  readonly registry: TypeRegistry;
  /** The types of statement arguments; the same if undefined. */
  readonly argumentTypes?: TypeRegistry;
  readonly serviceName: string;
  readonly defaultCache: string;
  readonly compatibility: RequestCompatibility;
  readonly limits: Limits;
  /** Whether parameters that the command does not declare are rejected, regardless of their names. */
  readonly strictParameters: boolean;
  /** The page size for requests without one; if undefined, it is required. */
  readonly defaultPageSize: number | undefined;
  /** Returns the type that a key or value implies when the request does not name one; a string if undefined. */
  readonly implied?: ((typedBy: 'keyType' | 'valueType', name: string, text: string) => TypedText) | undefined;
  /** The configured message interceptor for incoming keys and values. */
  readonly onReceive: ((value: Value) => Value) | undefined;
  /** Records that a parameter was ignored because the command does not declare it. */
  ignored(command: string, name: string): void;
}

export type ParameterKind = 'string' | 'value' | 'long' | 'integer' | 'boolean' | 'choice' | 'number' | 'commands';

/** A declared parameter. `T` includes undefined if it is optional. */
export interface Parameter<T> {
  /** Name in requests; the stem (`k` of k1, k2 ...) if numbered. */
  readonly name: string;
  readonly kind: ParameterKind;
  readonly numbered: boolean;
  readonly required: boolean;
  /**
   * Whether the handler throws if it is absent, after other checks, as Ignite does. Descriptions show it as required.
   */
  readonly checkedByHandler: boolean;
  /** The name of an absent parameter in Ignite's error text. */
  readonly missing: string;
  /** The name under which the audit records the parameter, or undefined if it does not. */
  readonly auditedAs: string | undefined;
  readonly typedBy: 'keyType' | 'valueType' | undefined;
  /**
   * The parameter that this one replaces: a request has at most one of the two, and exactly one if that is required.
   */
  readonly alternativeTo?: string;
  /** The error for an invalid value; defaults to its kind's error. */
  readonly invalid?: ErrorCode;
  /** The suffix of the parameters that name the type of each numbered one: `Type` for arg1Type. */
  readonly typeSuffix?: string;
  readonly choices: readonly string[] | undefined;
  readonly defaultText: string | undefined;
  readonly summary: string;
  /**
   * Whether {@link read} can return a value, or throw, without a parameter of that name. Other parameters are only read
   * if the request has them, which saves most of the decoder's time.
   */
  readonly readsAbsent: boolean;
  /** The name of a parameter that may replace this one. */
  readonly replacement?: string;
  /** Returns the decoded value, or undefined if absent. Throws if it is invalid for the type. */
  read(source: Source): T | undefined;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The arguments that a handler receives for its declared parameters. */
export type Arguments<P extends Parameters> = {
  readonly [N in keyof P]: P[N] extends Parameter<infer T> ? T : never;
};

/**
 * Returns a parameter's name for an error text that does not name it in Ignite, or undefined if the text must be
 * Ignite's (docs/differences.md, row 42).
 */
export function sentName(name: string, compatibility: RequestCompatibility): string | undefined {
  return compatibility === 'reference' ? undefined : name;
}

const LONG = /^[+-]?\d+$/;
const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

/** Converting digits to a bigint takes more than linear time, so their number is bounded. */
function isWholeNumber(text: string): boolean {
  return text.length <= SCALAR_CHARACTERS && LONG.test(text);
}

/** Durations for which the error names the unit. The text for seconds is recorded from Ignite and stays as it is. */
const DURATION = /^\d{1,12} ?(?:ms|m|min|h|d|w)$/i;

function readLong(name: string, text: string, unit?: string, namesUnit = true): bigint {
  if (!isWholeNumber(text)) {
    const named = namesUnit && DURATION.test(text) ? unit : undefined;
    throw gridError('NOT_A_LONG', name, text, named, unit === undefined ? undefined : millisecondsOf(text));
  }
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  if (value < LONG_MIN || value > LONG_MAX) throw gridError('NOT_A_LONG', name, text);
  return value;
}

/** Milliseconds in the units that people use for durations. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Returns a duration such as `5s` in milliseconds, or undefined for any other string. */
function millisecondsOf(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,7}) ?([a-z]{1,3})$/i.exec(text) ?? [];
  const factor = UNIT_MS[unit.toLowerCase()];
  return factor === undefined ? undefined : Number(count) * factor;
}

function parseInteger(text: string): number | undefined {
  if (!isWholeNumber(text)) return undefined;
  const value = Number(text);
  return value >= -2147483648 && value <= 2147483647 ? value : undefined;
}

/** Parameter properties that most declarations do not set. */
export const PLAIN = {
  numbered: false,
  required: false,
  checkedByHandler: false,
  auditedAs: undefined,
  typedBy: undefined,
  choices: undefined,
  defaultText: undefined,
  readsAbsent: false,
} as const;

/** Declares a required string. The empty string is a value unless `emptyIsAbsent`. */
export function requiredString(name: string, summary: string, emptyIsAbsent = false): Parameter<string> {
  return {
    ...PLAIN,
    name,
    kind: 'string',
    required: true,
    missing: name,
    summary,
    read: ({ params }) => (emptyIsAbsent && params.get(name) === '' ? undefined : params.get(name)),
  };
}

/** Declares an optional string. The empty string counts as absent if `emptyIsAbsent`. */
export function optionalString(name: string, summary: string, emptyIsAbsent = false): Parameter<string | undefined> {
  return { ...requiredString(name, summary, emptyIsAbsent), required: false };
}

/** Returns the parameter for a command whose handler throws if it is absent; the pipeline does not check it. */
export function checkedByHandler<T>(parameter: Parameter<T | undefined>): Parameter<T | undefined> {
  return { ...parameter, required: false, checkedByHandler: true };
}

/**
 * Returns the parameter with its value recorded in the audit log: an object name or a state, never a stored
 * value or a secret.
 */
export function audited<T>(parameter: Parameter<T>, name = parameter.name): Parameter<T> {
  return { ...parameter, auditedAs: name };
}

/** Declares an optional long (64 bits). */
export function optionalLong(
  name: string,
  summary: string,
  options: { readonly missing?: string; readonly defaultText?: string; readonly unit?: string } = {},
): Parameter<bigint | undefined> {
  return {
    ...PLAIN,
    name,
    kind: 'long',
    missing: options.missing ?? name,
    defaultText: options.defaultText,
    summary,
    read({ params, compatibility }) {
      const text = params.get(name);
      return text === undefined ? undefined : readLong(name, text, options.unit, compatibility !== 'reference');
    },
  };
}

/** Declares a time limit in ms. Undefined and 0 mean the configured one. */
export function timeLimit(summary: string): Parameter<number | undefined> {
  const optional = optionalLong('timeout', summary);
  return {
    ...optional,
    read(source) {
      const timeoutMs = optional.read(source);
      return timeoutMs === undefined ? undefined : Math.min(Math.max(Number(timeoutMs), 0), 2_147_483_647);
    },
  };
}

/** Declares a required long (64 bits). `missing` is the name in the error text, if Ignite uses a different one. */
export function requiredLong(name: string, summary: string, missing = name, unit?: string): Parameter<bigint> {
  const optional = optionalLong(name, summary, { missing, ...(unit !== undefined && { unit }) });
  return { ...optional, required: true, read: (source) => optional.read(source) };
}

/** Declares an optional int (32 bits). */
export function optionalInteger(name: string, summary: string, defaultText?: string): Parameter<number | undefined> {
  return {
    ...PLAIN,
    name,
    kind: 'integer',
    missing: name,
    defaultText,
    summary,
    read({ params }) {
      const text = params.get(name);
      if (text === undefined) return undefined;
      const value = parseInteger(text);
      if (value === undefined) throw gridError('NOT_AN_INTEGER', name, text);
      return value;
    },
  };
}

/** Declares a flag: `true` or `false`, in any letter case. */
export function flag(name: string, summary: string, whenAbsent: boolean): Parameter<boolean> {
  const optional = optionalFlag(name, summary, String(whenAbsent));
  return { ...optional, readsAbsent: true, read: (source) => optional.read(source) ?? whenAbsent };
}

/** Declares a flag whose absence has its own meaning. */
export function optionalFlag(name: string, summary: string, defaultText: string): Parameter<boolean | undefined> {
  return {
    ...PLAIN,
    name,
    kind: 'boolean',
    missing: name,
    defaultText,
    summary,
    read({ params, compatibility }) {
      const text = params.get(name);
      if (text === undefined) return undefined;
      const lower = text.toLowerCase();
      // To Ignite, any other string is false (docs/differences.md, row 40).
      if (lower !== 'true' && lower !== 'false' && compatibility !== 'reference') {
        throw gridError('NOT_A_BOOLEAN', name, text);
      }
      return lower === 'true';
    },
  };
}

/** Declares a key or value of the type that keyType or valueType names. */
function typed(
  name: string,
  typedBy: 'keyType' | 'valueType',
  summary: string,
  options: { readonly required: boolean; readonly missing?: string },
): Parameter<Value> {
  const replacement = name === 'val' ? 'val1' : undefined;
  return {
    ...PLAIN,
    name,
    kind: 'value',
    required: options.required,
    missing: options.missing ?? name,
    typedBy,
    summary,
    ...(replacement !== undefined && { replacement }),
    read(source) {
      let text = source.params.get(name);
      // Row 9 of docs/differences.md.
      if (replacement !== undefined && source.compatibility === 'reference') {
        text = source.params.get(replacement) ?? text;
      }
      return text === undefined ? undefined : readTyped(source, typedBy, text, name);
    },
  };
}

/** Decodes a key or value. Returns undefined for JSON `null`. Throws LIMIT_EXCEEDED and CONVERSION. */
export function readTyped(
  source: Source,
  typedBy: 'keyType' | 'valueType',
  text: string,
  name: string,
): Value | undefined {
  const option = typedBy === 'keyType' ? 'keyCharacters' : 'valueCharacters';
  const limit = source.limits[option];
  if (text.length > limit) {
    const what = `${typedBy === 'keyType' ? 'key' : 'value'} characters`;
    throw gridError('LIMIT_EXCEEDED', what, limit, text.length, option);
  }
  const given = source.params.get(typedBy);
  const sent =
    given === undefined && source.implied !== undefined ? source.implied(typedBy, name, text) : { text, type: given };
  if (sent.type === undefined && source.onReceive === undefined) return { type: 'string', data: text };
  const value = decodeTyped(sent.text, sent.type, source.registry, source.serviceName, name, source.compatibility);
  if (value.type === 'null') return undefined;
  return source.onReceive === undefined ? value : source.onReceive(value);
}

/**
 * Declares the name of a cache without a default. Permissions are checked for the decoded name, so no handler reads a
 * name in a different way.
 */
export function cacheWithoutDefault(summary: string): Parameter<string> {
  const parameter = requiredString('cacheName', summary, true);
  return {
    ...audited(parameter),
    read(source) {
      const name = parameter.read(source);
      return name && namedCacheOf(name, source.defaultCache);
    },
  };
}

/** The name of the cache; the default cache if absent or empty. */
export const cacheName: Parameter<string> = {
  ...PLAIN,
  name: 'cacheName',
  kind: 'string',
  required: true,
  missing: 'cacheName',
  auditedAs: 'cacheName',
  defaultText: 'the default cache',
  summary: 'Name of the cache.',
  readsAbsent: true,
  read({ params, compatibility, defaultCache }) {
    const name = params.get('cacheName');
    if (name !== undefined && name !== '') return namedCacheOf(name, defaultCache);
    // Row 1 of docs/differences.md.
    return compatibility === 'reference' ? undefined : defaultCache;
  },
};

/** Like {@link cacheName}, with a separate error for an empty name with compatibility `reference`. */
function cacheNameUnlessEmpty(failure: () => Error): Parameter<string> {
  return {
    ...cacheName,
    read(source) {
      if (source.compatibility === 'reference' && source.params.get('cacheName') === '') throw failure();
      return cacheName.read(source);
    },
  };
}

/** For commands that report an empty name as an illegal argument (docs/spec/ignite-data.md 4.5). */
export const cacheNameOrIllegal = cacheNameUnlessEmpty(() =>
  gridError('CACHE_NAME_INVALID', 'must not be null or empty.'),
);

/** For queries, whose error has a different status (docs/spec/ignite-cluster.md 6.1). */
export const queryCacheName = cacheNameUnlessEmpty(() => gridError('QUERY_CACHE_NAME_EMPTY'));

export const key = typed('key', 'keyType', 'Key of the entry.', { required: true });
export const val = typed('val', 'valueType', 'The value.', { required: true });
export const val2 = typed('val2', 'valueType', 'The expected current value.', { required: true });
export const optionalVal2: Parameter<Value | undefined> = { ...val2, required: false };
const MILLISECONDS = 'milliseconds';
export const exp = optionalLong(
  'exp',
  'Time to live in milliseconds. If absent, 0 or negative, an entry keeps its deadline, and a new one has none.',
  { unit: MILLISECONDS },
);
export const requiredExp: Parameter<bigint | undefined> = requiredLong(
  'exp',
  'Time to live in milliseconds, from now. 0 removes the deadline; a negative value expires the entry immediately. ' +
    'Required without `ttlMs`.',
  'ttl',
  MILLISECONDS,
);
/** The effect of a write on its entry's deadline (docs/spec/extensions.md 1); see {@link timeToLive}. */
export const ttlMs: Parameter<bigint | undefined> = {
  ...duration('ttlMs', 'Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.'),
  alternativeTo: 'exp',
};

/** The time to live of a new counter. */
export const counterTtlMs = duration(
  'ttlMs',
  'Time to live of a new counter in milliseconds; 0 means none. An existing counter keeps its deadline.',
);

/** The time to live of imported entries. */
export const importTtlMs = duration(
  'ttlMs',
  'Cache: time to live in milliseconds of entries whose record has no `expires`, from now; 0: none.',
);

/** The time to live of a new cache's entries. */
export const cacheTtlMs = duration(
  'ttlMs',
  'Time to live in milliseconds of entries in the new cache, for writes that set none; 0 means none.',
);

/** Declares an optional time in milliseconds from 0. */
function duration(name: string, summary: string): Parameter<bigint | undefined> {
  return {
    ...optionalLong(name, summary),
    read({ params }) {
      const text = params.get(name);
      if (text === undefined) return undefined;
      const value = readLong(name, text, MILLISECONDS);
      if (value < 0n) throw gridError('TTL_NEGATIVE', value);
      return value;
    },
  };
}

/** Returns the time to live for the engine from the parameters; a request has at most one of them. */
export function timeToLive(exp: bigint | undefined, ttlMs: bigint | undefined): TimeToLive {
  if (ttlMs === undefined) return exp;
  return ttlMs === 0n ? null : ttlMs;
}
export const cacheFlags = optionalInteger('cacheFlags', 'Bit mask, accepted for Ignite clients; has no effect.', '2');
export const destId = optionalString('destId', 'Id of the node to run the command on; ignored if it is not an id.');

/** Whether failures get a matching HTTP status. The pipeline reads it; every command accepts it. */
export const httpStatus = optionalFlag(
  'httpStatus',
  'Respond to failures with a matching HTTP status.',
  'the option httpStatus',
);

const invalidNotation = (name: string, words: readonly string[]) => (text: string) =>
  gridError('NOTATION_INVALID', name, text, words.join(', '));
const NUMBER_NOTATIONS = ['number', 'string'] as const;
const DATE_NOTATIONS = ['text', 'iso'] as const;
const ERROR_FORMS = ['text', 'object'] as const;

/** The form of longs and decimals in the response. The pipeline reads it; every command accepts it. */
export const numbers = choiceInAnyCase(
  'numbers',
  NUMBER_NOTATIONS,
  '`string` returns longs, big integers and decimals as strings, so clients do not round them.',
  invalidNotation('numbers', NUMBER_NOTATIONS),
);

/** The form of an error in the envelope. The pipeline reads it; every command accepts it. */
export const errors = choiceInAnyCase(
  'errors',
  ERROR_FORMS,
  '`object` returns `error` as an object with a code, `text` as a string.',
  invalidNotation('errors', ERROR_FORMS),
);

/** The form of dates in the response. The pipeline reads it; every command accepts it. */
export const dates = choiceInAnyCase(
  'dates',
  DATE_NOTATIONS,
  '`iso` returns dates, times and timestamps in ISO 8601 format.',
  invalidNotation('dates', DATE_NOTATIONS),
);

/** The page size of a query: an integer from 0. */
export const pageSize: Parameter<number> = {
  ...PLAIN,
  name: 'pageSize',
  kind: 'number',
  required: true,
  missing: 'pageSize',
  summary:
    'Maximum number of rows per page; 0 returns only the columns. Not required if the option ' +
    '`query.defaultPageSize` is set.',
  readsAbsent: true,
  read({ params, compatibility, defaultPageSize }) {
    const text = params.get('pageSize');
    if (text === undefined) return defaultPageSize;
    const size = parseInteger(text);
    if (size === undefined) throw gridError('NOT_A_NUMBER', text, sentName('pageSize', compatibility));
    if (size < 0) throw gridError('PAGE_SIZE_NEGATIVE', size);
    return size;
  },
};

export const statementTimeout = timeLimit(
  'Time limit of the statement in milliseconds (default: the option `query.timeout`).',
);
export const distributedJoins = flag('distributedJoins', 'Allow joins across nodes (cluster engine).', false);
export const keepBinary = flag(
  'keepBinary',
  'Accepted for Ignite clients; has no effect. Values of unknown classes are always returned as JSON.',
  false,
);

/** The id of a cursor. */
export const qryId: Parameter<bigint> = {
  ...PLAIN,
  name: 'qryId',
  kind: 'number',
  required: true,
  missing: 'qryId',
  summary: 'Id of the cursor: the `queryId` of the first page.',
  read({ params, compatibility }) {
    const text = params.get('qryId');
    if (text === undefined) return undefined;
    if (!isWholeNumber(text)) throw gridError('NOT_A_NUMBER', text, sentName('qryId', compatibility));
    const id = BigInt(text.startsWith('+') ? text.slice(1) : text);
    if (id < LONG_MIN || id > LONG_MAX) throw gridError('NOT_A_NUMBER', text, sentName('qryId', compatibility));
    return id;
  },
};

/** The id of a running query. */
export const killedQueryId: Parameter<string> = {
  ...PLAIN,
  name: 'qryId',
  kind: 'string',
  required: true,
  missing: 'qryId',
  summary: 'Id of the query: the `queryId` of its first page, or the `QUERY_ID` of `SYS.RUNNING_STATEMENTS`.',
  read: ({ params }) => params.get('qryId'),
};

/** Declares an optional parameter with a fixed set of values. Throws the result of `invalid` for any other string. */
export function choice<W extends string>(
  name: string,
  words: readonly W[],
  summary: string,
  invalid: (text: string, compatibility: RequestCompatibility) => Error,
  emptyIsAbsent: boolean,
): Parameter<W | undefined> {
  return {
    ...PLAIN,
    name,
    kind: 'choice',
    missing: name,
    choices: words,
    summary,
    read({ params, compatibility }) {
      const text = params.get(name);
      if (text === undefined || (emptyIsAbsent && text === '')) return undefined;
      const word = words.find((each) => each === text);
      if (word === undefined) throw invalid(text, compatibility);
      return word;
    },
  };
}

/** Like {@link choice}, but accepts lower-case values in any letter case; an empty one counts as absent. */
export function choiceInAnyCase<W extends string>(
  name: string,
  words: readonly W[],
  summary: string,
  invalid: (text: string, compatibility: RequestCompatibility) => Error,
): Parameter<W | undefined> {
  return {
    ...choice(name, words, summary, invalid, true),
    read({ params, compatibility }) {
      const text = params.get(name);
      if (text === undefined || text === '') return undefined;
      const lower = text.toLowerCase();
      const word = words.find((each) => each === lower);
      if (word === undefined) throw invalid(text, compatibility);
      return word;
    },
  };
}

/** A new cache's number of backups. */
export const backups: Parameter<number | undefined> = {
  ...PLAIN,
  name: 'backups',
  kind: 'integer',
  invalid: 'BACKUPS_INVALID',
  missing: 'backups',
  defaultText: '0',
  summary: 'Number of backups of the new cache.',
  read({ params }) {
    const text = params.get('backups');
    if (text === undefined || text === '') return undefined;
    const number = parseInteger(text);
    if (number === undefined) throw gridError('BACKUPS_INVALID', text);
    return number;
  },
};

/**
 * Reads comma-separated cache names, those with a comma in double quotes; returns undefined for `*`, which means every
 * cache. Throws LIMIT_EXCEEDED for a list that is too long.
 */
export function cacheNamesOf(text: string, defaultCache: string): readonly string[] | undefined {
  if (text.trim() === '*') return undefined;
  const names = splitNameList('cacheName', text);
  return [...new Set(names.filter((name) => name !== '').map((name) => namedCacheOf(name, defaultCache)))];
}

/**
 * Declares a statement. One beyond the limit is rejected before anything reads it, because the time to find the rights
 * that it needs grows with its length.
 */
export function statement(summary: string): Parameter<string | undefined> {
  return {
    ...checkedByHandler(optionalString('qry', summary)),
    read({ params, limits: { statementCharacters } }) {
      const text = params.get('qry');
      if (text !== undefined && text.length > statementCharacters) {
        const what = 'statement characters';
        throw gridError('LIMIT_EXCEEDED', what, statementCharacters, text.length, 'statementCharacters');
      }
      return text;
    },
  };
}

/** Returns the statement. Throws PARAMETER_NULL if it is absent, as Ignite does (docs/spec/ignite-cluster.md 6.1). */
export function requireStatement(text: string | undefined, compatibility: RequestCompatibility): string {
  if (text === undefined) throw gridError('PARAMETER_NULL', 'sql', sentName('qry', compatibility)).about('qry');
  return text;
}
