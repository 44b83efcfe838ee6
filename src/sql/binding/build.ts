/**
 * Builds bound expressions by Ignite's rules: determines the common type of operands, adds conversions and folds
 * constants. Every function may throw an SqlFailure, because folding evaluates.
 */

import { sqlFailure } from '../../base/sql-errors.ts';
import { argumentTypeAt, DECIMAL, VARCHAR } from '../functions/definition.ts';
import type { ArithmeticOperator, ComparisonOperator } from '../syntax/ast.ts';
import { compareData } from '../types/compare.ts';
import { divideRounded, isDecimal, powerOfTen } from '../types/decimal.ts';
import { calculate, hasArithmetic, negated } from '../types/operations.ts';
import type { FunctionEnvironment, SqlData, SqlFunction, SqlType, SqlTypeName } from '../types/sql-types.ts';
import { ADD_TIME, SCALE_TIME, SUBTRACT_TIME } from '../types/time-arithmetic.ts';
import {
  asDeclared,
  higherType,
  higherTypeOfAll,
  isAnyBeside,
  isIntegerType,
  isNumericType,
  rowType,
  typeTitle,
} from '../types/type-order.ts';
import {
  BOOLEAN,
  type Bound,
  type BoundConstant,
  constant,
  isConstant,
  isNullConstant,
  isOpen,
  isUnknown,
  NULL_TYPE,
} from './bound.ts';
import { and, isNull, not, or } from './build-logic.ts';
import {
  coerce,
  coerceCompared,
  coerceComparedWhenNeeded,
  condition,
  operandOf,
  operandWhenNeeded,
  withoutBounds,
} from './coerce.ts';
import { folded, foldedConstant, isFolded, isSmall, nullOf, unknownTruth } from './fold.ts';

/** The execution context of deterministic functions, which do not use it. */
const NO_ENVIRONMENT: FunctionEnvironment = { nowMs: 0, user: '', schema: '', random: () => 0, seed: () => {} };

export function negate(operand: Bound): Bound {
  const typed = isUnknown(operand) ? coerce(operand, DECIMAL) : operand;
  // Negating a BOOLEAN with a minus sign is NOT.
  if (typed.type.name === 'BOOLEAN') return isConstant(typed) && typed.data !== null ? not(typed) : negative(typed);
  if (!isConstant(typed)) return negative(typed);
  return folded([operand], typed.type, () => negated(typed.data, typed.type)) ?? negative(typed);
}

function negative(operand: Bound): Bound {
  return isNullConstant(operand) ? operand : { kind: 'negate', type: operand.type, operand };
}

const TEMPORAL: ReadonlySet<SqlTypeName> = new Set(['DATE', 'TIME', 'TIMESTAMP']);

/** Builds an operation. `wraps` is the parameter of `calculate`. */
export function arithmetic(
  operator: ArithmeticOperator,
  first: Bound,
  second: Bound,
  dates: DateFunctions,
  wraps = false,
): Bound {
  const [left, right] = [withFoldedRow(timeAsDeclared(first)), withFoldedRow(timeAsDeclared(second))];
  const [l, r] = [left.type.name, right.type.name];
  const bothOpen = (l === 'UNKNOWN' && r === 'UNKNOWN') || (l === 'NULL' && r === 'NULL');
  if (!bothOpen && (TEMPORAL.has(l) || TEMPORAL.has(r))) {
    return dateArithmetic(operator, left, right, dates);
  }
  const type = bothOpen ? DECIMAL : unbounded(higherType(left.type, right.type));
  if (isConstant(left) && isConstant(right) && (left.data === null || right.data === null))
    return nullOf(type, [left, right]);
  const convertOperand = isFolded(left) && isFolded(right) ? operandOf : operandWhenNeeded;
  // Operands that are not NULL fail, regardless of their values.
  const operand = (bound: Bound): Bound =>
    hasArithmetic(type) || isUnknown(bound) ? convertOperand(bound, type) : bound;
  const [a, b] = [operand(left), operand(right)];
  if (isNullConstant(a) || isNullConstant(b)) return nullOf(type, [left, right]);
  if (isConstant(a) && isConstant(b)) {
    const result = folded([left, right], type, () => calculate(operator, a.data, b.data, type, wraps));
    if (result !== undefined) return result;
  }
  return { kind: 'arithmetic', type, operator, left: a, right: b, ...(wraps && { wraps }) };
}

