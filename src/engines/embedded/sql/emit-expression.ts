/** Writes expressions as SQLite text over storage values. */

import {
  anyPart,
  type Bound,
  type BoundAggregate,
  type BoundOrderItem,
  type BoundWindow,
  conjunctsOf,
  isConstant,
} from '../../../sql/binding/bound.ts';
import { DEFAULT_ESCAPE, parseLike, successor } from '../../../sql/functions/like.ts';
import type { SqlData, SqlType } from '../../../sql/types/sql-types.ts';
import { isAnyBeside, isIntegerType, isTextType } from '../../../sql/types/type-order.ts';
import { type AnyOperand, type AnyOperator, emitAnyComparison, emitAnyIn, wholeOf } from './emit-any.ts';
import { emitColumn } from './emit-column.ts';
import { emitJson, indexedPath } from './emit-json.ts';
import { type Emitter, type QueryForm, textLiteral } from './emitter.ts';
import { isIndexed, isSearchable } from './key-use.ts';
import { type NativeScalar, nativeName, nativeWindowName } from './native-function.ts';
import {
  aggregateFunction,
  arithmeticFunction,
  arrayFunction,
  callFunction,
  convertFunction,
  FOLD_CASE,
  INSTANT_KEY,
  likeFunction,
  negateFunction,
  perRow,
  rangeFunction,
  regexpFunction,
  SINGLE_ROW,
} from './native-functions.ts';
import { comparisonKey, hasComparisonKey, hasSameStorage, orderKey } from './storage-values.ts';

/** Longer chains of AND, OR and || are written as balanced trees, because SQLite limits the depth of expressions. */
const MAX_CHAIN = 50;

export function emitExpression(bound: Bound, out: Emitter): string {
  return out.bounded(emitUnbounded(bound, out));
}

function emitUnbounded(bound: Bound, out: Emitter): string {
  const emit = (part: Bound): string => emitExpression(part, out);
  switch (bound.kind) {
    case 'constant':
      return out.constant(bound.type, bound.data);
    case 'parameter':
      return out.argument(bound.index, bound.type, bound.compared, false);
    case 'column':
      return emitColumn(bound, out);
    case 'negate':
      return emitNegate(bound.type, emit(bound.operand), out);
    case 'arithmetic':
      return emitArithmetic(bound, out);
    case 'concat':
      return chain(bound.operands.map(emit), '||');
    case 'comparison':
      return emitComparison(bound, out, guardedSide);
    case 'quantified':
      return emitQuantified(bound, out);
    case 'and':
    case 'or':
      return emitLazily(bound, out);
    case 'not':
      return `(NOT ${emit(bound.operand)})`;
    case 'isNull':
      return `(${emit(bound.operand)} IS ${bound.negated ? 'NOT ' : ''}NULL)`;
    case 'inList':
      return emitInList(bound, out);
    case 'inQuery':
      return emitInQuery(bound, out);
    case 'like':
      return emitLike(bound, out);
    case 'regexp':
      return out.call(regexpFunction(bound.ignoreCase), [emit(bound.operand), emit(bound.pattern)]);
    case 'exists':
      return `(EXISTS (${out.query(bound.query, 'values')}))`;
    case 'case': {
      const branches = bound.branches.map(({ when, result }) => `WHEN ${emit(when)} THEN ${emit(result)}`);
      const otherwise = bound.otherwise === undefined ? '' : ` ELSE ${emit(bound.otherwise)}`;
      return `(CASE ${branches.join(' ')}${otherwise} END)`;
    }
    case 'convert':
      return emitConvert(bound.operand, bound.type, out);
    case 'call':
      return emitCall(bound, out);
    case 'aggregate':
      return emitAggregate(bound, out);
    case 'windowCall':
      return `${bound.name.toLowerCase()}(${bound.args.map(emit).join(', ')}) ${emitWindow(bound.over, out)}`;
    case 'subquery':
      return emitScalarQuery(bound, out);
    case 'row':
      return out.call(arrayFunction(bound.items.map((item) => item.type)), bound.items.map(emit));
  }
}

