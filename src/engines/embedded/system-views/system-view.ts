/** Declares system views: their columns in order, each with its type and a function that reads it from an item. */
import type { TableReader, VirtualTable } from '../../../sql/binding/catalog.ts';
import type { SqlType, SqlTypeName } from '../../../sql/types/sql-types.ts';
import { encodeTimestamp } from '../storage/timestamp-storage.ts';
import type { SystemInfo } from './system-info.ts';
import type { ViewDescription } from './view-description.ts';

type ViewValue = string | number | bigint | null;

/** A column of a view whose rows come from items of type `F`. */
export interface ViewColumn<F> {
  readonly type: SqlType;
  /** Java type that Ignite lists in SYS.VIEW_COLUMNS. */
  readonly javaType: string;
  readonly nullable: boolean;
  read(info: F): ViewValue;
}

/** A view of SYS or a table of INFORMATION_SCHEMA. */
export interface SystemView extends ViewDescription {
  rows(info: SystemInfo): ReadonlyArray<readonly ViewValue[]>;
}

type Read<F, T> = (info: F) => T | null | undefined;

function column<F>(
  name: SqlTypeName,
  javaType: string,
  nullable: boolean,
  read: (info: F) => ViewValue,
): ViewColumn<F> {
  return { type: { name }, javaType, nullable, read };
}

export function text<F>(read: Read<F, string>): ViewColumn<F> {
  return column('VARCHAR', 'java.lang.String', true, (info) => read(info) ?? null);
}

/** A string that Ignite lists as the name of a Java class. */
export function className<F>(read: Read<F, string>): ViewColumn<F> {
  return column('VARCHAR', 'java.lang.Class', true, (info) => read(info) ?? null);
}

export function uuid<F>(read: Read<F, string>): ViewColumn<F> {
  return column('UUID', 'java.util.UUID', true, (info) => read(info) ?? null);
}

export function flag<F>(read: Read<F, boolean>): ViewColumn<F> {
  return column('BOOLEAN', 'boolean', false, (info) => {
    const value = read(info) ?? null;
    return value === null ? null : Number(value);
  });
}

export function byte<F>(read: Read<F, number>): ViewColumn<F> {
  return column('TINYINT', 'byte', false, (info) => read(info) ?? null);
}

export function short<F>(read: Read<F, number>): ViewColumn<F> {
  return column('SMALLINT', 'short', false, (info) => read(info) ?? null);
}

export function int<F>(read: Read<F, number>): ViewColumn<F> {
  return column('INTEGER', 'int', false, (info) => read(info) ?? null);
}

/** An integer that may be NULL. */
export function integer<F>(read: Read<F, number>): ViewColumn<F> {
  return column('INTEGER', 'java.lang.Integer', true, (info) => read(info) ?? null);
}

export function long<F>(read: Read<F, number | bigint>): ViewColumn<F> {
  return column('BIGINT', 'long', false, (info) => {
    const value = read(info);
    return typeof value === 'bigint' ? value : whole(value);
  });
}

export function real<F>(read: Read<F, number>): ViewColumn<F> {
  return column('REAL', 'float', false, (info) => rounded(read(info)));
}

export function double<F>(read: Read<F, number>): ViewColumn<F> {
  return column('DOUBLE', 'double', false, (info) => read(info) ?? null);
}

/** A timestamp column, read in ms since the Unix epoch. */
export function time<F>(read: Read<F, number>): ViewColumn<F> {
  return column('TIMESTAMP', 'java.util.Date', true, (info) => {
    const atMs = whole(read(info));
    return atMs === null ? null : encodeTimestamp(BigInt(atMs) * 1_000_000n);
  });
}

function whole(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Math.round(value);
}

function rounded(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Math.fround(value);
}

/** Declares a view with one row for each of `items`. */
export function systemView<F>(
  schema: SystemView['schema'],
  name: string,
  description: string,
  items: (info: SystemInfo) => Iterable<F>,
  columns: Readonly<Record<string, ViewColumn<F>>>,
): SystemView {
  const readers = Object.values(columns);
  return {
    schema,
    name,
    description,
    columns: Object.entries(columns).map(([columnName, { type, javaType, nullable }]) => ({
      name: columnName,
      type,
      javaType,
      nullable,
    })),
    rows: (info) => Array.from(items(info), (item) => readers.map((reader) => reader.read(item))),
  };
}

const EMPTY_COLUMNS = { text, className, uuid, flag, byte, short, int, integer, long, real, double, time } as const;

/**
 * Declares a view for a feature that this grid lacks: it has Ignite's columns and no rows. `columns` is a list like
 * `NAME text, COUNT int`.
 */
export function emptyView(
  schema: SystemView['schema'],
  name: string,
  description: string,
  columns: string,
): SystemView {
  const named = columns.split(',').map((part): [string, ViewColumn<never>] => {
    const [columnName = '', kind = ''] = part.trim().split(' ');
    return [columnName, emptyColumn(kind)];
  });
  return systemView<never>(schema, name, description, () => [], Object.fromEntries(named));
}

function emptyColumn(kind: string): ViewColumn<never> {
  const create = Object.entries(EMPTY_COLUMNS).find(([name]) => name === kind)?.[1];
  if (create === undefined) throw new Error(`no column of kind ${kind}`);
  return create<never>(() => null);
}

/** Returns the view as the SQL binder reads it. */
export function virtualTable(view: SystemView, infoOf: (reader?: TableReader) => SystemInfo): VirtualTable {
  return {
    schema: view.schema,
    name: view.name,
    columns: view.columns,
    rows: (reader) => view.rows(infoOf(reader)),
  };
}
