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

/** The text of CONVERSION, on which clients of Ignite match. */
const CONVERSION =
  /Failed to convert value to specified type \[type=(.*?), val=(.*), reason=(.*?)(?:, parameter=(\w+))?\]$/s;

/** Returns an error as an object, in words. `message` replaces its text, where a client sees another one. */
export function errorObject(error: GridError, message = error.message): ErrorObject {
  const { code, parameter, position, remedy } = error;
  return {
    code,
    message: code === 'CONVERSION' ? message.replace(CONVERSION, conversionInWords) : message,
    ...(parameter !== undefined && { parameter }),
    ...(position !== undefined && { position }),
    remedy,
    documentation: `${ERROR_PAGES}/${code}`,
  };
}

function conversionInWords(
  _: string,
  type: string,
  value: string,
  reason: string,
  parameter: string | undefined,
): string {
  const shown = /^[{["]/.test(value) ? value : `"${value}"`;
  const where = parameter === undefined ? '' : ` (${parameter})`;
  return `Cannot convert ${shown} to ${type}: ${reason}${where}`;
}