/** Records the function that comparison keys of the type need. */
export function needKey(type: SqlType, out: Emitter): void {
  if (type.name === 'VARCHAR_IGNORECASE') out.need(FOLD_CASE);
  if (type.name === 'TIMESTAMP_TZ') out.need(INSTANT_KEY);
}

/** Writes the comparison key of an expression. */
export function emitKey(bound: Bound, out: Emitter): string {
  if (!hasComparisonKey(bound.type)) return emitExpression(bound, out);
  if (isConstant(bound)) return out.constant(bound.type, bound.data, true);
  if (bound.kind === 'parameter') return out.argument(bound.index, bound.type, bound.compared, true);
  needKey(bound.type, out);
  return comparisonKey(bound.type, emitExpression(bound, out));
}

export function chain(parts: readonly string[], operator: string): string {
  if (parts.length <= MAX_CHAIN) return `(${parts.join(` ${operator} `)})`;
  const half = Math.ceil(parts.length / 2);
  return `(${chain(parts.slice(0, half), operator)} ${operator} ${chain(parts.slice(half), operator)})`;
}

/** Writes the order key of an expression, with which it sorts and compares as lower or higher. */
export function emitOrderKey(bound: Bound, out: Emitter): string {
  return hasComparisonKey(bound.type) ? emitKey(bound, out) : orderKey(bound.type, emitExpression(bound, out));
}

function emitNegate(type: SqlType, operand: string, out: Emitter): string {
  if (type.name === 'BOOLEAN') return `(NOT ${operand})`;
  if (type.name === 'TINYINT' || type.name === 'SMALLINT' || type.name === 'INTEGER') {
    return out.call(rangeFunction(type), [`-${operand}`]);
  }
  return out.call(negateFunction(type), [operand]);
}

function emitArithmetic(bound: Extract<Bound, { kind: 'arithmetic' }>, out: Emitter): string {
  const { operator, type } = bound;
  const [left, right] = [emitExpression(bound.left, out), emitExpression(bound.right, out)];
  const divides = operator === '/' || operator === '%';
  const whenNeeded = (native: NativeScalar): NativeScalar =>
    isConstant(bound.left) && isConstant(bound.right) ? perRow(native) : native;
  if (isIntegerType(type.name) && divides && isConstant(bound.right)) {
    // Division by a constant other than 0 and -1 cannot fail or overflow.
    const divisor = bound.right.data;
    if (typeof divisor === 'bigint' && divisor !== 0n && divisor !== -1n) return `(${left} ${operator} ${right})`;
  }
  if (isIntegerType(type.name) && type.name !== 'BIGINT' && !divides) {
    return out.call(whenNeeded(rangeFunction(type)), [`${left} ${operator} ${right}`]);
  }
  return out.call(whenNeeded(arithmeticFunction(operator, type, bound.wraps)), [left, right]);
}

/** Writes one side of a comparison. `emit` writes its comparison key. */
type EmitSide = (side: Bound, other: Bound, emit: typeof emitKey, out: Emitter) => string;

/**
 * Writes a condition of WHERE or ON, where SQLite evaluates AND and OR lazily. The sides of comparisons are bare, so
 * that it can use an index on them.
 */
export function emitCondition(bound: Bound, out: Emitter): string {
  if (bound.kind === 'comparison') return emitComparison(bound, out, bareSide);
  if (bound.kind !== 'and' && bound.kind !== 'or') return emitExpression(bound, out);
  const operands = bound.kind === 'and' ? conjunctsOf(bound) : bound.operands;
  const parts = operands.map((operand) => emitCondition(operand, out));
  return chain(parts, bound.kind.toUpperCase());
}

/**
 * Writes AND or OR as a value. SQLite then evaluates both operands, so an operand that may fail is put into a CASE that
 * evaluates it only if the preceding ones do not decide. These are written twice, so they must be simple.
 */
