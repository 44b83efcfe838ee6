/** Connects statements over the entries of a cache with the writers of entries. */
import type { PreparedChange } from '../sql/statement.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { EntryWriters } from '../writer/entry-writers.ts';
import { StatementEntries } from '../writer/statement-entries.ts';

/** Returns the writer for the entries of a change, or undefined for a change of rows. */
export function statementEntries(
  thread: EngineThread,
  { target, steps }: PreparedChange,
  writers: EntryWriters,
): StatementEntries | undefined {
  if (steps.every(({ entries }) => entries === undefined)) return undefined;
  const { cache } = target;
  const types = { find: (typeName: string) => thread.findType(typeName, cache) };
  return new StatementEntries(writers.of(cache), types, thread.settings.nodeName ?? '');
}
