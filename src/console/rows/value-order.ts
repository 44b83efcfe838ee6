/** How values are compared in the console, without the service. */
import { Decimal } from '../../client/exact-json.ts';

/** Filter operators. One that begins like another comes before it. */
export const OPERATORS = ['<=', '>=', '<>', '!=', '=', '<', '>'] as const;
export type Operator = (typeof OPERATORS)[number];

/** Whether an operator holds, by the sign of the difference between the two values. */
export const HOLDS: Readonly<Record<Operator, (difference: number) => boolean>> = {
  '=': (difference) => difference === 0,
  '!=': (difference) => difference !== 0,
  '<>': (difference) => difference !== 0,
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};

/** Returns whether a value is a number, of whatever size. */
export function isNumber(value: unknown): value is number | bigint | Decimal {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Decimal;
}

const PLAIN_NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?$/;

/** Returns the order of two numbers, as texts with all their digits. Anything else comes last. */
export function compareDigits(a: string, b: string): number {
  if (a === b) return 0;
  const [x, y] = [Number(a), Number(b)];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  if (x !== y) return x < y ? -1 : 1;
  // Doubles have fewer digits than a long or a decimal.
  const scale = Math.max(a.length, b.length);
  const [first, second] = [scaled(a, scale), scaled(b, scale)];
  if (first === undefined || second === undefined || first === second) return 0;
  return first < second ? -1 : 1;
}

/** Returns a number times a power of ten, or undefined for one with an exponent. */
function scaled(digits: string, scale: number): bigint | undefined {
  const [, sign, whole, fraction = ''] = PLAIN_NUMBER.exec(digits) ?? [];
  return whole === undefined ? undefined : BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction.padEnd(scale, '0')}`);
}

/** Returns the order of two texts, by their code units, as SQL does. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
