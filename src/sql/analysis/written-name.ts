import { RESERVED } from '../syntax/token-reader.ts';

const PLAIN_NAME = /^[A-Z_][A-Z0-9_]*$/;

/** Returns a name as a statement writes it: in quotes where it would otherwise be another name or a word of SQL. */
export function writtenName(name: string): string {
  return PLAIN_NAME.test(name) && !RESERVED.has(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
