/** The values of the evaluator, and the operations whose results it knows. */

/** A DECIMAL: `unscaled * 10 ** -scale`. */
export interface Exact {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** Integers are bigint, DOUBLE is number; dates, times and UUIDs are strings. */
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

/** Thrown when the evaluator does not know the result, so that only the engines are compared. */
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

/** Returns the larger of two integer kinds. */
export function wider(left: Kind, right: Kind): Kind {
  const at = (kind: Kind): number => WHOLE.findIndex(([each]) => each === kind);
  return at(left) >= at(right) ? left : right;
}

/** Returns the number. Throws when it overflows the kind, since the engines' errors differ. */
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

/** Compares two values of one kind, or two numbers. Neither is null. */
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

/** Returns whether two values are equal as in DISTINCT, where NULL equals NULL. */
export function sameResultValue(left: ResultValue, right: ResultValue): boolean {
  if (left === null || right === null) return left === right;
  return compareData(left, right) === 0;
}

/** Returns a string that is the same for equal values, to group and compare rows. */
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
  return exactText({ unscaled, scale });
}

/** Returns a DECIMAL with all digits of its scale. */
export function exactText({ unscaled, scale }: Exact): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const sign = unscaled < 0n ? '-' : '';
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** AND, OR and NOT of three-valued logic. */
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

/** Evaluates LIKE: `%` matches any characters, `_` one, and `\` escapes the next. */
export function isLike(text: string, pattern: string): boolean {
  const source = [...pattern.matchAll(/\\?[\s\S]/gu)].map(([part]) => {
    if (part === '%') return '[\\s\\S]*';
    if (part === '_') return '[\\s\\S]';
    const literal = part.length > 1 && part.startsWith('\\') ? part.slice(1) : part;
    return literal.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  });
  return new RegExp(`^${source.join('')}$`).test(text);
}
