/** Parameters, each declared once. A command's decoder, checks, OpenAPI, reference page and help follow from these. */
import { fail } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { decodeTyped } from '../values/decode-parameter.ts';
import type { TypeRegistry, Value } from '../values/value.ts';
import type { CompatibilityFlags } from './compatibility-flags.ts';

/** What reading a parameter may ask for. One is made per request. */
export interface Source {
  readonly params: ReadonlyMap<string, string>;
  readonly registry: TypeRegistry;
  readonly serviceName: string;
  readonly defaultCache: string;
  readonly compatibilityFlags: CompatibilityFlags;
  readonly limits: Limits;
  /** Applied to every key and value that comes in (the configuration's message interceptor). */
  readonly onReceive: ((value: Value) => Value) | undefined;
}

export type ParameterKind = 'text' | 'value' | 'long' | 'integer' | 'boolean' | 'choice' | 'number';

/** A declared parameter. `T` includes undefined when it is optional. */
export interface Parameter<T> {
  /** Name on the wire; the stem (`k` of k1, k2 ...) when numbered. */
  readonly name: string;
  readonly kind: ParameterKind;
  readonly numbered: boolean;
  readonly required: boolean;
  /** The handler refuses its absence, later than the gate would, because Ignite looks at other things first. */
  readonly checkedByHandler: boolean;
  /** The name that the refusal of an absent parameter tells. */
  readonly missing: string;
  /** The name under which the audit records the parameter; undefined: it does not. */
  readonly auditedAs: string | undefined;
  readonly typedBy: 'keyType' | 'valueType' | undefined;
  readonly choices: readonly string[] | undefined;
  readonly defaultText: string | undefined;
  readonly summary: string;
  /** The value, or undefined when absent; refuses what is no value of the parameter's type. */
  read(source: Source): T | undefined;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The arguments that a handler receives for its declared parameters. */
export type Arguments<P extends Parameters> = {
  readonly [N in keyof P]: P[N] extends Parameter<infer T> ? T : never;
};

const LONG = /^[+-]?\d+$/;
const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

function readLong(name: string, text: string): bigint {
  if (!LONG.test(text)) throw fail('NOT_A_LONG', name, text);
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  if (value < LONG_MIN || value > LONG_MAX) throw fail('NOT_A_LONG', name, text);
  return value;
}

function parseInteger(text: string): number | undefined {
  if (!LONG.test(text)) return undefined;
  const value = Number(text);
  return value >= -2147483648 && value <= 2147483647 ? value : undefined;
}

const PLAIN = {
  numbered: false,
  required: false,
  checkedByHandler: false,
  auditedAs: undefined,
  typedBy: undefined,
  choices: undefined,
  defaultText: undefined,
} as const;

/** A required text. Empty text is a value unless `emptyIsAbsent`. */
export function requiredText(name: string, summary: string, emptyIsAbsent = false): Parameter<string> {
  return {
    ...PLAIN,
    name,
    kind: 'text',
    required: true,
    missing: name,
    summary,
    read: ({ params }) => (emptyIsAbsent && params.get(name) === '' ? undefined : params.get(name)),
  };
}

/** An optional text. Empty text counts as absent when `emptyIsAbsent`. */
export function optionalText(name: string, summary: string, emptyIsAbsent = false): Parameter<string | undefined> {
  return { ...requiredText(name, summary, emptyIsAbsent), required: false };
}

/** A parameter that the gate lets be absent and the handler refuses then. */
export function checkedByHandler<T>(parameter: Parameter<T | undefined>): Parameter<T | undefined> {
  return { ...parameter, required: false, checkedByHandler: true };
}

/** A parameter that the audit records: a name of what the command is about, never a value or a secret. */
export function audited<T>(parameter: Parameter<T>, name = parameter.name): Parameter<T> {
  return { ...parameter, auditedAs: name };
}

/** An optional long (64 bits). */
export function optionalLong(
  name: string,
  summary: string,
  options: { readonly missing?: string; readonly defaultText?: string } = {},
): Parameter<bigint | undefined> {
  return {
    ...PLAIN,
    name,
    kind: 'long',
    missing: options.missing ?? name,
    defaultText: options.defaultText,
    summary,
    read({ params }) {
      const text = params.get(name);
      return text === undefined ? undefined : readLong(name, text);
    },
  };
}

/** A required long (64 bits). `missing` is the name that the refusal tells where Ignite's differs. */
export function requiredLong(name: string, summary: string, missing = name): Parameter<bigint> {
  const optional = optionalLong(name, summary, { missing });
  return { ...optional, required: true, read: (source) => optional.read(source) };
}

/** An optional int (32 bits). */
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
      if (value === undefined) throw fail('NOT_AN_INTEGER', name, text);
      return value;
    },
  };
}

