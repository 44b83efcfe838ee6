/**
 * Runs tables of cases recorded from an Ignite node, one per line: `expression => TYPE => text of the result` or
 * `expression => ERR code text`. Expressions are calls, casts, literals, arrays and `||`. They are evaluated as in a
 * statement: arguments are converted to the declared types, and NULL arguments return NULL without a call.
 */
import { expect, test } from 'bun:test';
import { cast, convert, textOf } from '../types/convert.ts';
import { parseDate, parseTime, parseTimestamp } from '../types/date-time.ts';
import { parseDecimal } from '../types/decimal.ts';
import { RandomSource } from '../types/random-source.ts';
import { sqlFailure } from '../types/sql-errors.ts';
import { SqlFailure } from '../types/sql-failure.ts';
import type { FunctionEnvironment, SqlData, SqlFunction, SqlType, SqlTypeName } from '../types/sql-types.ts';
import { argumentTypeAt } from './definition.ts';
import { FUNCTIONS } from './functions.ts';

interface Typed {
  readonly data: SqlData;
  readonly type: SqlType;
}

const random = new RandomSource(() => 0.25);

export const TEST_ENVIRONMENT: FunctionEnvironment = {
  nowMs: Date.UTC(2026, 10, 21, 12, 30, 15, 250),
  user: 'ann',
  schema: 'PUBLIC',
  random: () => random.next(),
  seed: (seed) => random.seed(seed),
};

const TOKEN =
  /\s*(?:(x|date|timestamp|time)?\s*'((?:[^']|'')*)'|(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|(\|\||[(),-])|([a-z_]\w*))/iy;

type Token = { readonly kind: 'literal' | 'number' | 'sign' | 'word'; readonly text: string; readonly prefix: string };

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (match === null) throw new Error(`case not understood: ${source.slice(at)}`);
    const prefix = (match[1] ?? '').toUpperCase();
    if (match[2] !== undefined) tokens.push({ kind: 'literal', text: match[2].replaceAll("''", "'"), prefix });
    else if (match[3] !== undefined) tokens.push({ kind: 'number', text: match[3], prefix });
    else if (match[4] !== undefined) tokens.push({ kind: 'sign', text: match[4], prefix });
    else tokens.push({ kind: 'word', text: (match[5] ?? '').toUpperCase(), prefix });
  }
  return tokens;
}

/** Evaluates the expression of a case. */
export function evaluate(source: string): Typed {
  const tokens = tokenize(source);
  let at = 0;
  const accept = (text: string): boolean => {
    const found = tokens[at]?.kind !== 'literal' && tokens[at]?.text === text;
    if (found) at += 1;
    return found;
  };
  const expect = (text: string): void => {
    if (!accept(text)) throw new Error(`case not understood: ${text} missing in ${source}`);
  };
  const list = (): Typed[] => {
    const items: Typed[] = [];
    if (accept(')')) return items;
    do items.push(expression());
    while (accept(','));
    expect(')');
    return items;
  };
  const expression = (): Typed => {
    let left = operand();
    while (accept('||')) left = concatenation(left, operand());
    return left;
  };
  const operand = (): Typed => {
    if (accept('-')) return negated(operand());
    if (accept('(')) {
      const items = list();
      return { data: items.map((item) => item.data), type: { name: 'ARRAY' } };
    }
    const token = tokens[at];
    at += 1;
    if (token === undefined) throw new Error(`case not understood: ${source}`);
    if (token.kind === 'literal') return literal(token);
    if (token.kind === 'number') return number(token.text);
    if (token.text === 'NULL') return { data: null, type: { name: 'NULL' } };
    if (token.text === 'TRUE' || token.text === 'FALSE')
      return { data: token.text === 'TRUE', type: { name: 'BOOLEAN' } };
    expect('(');
    if (token.text !== 'CAST') return callFunction(token.text, list());
    const from = expression();
    expect('AS');
    const type = typeName();
    expect(')');
    return { data: cast(from.data, from.type, type), type };
  };
  const typeName = (): SqlType => {
    const name = TYPE_NAMES.get(tokens[at]?.text ?? '');
    if (name === undefined) throw new Error(`case not understood: type in ${source}`);
    at += 1;
    if (!accept('(')) return { name };
    const bounds = list().map((bound) => Number(bound.data));
    if (name === 'TIME' || name === 'TIMESTAMP') return { name, scale: bounds[0] };
    return name === 'DECIMAL' ? { name, precision: bounds[0], scale: bounds[1] ?? 0 } : { name, precision: bounds[0] };
  };
  const result = expression();
  if (at < tokens.length) throw new Error(`case not understood: ${source}`);
  return result;
}

