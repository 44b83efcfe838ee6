/** Which notation of numbers and dates a request asks for (docs/spec/extensions.md 2). */
import type { DecodedArguments } from '../commands/decode.ts';
import type { Notation } from '../values/notation.ts';
import type { RawRequest } from './request.ts';

const NUMBERS = /(?:^|[,;])\s*numbers\s*=\s*"?string"?\s*(?:$|[,;])/i;
const DATES = /(?:^|[,;])\s*dates\s*=\s*"?iso"?\s*(?:$|[,;])/i;

/**
 * Returns the notation of the parameters `numbers` and `dates`, or else of the header `Prefer`, whose unknown
 * preferences are ignored (RFC 7240). Undefined if it is the usual one.
 */
export function notationOf({ numbers, dates }: DecodedArguments, request: RawRequest): Notation | undefined {
  const prefer = request.header('prefer');
  if (prefer === null && numbers === undefined && dates === undefined) return undefined;
  const numbersAsStrings = numbers === undefined ? NUMBERS.test(prefer ?? '') : numbers === 'string';
  const isoDates = dates === undefined ? DATES.test(prefer ?? '') : dates === 'iso';
  return numbersAsStrings || isoDates ? { numbersAsStrings, isoDates } : undefined;
}
