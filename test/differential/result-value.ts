/** Data as the plain evaluator has them, and the operations whose results it knows. */

/** DECIMAL: `unscaled` times ten to the minus `scale`. */
export interface Exact {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** Whole numbers are bigint, DOUBLE is number; dates, times and UUIDs are their texts. */
export type ResultValue = null | boolean | bigint | number | string | Exact;

export type Kind =
  | 'TINYINT'
  | 'SMALLINT'
  | 'INT'
  | 'BIGINT'
  | 'DECIMAL'
  | 'DOUBLE'
  | 'VARCHAR'
  | 'BOOLEAN'
  | 'DATE'
  | 'TIME'
  | 'TIMESTAMP'
  | 'UUID';

/** The evaluator does not know what the dialect gives here: the statement is left to the other engines. */
export class Unknown extends Error {}

const WHOLE: ReadonlyArray<readonly [Kind, bigint]> = [
  ['TINYINT', 1n << 7n],
  ['SMALLINT', 1n << 15n],
  ['INT', 1n << 31n],
  ['BIGINT', 1n << 63n],
];

export function isWhole(kind: Kind): boolean {
  return WHOLE.some(([each]) => each === kind);
}

export function isNumber(kind: Kind): boolean {
  return isWhole(kind) || kind === 'DECIMAL' || kind === 'DOUBLE';
}

/** The wider of two kinds of whole numbers. */
export function wider(left: Kind, right: Kind): Kind {
  const at = (kind: Kind): number => WHOLE.findIndex(([each]) => each === kind);
  return at(left) >= at(right) ? left : right;
}

/** The number itself; what does not fit is refused by the engines in their own ways. */
export function fit(kind: Kind, number: bigint): bigint {
  const bound = WHOLE.find(([each]) => each === kind)?.[1];
  if (bound !== undefined && (number >= bound || number < -bound)) throw new Unknown(`${number} is no ${kind}`);
  return number;
}

export function isExact(value: ResultValue): value is Exact {
  return typeof value === 'object' && value !== null;
}

function scaledTo(exact: Exact, scale: number): bigint {
  return exact.unscaled * 10n ** BigInt(scale - exact.scale);
}

export function toExact(value: ResultValue): Exact {
  if (typeof value === 'bigint') return { unscaled: value, scale: 0 };
  if (isExact(value)) return value;
  throw new Unknown('no exact number');
}

export function addExact(left: Exact, right: Exact, sign: 1n | -1n): Exact {
  const scale = Math.max(left.scale, right.scale);
  return { unscaled: scaledTo(left, scale) + sign * scaledTo(right, scale), scale };
}

export function multiplyExact(left: Exact, right: Exact): Exact {
  return { unscaled: left.unscaled * right.unscaled, scale: left.scale + right.scale };
}

/** Order of two data of one kind, or of two numbers; neither is null. */
export function compareData(left: ResultValue, right: ResultValue): number {
  if (typeof left === 'boolean' || typeof right === 'boolean') return Number(left) - Number(right);
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === 'number' || typeof right === 'number') {
    if (isExact(left) || isExact(right)) throw new Unknown('a decimal and a double');
    return Number(left) - Number(right);
  }
  const [a, b] = [toExact(left), toExact(right)];
  const scale = Math.max(a.scale, b.scale);
  const difference = scaledTo(a, scale) - scaledTo(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Equal as rows of a result are: NULL is equal to NULL. */
export function sameResultValue(left: ResultValue, right: ResultValue): boolean {
  if (left === null || right === null) return left === right;
  return compareData(left, right) === 0;
}

/** A text that is the same for data that are the same, to find groups and to compare rows with. */
export function keyOf(value: ResultValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return `${value + 0}`;
  if (!isExact(value)) return String(value);
  let { unscaled, scale } = value;
  while (scale > 0 && unscaled % 10n === 0n) {
    unscaled /= 10n;
    scale--;
  }
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const sign = unscaled < 0n ? '-' : '';
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Conjunction, disjunction and negation with an unknown truth. */
export type Truth = boolean | null;

export function and(left: Truth, right: Truth): Truth {
  if (left === false || right === false) return false;
  return left === null || right === null ? null : true;
}

export function or(left: Truth, right: Truth): Truth {
  if (left === true || right === true) return true;
  return left === null || right === null ? null : false;
}

export function not(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

export function truthOf(value: ResultValue): Truth {
  if (value === null || typeof value === 'boolean') return value;
  throw new Unknown('no truth');
}

/** Whether the text is like the pattern: `%` any characters, `_` one; `\` takes the next as it is. */
export function isLike(text: string, pattern: string): boolean {
  const source = [...pattern.matchAll(/\\?[\s\S]/gu)].map(([part]) => {
    if (part === '%') return '[\\s\\S]*';
    if (part === '_') return '[\\s\\S]';
    const literal = part.length > 1 && part.startsWith('\\') ? part.slice(1) : part;
    return literal.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  });
  return new RegExp(`^${source.join('')}$`).test(text);
}