const TYPE_NAMES: ReadonlyMap<string, SqlTypeName> = new Map<string, SqlTypeName>([
  ['BOOLEAN', 'BOOLEAN'],
  ['TINYINT', 'TINYINT'],
  ['SMALLINT', 'SMALLINT'],
  ['INT', 'INTEGER'],
  ['BIGINT', 'BIGINT'],
  ['REAL', 'REAL'],
  ['DOUBLE', 'DOUBLE'],
  ['DECIMAL', 'DECIMAL'],
  ['VARCHAR', 'VARCHAR'],
  ['CHAR', 'CHAR'],
  ['VARCHAR_IGNORECASE', 'VARCHAR_IGNORECASE'],
  ['DATE', 'DATE'],
  ['TIME', 'TIME'],
  ['TIMESTAMP', 'TIMESTAMP'],
  ['UUID', 'UUID'],
  ['BINARY', 'BINARY'],
  ['ARRAY', 'ARRAY'],
]);

function literal({ text, prefix }: Token): Typed {
  if (prefix === 'DATE') return { data: parseDate(text), type: { name: 'DATE' } };
  if (prefix === 'TIME') return { data: parseTime(text), type: { name: 'TIME' } };
  if (prefix === 'TIMESTAMP') return { data: parseTimestamp(text), type: { name: 'TIMESTAMP' } };
  if (prefix === 'X') return { data: Uint8Array.fromHex(text), type: { name: 'BINARY' } };
  return { data: text, type: { name: 'VARCHAR' } };
}

function number(text: string): Typed {
  if (!/^\d+$/.test(text) || BigInt(text) > 2n ** 63n)
    return { data: parseDecimal(text) ?? null, type: { name: 'DECIMAL' } };
  return { data: BigInt(text), type: { name: BigInt(text) > 2n ** 31n ? 'BIGINT' : 'INTEGER' } };
}

function negated({ data, type }: Typed): Typed {
  if (typeof data === 'bigint') return { data: -data, type };
  return { data: convert(`-${textOf(data ?? '', type)}`, { name: 'VARCHAR' }, type), type };
}

function concatenation(a: Typed, b: Typed): Typed {
  const text = (one: Typed): string => (one.data === null ? '' : textOf(one.data, one.type));
  return { data: text(a) + text(b), type: { name: 'VARCHAR' } };
}

/** One call as a front end sends it. */
export function callFunction(name: string, given: readonly Typed[]): Typed {
  const found = FUNCTIONS.get(name);
  if (found === undefined) throw sqlFailure('FUNCTION_NOT_FOUND', name);
  const { minArguments: least, maxArguments: most } = found;
  if (given.length < least || given.length > most) {
    const upper = most === Number.POSITIVE_INFINITY ? 2_147_483_647 : most;
    throw sqlFailure('PARAMETER_COUNT', name, least === upper ? String(least) : `${least}..${upper}`);
  }
  const types = given.map((one) => one.type);
  const constants = given.map((one) => one.data);
  const result = typeof found.result === 'function' ? found.result(types, constants) : found.result;
  if (found.nullOnNull && constants.includes(null)) return { data: null, type: result };
  const converted = convertArguments(found, given, constants);
  const data = found.compute(
    converted.map((one) => one.data),
    converted.map((one) => one.type),
    TEST_ENVIRONMENT,
  );
  return { data, type: result };
}

function convertArguments(found: SqlFunction, given: readonly Typed[], constants: readonly SqlData[]): Typed[] {
  const types = given.map((one) => one.type);
  const wanted =
    typeof found.argumentTypes === 'function' ? found.argumentTypes(types, constants) : found.argumentTypes;
  return given.map((one, at) => {
    const name = argumentTypeAt(wanted, at);
    return name === 'any' ? one : { data: convert(one.data, one.type, { name }), type: { name } };
  });
}

const SHOWN_TYPES: ReadonlyMap<SqlTypeName, string> = new Map<SqlTypeName, string>([['BINARY', 'VARBINARY']]);

/** Text of the answer to a case, as the Ignite node and its table in the tests show it. */
export function answer(source: string): string {
  try {
    const { data, type } = evaluate(source);
    if (data === null) return 'NULL';
    return `${SHOWN_TYPES.get(type.name) ?? type.name} => ${textOf(data, type).replaceAll('\n', '\\n')}`;
  } catch (failure) {
    if (failure instanceof SqlFailure) return `ERR ${failure.h2Code} ${failure.message}`;
    throw failure;
  }
}

/** Declares a test of all cases; each line of `table` is one. A backslash and n stand for a new line. */
export function checkReferenceCases(title: string, table: string): void {
  const cases = table.split('\n').filter((line) => line.includes(' => '));
  test(`${title} (${cases.length} cases)`, () => {
    const actual = cases.map((line) => {
      const source = line.slice(0, line.indexOf(' => '));
      return `${source} => ${answer(source)}`;
    });
    expect(actual).toEqual(cases.map((line) => line.replace(/ => NULL => null$/, ' => NULL')));
  });
}
