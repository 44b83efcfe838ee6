/** Fuzzes the reader of JSON bodies against JSON.parse and a model of how members become parameters. */
import { GridError } from '../../../src/base/errors.ts';
import { completeAtOnce } from '../../../src/base/slices.ts';
import { readJsonBody } from '../../../src/http/json-body.ts';
import type { Random } from '../../simulation/random.ts';
import { type Fuzzer, mustEqual } from './fuzzer.ts';
import { damage, oneIn, several, smallerTexts } from './mutations.ts';

const MAX_PARAMETERS = 40;

/** A body with one byte per character; `members` is what it was written from, unless it was damaged afterwards. */
export interface JsonInput {
  readonly body: string;
  readonly members: readonly JsonMember[] | undefined;
}

export interface JsonMember {
  readonly name: string;
  readonly node: JsonText;
}

/** A value of the body. */
interface JsonText {
  readonly kind: 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';
  /** Source text. */
  readonly text: string;
  /** The decoded text of a string. */
  readonly string: string;
  readonly items: readonly JsonText[];
}

/** Returns the parameters; throws a GridError for a body that it rejects. */
export type JsonReader = (body: Uint8Array) => ReadonlyMap<string, string>;

/** Reads a JSON body with the service's code. */
export const serviceJson: JsonReader = (body) => {
  const into = new Map<string, string>();
  completeAtOnce(readJsonBody(body, { into, limit: MAX_PARAMETERS }));
  return into;
};

const NAMES = [
  'cmd',
  'key',
  'val',
  'qry',
  'k1',
  'a',
  '',
  '__proto__',
  'keyType',
  'arg1',
  'arg1Type',
  'é',
  '"',
] as const;
const LISTS = ['keys', 'values', 'args', 'params'] as const;
const NUMBERS = [
  '0',
  '-0',
  '1',
  '1.50',
  '1e5',
  '-1E-7',
  '12345678901234567890',
  '2147483648',
  '1e400',
  '9'.repeat(1001),
] as const;
const STRINGS = ['', 'a', 'é', '€', '😀', '\u0000', '\\', '"', '\ud800', 'get', 'int', '\u2028'] as const;
const FRAGMENTS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u12',
  '01',
  '+1',
  '.5',
  'nul',
  '\xff',
  '\0',
  "'",
  '//',
  '\ufeff',
] as const;
const BLANKS = ['', '', '', ' ', '\n', '\t', '\r\n'] as const;

/** Compares a reader of JSON bodies with the model. */
export function jsonFuzzer(read: JsonReader = serviceJson): Fuzzer<JsonInput> {
  return {
    name: 'json-bodies',
    generate(random) {
      const members = several(random, 0, 5, () => member(random));
      const blank = () => random.pick(BLANKS);
      const written = members.map(({ name, node }) => `${quoted(random, name)}${blank()}:${blank()}${node.text}`);
      const body = Buffer.from(`${blank()}{${written.join(`${blank()},${blank()}`)}}${blank()}`).toString('latin1');
      return oneIn(random, 3) ? { body: damage(random, body, FRAGMENTS), members: undefined } : { body, members };
    },
    check({ body, members }) {
      const actual = accepted(read, body);
      if (members !== undefined) {
        const expected = modelParameters(members);
        mustEqual(actual && [...actual].sort(), expected && [...expected].sort(), 'parameters');
        return;
      }
      if (actual !== undefined && !isObjectOrBlank(body)) throw new Error('a body that is no JSON object was accepted');
    },
    *smaller({ body }) {
      for (const text of smallerTexts(body)) yield { body: text, members: undefined };
    },
    show: ({ body }) => JSON.stringify(body),
  };
}

function accepted(read: JsonReader, body: string): ReadonlyMap<string, string> | undefined {
  try {
    return read(Buffer.from(body, 'latin1'));
  } catch (error) {
    if (error instanceof GridError && (error.code === 'REQUEST_MALFORMED' || error.code === 'LIMIT_EXCEEDED')) {
      return undefined;
    }
    throw error;
  }
}

function isObjectOrBlank(body: string): boolean {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body, 'latin1'));
  } catch {
    return false;
  }
  if (text.trim() === '') return true;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

function member(random: Random): JsonMember {
  if (!oneIn(random, 4)) return { name: random.pick(NAMES), node: node(random, 0) };
  return { name: random.pick(LISTS), node: oneIn(random, 6) ? node(random, 0) : list(random, 0) };
}

function node(random: Random, depth: number): JsonText {
  const plain = { string: '', items: [] };
  switch (random.below(depth > 3 ? 8 : 10)) {
    case 0:
      return { ...plain, kind: 'null', text: 'null' };
    case 1:
      return { ...plain, kind: 'boolean', text: random.pick(['true', 'false']) };
    case 2:
    case 3:
      return { ...plain, kind: 'number', text: random.pick(NUMBERS) };
    case 8:
      return list(random, depth + 1);
    case 9: {
      const members = several(
        random,
        0,
        2,
        () => `${quoted(random, random.pick(NAMES))}:${node(random, depth + 1).text}`,
      );
      return { ...plain, kind: 'object', text: `{${members.join(',')}}` };
    }
    default: {
      const string = random.pick(STRINGS);
      return { ...plain, kind: 'string', text: quoted(random, string), string };
    }
  }
}

