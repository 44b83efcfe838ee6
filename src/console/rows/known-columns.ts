/** The columns of tables for users who may read their rows, but not the system views that describe them. */
import { quoted } from '../elements/sql-names.ts';
import { callBatch } from '../requests/batch.ts';
import type { CatalogEntry } from '../requests/catalog.ts';

export interface KnownColumn {
  readonly name: string;
  /** The name of a Java class. */
  readonly type: string;
}

/** Users who may use more tables usually may list them. */
const MAX_TABLES = 100;

interface Answer {
  readonly fieldsMetadata: ReadonlyArray<{ readonly fieldName: string; readonly fieldTypeName: string }> | null;
}

/** Returns the columns of the tables among some entries, by the names of their caches. Throws SvcError. */
export async function readColumnsOf(
  entries: readonly CatalogEntry[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly KnownColumn[]>> {
  const tables = entries.flatMap(({ name, table }) => (table === undefined ? [] : [{ name, table }]));
  const known = tables.slice(0, MAX_TABLES);
  const results = await callBatch(
    known.map(({ table: { schema, name } }) => ({
      cmd: 'qryfldexe',
      qry: `/* console: columns */ SELECT * FROM ${quoted(schema)}.${quoted(name)} WHERE FALSE`,
      pageSize: 1,
    })),
    signal,
  );
  return new Map(
    known.map(({ name }, at) => {
      const fields = (results[at]?.response as unknown as Answer | null)?.fieldsMetadata ?? [];
      return [name, fields.map(({ fieldName, fieldTypeName }) => ({ name: fieldName, type: fieldTypeName }))];
    }),
  );
}