function emitLazily(bound: Extract<Bound, { kind: 'and' | 'or' }>, out: Emitter): string {
  const { kind, operands } = bound;
  const [first, ...others] = operands;
  if (first === undefined || operands.length > MAX_CHAIN || !isSimple(first) || !others.some(mayFail)) {
    const parts = operands.map((operand) => emitExpression(operand, out));
    return chain(parts, kind.toUpperCase());
  }
  const test = emitExpression(first, out);
  const [second, ...rest] = others;
  if (second === undefined) return test;
  const last = rest.length === 0 ? second : ({ ...bound, operands: others } as const);
  const both = `(${test} ${kind.toUpperCase()} ${emitExpression(last, out)})`;
  return `(CASE WHEN ${kind === 'and' ? `NOT ${test} THEN 0` : `${test} THEN 1`} ELSE ${both} END)`;
}

function isSimple(bound: Bound): boolean {
  return !anyPart(
    bound,
    (part) => !['constant', 'column', 'parameter', 'comparison', 'isNull'].includes(part.kind) || mayFail(part),
  );
}

/** Reports whether the evaluation can fail. */
function mayFail(bound: Bound): boolean {
  return anyPart(bound, (part) => {
    if (part.kind === 'convert') return !hasSameStorage(part.operand.type, part.type);
    // The value is read from a column.
    if (indexedPath(part) !== undefined) return false;
    return ['arithmetic', 'negate', 'call', 'subquery'].includes(part.kind);
  });
}

/** Reports whether the side is a constant that cannot be converted: others are converted before the statement runs. */
function isInvalidConstant(side: Bound): boolean {
  return side.kind === 'convert' && !side.written && isConstant(side.operand);
}

const bareSide: EmitSide = (side, other, emit, out) =>
  isInvalidConstant(side) || isOfOneRow(side, other) ? guardedSide(side, other, emit, out) : emit(side, out);

/** Returns whether both sides are columns of one row, so that neither can be searched with the other. */
function isOfOneRow(side: Bound, other: Bound): boolean {
  const given = side.kind === 'convert' ? side.operand : side;
  return given.kind === 'column' && other.kind === 'column' && given.source === other.source;
}

const TEMPORAL: ReadonlySet<string> = new Set(['DATE', 'TIME', 'TIMESTAMP']);

/**
 * Returns whether a conversion, which may fail, waits for the other side. Conversions between number types never fail.
 */
function assumesSoleWriter({ operand, type }: Extract<Bound, { kind: 'convert' }>): boolean {
  if (isTextType(operand.type.name) || isConstant(operand)) return true;
  return TEMPORAL.has(type.name) ? !TEMPORAL.has(operand.type.name) : type.name === 'UUID' || type.name === 'BINARY';
}

/**
 * As in Ignite, values whose conversion may fail are converted only if the other side is not NULL: NULL = 'x' is
 * NULL, not an error.
 */
const guardedSide: EmitSide = (side, other, emit, out) => {
  const text = emit(side, out);
  if (side.kind !== 'convert' || side.written) return text;
  if (!assumesSoleWriter(side)) return text;
  if (isConstant(other) || other.kind === 'parameter') return text;
  const value = other.kind === 'convert' && !other.written ? other.operand : other;
  return `CASE WHEN ${emitExpression(value, out)} IS NOT NULL THEN ${text} END`;
};

function emitComparison(bound: Extract<Bound, { kind: 'comparison' }>, out: Emitter, emitOne: EmitSide): string {
  const { operator, left, right } = bound;
  if (isAnyBeside(left.type, right.type)) return emitWithAny(operator, left, right, out);
  if (operator === 'is' || operator === 'is not') {
    return `(${emitKey(left, out)} ${operator === 'is' ? 'IS' : 'IS NOT'} ${emitKey(right, out)})`;
  }
  const isOrder = operator.includes('<') !== operator.includes('>');
  const emit = isOrder ? emitOrderKey : emitKey;
  const second = emitOne(right, left, emit, out);
  const isBare = emitOne === bareSide && isSearchable(left, right, operator === '=');
  const guarded = isBare ? second : whenNotNull(left, right, second, out);
  const text = `${emitOne(left, right, emit, out)} ${operator} ${guarded}`;
  const narrowed = decimalRange(bound, out);
  return narrowed === undefined ? `(${text})` : `(${text} AND ${narrowed})`;
}

