/**
 * Prints the commits that a deposed primary has not shipped: compares its saved data with the shipped part of it,
 * table by table. Changes nothing there.
 */
import { Database } from 'bun:sqlite';
import { constants, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { entityOfType, schemaOf } from '../../../../../grid/entity-types.ts';
import { commandOf } from '../../../../../grid/export-writers.ts';
import { writeText } from '../../../../../values/json.ts';
import { formatExactScalar } from '../../../../../values/scalar-traits.ts';
import type { TypeRegistry } from '../../../../../values/value.ts';
import { DATA_FILE } from '../../../storage/data-folder.ts';
import { decodeDefinition, type StoredCache, tableName } from '../../../storage/definitions.ts';
import { hasTable, typeNamesOf } from '../../../storage/key-migration.ts';
import { codecOf } from '../../../storage/row-codec.ts';
import { decodeValue, type Row, type StorageValue } from '../../../storage/value-storage.ts';
import { SHIPPED_FILE, type ShippedPart, writeShipped } from './rewind.ts';

/** The schema name under which the shipped part is attached. */
const SHIPPED = 'shipped';

type Cache = Pick<StoredCache, 'id' | 'definition' | 'fields'>;

interface KeyedRow extends Row {
  readonly kt: bigint;
  readonly k: StorageValue;
}

/**
 * Yields a line for each change: a command as JSON, or a note after `#` for anything that no command stores. `folder`
 * contains the saved data. The remaining time of entries with a deadline counts from `nowMs`. Throws an Error if it is
 * not known what was shipped.
 */
export function* tailOf(folder: string, nowMs: number): Generator<string> {
  if (!existsSync(join(folder, DATA_FILE))) throw new Error(`${folder} has no data: name the folder "deposed"`);
  const shippedFile = join(folder, SHIPPED_FILE);
  if (!existsSync(shippedFile)) {
    throw new Error(
      `nothing that was shipped leads to the data in ${folder}, so what was not is not known: start a service on a ` +
        'copy of it, without backup.continuous, to look at it',
    );
  }
  const shipped = JSON.parse(readFileSync(shippedFile, 'utf8')) as ShippedPart;
  // Next to the data, so that the file system can share what both have in common.
  const copies = mkdtempSync(join(folder, 'tail-'));
  try {
    yield* changesBetween(copiesOf(folder, copies, shipped), nowMs);
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

/** Copies the data, and its shipped part. */
function copiesOf(
  folder: string,
  copies: string,
  shipped: ShippedPart,
): { readonly all: string; readonly shipped: string } {
  const paths = { all: join(copies, 'all.db'), shipped: join(copies, 'shipped.db') };
  for (const path of Object.values(paths)) {
    copyFileSync(join(folder, DATA_FILE), path, constants.COPYFILE_FICLONE);
    const log = join(folder, `${DATA_FILE}-wal`);
    if (existsSync(log)) copyFileSync(log, `${path}-wal`, constants.COPYFILE_FICLONE);
  }
  writeShipped(paths.shipped, shipped);
  rmSync(`${paths.shipped}-wal`, { force: true });
  return paths;
}

function* changesBetween(paths: { readonly all: string; readonly shipped: string }, nowMs: number): Generator<string> {
  const all = new Database(paths.all, { readwrite: true, create: false, strict: true, safeIntegers: true });
  const before = new Database(paths.shipped, { readwrite: true, create: false, strict: true, safeIntegers: true });
  try {
    all.query(`ATTACH ? AS ${SHIPPED}`).run(paths.shipped);
    const [present, former] = [cachesOf(all), cachesOf(before)];
    const names = typeNamesOf(all);
    const formerNames = typeNamesOf(before);
    for (const cache of former.values()) {
      if (!present.has(cache.id)) yield `# the cache ${cache.definition.name} was destroyed`;
    }
    for (const cache of present.values()) {
      const { id, definition, fields } = cache;
      const { name } = definition;
      const known = former.get(id);
      if (known === undefined) yield `# the cache ${name} was created`;
      else if (JSON.stringify(known) !== JSON.stringify(cache))
        yield `# the definition of the cache ${name} was changed`;
      const table = tableName(id);
      if (!hasTable(all, table)) continue;
      const types = typesOf(cache);
      const start = `"cacheName":${writeText(name)},`;
      if (known !== undefined && hasTable(before, table)) {
        const removed = all.query<KeyedRow, []>(
          `SELECT old.* FROM ${SHIPPED}.${table} AS old LEFT JOIN main.${table} AS new USING (kt, k)
          WHERE new.kt IS NULL`,
        );
        for (const { kt, k } of removed.iterate()) {
          yield `{"cmd":"rmv",${start}${commandOf({ types, key: decodeValue(Number(kt), k, formerNames) })}}`;
        }
      }
      const codec = codecOf(definition, fields, names);
      for (const row of all.query<KeyedRow, []>(changedRows(all, before, table)).iterate()) {
        const entry = commandOf({ types, key: decodeValue(Number(row.kt), row.k, names), value: codec.value(row) });
        const expires = row.exp === null ? '' : `,"ttlMs":${Math.max(1, Number(row.exp) - nowMs)}`;
        yield `{"cmd":"put",${start}${entry}${expires}}`;
      }
    }
    yield* counterChanges(all);
    yield* otherChanges(all);
  } finally {
    before.close(true);
    all.close(true);
  }
}

/** Returns the statement for a table's rows that are new or differ. */
function changedRows(all: Database, before: Database, table: string): string {
  if (!hasTable(before, table)) return `SELECT * FROM main.${table}`;
  const columns = columnsOf(all, table);
  const formerly = new Set(columnsOf(before, table));
  const differs = columns.filter((each) => formerly.has(each)).map((each) => `new.${each} IS NOT old.${each}`);
  // Columns that were added are the fields of what was previously in the value.
  return `SELECT new.* FROM main.${table} AS new LEFT JOIN ${SHIPPED}.${table} AS old USING (kt, k)
    WHERE old.kt IS NULL OR ${differs.join(' OR ')}`;
}

function columnsOf(database: Database, table: string): string[] {
  const rows = database.query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)').all(table);
  return rows.map(({ name }) => name);
}

function cachesOf(database: Database): Map<number, Cache> {
  const rows = database
    .query<{ id: bigint; definition: string }, []>('SELECT id, definition FROM caches WHERE live = 1')
    .all();
  return new Map(
    rows.map(({ id, definition }) => [Number(id), { id: Number(id), ...decodeDefinition(definition) }] as const),
  );
}

/** Returns a cache's object types. */
function typesOf({ definition: { entities } }: Cache): TypeRegistry {
  return {
    find(typeName) {
      const entity = entityOfType(entities, typeName);
      return entity && schemaOf(entity, typeName);
    },
  };
}

/** Yields the steps of counters. */
function* counterChanges(all: Database): Generator<string> {
  const rows = all.query<{ name: StorageValue; now: bigint | null; before: bigint | null }, []>(
    `SELECT name, new.value AS now, old.value AS before
    FROM main.counters AS new FULL JOIN ${SHIPPED}.counters AS old USING (name) WHERE new.value IS NOT old.value`,
  );
  for (const { name, now, before } of rows.iterate()) {
    const key = writeText(
      typeof name === 'string' ? name : Buffer.from(name instanceof Uint8Array ? name : []).toString(),
    );
    if (now === null) yield `# the counter ${key} was removed`;
    else yield `{"cmd":"incr","key":${key},"delta":${formatExactScalar({ type: 'long', data: now - (before ?? 0n) })}}`;
  }
}

/** Tables whose rows no command stores, with their descriptions. */
const OTHERS = { records: 'kind', views: "'view'" } as const;

/** Yields how many users, sessions and other records differ. */
function* otherChanges(all: Database): Generator<string> {
  for (const [table, kind] of Object.entries(OTHERS)) {
    const rows = all
      .query<{ kind: string; n: bigint }, []>(
        `SELECT kind, count(*) AS n FROM (
          SELECT ${kind} AS kind, * FROM (SELECT * FROM main.${table} EXCEPT SELECT * FROM ${SHIPPED}.${table})
          UNION ALL
          SELECT ${kind} AS kind, * FROM (SELECT * FROM ${SHIPPED}.${table} EXCEPT SELECT * FROM main.${table})
        ) GROUP BY kind`,
      )
      .all();
    for (const { kind: name, n } of rows) yield `# records of the kind ${name} that differ: ${n}`;
  }
}
