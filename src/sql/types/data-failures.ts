/** Ignite's refusals that functions, conversions and operators share. */
import { DECIMAL_BOUND } from '../../values/decimal-bounds.ts';
import { SqlFailure } from './sql-types.ts';

/** Characters of a detail that a text shows. */
const SHOWN_CHARACTERS = 1_000;

/** How Ignite quotes a detail in its texts: an empty one vanishes. */
export function quoted(detail: string): string {
  const shown = detail.length > SHOWN_CHARACTERS ? `${detail.slice(0, SHOWN_CHARACTERS)}...` : detail;
  return shown === '' ? '' : `"${shown.replaceAll('"', '""')}"`;
}

/** `shown` is the text of the datum that cannot be converted. */
export function conversionFailure(shown: string): SqlFailure {
  return new SqlFailure(`Data conversion error converting ${quoted(shown)}`, 22018);
}

/** A number that its type cannot hold, found while converting. */
export function outOfRangeConversion(shown: string): SqlFailure {
  return new SqlFailure(`Numeric value out of range: ${quoted(shown)} in column `, 22004);
}

/** A number that its type cannot hold, found while calculating. */
export function outOfRange(shown: string): SqlFailure {
  return new SqlFailure(`Numeric value out of range: ${quoted(shown)}`, 22003);
}

/** A decimal with more digits, or farther from the point, than is calculated with. */
export function decimalOutOfBounds(): SqlFailure {
  return new SqlFailure(`Numeric value out of range: ${quoted(`a decimal can have ${DECIMAL_BOUND}`)}`, 22003);
}

/** `shown` is the dividend, or the call as text. */
export function divisionByZero(shown: string): SqlFailure {
  return new SqlFailure(`Division by zero: ${quoted(shown)}`, 22012);
}

export function constantUnreadable(type: 'DATE' | 'TIME' | 'TIMESTAMP', text: string): SqlFailure {
  return new SqlFailure(`Cannot parse ${quoted(type)} constant ${quoted(text)}`, 22007);
}

/** `given` is the argument, `parameter` the name that Ignite's text gives it. */
export function invalidValue(given: string, parameter: string): SqlFailure {
  return new SqlFailure(`Invalid value ${quoted(given)} for parameter ${quoted(parameter)}`, 90008);
}

export function unsupportedFeature(what: string): SqlFailure {
  return new SqlFailure(`Feature not supported: ${quoted(what)}`, 50100);
}

export function wrongParameterCount(name: string, expected: string): SqlFailure {
  return new SqlFailure(`Invalid parameter count for ${quoted(name)}, expected count: ${quoted(expected)}`, 7001);
}

export function hexOddLength(text: string): SqlFailure {
  return new SqlFailure(`Hexadecimal string with odd number of characters: ${quoted(text)}`, 90003);
}

export function hexInvalid(text: string): SqlFailure {
  return new SqlFailure(`Hexadecimal string contains non-hex character: ${quoted(text)}`, 90004);
}
