/** The names of all caches and tables, which the sidebar, the palette and the breadcrumbs share. */
import { batch, signal } from '@preact/signals';
import { healed, isOutage } from './connection.ts';
import { call, isForbidden, isReady, messageOf, missingRight } from './request.ts';
import { markRepeated } from './sent-requests.ts';
import { readRows } from './statement.ts';

export interface TableName {
  readonly schema: string;
  readonly name: string;
}

export interface CatalogEntry {
  /** The name of the cache. */
  readonly name: string;
  /** The table whose rows the entries are; undefined for a cache without one. */
  readonly table: TableName | undefined;
  /** Null if not known. */
  readonly size: number | null;
  readonly mode: string;
  /** Null if not known. */
  readonly backups: number | null;
  /** Whether entries expire by themselves. */
  readonly hasDeadline: boolean;
  /** Whether its changes can be followed. */
  readonly hasFeed: boolean;
}

/** The list, as far as known; undefined until it was read. */
export const catalog = signal<readonly CatalogEntry[] | undefined>(undefined);
/** Why the list could not be read; empty if it was. */
export const catalogFailure = signal('');
/** Whether the signed-in user may not list all caches: only caches on which the user has a right are listed. */
export const isPartial = signal(false);

interface ListedCache {
  readonly cacheName: string;
  readonly cacheSize: number | null;
  readonly mode: string;
  readonly backups: number | null;
  /** Only where entries expire. */
  readonly ttlMs?: number;
  readonly changeFeed?: boolean;
}

/** The comment marks the console's statement, which lists of running statements omit. */
const TABLES = '/* console: tables */ SELECT cache_name, schema_name, table_name FROM sys.tables';
/** Tables beyond these are listed by the names of their caches. */
const MAX_TABLES = 10_000;

/** Returns an entry's label. */
export function titleOf({ name, table }: Pick<CatalogEntry, 'name' | 'table'>): string {
  if (table !== undefined) return tableTitle(table.schema, table.name);
  return name === '' ? '(empty name)' : name;
}

/** Returns the name of a table as users see it: with its schema if that is not PUBLIC. */
export function tableTitle(schema: string, name: string): string {
  return schema === 'PUBLIC' ? name : `${schema}.${name}`;
}

/** Returns the tables by the names of their caches, or none if the user may not read the system views. */
async function readTables(signal: AbortSignal): Promise<ReadonlyMap<string, TableName>> {
  const rows = (await readRows(TABLES, MAX_TABLES, signal)) as ReadonlyArray<readonly [string, string, string]>;
  return new Map(rows.map(([cache, schema, name]) => [cache, { schema, name }]));
}

/** Ends when the current reading does. */
let reading: Promise<unknown> = Promise.resolve();
let next: Promise<readonly CatalogEntry[]> | undefined;

/**
 * Reads the list and returns it. A reading in progress may have missed the caller's latest change: concurrent callers
 * share the next one. Throws SvcError.
 */
export function readCatalog(): Promise<readonly CatalogEntry[]> {
  next ??= reading.then(() => {
    next = undefined;
    const begun = read();
    reading = begun.catch(() => {});
    return begun;
  });
  return next;
}

/** Rereads the list. {@link catalogFailure} says why if that fails. */
export async function refreshCatalog(): Promise<void> {
  if (isReady()) await readCatalog().catch(() => {});
}

/** Numbers of entries change all the time; the display is at most half a minute old. */
const EVERY_MS = 30_000;

/** Reads the list now and regularly while the page is visible, until the returned function is called. */
export function followCatalog(): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') void refreshCatalog();
  }, EVERY_MS);
  // At once, and when the service is back.
  const ignore = healed.subscribe(() => void refreshCatalog());
  return () => {
    clearInterval(timer);
    ignore();
  };
}

async function read(): Promise<readonly CatalogEntry[]> {
  const { signal: abort } = new AbortController();
  // The page sends this, not the user, so it is not listed among the requests of the last clicks.
  markRepeated(abort);
  try {
    const { entries, isAll } = await readEntries(abort);
    batch(() => {
      catalog.value = [...entries].sort((a, b) => titleOf(a).localeCompare(titleOf(b)));
      catalogFailure.value = '';
      isPartial.value = !isAll;
    });
    return catalog.value ?? [];
  } catch (problem) {
    if (isOutage(problem)) throw problem;
    catalog.value = undefined;
    catalogFailure.value = isForbidden(problem)
      ? `You need ${missingRight(messageOf(problem))} to list them.`
      : `They cannot be listed: ${messageOf(problem)}`;
    throw problem;
  }
}

interface Entries {
  readonly entries: readonly CatalogEntry[];
  readonly isAll: boolean;
}

/** Reads all entries, or those known to a user who may not list all. Throws SvcError. */
async function readEntries(abort: AbortSignal): Promise<Entries> {
  try {
    const listed = (await call('cachelist', {}, abort)) as unknown as readonly ListedCache[];
    const tables = await readTables(abort).catch(() => new Map<string, TableName>());
    const entries = listed.map(({ cacheName, cacheSize, mode, backups, ttlMs, changeFeed }) => ({
      name: cacheName,
      table: tables.get(cacheName),
      size: cacheSize,
      mode,
      backups,
      hasDeadline: ttlMs !== undefined,
      hasFeed: changeFeed === true,
    }));
    return { entries, isAll: true };
  } catch (problem) {
    if (!isForbidden(problem)) throw problem;
    const entries = await readKnown(abort).catch(() => {
      throw problem;
    });
    return { entries, isAll: false };
  }
}

/** Reads the caches known to the user: those with a right on them or their tables. Throws SvcError. */
async function readKnown(abort: AbortSignal): Promise<readonly CatalogEntry[]> {
  const nodes = await call('top', { mtr: false, attr: false }, abort);
  const known = new Map(nodes.flatMap(({ caches }) => caches ?? []).map((each) => [each.name, each]));
  return [...known.values()].map(({ name, mode, sqlSchema }) => {
    const prefix = `SQL_${sqlSchema ?? ''}_`;
    const isTable = sqlSchema !== null && name.startsWith(prefix);
    return {
      ...{ name, mode, size: null, backups: null, hasDeadline: false, hasFeed: false },
      table: isTable ? { schema: sqlSchema, name: name.slice(prefix.length) } : undefined,
    };
  });
}
