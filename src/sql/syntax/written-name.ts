/** Names as statements write them. */
import { nearestName } from '../../base/sql-failure.ts';
import { BARE } from './parse-call.ts';
import { RESERVED } from './token-reader.ts';

const PLAIN_NAME = /^[A-Z_][A-Z0-9_]*$/;

/** Returns a name as a statement writes it: in quotes if it would otherwise be another name or an SQL keyword. */
export function writtenName(name: string): string {
  const isPlain = PLAIN_NAME.test(name) && !RESERVED.has(name) && !BARE.has(name);
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`;
}

/** Returns the name most similar to `name` as a statement writes it, or undefined if none is similar. */
export function nearestWritten(name: string, names: Iterable<string>): string | undefined {
  const nearest = nearestName(name, names);
  return nearest === undefined ? undefined : writtenName(nearest);
}
