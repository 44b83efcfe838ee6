/** Writes queries as SQLite text. The columns of every query are named c0, c1 ... */
import {
  aggregatesOf,
  anyPart,
  type Bound,
  type BoundAggregate,
  type BoundBody,
  type BoundOrderItem,
  type BoundPosition,
  type BoundQuery,
  type BoundResultColumn,
  type BoundSelect,
  type BoundSource,
  type BoundTable,
  isConstant,
  isFixed,
  partsOf,
} from '../../../sql/binding/bound.ts';
import { deparse } from '../../../sql/binding/deparser.ts';
import { emitEntryOrder } from './emit-any.ts';
import { sourceName } from './emit-column.ts';
import { chain, direction, emitCondition, emitExpression, emitKey, emitOrderKey, needKey } from './emit-expression.ts';
import { type Emitter, type QueryForm, textLiteral } from './emitter.ts';
import { type EntryTable, entryTable } from './entry-table.ts';
import { compositeLookups, joinConditions } from './key-use.ts';
import { ARRAY_LENGTH, arrayElement, SINGLE_VALUE } from './native-functions.ts';
import { keyFunction } from './row-functions.ts';
import { comparisonKey, hasComparisonKey, hasOrderKey, orderKey } from './storage-values.ts';

/** Largest compound that is emitted. SQLite permits at most 500 SELECTs in one. */
const MAX_COMPOUND = 400;

export function emitQuery(query: BoundQuery, out: Emitter, form: QueryForm): string {
  const prefix = emitWith(query, out);
  const limits = emitLimits(query, out);
  const { body, orderBy, columns } = query;
  if (body.kind === 'select') {
    noteSelect(body, orderBy, out);
    const ordered = emitSelectOrders(orderBy, body, form, out);
    return `${prefix}${selectText(body, out, form)}${ordered}${limits}`;
  }
  const text = emitBody(body, out);
  const order = orderBy.map((item) => emitResultOrder(item, columns, out));
  const ordered = order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`;
  const needsKeys = form === 'keys' && columns.some((column) => hasComparisonKey(column.type));
  if (order.length === 0 && limits === '' && !needsKeys) return `${prefix}${text}`;
  const items = columns.map((column, at) => `${needsKeys ? key(column, `c${at}`, out) : `c${at}`} AS c${at}`);
  return `${prefix}SELECT ${items.join(', ')} FROM (${text})${ordered}${limits}`;
}

function emitWith(query: BoundQuery, out: Emitter): string {
  const tables = query.with.map((table) => {
    const columns = table.query.columns.map((_, at) => `c${at}`).join(', ');
    return `${table.name}(${columns}) AS (${emitQuery(table.query, out, 'values')})`;
  });
  return tables.length === 0 ? '' : `WITH RECURSIVE ${tables.join(', ')} `;
}

function emitSelectOrders(orderBy: BoundQuery['orderBy'], body: BoundSelect, form: QueryForm, out: Emitter): string {
  const order = orderBy
    .map((item, at) => emitSelectOrder(item, body, form, at === orderBy.length - 1, out))
    .filter((text) => text !== '');
  return order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`;
}

function resultOrderKey(column: BoundResultColumn, text: string, out: Emitter): string {
  return column.type.name === 'UUID' ? orderKey(column.type, text) : key(column, text, out);
}

function key(column: BoundResultColumn, text: string, out: Emitter): string {
  needKey(column.type, out);
  return comparisonKey(column.type, text);
}

function emitLimits({ limit, offset }: BoundQuery, out: Emitter): string {
  if (limit === undefined && offset === undefined) return '';
  const count = limit === undefined ? '-1' : emitCount(limit, -1, out);
  return ` LIMIT ${count}${offset === undefined ? '' : ` OFFSET ${emitCount(offset, 0, out)}`}`;
}

function emitCount(bound: Bound, whenNull: number, out: Emitter): string {
  const text = emitExpression(bound, out);
  return isConstant(bound) ? text : `ifnull(${text}, ${whenNull})`;
}

function emitBody(body: BoundBody, out: Emitter): string {
  switch (body.kind) {
    case 'select':
      noteSelect(body, [], out);
      return selectText(body, out, 'values');
    case 'nested':
      return `SELECT * FROM (${emitQuery(body.query, out, 'values')})`;
    case 'values':
      return emitValues(body.rows, out);
    case 'setOperation':
      return emitCompound(body, out);
  }
}

