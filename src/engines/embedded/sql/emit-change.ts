/** Writes changes as SQLite statements over the entry tables. */
import type {
  BoundChange,
  BoundDelete,
  BoundInsert,
  BoundMergeUsing,
  BoundUpdate,
  QueryStored,
  Stored,
} from '../../../sql/binding/bind-change.ts';
import { anyPart, type Bound, isConstant, isFixed } from '../../../sql/binding/bound.ts';
import type { SqlColumn } from '../../../sql/binding/catalog.ts';
import { checkColumn } from '../../../sql/types/column-checks.ts';
import { LAST_MS } from '../storage/deadlines.ts';
import { UNKNOWN_PATH } from '../storage/path-columns.ts';
import type { ChangeStep, EmittedChange, Emptying } from './change-steps.ts';
import { sourceName } from './emit-column.ts';
import { emitEntriesChange, emitFirstEntries } from './emit-entries.ts';
import { emitCondition, emitConvert, emitExpression, emitOrder } from './emit-expression.ts';
import { emitQuery, emitTable, rowFilters } from './emit-query.ts';
import type { Emitter } from './emitter.ts';
import { type EntryColumn, type EntryTable, entryColumn, entryTable } from './entry-table.ts';
import { compositeLookups } from './key-use.ts';
import type { NativeFunction } from './native-function.ts';
import { convertFunction } from './native-functions.ts';
import {
  CANONICAL_DECIMAL,
  checkFunction,
  DECIMAL_TO_BIG_INTEGER,
  duplicateFunction,
  keyFunction,
  pathFunction,
  REPLACED,
  TIMESTAMP_TO_INSTANT,
  touchFunction,
} from './row-functions.ts';
import { hasSameStorage } from './storage-values.ts';

/**
 * Maximum number of characters per step of an INSERT, for which SQLite needs several times that memory. A longer INSERT
 * has more steps.
 */
const INSERT_CHARACTERS = 64 * 1024;

/** Writes a change. */
export function emitChange(change: BoundChange, out: Emitter): EmittedChange {
  const table = entryTable(change.target.table);
  const { entries } = table;
  if (entries !== undefined && change.kind !== 'delete') return emitEntriesChange(change, entries, out);
  const others = (...steps: readonly ChangeStep[]): EmittedChange => ({ steps, insertsFixedRows: false });
  switch (change.kind) {
    case 'insert':
    case 'merge': {
      const inserted = emitInsert(change, out);
      return { ...inserted, steps: [...inserted.steps, ...pathSteps(table, out)] };
    }
    case 'update':
      return others({ sql: emitUpdate(change, out), effect: 'update' }, ...pathSteps(table, out));
    case 'delete':
      return { ...others({ sql: emitDelete(change, out), effect: 'remove' }), emptying: emptyingOf(change) };
    case 'mergeUsing':
      return others(...emitMergeUsing(change, out), ...pathSteps(table, out));
  }
}

/**
 * Writes the last step of a change to a table whose cache has indexed paths: it computes them from the values of the
 * rows that earlier steps have written, which their indexes find.
 */
function pathSteps(table: EntryTable, out: Emitter): ChangeStep[] {
  const [first] = table.paths;
  if (first === undefined) return [];
  const columns = ['vt', 'v', ...table.valueColumns];
  const sets = table.paths.map((path) => `f${path.column} = ${out.call(pathFunction(table, path), columns)}`);
  const sql = `UPDATE ${table.physical} SET ${sets.join(', ')} WHERE f${first.column} = ${UNKNOWN_PATH}`;
  return [{ sql, effect: 'none' }];
}

/** Returns the columns of indexed paths, whose values the last step computes. */
function unknownPaths({ paths }: EntryTable): Array<readonly [string, string]> {
  return paths.map(({ column }) => [`f${column}`, UNKNOWN_PATH]);
}

/** Writes the storage value of a column, checked against the column's constraints. */
function emitStored({ column, value }: Stored, out: Emitter): string {
  if (isConstant(value)) {
    checkColumn(column, value.data);
    return truncated(column, out.constant(value.type, value.data));
  }
  if (value.kind === 'parameter') return truncated(column, out.storedArgument(value.index, column));
  const text =
    value.kind === 'convert' ? emitConvert(value.operand, value.type, out, column.name) : emitExpression(value, out);
  return checked(column, text, out);
}

