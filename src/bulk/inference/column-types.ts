/** The narrowest SQL type that keeps each value of a column as it is written. */
import { trimJava } from '../../values/java-number.ts';
import { isExactDouble } from '../../values/json-numbers.ts';

export type InferredType =
  | 'INTEGER'
  | 'BIGINT'
  | 'DECIMAL'
  | 'DOUBLE'
  /** As DECIMAL, for a number that a double would round. */
  | 'NUMERIC'
  | 'BOOLEAN'
  | 'DATE'
  | 'TIMESTAMP'
  | 'UUID'
  | 'VARCHAR';

const INTEGER_MAX = 2_147_483_647n;
const BIGINT_MAX = 9_223_372_036_854_775_807n;
/** Maximum number of digits that a decimal keeps on every engine; longer numbers stay strings. */
const DECIMAL_DIGITS = 1_000;

/** Neither leading zeros nor a plus sign: postal codes and telephone numbers are strings. */
const WHOLE = /^(?:0|-?[1-9]\d*)$/;
const FRACTION = /^-?(?:0|[1-9]\d*)\.\d+$/;
const EXPONENT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?[eE][+-]?\d+$/;
const TRUTH = /^(?:true|false)$/i;
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
/** A longer fraction would be rounded. A zone other than UTC would be lost. */
const MOMENT = /^(\d{4}-\d{2}-\d{2})[ T]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?Z?$/;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the type of a string in CSV. As in the import, surrounding blanks count only in strings. */
export function typeOfText(written: string): InferredType {
  const text = trimJava(written);
  return TRUTH.test(text) ? 'BOOLEAN' : (typeOfNumber(text) ?? typeOfString(text));
}

/** Returns the type of a number, or undefined for a string that is not one. */
export function typeOfNumber(text: string): InferredType | undefined {
  if (text.length <= DECIMAL_DIGITS && WHOLE.test(text)) {
    const value = BigInt(text);
    if (value >= -INTEGER_MAX - 1n && value <= INTEGER_MAX) return 'INTEGER';
    return value >= -BIGINT_MAX - 1n && value <= BIGINT_MAX ? 'BIGINT' : 'NUMERIC';
  }
  if (text.length <= DECIMAL_DIGITS && FRACTION.test(text)) return isExactDouble(text) ? 'DECIMAL' : 'NUMERIC';
  if (!EXPONENT.test(text) || !Number.isFinite(Number(text))) return undefined;
  return isExactDouble(text) ? 'DOUBLE' : 'NUMERIC';
}

/** Returns the type of a string in JSON, where numbers and booleans have separate types. */
export function typeOfString(text: string): InferredType {
  if (isDay(text)) return 'DATE';
  if (isDay(MOMENT.exec(text)?.[1] ?? '')) return 'TIMESTAMP';
  return ID.test(text) ? 'UUID' : 'VARCHAR';
}

function isDay(text: string): boolean {
  const [, year = '', month = '', day = ''] = DAY.exec(text) ?? [];
  if (year === '' || year === '0000') return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.toISOString().startsWith(`${year}-${month}-${day}`);
}

const NUMBERS: readonly InferredType[] = ['INTEGER', 'BIGINT', 'DECIMAL', 'DOUBLE', 'NUMERIC'];
const TIMES: readonly InferredType[] = ['DATE', 'TIMESTAMP'];

/** Returns the type that has the values of both; VARCHAR if no other does. */
export function widerType(first: InferredType | undefined, second: InferredType): InferredType {
  if (first === undefined || first === second) return second;
  // A double would round some of the whole numbers.
  if (first === 'BIGINT' || second === 'BIGINT') {
    const other = NUMBERS.indexOf(first === 'BIGINT' ? second : first);
    if (other > NUMBERS.indexOf('BIGINT')) return 'NUMERIC';
  }
  for (const order of [NUMBERS, TIMES]) {
    const [one, other] = [order.indexOf(first), order.indexOf(second)];
    if (one >= 0 && other >= 0) return order[Math.max(one, other)] ?? second;
  }
  return 'VARCHAR';
}