/** Writes a comparison of a value of any type with one of a scalar type. */
function emitWithAny(operator: AnyOperator, any: Bound, other: Bound, out: Emitter): string {
  const isOrder = operator.includes('<') !== operator.includes('>');
  const text = isOrder ? emitOrderKey(other, out) : emitKey(other, out);
  needKey(other.type, out);
  return emitAnyComparison(
    operator,
    { any: operandOfAny(any, out), type: other.type, text, known: constantOf(other) },
    out,
  );
}

function constantOf(bound: Bound): SqlData {
  return isConstant(bound) ? bound.data : null;
}

/** Returns a value of any type, with its text unless it is an entry's key or value. */
function operandOfAny(bound: Bound, out: Emitter): AnyOperand {
  return { whole: wholeOf(bound), emit: () => emitExpression(bound, out) };
}

/**
 * Writes the second operand of a comparison. As in Ignite, one that may fail is evaluated only if the first
 * one is not NULL.
 */
function whenNotNull(first: Bound, second: Bound, text: string, out: Emitter): string {
  if (text.startsWith('CASE WHEN ') || !mayFail(second)) return text;
  const test = nullTest(first, out);
  return test === undefined ? text : `CASE WHEN ${test} THEN ${text} END`;
}

/**
 * Writes a test that is false only if the expression is NULL. If possible, it tests the operands that make the
 * expression NULL rather than the expression itself. Returns undefined for constants and for expressions that are not
 * written twice.
 */
function nullTest(bound: Bound, out: Emitter): string | undefined {
  if (bound.kind === 'constant') return undefined;
  if (bound.kind === 'convert' || bound.kind === 'negate') return nullTest(bound.operand, out);
  if (bound.kind === 'arithmetic') return nullTests([bound.left, bound.right], out);
  if (bound.kind === 'concat') return nullTests(bound.operands, out);
  if (bound.kind === 'call' && bound.function.nullOnNull) return nullTests(bound.args, out);
  return anyPart(bound, (part) => !isCopied(part)) ? undefined : `${emitExpression(bound, out)} IS NOT NULL`;
}

function nullTests(operands: readonly Bound[], out: Emitter): string | undefined {
  const tests = new Set(operands.flatMap((operand) => nullTest(operand, out) ?? []));
  return tests.size === 0 ? undefined : chain([...tests], 'AND');
}

/** Parts of expressions that may be written twice. Others cost more, or themselves write an operand twice. */
const COPIED: ReadonlySet<Bound['kind']> = new Set<Bound['kind']>([
  'constant',
  'parameter',
  'column',
  'negate',
  'arithmetic',
  'concat',
  'isNull',
  'case',
  'convert',
  'call',
]);

function isCopied(part: Bound): boolean {
  return COPIED.has(part.kind) || (part.kind === 'comparison' && !mayFail(part));
}

/**
 * Writes a range of storage values that contains every decimal which can satisfy the comparison, so that SQLite can use
 * an index on the column: every form of a number is its comparison key followed by zeros.
 */
function decimalRange(bound: Extract<Bound, { kind: 'comparison' }>, out: Emitter): string | undefined {
  const { left, right } = bound;
  const isStored = (left.kind === 'column' && left.source.kind === 'table') || indexedPath(left) !== undefined;
  if (left.type.name !== 'DECIMAL' || !isStored) return undefined;
  if (!isConstant(right) && right.kind !== 'parameter') return undefined;
  const key = emitKey(right, out);
  const stored = emitExpression(left, out);
  const ranges: Readonly<Record<string, string>> = {
    '=': `${stored} >= ${key} AND ${stored} < ${key} || ':'`,
    '<': `${stored} < ${key}`,
    '<=': `${stored} < ${key} || ':'`,
    '>': `${stored} > ${key}`,
    '>=': `${stored} >= ${key}`,
  };
  return ranges[bound.operator];
}