function emitValues(rows: ReadonlyArray<readonly Bound[]>, out: Emitter): string {
  const texts = rows.map((row) => `(${row.map((value) => emitExpression(value, out)).join(', ')})`);
  const columns = (rows[0] ?? []).map((_, at) => `column${at + 1} AS c${at}`);
  return `SELECT ${columns.join(', ')} FROM (VALUES ${texts.join(', ')})`;
}

type SetOperation = Extract<BoundBody, { kind: 'setOperation' }>;

/** Writes a compound. SQLite evaluates all operators from left to right, so other groupings become subqueries. */
function emitCompound(body: SetOperation, out: Emitter): string {
  const operands: Array<{ readonly operator: string; readonly right: BoundBody }> = [];
  let left: BoundBody = body;
  while (left.kind === 'setOperation') {
    operands.unshift({ operator: left.operator, right: left.right });
    left = left.left;
  }
  let text = emitPart(left, out);
  let parts = 1;
  for (const { operator, right } of operands) {
    if (parts >= MAX_COMPOUND) {
      text = `SELECT * FROM (${text})`;
      parts = 1;
    }
    text += ` ${operator} ${emitPart(right, out)}`;
    parts += 1;
  }
  return text;
}

function emitPart(body: BoundBody, out: Emitter): string {
  const text = emitBody(body, out);
  return body.kind === 'setOperation' ? `SELECT * FROM (${text})` : text;
}

/** Records what the expressions of a query need to know about it, before any of them is written. */
function noteSelect(select: BoundSelect, orderBy: BoundQuery['orderBy'], out: Emitter): void {
  noteLookups(select, out);
  noteOuterAggregates(select, orderBy, out);
}

/** Records the composite keys that the conditions determine. */
function noteLookups(select: BoundSelect, out: Emitter): void {
  const where = select.where === undefined ? [] : [select.where];
  out.noteLookups(compositeLookups([...joinConditions(select.from), ...where]));
}

/**
 * Records the aggregates whose arguments only have columns of enclosing queries. SQLite would compute them over the
 * rows of that query; Ignite computes them where they are written.
 */
function noteOuterAggregates(select: BoundSelect, orderBy: BoundQuery['orderBy'], out: Emitter): void {
  const own = new Set(select.from.flatMap(sourcesOf).map(({ id }) => id));
  const expressions = [
    ...select.items.map(({ expression }) => expression),
    ...(select.having === undefined ? [] : [select.having]),
    ...orderBy.flatMap((item) => ('expression' in item ? [item.expression] : [])),
  ];
  const isOuter = ({ args }: BoundAggregate): boolean =>
    !args.every(isFixed) &&
    !args.some((arg) => anyPart(arg, (part) => part.kind === 'column' && own.has(part.source.id)));
  out.pin(select, expressions.flatMap(aggregatesOf).filter(isOuter));
}

function sourcesOf(table: BoundTable): readonly BoundSource[] {
  return table.kind === 'source' ? [table.source] : [...sourcesOf(table.left), ...sourcesOf(table.right)];
}

/** Reports whether SQLite recognizes an aggregate in an item: it overlooks those in the PARTITION BY of OVER. */
function showsAggregate(bound: Bound): boolean {
  if (!('over' in bound)) return partsOf(bound).some(showsAggregate);
  return (bound.kind === 'aggregate' && bound.over === undefined) || bound.args.some(showsAggregate);
}

