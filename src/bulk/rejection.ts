/** Which errors concern one record of an import rather than the import as a whole. */
import { type ErrorCode, GridError } from '../base/errors.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';

const RECORD_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'CONVERSION',
  'LIMIT_EXCEEDED',
  'VALUE_REJECTED',
  'OPERATION_FAILED',
  'INCOMPATIBLE_TYPES',
]);

/** Returns why a record is rejected, or undefined for an error with another cause. */
export function rejection(error: unknown): string | undefined {
  if (error instanceof ConversionFailure) return error.reason;
  if (error instanceof GridError && RECORD_ERRORS.has(error.code)) return error.message;
  return undefined;
}