function checked(column: SqlColumn, text: string, out: Emitter): string {
  const { precision } = column.type;
  return truncated(column, column.notNull || precision !== undefined ? out.call(checkFunction(column), [text]) : text);
}

/** As in Ignite, a TIME column keeps milliseconds, while a TIME in an expression has nanoseconds. */
function truncated(column: SqlColumn, text: string): string {
  return column.type.name === 'TIME' ? `CAST(${text} AS INTEGER)` : text;
}

/** Converts from a column's stored form to the stored form of a whole key or value (`k`, `v`). */
function whole(column: EntryColumn, text: string, out: Emitter): string {
  if (column.fieldType.kind !== 'scalar') return text;
  const natives: Readonly<Record<string, NativeFunction>> = {
    instant: TIMESTAMP_TO_INSTANT,
    bigInteger: DECIMAL_TO_BIG_INTEGER,
  };
  const native = natives[column.fieldType.type];
  return native === undefined ? text : out.call(native, [text]);
}

/** Writes a row. Returns the SQLite texts by their columns in the entry table. */
function emitRow(table: EntryTable, given: ReadonlyMap<SqlColumn, string>, out: Emitter): ReadonlyMap<string, string> {
  const texts = new Map([...given].map(([column, text]) => [column, canonical(column, text, out)]));
  const values = new Map<string, string>();
  values.set('kt', String(table.kt));
  values.set('k', emitRowKey(table, texts, out));
  values.set('vt', String(table.vt));
  values.set('v', 'NULL');
  const deadline = emitDeadline(table);
  if (deadline !== undefined) values.set('exp', deadline);
  for (const [bound, text] of texts) {
    const column = entryColumn(bound);
    if (column.physical === 'k') continue;
    if (column.physical === 'v') values.set('v', notNull(column, whole(column, text, out), out));
    else values.set(column.physical, text);
  }
  for (const [column, text] of unknownPaths(table)) values.set(column, text);
  return values;
}

/** Writes the form in which a key column is stored. */
function canonical({ isKey, type }: SqlColumn, text: string, out: Emitter): string {
  return isKey && type.name === 'DECIMAL' ? out.call(CANONICAL_DECIMAL, [text]) : text;
}

/** Writes the deadline of a row that is written now; returns undefined if rows of the table do not expire. */
function emitDeadline({ ttlMs }: EntryTable): string | undefined {
  return ttlMs === undefined ? undefined : `min(CAST(?1 AS INTEGER) + ${ttlMs}, ${LAST_MS})`;
}

function emitRowKey(table: EntryTable, texts: ReadonlyMap<SqlColumn, string>, out: Emitter): string {
  const keys = table.columns.filter((column) => column.isKey);
  const single = table.hiddenKey ?? keys.find((column) => column.physical === 'k');
  if (single !== undefined) return notNull(single, whole(single, texts.get(single) ?? 'NULL', out), out);
  return out.call(
    keyFunction(keys),
    keys.map((column) => texts.get(column) ?? 'NULL'),
  );
}

