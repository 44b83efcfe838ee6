/**
 * Saved queries as records of the grid: their descriptions, and their texts apart, so that a list reads no texts. Only
 * this module writes these records.
 */
import { randomBytes } from '../../base/clock.ts';
import type { SavedText } from '../../commands/saved-queries.ts';
import type { Records } from '../../grid/grid.ts';

/** The stored members of a query, without its text. */
export interface SavedDefinition {
  readonly name: string;
  /** The owner; empty without authentication. */
  readonly user: string;
  /** Id of the owner's account, so that a user with the same name who is added later does not own the query. */
  readonly userId: string;
  readonly shared: boolean;
  readonly revision: number;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
  readonly changedBy: string;
}

/** 64 random bits distinguish all queries of a service; rights do not depend on whether an id can be guessed. */
const ID_BYTES = 8;
const ID = new RegExp(`^[0-9a-f]{${2 * ID_BYTES}}$`);

export function newSavedQueryId(): string {
  return randomBytes(ID_BYTES).toHex();
}

/** Returns the description of a query, or undefined if there is none with this id. */
export async function findDefinition(records: Records, id: string): Promise<SavedDefinition | undefined> {
  const content = ID.test(id) ? await records.get('savedQuery', id) : undefined;
  return content === undefined ? undefined : (JSON.parse(content) as SavedDefinition);
}

/** Returns the descriptions of all queries by id. */
export async function listDefinitions(records: Records): Promise<ReadonlyMap<string, SavedDefinition>> {
  const all = await records.list('savedQuery');
  return new Map(all.map(({ id, content }) => [id, JSON.parse(content) as SavedDefinition]));
}

/** Returns the text of a query, or undefined if it has just been removed. */
export async function findText(records: Records, id: string): Promise<SavedText | undefined> {
  const content = await records.get('savedQueryText', id);
  return content === undefined ? undefined : (JSON.parse(content) as SavedText);
}

/** Stores a query. */
export async function putSavedQuery(
  records: Records,
  id: string,
  definition: SavedDefinition,
  text: SavedText,
): Promise<void> {
  // The text first: every query that is listed has one.
  await records.put('savedQueryText', id, JSON.stringify(text));
  await records.put('savedQuery', id, JSON.stringify(definition));
}

export async function removeSavedQuery(records: Records, id: string): Promise<void> {
  await records.remove('savedQuery', id);
  await records.remove('savedQueryText', id);
}
