/** An error as an object, for programs. */
import type { ErrorCode, GridError } from './errors.ts';

/** The path of the pages that explain errors, each below it by its code. */
export const ERROR_PAGES = '/docs/errors';

export interface ErrorObject {
  readonly code: ErrorCode;
  readonly message: string;
  /** The parameter that the error is about. */
  readonly parameter?: string;
  /** The character of the statement, from 1. */
  readonly position?: number;
  /** What to do instead. */
  readonly remedy: string;
  /** Path of the page that explains the error. */
  readonly documentation: string;
}

/** The parts of the text of CONVERSION, on which clients of Ignite match. */
const CONVERSION = 'Failed to convert value to specified type [type=';
const VALUE = ', val=';
const REASON = ', reason=';

/** Returns an error as an object, in words. `message` replaces its text, where a client sees another one. */
export function errorObject(error: GridError, message = error.message): ErrorObject {
  const { code, parameter, position, remedy } = error;
  return {
    code,
    message: code === 'CONVERSION' ? conversionInWords(message) : message,
    ...(parameter !== undefined && { parameter }),
    ...(position !== undefined && { position }),
    remedy,
    documentation: `${ERROR_PAGES}/${code}`,
  };
}

/** Returns the text as it is if it was cut. A client sends the value, so this takes linear time. */
function conversionInWords(text: string): string {
  const begin = text.indexOf(CONVERSION);
  const typeEnd = text.indexOf(VALUE, begin + CONVERSION.length);
  const valueEnd = text.lastIndexOf(REASON);
  if (begin < 0 || typeEnd < 0 || valueEnd < typeEnd + VALUE.length || !text.endsWith(']')) return text;
  const type = text.slice(begin + CONVERSION.length, typeEnd);
  const value = text.slice(typeEnd + VALUE.length, valueEnd);
  const [reason, parameter] = text.slice(valueEnd + REASON.length, -1).split(/, parameter=(\w+)$/);
  const shown = /^[{["]/.test(value) ? value : `"${value}"`;
  const where = parameter === undefined ? '' : ` (${parameter})`;
  return `${text.slice(0, begin)}Cannot convert ${shown} to ${type}: ${reason}${where}`;
}
