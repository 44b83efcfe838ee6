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

/** Returns an error as an object. `message` replaces its text, where a client sees another one. */
export function errorObject(error: GridError, message = error.message): ErrorObject {
  const { code, parameter, position, remedy } = error;
  return {
    code,
    message,
    ...(parameter !== undefined && { parameter }),
    ...(position !== undefined && { position }),
    remedy,
    documentation: `${ERROR_PAGES}/${code}`,
  };
}