function selectText(select: BoundSelect, out: Emitter, form: QueryForm): string {
  const where = select.where === undefined ? undefined : emitCondition(select.where, out);
  const groupBy = select.groupBy.map((expression) => emitGroup(expression, out));
  const having = emitHaving(select, out);
  // All rows form one group, even if no item contains an aggregate that SQLite would recognize.
  const isOneGroup =
    select.aggregated &&
    select.groupBy.length === 0 &&
    !select.items.some(({ expression }) => showsAggregate(expression));
  const items = select.items.map(({ expression }, at) => {
    const text = form === 'keys' ? emitKey(expression, out) : emitExpression(expression, out);
    return at === 0 && isOneGroup ? `CASE WHEN count(*) >= 0 THEN ${text} END` : text;
  });
  const from = select.from.map((table) => emitTable(table, out));
  const pin = out.pinOf(select);
  if (pin !== undefined) from.push({ text: `(SELECT 0 AS own) AS ${pin}`, filters: [] });
  const conditions = [...from.flatMap((table) => table.filters), ...(where === undefined ? [] : [where])];
  const source = [
    from.length === 0 ? '' : ` FROM ${from.map((table) => table.text).join(', ')}`,
    conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`,
  ].join('');
  const columns = items.map((text, at) => `${text} AS c${at}`).join(', ');
  const grouped = groupBy.length === 0 ? '' : ` GROUP BY ${groupBy.join(', ')}`;
  return `SELECT ${select.distinct ? 'DISTINCT ' : ''}${columns}${source}${grouped}${having}`;
}

/** Writes an expression of GROUP BY. SQLite would interpret a constant number as a position. */
function emitGroup(bound: Bound, out: Emitter): string {
  if (isConstant(bound)) return `''`;
  return emitExpression(bound, out);
}

/** Writes HAVING, preceded by the check that groups have one value for each column that they do not determine. */
function emitHaving({ having, ungrouped }: BoundSelect, out: Emitter): string {
  const condition = having === undefined ? undefined : emitExpression(having, out);
  if (ungrouped.length === 0) return condition === undefined ? '' : ` HAVING ${condition}`;
  const checks = ungrouped.map((column) => {
    const value = emitKey(column, out);
    const isSingle = `count(*) > 0 AND min(${value}) IS max(${value}) AND count(${value}) IN (0, count(*))`;
    return out.call(SINGLE_VALUE, [isSingle, textLiteral(deparse(column))]);
  });
  // SQLite would check a term of AND without aggregates in WHERE, before it has groups.
  return ` HAVING CASE WHEN ${chain(checks, 'AND')} THEN ${condition ?? '1'} END`;
}

/** Writes an item of ORDER BY. Stored decimals sort as numbers; equal ones are ordered only if more items follow. */
function emitSelectOrder(
  item: BoundOrderItem | BoundPosition,
  select: BoundSelect,
  form: QueryForm,
  isLast: boolean,
  out: Emitter,
): string {
  const shown = 'expression' in item ? item.expression : select.items[item.position]?.expression;
  if (shown === undefined || isConstant(shown)) return '';
  const entryOrder = select.distinct || select.groupBy.length > 0 ? undefined : emitEntryOrder(shown);
  if (entryOrder !== undefined) return entryOrder.map((term) => term + direction(item)).join(', ');
  const sortsByStorage = !hasOrderKey(shown.type) || (isLast && shown.type.name === 'DECIMAL');
  if ('expression' in item)
    return (sortsByStorage ? emitExpression(shown, out) : emitOrderKey(shown, out)) + direction(item);
  const byPosition = sortsByStorage || (form === 'keys' && shown.type.name !== 'UUID');
  return (byPosition ? String(item.position + 1) : emitOrderKey(shown, out)) + direction(item);
}

function emitResultOrder(
  item: BoundOrderItem | BoundPosition,
  columns: readonly BoundResultColumn[],
  out: Emitter,
): string {
  if ('expression' in item) return emitOrderKey(item.expression, out) + direction(item);
  const column = columns[item.position];
  return (
    (column === undefined ? `c${item.position}` : resultOrderKey(column, `c${item.position}`, out)) + direction(item)
  );
}

export interface EmittedTable {
  readonly text: string;
  /** Conditions on the rows of its tables, for the nearest enclosing condition. */
  readonly filters: readonly string[];
}

/** Writes a table or a join of FROM. */
export function emitTable(table: BoundTable, out: Emitter): EmittedTable {
  if (table.kind === 'source') return emitSource(table.source, out);
  const left = emitTable(table.left, out);
  const right = emitTable(table.right, out);
  const rightText = table.right.kind === 'join' ? `(${right.text})` : right.text;
  const on = table.on === undefined ? [] : [emitCondition(table.on, out)];
  if (table.join === 'inner') {
    const condition = on.length === 0 ? '' : ` ON ${on.join(' AND ')}`;
    return { text: `${left.text} JOIN ${rightText}${condition}`, filters: [...left.filters, ...right.filters] };
  }
  // The filters of the right side must be in ON: in WHERE they would drop rows without a match.
  const condition = [...right.filters, ...on].join(' AND ');
  return {
    text: `${left.text} LEFT JOIN ${rightText} ON ${condition === '' ? '1' : condition}`,
    filters: left.filters,
  };
}

function emitSource(source: BoundSource, out: Emitter): EmittedTable {
  const name = sourceName(source.id);
  switch (source.kind) {
    case 'table': {
      const table = entryTable(source.table);
      return { text: `${table.physical} AS ${name}`, filters: rowFilters(table, name, source.id, out) };
    }
    case 'query':
      return { text: `(${emitQuery(source.query, out, 'values')}) AS ${name}`, filters: [] };
    case 'commonTable':
      return { text: `${source.name} AS ${name}`, filters: [] };
    case 'virtual': {
      const rows = out.bind({ kind: 'rows', table: source.table });
      const columns = source.columns.map((_, at) => `value ->> ${at} AS c${at}`);
      return { text: `(SELECT ${columns.join(', ')} FROM json_each(${rows})) AS ${name}`, filters: [] };
    }
    case 'range':
      return { text: `(${emitRange(source, out)}) AS ${name}`, filters: [] };
    case 'arrays':
      return { text: `(${emitArrays(source, out)}) AS ${name}`, filters: [] };
  }
}

/** Returns the conditions that select a table's live rows among its cache's entries. */
export function rowFilters(table: EntryTable, name: string, id: number, out: Emitter): string[] {
  const lookup = out.lookup(id);
  out.tableReads++;
  const filters = [
    // These hold for nearly every row. SQLite would assume that they are selective, and scan an index for them.
    ...(table.kt === undefined ? [] : [nearlyAlways(`${name}.kt = ${table.kt}`)]),
    ...(table.vt === undefined ? [] : [nearlyAlways(`${name}.vt = ${table.vt}`)]),
    nearlyAlways(`${name}.exp IS NULL OR ${name}.exp > ?1`),
  ];
  if (lookup !== undefined) {
    const keys = table.columns.filter((column) => column.isKey);
    filters.push(
      `${name}.k = ${out.call(
        keyFunction(keys),
        lookup.map((value) => emitExpression(value, out)),
      )}`,
    );
  }
  return filters;
}

const nearlyAlways = (condition: string): string => `likelihood(${condition}, 0.9999)`;

function emitRange({ low, high, step }: Extract<BoundSource, { kind: 'range' }>, out: Emitter): string {
  if (isConstant(low) && isConstant(high) && low.data === high.data) return `SELECT ${emitExpression(low, out)} AS c0`;
  const [from, to, by] = [low, high, step].map((bound) => emitExpression(bound, out));
  const isAscending = !isConstant(step) || (typeof step.data === 'bigint' && step.data > 0n);
  const isInRange = (value: string): string => {
    if (isConstant(step)) return `${value} ${isAscending ? '<=' : '>='} ${to}`;
    return `CASE WHEN ${by} > 0 THEN ${value} <= ${to} ELSE ${value} >= ${to} END`;
  };
  return (
    `WITH RECURSIVE r(c0) AS (SELECT ${from} WHERE ${isInRange(from ?? '')} UNION ALL ` +
    `SELECT c0 + ${by} FROM r WHERE ${isInRange(`c0 + ${by}`)}) SELECT c0 FROM r`
  );
}

function emitArrays(source: Extract<BoundSource, { kind: 'arrays' }>, out: Emitter): string {
  const { arrays, columns, distinct } = source;
  const select = distinct ? 'SELECT DISTINCT' : 'SELECT';
  const lists = arrays.map((array) => (array.kind === 'row' ? array.items : undefined));
  if (lists.every((list) => list !== undefined)) {
    const count = Math.max(0, ...lists.map((list) => list.length));
    const names = columns.map((_, at) => `column${at + 1} AS c${at}`).join(', ');
    if (count === 0) return `SELECT ${columns.map((_, at) => `NULL AS c${at}`).join(', ')} WHERE 0`;
    const rows = Array.from({ length: count }, (_, at) => {
      const values = lists.map((list) => {
        const item = list[at];
        return item === undefined ? 'NULL' : emitExpression(item, out);
      });
      return `(${values.join(', ')})`;
    });
    return `${select} ${names} FROM (VALUES ${rows.join(', ')})`;
  }
  const texts = arrays.map((array) => emitExpression(array, out));
  const lengths = texts.map((text) => out.call(ARRAY_LENGTH, [text]));
  const longest = lengths.length === 1 ? (lengths[0] ?? '0') : `max(${lengths.join(', ')})`;
  const items = columns.map(
    (column, at) => `${out.call(arrayElement(column.type), [texts[at] ?? 'NULL', 'i'])} AS c${at}`,
  );
  return `WITH RECURSIVE r(i) AS (SELECT 0 WHERE ${longest} > 0 UNION ALL SELECT i + 1 FROM r WHERE i + 1 < ${longest}) ${select} ${items.join(', ')} FROM r`;
}
