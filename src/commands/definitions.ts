/** The changes that SQL definitions would make, for `dryrun`. */
import type { DefinitionChange } from '../grid/definition-changes.ts';
import type { Context, Effect } from './context.ts';

/**
 * Returns a statement's effects on tables, indexes and views, or undefined for other statements or if the engine cannot
 * tell. Throws the errors that the statement would throw.
 */
export async function previewDefinition(
  sql: string,
  cache: string,
  context: Context,
): Promise<readonly Effect[] | undefined> {
  const { grid, compatibility } = context;
  const changes = await grid.queries.previewDefinition?.({
    sql,
    cache,
    // Row 54 of docs/differences.md.
    ...(compatibility === 'reference' && { definesAsIgnite: true }),
  });
  return changes && Promise.all(changes.map((change) => withEntries(change, context)));
}

async function withEntries(change: DefinitionChange, { grid, call }: Context): Promise<Effect> {
  if (!('cacheName' in change)) return change;
  const { cacheName } = change;
  const isKnown = (await grid.caches.find(cacheName)) !== undefined;
  return { ...change, entries: isKnown ? await call({ kind: 'size', cache: cacheName }) : 0 };
}