/** Adds a NULL check: keys and whole values must not be NULL even if their column permits it. */
function notNull(column: EntryColumn, text: string, out: Emitter): string {
  if (column.notNull || /^[-\d'x]/.test(text)) return text;
  const strict: EntryColumn = { ...column, notNull: true, type: { name: column.type.name } };
  return out.call(checkFunction(strict), [text]);
}

function emitInsert(insert: BoundInsert, out: Emitter): EmittedChange {
  const table = entryTable(insert.target.table);
  const { rows, query } = insert;
  const step = (names: readonly string[], source: string): ChangeStep => ({
    sql: `INSERT INTO ${table.physical} AS t(${names.join(', ')}) ${source} ${onConflict(table, insert, out)}`,
    effect: 'store',
  });
  if (rows !== undefined) {
    const { names, groups, isFixed } = emitRows(rows, table, out);
    return { steps: groups.map((group) => step(names, `VALUES ${group}`)), insertsFixedRows: isFixed };
  }
  if (query === undefined) throw new TypeError('an INSERT without rows');
  const texts = new Map(query.columns.map((each) => [each.column, emitFromQuery(each, insert, out)]));
  const values = emitRow(table, texts, out);
  // Without WHERE SQLite would parse ON CONFLICT as the condition of a join.
  const source = `SELECT ${[...values.values()].join(', ')} FROM (${emitQuery(query.query, out, 'values')}) AS s WHERE 1`;
  return { steps: [step([...values.keys()], source)], insertsFixedRows: false };
}

interface EmittedRows {
  readonly names: readonly string[];
  /** The rows of each step. */
  readonly groups: readonly string[];
  readonly isFixed: boolean;
}

/** Writes rows in groups. Those with subqueries form one group: none may see rows that another stores. */
function emitRows(rows: NonNullable<BoundInsert['rows']>, table: EntryTable, out: Emitter): EmittedRows {
  const groups: string[] = [];
  let names: readonly string[] = [];
  let group: string[] = [];
  let characters = 0;
  let fixed = true;
  for (const row of rows) {
    fixed &&= row.every(({ value }) => isFixed(value));
    const values = emitRow(table, new Map(row.map((each) => [each.column, emitStored(each, out)])), out);
    names = [...values.keys()];
    const text = `(${[...values.values()].join(', ')})`;
    group.push(text);
    characters += text.length;
    if (characters < INSERT_CHARACTERS) continue;
    groups.push(group.join(', '));
    group = [];
    characters = 0;
  }
  if (group.length > 0) groups.push(group.join(', '));
  return { names, groups: fixed ? groups : [groups.join(', ')], isFixed: fixed };
}

function emitFromQuery({ column, from, defaultValue }: QueryStored, insert: BoundInsert, out: Emitter): string {
  if (from === undefined) return emitStored({ column, value: defaultValue }, out);
  const type = insert.query?.query.columns[from]?.type ?? column.type;
  const target = { name: column.type.name };
  const source = `s.c${from}`;
  const columns = { source: undefined, column: column.name };
  const converted = hasSameStorage(type, target) ? source : out.call(convertFunction(type, target, columns), [source]);
  return checked(column, converted, out);
}

/**
 * Writes the conflict clause. A new row replaces an expired one. INSERT fails on a live row, immediately or after the
 * last row; MERGE replaces it and keeps its time to live, as put does, unless the table has one.
 */
function onConflict(
  table: EntryTable,
  { kind, keepsOthers }: Pick<BoundInsert, 'kind' | 'keepsOthers'>,
  out: Emitter,
): string {
  const replaced = out.call(REPLACED, ['excluded.vt']);
  const columns = ['v', ...table.valueColumns, ...unknownPaths(table).map(([column]) => column)];
  const sets = columns.map((column) => `${column} = excluded.${column}`);
  const expires = table.ttlMs !== undefined;
  if (kind === 'merge') {
    sets.unshift(`vt = ${replaced}`, expires ? 'exp = excluded.exp' : 'exp = CASE WHEN t.exp > ?1 THEN t.exp END');
    return `ON CONFLICT(k, kt) DO UPDATE SET ${sets.join(', ')}`;
  }
  const duplicate = out.call(duplicateFunction(table, keepsOthers), ['t.k']);
  sets.unshift(
    keepsOthers ? `vt = ${replaced}` : `vt = CASE WHEN t.exp <= ?1 THEN ${replaced} ELSE ${duplicate} END`,
    expires ? 'exp = excluded.exp' : 'exp = NULL',
  );
  const condition = keepsOthers ? ` WHERE t.exp <= ?1 OR ${duplicate}` : '';
  return `ON CONFLICT(k, kt) DO UPDATE SET ${sets.join(', ')}${condition}`;
}

interface Target {
  readonly name: string;
  readonly filters: readonly string[];
}

function targetOf(target: BoundUpdate['target'], conditions: readonly Bound[], out: Emitter): Target {
  const name = sourceName(target.id);
  out.noteLookups(compositeLookups(conditions));
  return { name, filters: rowFilters(entryTable(target.table), name, target.id, out) };
}

function listed(bound: Bound | undefined): readonly Bound[] {
  return bound === undefined ? [] : [bound];
}

function readsItself(values: readonly Bound[]): boolean {
  return values.some((value) =>
    anyPart(value, (part) => ['subquery', 'exists', 'inQuery', 'quantified'].includes(part.kind)),
  );
}

/** Writes the assignments of SET, including one to `v`, which records the fields that are now stored in columns. */
function emitSet(
  set: readonly Stored[],
  table: EntryTable,
  name: string,
  out: Emitter,
): Array<readonly [string, string]> {
  const values: Array<readonly [string, string]> = set.map(({ column, value }) => {
    const text = emitStored({ column, value }, out);
    const stored = entryColumn(column);
    return [stored.physical, stored.physical === 'v' ? notNull(stored, whole(stored, text, out), out) : text];
  });
  return [
    ...values,
    ...unknownPaths(table),
    ...touched(
      set.map(({ column }) => column),
      table,
      name,
      out,
    ),
  ];
}

function touched(
  columns: readonly SqlColumn[],
  table: EntryTable,
  name: string,
  out: Emitter,
): Array<readonly [string, string]> {
  if (table.valueSqlType.name !== 'OTHER' || columns.length === 0) return [];
  const touch = out.call(touchFunction(columns.map((column) => entryColumn(column).field)), [`${name}.v`]);
  return [['v', `CASE WHEN ${name}.v IS NOT NULL THEN ${touch} END`]];
}

function emitUpdate(update: BoundUpdate, out: Emitter): string {
  const table = entryTable(update.target.table);
  const where = update.where === undefined ? [] : [emitCondition(update.where, out)];
  const { name, filters } = targetOf(update.target, listed(update.where), out);
  const columns = [...update.set.map(({ column }) => column), ...update.setRows.flatMap((row) => row.columns)];
  const conditions = [...filters, ...where];
  const limited = emitLimited(update, conditions, out);
  const sets = emitSet(update.set, table, name, out).filter(
    ([column]) => column !== 'v' || update.setRows.length === 0,
  );
  if (readsItself(update.set.map(({ value }) => value)) && update.setRows.length === 0) {
    // All new values are computed before the first row changes.
    const items = sets.map(([, text], at) => `${text} AS c${at}`);
    const found = `SELECT ${name}.k AS k, ${items.join(', ')} FROM ${table.physical} AS ${name} WHERE ${limited}`;
    const assigned = [...sets.map(([column], at) => `${column} = s.c${at}`), ...renewals(table)];
    return `UPDATE ${table.physical} AS u SET ${assigned.join(', ')} FROM (${found}) AS s WHERE u.kt = ${table.kt} AND u.k = s.k`;
  }
  const rows = update.setRows.map((row) => emitSetRow(row, out));
  const touches = update.setRows.length === 0 ? [] : touched(columns, table, name, out);
  const columnSets = [...sets, ...touches].map(([column, text]) => `${column} = ${text}`);
  const assigned = [...columnSets, ...rows, ...renewals(table)];
  return `UPDATE ${table.physical} AS ${name} SET ${assigned.join(', ')} WHERE ${limited}`;
}

/** Writes the assignment of a new deadline to the rows that a statement changes. */
function renewals(table: EntryTable): string[] {
  const deadline = emitDeadline(table);
  return deadline === undefined ? [] : [`exp = ${deadline}`];
}

function emitSetRow({ columns, query }: BoundUpdate['setRows'][number], out: Emitter): string {
  const items = columns.map((column, at) => {
    const type = query.columns[at]?.type ?? column.type;
    const target = { name: column.type.name };
    const native = convertFunction(type, target, { source: undefined, column: column.name });
    const text = hasSameStorage(type, target) ? `c${at}` : out.call(native, [`c${at}`]);
    return checked(column, text, out);
  });
  return `(${columns.map((column) => entryColumn(column).physical).join(', ')}) = (SELECT ${items.join(', ')} FROM (${emitQuery(query, out, 'values')}))`;
}

/** Writes the condition of a change; with a limit, it selects the keys of the first rows. */
function emitLimited(
  change: {
    readonly target: BoundUpdate['target'];
    readonly limit: Bound | undefined;
    readonly orderBy?: BoundUpdate['orderBy'];
  },
  conditions: readonly string[],
  out: Emitter,
): string {
  const text = conditions.join(' AND ');
  if (change.limit === undefined) return text;
  const table = entryTable(change.target.table);
  const name = sourceName(change.target.id);
  const order =
    change.orderBy === undefined || change.orderBy.length === 0 ? '' : ` ORDER BY ${emitOrder(change.orderBy, out)}`;
  const limit = emitExpression(change.limit, out);
  if (table.entries !== undefined) return emitFirstEntries(table, name, `${text}${order} LIMIT ${limit}`);
  return `${name}.kt = ${table.kt} AND ${name}.k IN (SELECT ${name}.k FROM ${table.physical} AS ${name} WHERE ${text}${order} LIMIT ${limit})`;
}

function emitDelete(remove: BoundDelete, out: Emitter): string {
  const table = entryTable(remove.target.table);
  const where = remove.where === undefined ? [] : [emitCondition(remove.where, out)];
  const { name, filters } = targetOf(remove.target, listed(remove.where), out);
  return `DELETE FROM ${table.physical} AS ${name} WHERE ${emitLimited(remove, [...filters, ...where], out)}`;
}

function emptyingOf({ where, limit, target }: BoundDelete): Emptying | undefined {
  if (where !== undefined || limit !== undefined) return undefined;
  const { physical, kt, vt, entries } = entryTable(target.table);
  const ofTable = entries === undefined ? ` FILTER (WHERE kt = ${kt} AND vt = ${vt})` : '';
  return {
    live: `SELECT count(*) AS c0, count(*)${ofTable} AS c1 FROM ${physical} WHERE exp IS NULL OR exp > ?1`,
    remove: `DELETE FROM ${physical}`,
  };
}

/** Holds the unmatched rows, which are computed first so that updates do not affect the inserted rows. */
const UNMATCHED = 'temp.unmatched_rows';

function emitMergeUsing(merge: BoundMergeUsing, out: Emitter): ChangeStep[] {
  const { target, insert } = merge;
  const table = entryTable(target.table);
  const on = emitCondition(merge.on, out);
  const { name, filters } = targetOf(target, [merge.on], out);
  const source = emitTable(merge.source, out);
  const matched = [...filters, ...source.filters, on];
  const steps: ChangeStep[] = [];
  let store: string | undefined;
  if (insert !== undefined) {
    const values = emitRow(table, new Map(insert.map((each) => [each.column, emitStored(each, out)])), out);
    const items = [...values].map(([column, text]) => `${text} AS ${column}`);
    const partner = `SELECT 1 FROM ${table.physical} AS ${name} WHERE ${[...filters, on].join(' AND ')}`;
    const rows = [...source.filters, `NOT EXISTS (${partner})`].join(' AND ');
    const found = `SELECT ${items.join(', ')} FROM ${source.text} WHERE ${rows}`;
    steps.push({ sql: `DROP TABLE IF EXISTS ${UNMATCHED}`, effect: 'none' });
    steps.push({ sql: `CREATE TABLE ${UNMATCHED} AS ${found}`, effect: 'none' });
    const names = [...values.keys()].join(', ');
    store = `INSERT INTO ${table.physical} AS t(${names}) SELECT ${names} FROM ${UNMATCHED} WHERE 1 ${onConflict(table, { kind: 'insert', keepsOthers: false }, out)}`;
  }
  if (merge.update !== undefined) {
    const where = merge.update.where === undefined ? [] : [emitCondition(merge.update.where, out)];
    const assigned = emitSet(merge.update.set, table, name, out).map(([column, text]) => `${column} = ${text}`);
    const sets = [...assigned, ...renewals(table)];
    steps.push({
      sql: `UPDATE ${table.physical} AS ${name} SET ${sets.join(', ')} FROM ${source.text} WHERE ${[...matched, ...where].join(' AND ')}`,
      effect: 'update',
    });
  }
  if (merge.delete !== undefined) {
    const where = merge.delete.where === undefined ? [] : [emitCondition(merge.delete.where, out)];
    const partner = `SELECT 1 FROM ${source.text} WHERE ${[...source.filters, on, ...where].join(' AND ')}`;
    steps.push({
      sql: `DELETE FROM ${table.physical} AS ${name} WHERE ${[...filters, `EXISTS (${partner})`].join(' AND ')}`,
      effect: 'remove',
    });
  }
  if (store !== undefined) {
    steps.push({ sql: store, effect: 'store' }, { sql: `DROP TABLE ${UNMATCHED}`, effect: 'none' });
  }
  return steps;
}