function emitQuantified(bound: Extract<Bound, { kind: 'quantified' }>, out: Emitter): string {
  const rows = out.query(bound.query, 'keys');
  const test = `(SELECT ${emitEach(bound, out)} AS r FROM (${rows}))`;
  const decisive = bound.quantifier === 'ALL' ? 'WHEN min(r) = 0 THEN 0' : 'WHEN max(r) = 1 THEN 1';
  const open = bound.quantifier === 'ALL' ? 1 : 0;
  return `(SELECT CASE ${decisive} WHEN count(r) < count(*) THEN NULL ELSE ${open} END FROM ${test})`;
}

/** Writes the comparison with a row `c0` of a query. */
function emitEach({ left, operator, query }: Extract<Bound, { kind: 'quantified' }>, out: Emitter): string {
  const type = query.columns[0]?.type;
  if (type === undefined || !isAnyBeside(left.type, type)) return `${emitKey(left, out)} ${operator} c0`;
  return emitAnyComparison(operator, { any: operandOfAny(left, out), type, text: 'c0' }, out);
}

function emitInList(bound: Extract<Bound, { kind: 'inList' }>, out: Emitter): string {
  const items = bound.items.map((item) => {
    const text = guardedSide(item, bound.operand, emitKey, out);
    return isSearchable(bound.operand, item, true) ? text : whenNotNull(bound.operand, item, text, out);
  });
  return `(${emitKey(bound.operand, out)} IN (${items.join(', ')}))`;
}

function emitInQuery(bound: Extract<Bound, { kind: 'inQuery' }>, out: Emitter): string {
  const rows = out.query(bound.query, 'keys');
  if (bound.operand.kind === 'row') {
    return `((${bound.operand.items.map((item) => emitKey(item, out)).join(', ')}) IN (${rows}))`;
  }
  const type = bound.query.columns[0]?.type;
  if (type !== undefined && isAnyBeside(bound.operand.type, type))
    return emitAnyIn({ any: operandOfAny(bound.operand, out), type, text: rows }, out);
  return `(${emitKey(bound.operand, out)} IN (${rows}))`;
}

/** Writes LIKE. Simple constant patterns need no function, and can use an index. */
function emitLike(bound: Extract<Bound, { kind: 'like' }>, out: Emitter): string {
  const { pattern, escapedBy } = bound;
  const operand = emitExpression(bound.operand, out);
  if (!bound.ignoreCase && isConstant(pattern) && typeof pattern.data === 'string') {
    const known = escapedBy === undefined || isConstant(escapedBy);
    const character = escapedBy === undefined ? DEFAULT_ESCAPE : isConstant(escapedBy) ? String(escapedBy.data) : '';
    const simple = known && character.length <= 1 ? emitSimpleLike(operand, pattern.data, character, out) : undefined;
    if (simple !== undefined) return simple;
  }
  const escapeText = escapedBy === undefined ? textLiteral(DEFAULT_ESCAPE) : emitExpression(escapedBy, out);
  const patternText = whenNotNull(bound.operand, pattern, emitExpression(pattern, out), out);
  const matches = out.call(likeFunction(bound.ignoreCase), [operand, patternText, escapeText]);
  if (bound.ignoreCase || escapedBy !== undefined || pattern.kind !== 'parameter' || !isIndexed(bound.operand))
    return matches;
  const low = out.bind({ kind: 'prefix', index: pattern.index, bound: 'low' });
  const high = out.bind({ kind: 'prefix', index: pattern.index, bound: 'high' });
  return `(${operand} >= ${low} AND ${operand} < ${high} AND ${matches})`;
}

