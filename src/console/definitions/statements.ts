/** The statements and parameters that create tables, caches, columns and indexes, as forms describe them. */
import { qualifiedName, quotedIfNeeded, type TableName, typedName } from '../elements/sql-names.ts';

/** The types that forms offer. The others are synonyms, or for values that statements cannot store. */
export const COLUMN_TYPES = [
  'INTEGER',
  'BIGINT',
  'SMALLINT',
  'TINYINT',
  'DECIMAL',
  'DOUBLE',
  'REAL',
  'VARCHAR',
  'BOOLEAN',
  'DATE',
  'TIME',
  'TIMESTAMP',
  'UUID',
  'BINARY',
] as const;

export interface NewColumn {
  readonly name: string;
  readonly type: string;
  /** The text in parentheses after the type: `9, 2`; empty if none. */
  readonly size: string;
  readonly isKey: boolean;
  readonly isNotNull: boolean;
  /** The default as a user types it; empty if none. */
  readonly defaultText: string;
}

/** An empty column. */
export const EMPTY_COLUMN: NewColumn = {
  name: '',
  type: 'VARCHAR',
  size: '',
  isKey: false,
  isNotNull: false,
  defaultText: '',
};

export interface NewTable {
  readonly name: string;
  readonly columns: readonly NewColumn[];
  /** Name of the cache; if empty, the service chooses it. */
  readonly cacheName: string;
  /** Milliseconds after which rows expire; empty means never. */
  readonly ttlMs: string;
  readonly isSliding: boolean;
  readonly hasFeed: boolean;
  /** Empty means the default. */
  readonly template: string;
  /** Number of backups; if empty, the template's. */
  readonly backups: string;
}

const SIZED: ReadonlySet<string> = new Set(['DECIMAL', 'VARCHAR', 'BINARY']);

/** Returns whether a type may have a size. */
export function mayHaveSize(type: string): boolean {
  return SIZED.has(type);
}

const NUMERIC: ReadonlySet<string> = new Set(['INTEGER', 'BIGINT', 'SMALLINT', 'TINYINT', 'DECIMAL', 'DOUBLE', 'REAL']);