/** Converts a TIME that is declared as a timestamp, which DATEADD returns. */
function timeAsDeclared(bound: Bound): Bound {
  return bound.type.name === 'TIME' ? coerce(bound, asDeclared(bound.type)) : bound;
}

/** Returns the type without bounds. Decimal results have the scale that the computation yields. */
function unbounded(type: SqlType): SqlType {
  return type.name === 'DECIMAL' ? DECIMAL : { name: type.name };
}

/** The functions that date arithmetic is built from. */
export interface DateFunctions {
  readonly dateAdd: SqlFunction;
  readonly dateDiff: SqlFunction;
}

const DAY = constant(VARCHAR, 'DAY');
const SECOND = constant(VARCHAR, 'SECOND');
const DAY_SECONDS = constant({ name: 'INTEGER' }, 86_400n);

/** Returns the title of the type that Ignite declares for the operand. */
function declaredTitle(bound: Bound): string {
  return typeTitle(asDeclared(bound.type).name);
}

/** Orders two operands by the types that Ignite declares. */
function datesInOrder(low: Bound, high: Bound): readonly Bound[] {
  return asDeclared(high.type).name === higherType(low.type, high.type).name ? [low, high] : [high, low];
}

function dateArithmetic(operator: ArithmeticOperator, left: Bound, right: Bound, dates: DateFunctions): Bound {
  const [l, r] = [left.type.name, right.type.name];
  const rejectOperands = (): never => {
    throw sqlFailure('FEATURE_UNSUPPORTED', `${declaredTitle(left)} ${operator} ${declaredTitle(right)}`);
  };
  if (operator === '+') {
    // Order the operands by type: a number, a TIME, then dates.
    const swap = r !== higherType(left.type, right.type).name;
    const [low, high] = swap ? [right, left] : [left, right];
    if (isIntegerType(low.type.name)) return call('DATEADD', dates.dateAdd, [DAY, low, high]);
    if (isNumericType(low.type.name)) return call('DATEADD', dates.dateAdd, [SECOND, inSeconds(low, dates), high]);
    if (low.type.name !== 'TIME') {
      if (!isUnknown(low))
        throw sqlFailure('FEATURE_UNSUPPORTED', datesInOrder(low, high).map(declaredTitle).join(' + '));
      return call('DATEADD', dates.dateAdd, [DAY, coerce(low, { name: 'INTEGER' }), high]);
    }
    if (high.type.name === 'TIME') return timeSum('+', low, high);
    return deferred(call('ADD_TIME', ADD_TIME, [high, low]));
  }
  if (operator === '-') {
    if (l === 'TIME') return r === 'TIME' ? timeSum('-', left, right) : rejectOperands();
    if (l !== 'DATE' && l !== 'TIMESTAMP') return rejectOperands();
    if (isIntegerType(r)) return call('DATEADD', dates.dateAdd, [DAY, negate(right), left]);
    if (isNumericType(r)) return call('DATEADD', dates.dateAdd, [SECOND, negate(inSeconds(right, dates)), left]);
    if (r === 'TIME') return deferred(call('SUBTRACT_TIME', SUBTRACT_TIME, [left, right]));
    if (r === 'DATE' || r === 'TIMESTAMP') return call('DATEDIFF', dates.dateDiff, [DAY, right, left]);
    return isUnknown(right)
      ? call('DATEADD', dates.dateAdd, [DAY, negate(coerce(right, { name: 'INTEGER' })), left])
      : rejectOperands();
  }
  if (operator === '*' || operator === '/') {
    const sign = constant(VARCHAR, operator);
    if (l === 'TIME') return deferred(call('SCALE_TIME', SCALE_TIME, [sign, left, right]));
    if (r === 'TIME' && operator === '*') return deferred(call('SCALE_TIME', SCALE_TIME, [sign, right, left]));
  }
  return rejectOperands();
}

/** Marks a constant that Ignite computes only at run time: it does not fold sums with a TIME. */
function deferred(bound: Bound): Bound {
  return isConstant(bound) ? { ...bound, deferred: true } : bound;
}

function inSeconds(days: Bound, dates: DateFunctions): Bound {
  return arithmetic('*', days, DAY_SECONDS, dates);
}

function timeSum(operator: '+' | '-', left: Bound, right: Bound): Bound {
  const type: SqlType = { name: 'TIME' };
  if (!isConstant(left) || !isConstant(right)) return { kind: 'arithmetic', type, operator, left, right };
  return deferred(constant(type, calculate(operator, left.data, right.data, type)));
}