function emitSimpleLike(operand: string, pattern: string, escapedBy: string, out: Emitter): string | undefined {
  const parts = parseLike(pattern, escapedBy === '' ? undefined : escapedBy);
  if (parts === undefined) return undefined;
  const [first, second, third, ...rest] = parts;
  if (rest.length > 0) return undefined;
  if (first === undefined) return `(${operand} = '')`;
  if (first.kind === 'text' && second === undefined) return `(${operand} = ${out.literal(first.text)})`;
  if (first.kind === 'text' && second?.kind === 'any' && third === undefined) {
    const next = successor(first.text);
    return next === undefined
      ? undefined
      : `(${operand} >= ${out.literal(first.text)} AND ${operand} < ${out.literal(next)})`;
  }
  // In Ignite NULL is not LIKE '%'.
  if (first.kind === 'any' && second === undefined) return `(${operand} IS NOT NULL)`;
  if (first.kind === 'any' && second?.kind === 'text' && third?.kind === 'any') {
    return `(instr(${operand}, ${out.literal(second.text)}) > 0)`;
  }
  return undefined;
}

export function emitConvert(operand: Bound, to: SqlType, out: Emitter, column?: string): string {
  const from = operand.type;
  const text = emitExpression(operand, out);
  if (hasSameStorage(from, to)) return text;
  if (to.name === 'BOOLEAN' && isIntegerType(from.name)) return `(${text} <> 0)`;
  if (to.name === 'VARCHAR' && to.precision === undefined && isIntegerType(from.name)) return `CAST(${text} AS TEXT)`;
  const native = convertFunction(from, to, { source: onlyColumn(operand), column });
  // Only a conversion that fails has not been folded.
  return out.call(isConstant(operand) ? perRow(native) : native, [text]);
}

/** Returns the name of the table column that an expression reads, if it is the only one. */
function onlyColumn(bound: Bound): string | undefined {
  const names = new Set<string>();
  let named = true;
  anyPart(bound, (part) => {
    if (part.kind === 'column' && part.source.kind === 'table') names.add(part.name);
    else if (part.kind === 'column' || part.kind === 'subquery') named = false;
    return false;
  });
  const [name, other] = names;
  return named && other === undefined ? name : undefined;
}

function emitCall(bound: Extract<Bound, { kind: 'call' }>, out: Emitter): string {
  const json = emitJson(bound, out);
  if (json !== undefined) return json;
  const args = bound.args.map((arg) => emitExpression(arg, out));
  const native = bound.function.emit?.(
    args,
    bound.args.map((arg) => arg.type),
  );
  if (native !== undefined) return `(${native})`;
  const call = callFunction(bound);
  return out.call(bound.function.cheap && bound.args.every(isConstant) ? perRow(call) : call, args);
}

function emitAggregate(bound: BoundAggregate, out: Emitter): string {
  if (bound.known !== undefined) return out.constant(bound.type, bound.known.data);
  const over = bound.over === undefined ? '' : ` ${emitWindow(bound.over, out)}`;
  const filter = bound.filter === undefined ? '' : ` FILTER (WHERE ${emitExpression(bound.filter, out)})`;
  if (bound.star) return `count(*)${filter}${over}`;
  const native = nativeAggregate(bound, emitArguments(bound, bound.args, out));
  if (native !== undefined && filter === '' && over === '' && bound.orderBy.length === 0) return `(${native})`;
  const { function: fold, args } = aggregateFunction(bound);
  out.need(fold);
  const distinct = bound.distinct ? 'DISTINCT ' : '';
  const order = bound.orderBy.length === 0 ? '' : ` ORDER BY ${emitOrder(bound.orderBy, out)}`;
  const name = bound.over === undefined ? nativeName(fold) : nativeWindowName(fold);
  const texts = emitArguments(bound, args, out).join(', ');
  return `${name}(${distinct}${texts}${order})${filter}${over}`;
}

