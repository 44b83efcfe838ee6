/**
 * Writes INSERT, MERGE and UPDATE of a cache's entries. SQLite only computes what to store: the writer of entries
 * stores it (`EntryChanges`), as for a put.
 */
import type {
  BoundInsert,
  BoundMergeUsing,
  BoundUpdate,
  QueryStored,
  Stored,
} from '../../../sql/binding/bind-change.ts';
import { type Bound, isConstant, isFixed, KEY_COLUMN, VALUE_COLUMN } from '../../../sql/binding/bound.ts';
import type { SqlColumn } from '../../../sql/binding/catalog.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { encodeStructure } from '../storage/value-storage.ts';
import type { ChangeStep, EmittedChange } from './change-steps.ts';
import { sourceName } from './emit-column.ts';
import { emitCondition, emitExpression, emitOrder } from './emit-expression.ts';
import { emitQuery, emitTable, rowFilters } from './emit-query.ts';
import type { Emitter } from './emitter.ts';
import { type EntryOptions, type EntryTable, entryTable } from './entry-table.ts';
import { formatType, numbered } from './native-function.ts';
import { convertFunction } from './native-functions.ts';
import { entryKeyFunction, TIMESTAMP_TO_INSTANT } from './row-functions.ts';
import { decodeValueAs, hasSameStorage, valueOfData } from './storage-values.ts';

/** The columns of a step's rows, by the corresponding columns of the entries table. */
const PARTS: ReadonlyMap<string, string> = new Map([
  [KEY_COLUMN, 'entry_key'],
  ['KEY_TYPE', 'key_type'],
  [VALUE_COLUMN, 'entry_value'],
  ['VALUE_TYPE', 'value_type'],
  ['EXPIRES', 'expires'],
]);

/** The deadline of an entry for which a statement specifies none. */
export const OWN_DEADLINE = 'own';

/** Maximum number of characters per step, for which SQLite needs several times that memory. */
const STEP_CHARACTERS = 64 * 1024;

const CHANGED = 'temp.changed_entries';
const UNMATCHED = 'temp.unmatched_entries';

export function emitEntriesChange(
  change: BoundInsert | BoundUpdate | BoundMergeUsing,
  options: EntryOptions,
  out: Emitter,
): EmittedChange {
  switch (change.kind) {
    case 'insert':
    case 'merge':
      return emitEntriesInsert(change, out);
    case 'update':
      return { steps: keptSteps(CHANGED, emitEntriesUpdate(change, options, out), 'put'), insertsFixedRows: false };
    case 'mergeUsing':
      return { steps: emitEntriesMerge(change, options, out), insertsFixedRows: false };
  }
}

/** Computes all rows before the first one is stored. */
function keptSteps(name: string, select: string, entries: NonNullable<ChangeStep['entries']>): ChangeStep[] {
  return [...keepSteps(name, select), ...storeSteps(name, entries)];
}

function keepSteps(name: string, select: string): ChangeStep[] {
  return [
    { sql: `DROP TABLE IF EXISTS ${name}`, effect: 'none' },
    { sql: `CREATE TABLE ${name} AS ${select}`, effect: 'none' },
  ];
}

function storeSteps(name: string, entries: NonNullable<ChangeStep['entries']>): ChangeStep[] {
  return [
    { sql: `SELECT * FROM ${name}`, effect: entries === 'put' ? 'update' : 'store', entries },
    { sql: `DROP TABLE ${name}`, effect: 'none' },
  ];
}

function emitEntriesInsert(insert: BoundInsert, out: Emitter): EmittedChange {
  const { kind, keepsOthers, rows, query } = insert;
  const entries = kind === 'merge' ? 'put' : keepsOthers ? 'insertNew' : 'insert';
  if (rows === undefined) {
    if (query === undefined) throw new TypeError('an INSERT without rows');
    const types = query.query.columns.map(({ type }) => type);
    const items = listed(
      new Map(query.columns.map((each) => [each.column, emitFromQuery(each, types[each.from ?? -1], out)])),
    );
    const select = `SELECT ${items} FROM (${emitQuery(query.query, out, 'values')}) AS s`;
    return { steps: keptSteps(CHANGED, select, entries), insertsFixedRows: false };
  }
  const groups: string[][] = [];
  let names: string[] = [];
  let characters = STEP_CHARACTERS;
  let fixed = true;
  for (const row of rows) {
    fixed &&= row.every(({ value }) => isFixed(value));
    const texts = storedTexts(row, out);
    names = [...texts.keys()].map(partOf);
    const text = `(${[...texts.values()].join(', ')})`;
    if (characters >= STEP_CHARACTERS) {
      groups.push([]);
      characters = 0;
    }
    groups.at(-1)?.push(text);
    characters += text.length;
  }
  const select = (texts: readonly string[]): string =>
    `WITH r(${names.join(', ')}) AS (VALUES ${texts.join(', ')}) SELECT * FROM r`;
  if (!fixed) return { steps: keptSteps(CHANGED, select(groups.flat()), entries), insertsFixedRows: false };
  return { steps: groups.map((texts) => ({ sql: select(texts), effect: 'store', entries })), insertsFixedRows: true };
}

function partOf({ name }: SqlColumn): string {
  const part = PARTS.get(name);
  if (part === undefined) throw new TypeError(`${name} is no part of an entry`);
  return part;
}

/** Writes the parts of an entry as the columns of a row. */
function listed(texts: ReadonlyMap<SqlColumn, string>): string {
  const items = [...texts].map(([column, text]) => `${text} AS ${partOf(column)}`);
  return items.join(', ');
}

