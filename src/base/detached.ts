import { STEP_CHARACTERS } from './slices.ts';

const BEYOND_LATIN_1 = /[^\u0000-\u00ff]/;

/** Returns a copy of part of a long string. A slice would keep the whole string, and much else, in memory. */
export function detached(part: string, whole: string): string {
  if (whole.length <= STEP_CHARACTERS || part.length > whole.length / 2) return part;
  const encoding = BEYOND_LATIN_1.test(part) ? 'utf16le' : 'latin1';
  return Buffer.from(part, encoding).toString(encoding);
}