function emitArguments(bound: BoundAggregate, args: readonly Bound[], out: Emitter): readonly string[] {
  const pin = out.pinOf(bound);
  const texts = args.map((arg) => emitExpression(arg, out));
  return pin === undefined ? texts : texts.map((text) => `iif(${pin}.own, NULL, ${text})`);
}

/** Writes SUM and AVG of doubles with SQLite's functions. A NaN, which they would skip, makes the result NaN. */
function nativeAggregate(bound: BoundAggregate, args: readonly string[]): string | undefined {
  const [argument] = args;
  const [type] = bound.args.map((arg) => arg.type);
  if (
    argument !== undefined &&
    !bound.distinct &&
    type?.name === 'DOUBLE' &&
    (bound.name === 'SUM' || bound.name === 'AVG')
  ) {
    return `CASE WHEN max(${argument}) = 'NaN' THEN 'NaN' ELSE ${bound.name.toLowerCase()}(${argument}) END`;
  }
  return bound.aggregate.emit?.(
    args,
    bound.args.map((arg) => arg.type),
    bound.distinct,
  );
}

export function emitOrder(items: readonly BoundOrderItem[], out: Emitter): string {
  return items.map((item) => `${emitOrderKey(item.expression, out)}${direction(item)}`).join(', ');
}

/** Writes DESC and NULLS. As in Ignite, ascending order with NULLs first is SQLite's default. */
export function direction(item: {
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}): string {
  const nulls = item.nulls === undefined ? '' : ` NULLS ${item.nulls.toUpperCase()}`;
  return `${item.descending ? ' DESC' : ''}${nulls}`;
}

function emitWindow({ partitionBy, orderBy, frame }: BoundWindow, out: Emitter): string {
  const parts: string[] = [];
  if (partitionBy.length > 0) parts.push(`PARTITION BY ${partitionBy.map((part) => emitKey(part, out)).join(', ')}`);
  if (orderBy.length > 0) parts.push(`ORDER BY ${emitOrder(orderBy, out)}`);
  if (frame !== undefined) {
    const bound = (of: { readonly kind: string; readonly offset: Bound | undefined }): string =>
      `${of.offset === undefined ? '' : `${emitExpression(of.offset, out)} `}${of.kind.toUpperCase()}`;
    const range =
      frame.end === undefined ? bound(frame.start) : `BETWEEN ${bound(frame.start)} AND ${bound(frame.end)}`;
    parts.push(`${frame.unit} ${range}${frame.exclude === undefined ? '' : ` EXCLUDE ${frame.exclude}`}`);
  }
  return `OVER (${parts.join(' ')})`;
}

function emitScalarQuery(bound: Extract<Bound, { kind: 'subquery' }>, out: Emitter): string {
  const { query } = bound;
  const form: QueryForm = 'values';
  const rows = out.query(query, form);
  const [only] = query.columns;
  const single = query.columns.length === 1 && only !== undefined;
  const columns = query.columns.map((_, at) => `c${at}`);
  const value = single ? 'c0' : out.call(arrayFunction(query.columns.map((column) => column.type)), columns);
  if (returnsOneRow(bound)) return single ? `(${rows})` : `(SELECT ${value} FROM (${rows}))`;
  return `(SELECT ${out.call(SINGLE_ROW, ['count(*)', 'max(c0)'])} FROM (SELECT ${value} AS c0 FROM (${rows}) LIMIT 2))`;
}

/** Reports whether a subquery returns at most one row. */
function returnsOneRow({ query }: Extract<Bound, { kind: 'subquery' }>): boolean {
  const { body, limit } = query;
  if (limit !== undefined && isConstant(limit) && (limit.data === 0n || limit.data === 1n)) return true;
  if (body.kind === 'values') return body.rows.length === 1;
  if (body.kind !== 'select') return false;
  return body.groupBy.length === 0 && (body.aggregated || body.from.length === 0);
}