/** A flag that is on for `true` in any letter case; anything else is off. */
export function flag(name: string, summary: string, whenAbsent: boolean): Parameter<boolean> {
  return {
    ...PLAIN,
    name,
    kind: 'boolean',
    missing: name,
    defaultText: String(whenAbsent),
    summary,
    read({ params }) {
      const text = params.get(name);
      return text === undefined ? whenAbsent : text.toLowerCase() === 'true';
    },
  };
}

/** A key or value in the type that keyType or valueType names. */
function typed(
  name: string,
  typedBy: 'keyType' | 'valueType',
  summary: string,
  options: { readonly required: boolean; readonly missing?: string },
): Parameter<Value> {
  const hidden = name === 'val' ? 'val1' : undefined;
  return {
    ...PLAIN,
    name,
    kind: 'value',
    required: options.required,
    missing: options.missing ?? name,
    typedBy,
    summary,
    read(source) {
      let text = source.params.get(name);
      if (hidden !== undefined && source.compatibilityFlags.val1ReplacesVal) text = source.params.get(hidden) ?? text;
      return text === undefined ? undefined : readTyped(source, typedBy, text);
    },
  };
}

function readTyped(source: Source, typedBy: 'keyType' | 'valueType', text: string): Value | undefined {
  const limit = typedBy === 'keyType' ? source.limits.keyCharacters : source.limits.valueCharacters;
  if (text.length > limit) {
    throw fail('LIMIT_EXCEEDED', typedBy === 'keyType' ? 'key characters' : 'value characters', limit, text.length);
  }
  const value = decodeTyped(text, source.params.get(typedBy), source.registry, source.serviceName);
  if (value.type === 'null') return undefined;
  return source.onReceive === undefined ? value : source.onReceive(value);
}

/** k1..kN or v1..vN, up to the first gap. */
function numberedValues(
  stem: string,
  typedBy: 'keyType' | 'valueType',
  missing: string,
  summary: string,
): Parameter<readonly Value[]> {
  // Looked up for every command on entries, so its text is made once.
  const first = `${stem}1`;
  return {
    ...PLAIN,
    name: stem,
    kind: 'value',
    numbered: true,
    required: true,
    missing,
    typedBy,
    summary,
    read(source) {
      if (!source.params.has(first)) return undefined;
      const values: Value[] = [];
      for (let i = 1; ; i++) {
        const text = source.params.get(stem + i);
        if (text === undefined) return values;
        if (i > source.limits.keysPerCommand) throw fail('LIMIT_EXCEEDED', 'keys', source.limits.keysPerCommand, i);
        const value = readTyped(source, typedBy, text);
        if (value === undefined) return values;
        values.push(value);
      }
    },
  };
}

/** Texts stem1..stemN, up to the first gap; an empty array when there is none. */
export function numberedTexts(stem: string, summary: string): Parameter<readonly string[]> {
  return {
    ...PLAIN,
    name: stem,
    kind: 'text',
    numbered: true,
    missing: stem,
    summary,
    read({ params }) {
      const texts: string[] = [];
      for (let text = params.get(`${stem}1`); text !== undefined; text = params.get(stem + (texts.length + 1))) {
        texts.push(text);
      }
      return texts;
    },
  };
}

/** The cache that the command is about; absent or empty: the default cache. */
export const cacheName: Parameter<string> = {
  ...PLAIN,
  name: 'cacheName',
  kind: 'text',
  required: true,
  missing: 'cacheName',
  auditedAs: 'cacheName',
  defaultText: 'the default cache',
  summary: 'Name of the cache.',
  read({ params, compatibilityFlags, defaultCache }) {
    const name = params.get('cacheName');
    if (name !== undefined && name !== '') return name === 'default' ? defaultCache : name;
    return compatibilityFlags.cacheNameRequired ? undefined : defaultCache;
  },
};

/**
 * The same for commands that refuse an empty name as an illegal argument in compatibility mode `reference`
 * (docs/spec/ignite-data.md 4.5, docs/spec/ignite-cluster.md 6.1).
 */
export const cacheNameOrIllegal: Parameter<string> = {
  ...cacheName,
  read(source) {
    if (source.compatibilityFlags.cacheNameRequired && source.params.get('cacheName') === '') {
      throw fail('CACHE_NAME_INVALID', 'must not be null or empty.');
    }
    return cacheName.read(source);
  },
};

/** The same for queries, whose refusal has another status. */
export const queryCacheName: Parameter<string> = {
  ...cacheName,
  read(source) {
    if (source.compatibilityFlags.cacheNameRequired && source.params.get('cacheName') === '') {
      throw fail('QUERY_CACHE_NAME_EMPTY');
    }
    return cacheName.read(source);
  },
};