export function concat(operands: readonly Bound[]): Bound {
  const texts = operands.map((operand) => coerce(operand, VARCHAR));
  if (texts.some(isNullConstant)) return nullOf(VARCHAR, operands);
  if (texts.every(isConstant) && isSmall(texts)) {
    return foldedConstant(operands, VARCHAR, texts.map((text) => (isConstant(text) ? String(text.data) : '')).join(''));
  }
  return { kind: 'concat', type: VARCHAR, operands: texts };
}

const FLIPPED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

export function comparison(operator: ComparisonOperator | 'is' | 'is not', left: Bound, right: Bound): Bound {
  if (left.kind === 'row' && right.kind === 'row') {
    const compared = rowComparison(operator, left.items, right.items);
    // Ignite folds only rows of constants, even if the first items decide.
    return [...left.items, ...right.items].every(isFolded) ? compared : deferred(compared);
  }
  if (left.kind === 'row' && isSingle(right)) return whenKnown(right, comparison(operator, left, row([right])));
  if (right.kind === 'row' && isSingle(left)) return whenKnown(left, comparison(operator, row([left]), right));
  const isTest = operator === 'is' || operator === 'is not';
  if (right.type.isAny === true && left.type.isAny !== true)
    return comparison(isTest ? operator : FLIPPED[operator], right, left);
  if (!isTest && (isNullConstant(left) || isNullConstant(right))) return unknownTruth([left, right]);
  if (!isTest && right.kind === 'column' && (isConstant(left) || left.kind === 'parameter'))
    return comparison(FLIPPED[operator], right, left);
  // A value of any type is compared as the other operand's type.
  if (isAnyBeside(left.type, right.type)) return { kind: 'comparison', type: BOOLEAN, operator, left, right };
  const [a, b] = coerceToCommonType(left, right);
  if (isConstant(a) && isConstant(b)) return foldedConstant([left, right], BOOLEAN, evaluateComparison(operator, a, b));
  return { kind: 'comparison', type: BOOLEAN, operator, left: a, right: b };
}

/** Reports whether a value that is compared with a row counts as a one-element row. */
function isSingle({ type: { name } }: Bound): boolean {
  return !['ARRAY', 'NULL', 'UNKNOWN'].includes(name);
}

function whenKnown(value: Bound, result: Bound): Bound {
  return caseOf(undefined, [{ when: isNull(value, true), result }], undefined);
}

/** Converts both sides to the type of their comparison. */
function coerceToCommonType(left: Bound, right: Bound): readonly [Bound, Bound] {
  if (isComparableInteger(left, right)) return [left, asComparableInteger(right)];
  if (isComparableInteger(right, left)) return [asComparableInteger(left), right];
  const type = isUnknown(left) && isUnknown(right) ? VARCHAR : higherType(left.type, right.type);
  // Ignite converts a constant while parsing only if it is compared with a constant or a column.
  const isKnown = left.kind === 'column' || right.kind === 'column' || (isFolded(left) && isFolded(right));
  const convertSide = isKnown ? coerceCompared : coerceComparedWhenNeeded;
  return [convertSide(left, type), convertSide(right, type)];
}

function isComparableInteger(integer: Bound, number: Bound): number is BoundConstant {
  return (
    isIntegerType(integer.type.name) && isConstant(number) && number.type.name === 'DECIMAL' && !isConstant(integer)
  );
}

/**
 * Returns a number that compares with every integer as the decimal does, and natively in SQLite, so that an index on
 * integers applies.
 */
function asComparableInteger(bound: BoundConstant): BoundConstant {
  const { data } = bound;
  if (!isDecimal(data)) return bound;
  const whole =
    data.scale <= 0
      ? data.unscaled * powerOfTen(-data.scale)
      : divideRounded(data.unscaled, powerOfTen(data.scale), 'floor');
  const exact = data.scale <= 0 || whole * powerOfTen(data.scale) === data.unscaled;
  if (exact && BigInt.asIntN(64, whole) === whole) return constant({ name: 'BIGINT' }, whole);
  const between = whole > 2n ** 50n || whole < -(2n ** 50n) ? Number(whole) : Number(whole) + 0.5;
  return constant({ name: 'DOUBLE' }, between);
}