function storedTexts(row: readonly Stored[], out: Emitter): ReadonlyMap<SqlColumn, string> {
  return new Map(row.map(({ column, value }) => [column, emitPart(column, value, out)]));
}

function emitPart(column: SqlColumn, value: Bound, out: Emitter): string {
  if (column.type.isAny === true) return emitAny(value, out);
  const text = emitExpression(value, out);
  return column.name === 'EXPIRES' ? emitDeadline(text, out) : text;
}

/** Writes a time as a deadline. */
function emitDeadline(text: string, out: Emitter): string {
  return out.call(TIMESTAMP_TO_INSTANT, [text]);
}

/** Writes an expression as a value with its type, in the value's exact form. */
function emitAny(value: Bound, out: Emitter): string {
  const { type } = value;
  if (isConstant(value) && type.name !== 'OTHER')
    return out.literal(value.data === null ? null : encodeStructure(valueOfData(type, value.data)));
  return exactly(type, emitExpression(value, out), out);
}

function exactly(type: SqlType, text: string, out: Emitter): string {
  // They are stored in this form.
  if (type.name === 'OTHER' || type.name === 'ARRAY' || type.name === 'NULL') return text;
  const native = numbered(`exact ${formatType(type)}`, 1, (storageValue = null) =>
    storageValue === null ? null : encodeStructure(decodeValueAs(type, storageValue)),
  );
  return out.call(native, [text]);
}

function emitFromQuery({ column, from }: QueryStored, type: SqlType | undefined, out: Emitter): string {
  if (from === undefined || type === undefined) throw new TypeError(`no value for ${column.name}`);
  const source = `s.c${from}`;
  if (column.type.isAny === true) return exactly(type, source, out);
  const native = convertFunction(type, column.type, { source: undefined, column: column.name });
  const text = hasSameStorage(type, column.type) ? source : out.call(native, [source]);
  return column.name === 'EXPIRES' ? emitDeadline(text, out) : text;
}

function conditionOf(where: Bound | undefined, out: Emitter): readonly string[] {
  return where === undefined ? [] : [emitCondition(where, out)];
}

function emitEntriesUpdate(update: BoundUpdate, options: EntryOptions, out: Emitter): string {
  const { target, set, where, orderBy, limit } = update;
  const table = entryTable(target.table);
  const name = sourceName(target.id);
  const items = [keyOf(name, options, out), listed(storedTexts(set, out))].join(', ');
  const conditions = [...rowFilters(table, name, target.id, out), ...conditionOf(where, out)];
  const order = orderBy.length === 0 ? '' : ` ORDER BY ${emitOrder(orderBy, out)}`;
  const first = limit === undefined ? '' : `${order} LIMIT ${emitExpression(limit, out)}`;
  return `SELECT ${items} FROM ${table.physical} AS ${name} WHERE ${conditions.join(' AND ')}${first}`;
}

function keyOf(name: string, options: EntryOptions, out: Emitter): string {
  return `${out.call(entryKeyFunction(options), [`${name}.kt`, `${name}.k`])} AS ${PARTS.get(KEY_COLUMN)}`;
}

/** Everything is computed from the previous entries, except what is deleted, which sees the updated ones. */
function emitEntriesMerge(merge: BoundMergeUsing, options: EntryOptions, out: Emitter): ChangeStep[] {
  const { target, insert, update } = merge;
  const table = entryTable(target.table);
  const name = sourceName(target.id);
  const on = emitCondition(merge.on, out);
  const filters = rowFilters(table, name, target.id, out);
  const source = emitTable(merge.source, out);
  const steps: ChangeStep[] = [];
  if (insert !== undefined) {
    const partner = `SELECT 1 FROM ${table.physical} AS ${name} WHERE ${[...filters, on].join(' AND ')}`;
    const rows = [...source.filters, `NOT EXISTS (${partner})`].join(' AND ');
    steps.push(...keepSteps(UNMATCHED, `SELECT ${listed(storedTexts(insert, out))} FROM ${source.text} WHERE ${rows}`));
  }
  if (update !== undefined) {
    const items = [keyOf(name, options, out), listed(storedTexts(update.set, out))].join(', ');
    const conditions = [...filters, ...source.filters, on, ...conditionOf(update.where, out)].join(' AND ');
    const from = `${table.physical} AS ${name}, ${source.text}`;
    // An entry is changed only once, even if several rows match it.
    const select = `SELECT ${items} FROM ${from} WHERE ${conditions} GROUP BY ${name}.k, ${name}.kt`;
    steps.push(...keptSteps(CHANGED, select, 'put'));
  }
  if (merge.delete !== undefined) {
    const conditions = [...source.filters, on, ...conditionOf(merge.delete.where, out)].join(' AND ');
    const partner = `SELECT 1 FROM ${source.text} WHERE ${conditions}`;
    steps.push({
      sql: `DELETE FROM ${table.physical} AS ${name} WHERE ${[...filters, `EXISTS (${partner})`].join(' AND ')}`,
      effect: 'remove',
    });
  }
  if (insert !== undefined) steps.push(...storeSteps(UNMATCHED, 'insert'));
  return steps;
}

/** Returns the condition for the first rows of a table that meet some condition. */
export function emitFirstEntries({ physical }: EntryTable, name: string, rows: string): string {
  return `(${name}.k, ${name}.kt) IN (SELECT ${name}.k, ${name}.kt FROM ${physical} AS ${name} WHERE ${rows})`;
}