function list(random: Random, depth: number): JsonText {
  const items = several(random, 0, 4, () => node(random, depth + 1));
  return { kind: 'array', text: `[${items.map(({ text }) => text).join(',')}]`, string: '', items };
}

/** Returns a text in quotes, some characters as escapes. */
function quoted(random: Random, text: string): string {
  const written = Array.from(text, (character) => {
    if (oneIn(random, 5)) return [...character].flatMap(unitsOf).join('');
    return JSON.stringify(character).slice(1, -1);
  });
  return `"${written.join('')}"`;
}

function unitsOf(character: string): string[] {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  );
}

const STEMS: Readonly<Record<string, string>> = { keys: 'k', values: 'v', args: 'arg', params: 'p' };
const TYPED_BY: Readonly<Record<string, string>> = { key: 'keyType', val: 'valueType', k: 'keyType', v: 'valueType' };

class Rejected extends Error {}

/** Returns the parameters of the members, or undefined for a body that must be rejected. */
function modelParameters(members: readonly JsonMember[]): Map<string, string> | undefined {
  const unique = new Map(members.map(({ name, node: value }) => [name, value]));
  const structured: Array<readonly [name: string, typedBy: string | undefined]> = [];
  const into = new Map<string, string>();
  const set = (name: string, value: JsonText, typedBy: string | undefined): boolean => {
    if (into.has(name)) return false;
    into.set(name, value.kind === 'string' ? value.string : value.text);
    if (value.kind === 'array' || value.kind === 'object') structured.push([name, typedBy]);
    return true;
  };
  try {
    for (const { node: value } of members) checkNumbers(value);
    const isList = (name: string, value: JsonText) => Object.hasOwn(STEMS, name) && value.kind !== 'string';
    for (const [name, value] of unique) {
      if (value.kind === 'null' || isList(name, value)) continue;
      const typedBy = Object.hasOwn(TYPED_BY, name) && name.length > 1 ? TYPED_BY[name] : undefined;
      set(name, value, typedBy ?? (/^arg\d+$/.test(name) ? `${name}Type` : undefined));
    }
    for (const [name, value] of unique) if (isList(name, value)) addList(STEMS[name] ?? '', value, into, set);
    for (const [, typedBy] of structured) {
      const type = typedBy === undefined ? '' : (into.get(typedBy) ?? '').toLowerCase();
      if (type === '' || type === 'string' || type === 'java.lang.string') throw new Rejected();
    }
    return into;
  } catch (error) {
    if (error instanceof Rejected) return undefined;
    throw error;
  }
}

function addList(
  stem: string,
  value: JsonText,
  into: Map<string, string>,
  set: (name: string, value: JsonText, typedBy: string | undefined) => boolean,
): void {
  if (value.kind === 'null') return;
  if (value.kind !== 'array') throw new Rejected();
  for (const [index, item] of value.items.entries()) {
    const name = `${stem}${index + 1}`;
    if (item.kind === 'null') {
      if (stem !== 'arg') throw new Rejected();
      if (!into.has(name) && !into.has(`${name}Type`)) into.set(`${name}Type`, 'null');
      continue;
    }
    const added = set(name, item, stem === 'arg' ? `${name}Type` : TYPED_BY[stem]);
    const isScalar = item.kind === 'boolean' || item.kind === 'number';
    if (added && stem === 'arg' && isScalar && !into.has(`${name}Type`)) {
      into.set(`${name}Type`, item.kind === 'boolean' ? 'boolean' : modelNumberType(item.text));
    }
  }
}

/** Numbers of more than 1,000 characters are rejected everywhere. */
function checkNumbers(value: JsonText): void {
  if (/\d{1001}/.test(value.text)) throw new Rejected();
}

function modelNumberType(text: string): string {
  const number = Number(text);
  if (/^-?\d+$/.test(text)) {
    const exact = BigInt(text);
    if (BigInt.asIntN(32, exact) === exact) return 'int';
    return BigInt.asIntN(64, exact) === exact ? 'long' : 'java.math.BigDecimal';
  }
  return Number.isFinite(number) && !hasScale(text) ? 'double' : 'java.math.BigDecimal';
}

/** Reports whether a number ends in zeros of a fraction, or has the exponent of a decimal. */
function hasScale(text: string): boolean {
  if (/^-0\.0+$/.test(text)) return false;
  const [digits = '', exponent = ''] = text.split(/e/i);
  const fraction = digits.split('.')[1] ?? '';
  if (fraction.length > 1 && fraction.endsWith('0')) return true;
  return text.includes('E') && (fraction === '' || exponent.startsWith('+'));
}
