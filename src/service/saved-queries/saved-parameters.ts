/** Reads the parameters of a saved query as a request describes them. */
import { gridError } from '../../base/errors.ts';
import { SAVED_QUERY_BOUNDS } from '../../base/limits.ts';
import type { SavedParameter } from '../../commands/saved-queries.ts';

const MEMBERS: ReadonlySet<string> = new Set(['name', 'label', 'type', 'default']);
/** A name as the console writes it after a colon, or the number of a `?`. */
const NAME = /^(?:[\p{L}_][\p{L}\p{N}_]*|\?[1-9]\d{0,3})$/u;
const DEFAULT_TYPE = 'string';

const invalid = (reason: string) => gridError('SAVED_QUERY_INVALID', `parameters: ${reason}`);

/** Returns the parameters in the JSON text of an array. Throws SAVED_QUERY_INVALID. */
export function readParameters(text: string): readonly SavedParameter[] {
  const most = SAVED_QUERY_BOUNDS.parametersCharacters;
  if (text.length > most) throw invalid(`they have more than ${most} characters`);
  const read = parsed(text);
  if (!Array.isArray(read)) throw invalid('they are not a JSON array');
  const parameters = read.map(readParameter);
  const names = new Set<string>();
  for (const { name } of parameters) {
    if (names.has(name)) throw invalid(`there are two named ${name}`);
    names.add(name);
  }
  return parameters;
}

function parsed(text: string): unknown {
  if (text.trim() === '') return [];
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('they are not a JSON array');
  }
}

function readParameter(each: unknown, at: number): SavedParameter {
  const place = `element ${at + 1}`;
  if (typeof each !== 'object' || each === null || Array.isArray(each)) throw invalid(`${place} is not an object`);
  const unknown = Object.keys(each).find((member) => !MEMBERS.has(member));
  if (unknown !== undefined) throw invalid(`${place} has a member ${unknown}; there are ${[...MEMBERS].join(', ')}`);
  const textOf = (member: string): string | null => {
    const value: unknown = Reflect.get(each, member) ?? null;
    if (value !== null && typeof value !== 'string') throw invalid(`${member} of ${place} is not a string`);
    return value;
  };
  const name = textOf('name') ?? '';
  if (!NAME.test(name)) throw invalid(`name of ${place} is neither a name nor ?1, ?2 and so on`);
  return { name, label: textOf('label'), type: textOf('type') ?? DEFAULT_TYPE, default: textOf('default') };
}