export const key = typed('key', 'keyType', 'Key of the entry.', { required: true });
export const val = typed('val', 'valueType', 'The value.', { required: true });
export const val2 = typed('val2', 'valueType', 'The value expected to be there.', { required: true });
export const optionalVal2: Parameter<Value | undefined> = { ...val2, required: false };
export const keys = numberedValues('k', 'keyType', 'keys', 'Keys, numbered from 1 without a gap.');
/** Keys of putall, whose refusal names the values (docs/spec/ignite-data.md 2.2). */
export const keysOfValues: Parameter<readonly Value[]> = { ...keys, missing: 'values' };
export const values: Parameter<readonly Value[] | undefined> = {
  ...checkedByHandler(numberedValues('v', 'valueType', 'values', 'Values, numbered as the keys are.')),
};
export const exp = optionalLong('exp', 'Time to live in milliseconds; 0 and less: none is set.');
export const requiredExp = requiredLong('exp', 'Time to live in milliseconds; negative ends the entry at once.', 'ttl');
export const cacheFlags = optionalInteger('cacheFlags', 'Bit mask of Ignite; kept for its clients, no effect.', '2');
export const destId = optionalText(
  'destId',
  'Id of the node that is to run the command; a text that is no id is ignored.',
);

/** The page size of a query: a whole number from 0. */
export const pageSize: Parameter<number> = {
  ...PLAIN,
  name: 'pageSize',
  kind: 'number',
  required: true,
  missing: 'pageSize',
  summary: 'Rows of the page; 0 gives the columns only.',
  read({ params }) {
    const text = params.get('pageSize');
    if (text === undefined) return undefined;
    const size = parseInteger(text);
    if (size === undefined) throw fail('NOT_A_NUMBER', text);
    if (size < 0) throw fail('PAGE_SIZE_NEGATIVE', size);
    return size;
  },
};

/** Id of a cursor. */
export const qryId: Parameter<bigint> = {
  ...PLAIN,
  name: 'qryId',
  kind: 'number',
  required: true,
  missing: 'qryId',
  summary: 'Id of the cursor, `queryId` of the first page.',
  read({ params }) {
    const text = params.get('qryId');
    if (text === undefined) return undefined;
    if (!LONG.test(text)) throw fail('NOT_A_NUMBER', text);
    const id = BigInt(text.startsWith('+') ? text.slice(1) : text);
    if (id < LONG_MIN || id > LONG_MAX) throw fail('NOT_A_NUMBER', text);
    return id;
  },
};

const argumentNames = (number: number): readonly [string, string] => [`arg${number}`, `arg${number}Type`];
/** Names that most statements need, made once. */
const ARGUMENT_NAMES = Array.from({ length: 33 }, (_, number) => argumentNames(number));

/**
 * Arguments of a statement: arg1..argN, texts unless arg1Type .. names a type (`null` gives SQL's NULL).
 */
export const queryArguments: Parameter<readonly Value[]> = {
  ...PLAIN,
  name: 'arg',
  kind: 'value',
  numbered: true,
  missing: 'arg',
  summary: 'Arguments of the statement, numbered from 1; `arg1Type` ... name their types (default: text).',
  read(source) {
    const values: Value[] = [];
    for (let i = 1; ; i++) {
      const [name, typeName] = ARGUMENT_NAMES[i] ?? argumentNames(i);
      const type = source.params.get(typeName);
      if (type === 'null') {
        values.push({ type: 'null' });
        continue;
      }
      const text = source.params.get(name);
      if (text === undefined) return values;
      const value = decodeTyped(text, type, source.registry, source.serviceName);
      values.push(source.onReceive === undefined ? value : source.onReceive(value));
    }
  },
};

/** One of a list of words. `invalid` is called for any other text. */
export function choice<W extends string>(
  name: string,
  words: readonly W[],
  summary: string,
  invalid: (text: string) => Error,
  emptyIsAbsent: boolean,
): Parameter<W | undefined> {
  return {
    ...PLAIN,
    name,
    kind: 'choice',
    missing: name,
    choices: words,
    summary,
    read({ params }) {
      const text = params.get(name);
      if (text === undefined || (emptyIsAbsent && text === '')) return undefined;
      const word = words.find((each) => each === text);
      if (word === undefined) throw invalid(text);
      return word;
    },
  };
}

/** The number of backups of a new cache. */
export const backups: Parameter<number | undefined> = {
  ...PLAIN,
  name: 'backups',
  kind: 'integer',
  missing: 'backups',
  defaultText: '0',
  summary: 'Number of backups of a new cache.',
  read({ params }) {
    const text = params.get('backups');
    if (text === undefined || text === '') return undefined;
    const number = parseInteger(text);
    if (number === undefined) throw fail('BACKUPS_INVALID', text);
    return number;
  },
};