/** Returns a value as a literal of a type. */
export function literalOf(type: string, text: string): string {
  if (NUMERIC.has(type) && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return text;
  if (type === 'BOOLEAN' && /^(?:true|false)$/i.test(text)) return text.toUpperCase();
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns a column as CREATE TABLE and ALTER TABLE write it. */
export function columnText({ name, type, size, isNotNull, isKey, defaultText }: NewColumn): string {
  const typed = mayHaveSize(type) && size.trim() !== '' ? `${type}(${size.trim()})` : type;
  return [
    name.trim() === '' ? '…' : typedName(name),
    typed,
    ...(isNotNull || isKey ? ['NOT NULL'] : []),
    ...(defaultText === '' ? [] : [`DEFAULT ${literalOf(type, defaultText)}`]),
  ].join(' ');
}

/** Returns the statement that creates a table. */
export function createTable(table: NewTable): string {
  const { name, columns, cacheName, ttlMs, isSliding, hasFeed, template, backups } = table;
  const keys = columns.filter(({ isKey }) => isKey).map((column) => typedName(column.name));
  const lines = [...columns.map(columnText), ...(keys.length === 0 ? [] : [`PRIMARY KEY (${keys.join(', ')})`])];
  const settings = [
    ...(cacheName === '' ? [] : [`CACHE_NAME=${cacheName}`]),
    ...(template === '' ? [] : [`TEMPLATE=${template}`]),
    ...(backups === '' ? [] : [`BACKUPS=${backups}`]),
    ...(ttlMs === '' ? [] : [`TTLMS=${ttlMs}`]),
    ...(ttlMs === '' || !isSliding ? [] : ['SLIDING=true']),
    ...(hasFeed ? ['CHANGE_FEED=true'] : []),
  ];
  const head = `CREATE TABLE ${name === '' ? '…' : typedName(name)} (\n  ${lines.join(',\n  ')}\n)`;
  return settings.length === 0 ? head : `${head} WITH "${settings.join(',').replaceAll('"', '""')}"`;
}

/** Returns what prevents creating the table; empty if nothing does. */
export function tableProblem({ name, columns, backups }: NewTable): string {
  if (name.trim() === '') return 'Name the table.';
  if (columns.some((column) => column.name.trim() === '')) return 'Each column needs a name.';
  const names = columns.map((column) => foldedName(column.name));
  const repeated = names.find((each, at) => names.indexOf(each) !== at);
  if (repeated !== undefined) return `Two columns have the name ${repeated}.`;
  if (!columns.some(({ isKey }) => isKey)) return 'At least one column must be part of the key.';
  if (columns.every(({ isKey }) => isKey)) return 'At least one column must be outside the key.';
  if (!/^\d*$/.test(backups)) return 'The number of backups must be a whole number.';
  return '';
}

/** Returns a typed name as the service stores it. */
function foldedName(text: string): string {
  const name = typedName(text);
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toUpperCase();
}

/** Returns the cache in which the service stores a new table. */
export function cacheOfTable({ name, cacheName }: Pick<NewTable, 'name' | 'cacheName'>): string {
  return cacheName === '' ? `SQL_PUBLIC_${foldedName(name)}` : cacheName;
}

export interface NewCacheTexts {
  readonly cacheName: string;
  readonly templateName: string;
  readonly dataRegion: string;
  readonly backups: string;
  readonly ttlMs: string;
  readonly isSliding: boolean;
  readonly hasFeed: boolean;
}

/** Returns the parameters of the command that creates a cache, without empty ones. */
export function cacheParameters(texts: NewCacheTexts): Readonly<Record<string, string | number | boolean>> {
  const { cacheName, templateName, dataRegion, backups, ttlMs, isSliding, hasFeed } = texts;
  return {
    cacheName,
    ...(templateName !== '' && { templateName }),
    ...(dataRegion !== '' && { dataRegion }),
    ...(backups !== '' && { backups }),
    ...(ttlMs !== '' && { ttlMs: Number(ttlMs) }),
    ...(ttlMs !== '' && isSliding && { sliding: true }),
    ...(hasFeed && { changeFeed: true }),
  };
}

export interface NewIndex {
  readonly table: TableName;
  /** If empty, the service chooses one. */
  readonly name: string;
  readonly columns: ReadonlyArray<{ readonly name: string; readonly isDescending: boolean }>;
}

/** Returns the statement that creates an index. */
export function createIndex({ table, name, columns }: NewIndex): string {
  const parts = columns.map((column) => `${quotedIfNeeded(column.name)}${column.isDescending ? ' DESC' : ''}`);
  const named = name === '' ? '' : ` ${typedName(name)}`;
  return `CREATE INDEX${named} ON ${qualifiedName(table)} (${parts.join(', ') || '…'})`;
}

/** Returns the statement that drops an index of a table. */
export function dropIndex({ schema }: Pick<TableName, 'schema'>, name: string): string {
  return `DROP INDEX ${qualifiedName({ schema, name })}`;
}

/** Returns the statement that adds a column to a table. */
export function addColumn(table: TableName, column: NewColumn): string {
  return `ALTER TABLE ${qualifiedName(table)} ADD COLUMN ${column.name === '' ? '…' : columnText(column)}`;
}

/** Returns the statement that drops a column of a table. */
export function dropColumn(table: TableName, name: string): string {
  return `ALTER TABLE ${qualifiedName(table)} DROP COLUMN ${quotedIfNeeded(name)}`;
}

/** The units of durations in forms. */
export const DURATION_UNITS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
export type DurationUnit = keyof typeof DURATION_UNITS;

/**
 * Returns a duration in milliseconds as parameters take it; empty for empty text, undefined for an invalid duration.
 */
export function durationMs(text: string, unit: DurationUnit): string | undefined {
  const wanted = text.trim();
  if (wanted === '') return '';
  const ms = Math.round(Number(wanted) * DURATION_UNITS[unit]);
  return Number.isSafeInteger(ms) && ms > 0 ? String(ms) : undefined;
}
