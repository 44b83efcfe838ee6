/** The notation of numbers and dates that a request asks for (docs/spec/extensions.md 2). */
import type { DecodedArguments } from '../commands/decode.ts';
import type { Notation } from '../values/notation.ts';

const NUMBERS = /(?:^|[,;])\s*numbers\s*=\s*"?string"?\s*(?:$|[,;])/i;
const DATES = /(?:^|[,;])\s*dates\s*=\s*"?iso"?\s*(?:$|[,;])/i;

/**
 * Returns the notation in the parameters `numbers` and `dates`, or else in the `Prefer` header, whose unknown
 * preferences are ignored (RFC 7240). Undefined for the usual one.
 */
export function notationOf({ numbers, dates }: DecodedArguments, prefer: string | null): Notation | undefined {
  const numbersAsStrings = numbers === undefined ? NUMBERS.test(prefer ?? '') : numbers === 'string';
  const isoDates = dates === undefined ? DATES.test(prefer ?? '') : dates === 'iso';
  return numbersAsStrings || isoDates ? { numbersAsStrings, isoDates } : undefined;
}