function evaluateComparison(
  operator: ComparisonOperator | 'is' | 'is not',
  a: BoundConstant,
  b: BoundConstant,
): boolean {
  if (operator === 'is' || operator === 'is not') {
    const same = a.data === null || b.data === null ? a.data === b.data : compareData(a.data, b.data, b.type) === 0;
    return same === (operator === 'is');
  }
  const type = a.type.name === b.type.name ? a.type : b.type;
  return satisfies(operator, compareData(a.data, b.data, type));
}

function satisfies(operator: ComparisonOperator, order: number): boolean {
  switch (operator) {
    case '=':
      return order === 0;
    case '<>':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/**
 * Compares rows item by item, with NULL below all values. The first difference decides, or else the lengths; the result
 * is never NULL.
 */
function rowComparison(
  operator: ComparisonOperator | 'is' | 'is not',
  left: readonly Bound[],
  right: readonly Bound[],
): Bound {
  const longer = left.length - right.length;
  const pairs = left.flatMap((item, at) => {
    const other = right[at];
    return other === undefined ? [] : [[item, other] as const];
  });
  const isEquality = operator === '=' || operator === 'is';
  if (isEquality || operator === '<>' || operator === 'is not') {
    if (longer !== 0) return constant(BOOLEAN, !isEquality);
    return isEquality
      ? and(pairs.map(([a, b]) => comparison('is', a, b)))
      : or(pairs.map(([a, b]) => comparison('is not', a, b)));
  }
  const ascending = operator === '<' || operator === '<=';
  const alternatives = pairs.map(([a, b], at) => {
    const before = pairs.slice(0, at).map(([c, d]) => comparison('is', c, d));
    return and([...before, ascending ? isBelow(a, b) : isBelow(b, a)]);
  });
  const equal = pairs.map(([a, b]) => comparison('is', a, b));
  const holdsInTheEnd = longer === 0 ? operator.endsWith('=') : ascending === longer < 0;
  return or(holdsInTheEnd ? [...alternatives, and(equal)] : alternatives);
}

function isBelow(a: Bound, b: Bound): Bound {
  const less = isNullConstant(a) || isNullConstant(b) ? constant(BOOLEAN, false) : comparison('<', a, b);
  return or([and([isNull(a, false), isNull(b, true)]), and([isNull(a, true), isNull(b, true), less])]);
}

export function between(operand: Bound, low: Bound, high: Bound): Bound {
  return and([comparison('<=', low, operand), comparison('>=', high, operand)]);
}

export interface CaseBranch {
  /** A condition, or the value that a simple CASE compares its operand with. */
  readonly when: Bound;
  readonly result: Bound;
}

export function caseOf(
  operand: Bound | undefined,
  branches: readonly CaseBranch[],
  otherwise: Bound | undefined,
): Bound {
  const results = [...branches.map((branch) => branch.result), ...(otherwise === undefined ? [] : [otherwise])];
  const type = commonType(results);
  const all = branches.map(({ when, result }) => ({
    when: operand === undefined ? condition(when) : comparison('=', operand, when),
    written: when,
    result: operandWhenNeeded(result, type),
  }));
  const decided = all.findIndex(({ when }) => isConstant(when) && when.data === true);
  const reached = all.slice(0, decided < 0 ? undefined : decided).filter(({ when }) => !isConstant(when));
  const last = decided < 0 ? otherwise : branches[decided]?.result;
  // A decimal's scale is the maximum over all results, even those that no row can have.
  const isReduced = type.name !== 'DECIMAL' || reached.length === all.length;
  if (reached.length > 0 || !(isReduced || last === undefined || isConstant(last))) {
    const [shown, ending] = isReduced ? [reached, last] : [all, otherwise];
    const other = ending && operandWhenNeeded(ending, type);
    return { kind: 'case', type: asComputed(type), operand, branches: shown, otherwise: other };
  }
  const tests = branches.map((branch) => branch.when);
  const isKnown = [...results, ...tests, ...(operand === undefined ? [] : [operand])].every(isFolded);
  if (last === undefined || isNullConstant(last)) return constant(isKnown ? NULL_TYPE : type, null);
  const ending = coerce(last, type);
  return isKnown || !isConstant(ending) ? ending : { ...ending, deferred: true };
}

/** Functions that declare the type of their results, even if it is the NULL type. */
const OF_RESULTS: ReadonlySet<string> = new Set(['CASEWHEN', 'NVL2']);

/** Returns the type of a conditional expression that is not folded. Ignite declares strings where it knows no type. */
function asComputed(type: SqlType): SqlType {
  return type.name === 'NULL' ? VARCHAR : type;
}

/** Returns the common type of CASE results, or of a column in VALUES or a set operation. */
export function commonType(all: readonly Bound[]): SqlType {
  const known = all.filter((bound) => !isOpen(bound.type));
  if (known.length === 0) return all.some(isUnknown) ? VARCHAR : NULL_TYPE;
  const type = higherTypeOfAll(known.map((bound) => bound.type));
  return type.name === 'DECIMAL' ? DECIMAL : type;
}

/** Builds a function call: converts the arguments, determines the type of the result, and folds constants. */
export function call(name: string, sqlFunction: SqlFunction, operands: readonly Bound[], bare = false): Bound {
  checkCount(name, sqlFunction, operands.length);
  const args = operands.map(withFoldedRow);
  const given = args.map((arg) => withoutBounds(arg.type));
  const constants = args.map((arg) => (isConstant(arg) && isFolded(arg) ? arg.data : undefined));
  const wanted =
    typeof sqlFunction.argumentTypes === 'function'
      ? sqlFunction.argumentTypes(given, constants)
      : sqlFunction.argumentTypes;
  const type = typeof sqlFunction.result === 'function' ? sqlFunction.result(given, constants) : sqlFunction.result;
  const isFixed = sqlFunction.nullOnNull && sqlFunction.deterministic;
  if (isFixed && args.some(isNullConstant)) return nullOf(type, args);
  const typed = args.map((arg, at) => {
    const type = argumentTypeAt(wanted, at);
    if (type === 'any' && isUnknown(arg)) return coerce(arg, VARCHAR);
    if (type === 'any' && sqlFunction.group === 'conditional') return coerce(arg, asDeclared(arg.type));
    // No other function computes with an object.
    if (type === 'any') return arg.kind === 'parameter' && arg.type.name === 'OTHER' ? coerce(arg, VARCHAR) : arg;
    return sqlFunction.group !== 'conditional' && args.every(isFolded)
      ? operandOf(arg, { name: type })
      : operandWhenNeeded(arg, { name: type });
  });
  if (isFixed && typed.some(isNullConstant)) return nullOf(type, args);
  if (sqlFunction.deterministic && sqlFunction.cheap && typed.every(isConstant) && isSmall(typed)) {
    const data: SqlData[] = typed.map((arg) => (isConstant(arg) ? arg.data : null));
    const types = typed.map((arg) => withoutBounds(arg.type));
    const result = folded(args, type, () => sqlFunction.compute(data, types, NO_ENVIRONMENT));
    if (result !== undefined) return result;
  }
  const shown = sqlFunction.group === 'conditional' && !OF_RESULTS.has(name) ? asComputed(type) : type;
  return { kind: 'call', type: shown, name, function: sqlFunction, args: typed, bare };
}

/** Types whose data, without the type, could be another type's data. */
const AMBIGUOUS_DATA: ReadonlySet<SqlTypeName> = new Set(['DATE', 'TIME', 'TIMESTAMP', 'REAL', 'ARRAY']);

/** Returns a row of constants as a constant array, whose elements have no types; any other argument unchanged. */
function withFoldedRow(bound: Bound): Bound {
  const isPlain = (item: Bound): boolean => isFolded(item) && !AMBIGUOUS_DATA.has(item.type.name);
  if (bound.kind !== 'row' || !bound.items.every(isPlain)) return bound;
  const data = bound.items.map((item) => (isConstant(item) ? item.data : null));
  return constant(bound.type, data);
}

function checkCount(name: string, sqlFunction: SqlFunction, count: number): void {
  const { minArguments, maxArguments } = sqlFunction;
  if (count >= minArguments && count <= maxArguments) return;
  const expected =
    maxArguments === Number.POSITIVE_INFINITY
      ? `${minArguments}..`
      : minArguments === maxArguments
        ? String(minArguments)
        : `${minArguments}..${maxArguments}`;
  throw sqlFailure('PARAMETER_COUNT', name, expected);
}

/** Builds `(a, b)` as a value, which is an array. */
export function row(items: readonly Bound[]): Bound {
  const texts = items.map((item) => (isUnknown(item) ? coerce(item, VARCHAR) : item));
  return { kind: 'row', type: rowType(texts.map((item) => item.type)), items: texts };
}
