/** Creates random queries: their clauses, for the evaluator, and their text. */
import type { Random } from '../simulation/random.ts';
import { type Expression, ExpressionMaker, KINDS, type Meaning, type ScopeColumn } from './expressions.ts';
import { isNumber, type Kind } from './result-value.ts';
import type { TableModel } from './tables.ts';

export interface Source {
  readonly alias: string;
  readonly table: TableModel;
  /** The join with the sources before it; undefined for the first one. */
  readonly join:
    | { readonly kind: 'inner' | 'left' | 'right' | 'cross'; readonly on: Expression | undefined }
    | undefined;
}

export type AggregateName = 'COUNT' | 'SUM' | 'AVG' | 'MIN' | 'MAX';

export interface Aggregate {
  readonly name: AggregateName;
  /** Undefined for `*`. */
  readonly argument: Expression | undefined;
  readonly distinct: boolean;
}

export interface Item {
  readonly text: string;
  readonly kind: Kind;
  readonly meaning: Meaning | undefined;
  readonly aggregate: Aggregate | undefined;
}

export interface Order {
  /** Number of the column, counting from 1. */
  readonly position: number;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}

export interface Select {
  readonly sources: readonly Source[];
  readonly where: Expression | undefined;
  readonly items: readonly Item[];
  /** Undefined for a query without groups. The keys are the items without an aggregate. */
  readonly grouped: boolean;
  readonly distinct: boolean;
  /** The fewest rows of a group in the result; undefined for any number. */
  readonly having: number | undefined;
}

/** How a select is embedded in the statement. */
type Wrapping = 'bare' | 'derived' | 'common' | 'parenthesized';

export interface Query {
  readonly text: string;
  readonly parts: readonly Select[];
  readonly operator: 'UNION' | 'UNION ALL' | 'EXCEPT' | 'INTERSECT' | undefined;
  readonly order: readonly Order[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly kinds: readonly Kind[];
  /** True when `order` determines the order of the rows. */
  readonly ordered: boolean;
  /** False when the evaluator does not know some part. */
  readonly evaluable: boolean;
}

export class QueryMaker {
  readonly #random: Random;
  readonly #tables: readonly [TableModel, ...TableModel[]];
  #alias = 0;

  constructor(random: Random, tables: readonly [TableModel, ...TableModel[]]) {
    this.#random = random;
    this.#tables = tables;
  }

  create(): Query {
    const random = this.#random;
    const first = this.#select(1 + random.below(4), undefined);
    const kinds = first.items.map((item) => item.kind);
    const operator =
      random.below(8) === 0 ? random.pick(['UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT'] as const) : undefined;
    const parts = operator === undefined ? [first] : [first, this.#select(kinds.length, kinds)];
    const limited = random.below(4) === 0;
    const ordered = limited || random.below(2) === 0;
    // Ignite ignores NULLS FIRST and LAST when it reads an index.
    const nullsAnywhere = parts.every(({ sources }) => sources.every(({ table }) => !table.indexed));
    const order = ordered ? this.#order(kinds.length, nullsAnywhere) : [];
    const limit = limited ? random.below(6) : undefined;
    const offset = limited && random.below(2) === 0 ? random.below(4) : undefined;
    const wrapping = random.pick(['bare', 'bare', 'bare', 'bare', 'derived', 'common', 'parenthesized'] as const);
    const clauses = [
      wrapped(wrapping, parts, operator),
      order.length === 0 ? '' : ` ORDER BY ${order.map(orderText).join(', ')}`,
      limitText(random, limit, offset),
    ];
    return {
      text: clauses.join(''),
      parts,
      operator,
      order,
      limit,
      offset,
      kinds,
      ordered,
      evaluable: parts.every(isEvaluable),
    };
  }

  /** Creates a query of one column and at most one row. */
  subquery(kind: Kind): string {
    const { alias, columns, table } = this.#source();
    const maker = new ExpressionMaker(this.#random, columns);
    const item = maker.create(kind, 1);
    const where = maker.condition(1);
    return `SELECT MAX(${item.text}) FROM ${table.name} ${alias} WHERE ${where.text}`;
  }

  /** Orders by every column, which determines the order of the rows. */
  #order(count: number, nullsAnywhere: boolean): Order[] {
    const random = this.#random;
    const order = Array.from({ length: count }, (_, at) => ({
      position: at + 1,
      descending: random.below(2) === 0,
      nulls: nullsAnywhere ? random.pick([undefined, undefined, 'first', 'last'] as const) : undefined,
    }));
    return random.below(2) === 0 ? order : order.toReversed();
  }

  #source(): { readonly alias: string; readonly table: TableModel; readonly columns: ScopeColumn[] } {
    const table = this.#random.pick(this.#tables);
    const alias = `t${++this.#alias}`;
    return { alias, table, columns: scopeOf(alias, table) };
  }

  #select(width: number, kinds: readonly Kind[] | undefined): Select {
    const random = this.#random;
    const { sources, columns } = this.#sources();
    const maker = new ExpressionMaker(random, columns, (kind) => this.subquery(kind));
    const where = random.below(3) > 0 ? maker.condition(2) : undefined;
    const grouped = kinds === undefined && random.below(4) === 0;
    const items = Array.from({ length: width }, (_, at): Item => {
      const kind = kinds?.[at] ?? random.pick(KINDS);
      if (grouped && (at > 0 || random.below(3) === 0)) return aggregateItem(random, maker);
      const expression = grouped ? (maker.column(kind) ?? maker.create(kind, 1)) : maker.create(kind, 3);
      return { ...expression, kind, aggregate: undefined };
    });
    const having = grouped && random.below(4) === 0 ? random.below(3) : undefined;
    return { sources, where, items, grouped, distinct: !grouped && random.below(8) === 0, having };
  }

  #sources(): { readonly sources: Source[]; readonly columns: ScopeColumn[] } {
    const random = this.#random;
    const first = this.#source();
    const sources: Source[] = [{ alias: first.alias, table: first.table, join: undefined }];
    let { columns } = first;
    const count = random.pick([1, 1, 1, 2, 2, 3] as const);
    while (sources.length < count) {
      const next = this.#source();
      columns = [...columns, ...next.columns];
      const kind = random.pick(['inner', 'inner', 'left', 'left', 'right', 'cross'] as const);
      const on = kind === 'cross' ? undefined : this.#joinCondition(columns);
      sources.push({ alias: next.alias, table: next.table, join: { kind, on } });
    }
    return { sources, columns };
  }

  #joinCondition(columns: readonly ScopeColumn[]): Expression {
    const maker = new ExpressionMaker(this.#random, columns);
    return maker.condition(1);
  }
}

function scopeOf(alias: string, table: TableModel): ScopeColumn[] {
  return table.columns.map((column) => ({ name: `${alias}.${column.name}`, kind: column.kind }));
}

type FurtherAggregate = readonly [argument: Kind, template: string, result: Kind];

/** Aggregates that the evaluator does not know. */
const FURTHER_AGGREGATES: readonly [FurtherAggregate, ...FurtherAggregate[]] = [
  ['BIGINT', 'SUM(DISTINCT {})', 'DECIMAL'],
  ['INT', 'COUNT(DISTINCT {})', 'BIGINT'],
  ['UUID', 'COUNT({})', 'BIGINT'],
  ['BOOLEAN', 'MAX({})', 'BOOLEAN'],
  ['INT', 'MAX({}) - MIN({})', 'INT'],
  ['DECIMAL', 'SUM({}) + 1', 'DECIMAL'],
  ['VARCHAR', 'UPPER(MIN({}))', 'VARCHAR'],
  ['INT', 'COALESCE(SUM({}), 0)', 'BIGINT'],
  ['INT', 'CASE WHEN COUNT({}) > 2 THEN 1 ELSE 0 END', 'INT'],
];

function furtherAggregate(random: Random, maker: ExpressionMaker): Item {
  const [inner, template, kind] = random.pick(FURTHER_AGGREGATES);
  const { text } = maker.create(inner, 1);
  const unknown: Expression = { text, kind: inner, meaning: undefined };
  return {
    text: template.replaceAll('{}', () => text),
    kind,
    meaning: undefined,
    aggregate: { name: 'COUNT', argument: unknown, distinct: false },
  };
}

function aggregateItem(random: Random, maker: ExpressionMaker): Item {
  if (random.below(6) === 0) return furtherAggregate(random, maker);
  const name = random.pick(['COUNT', 'COUNT', 'SUM', 'AVG', 'MIN', 'MAX'] as const);
  if (name === 'COUNT' && random.below(2) === 0) {
    return {
      text: 'COUNT(*)',
      kind: 'BIGINT',
      meaning: undefined,
      aggregate: { name, argument: undefined, distinct: false },
    };
  }
  const numeric = random.pick(['INT', 'BIGINT', 'SMALLINT', 'DECIMAL', 'DOUBLE'] as const);
  const kind = name === 'SUM' || name === 'AVG' ? numeric : random.pick(KINDS);
  const argument = maker.create(kind, 1);
  const distinct = random.below(4) === 0;
  return {
    text: `${name}(${distinct ? 'DISTINCT ' : ''}${argument.text})`,
    kind: aggregateKind(name, kind),
    meaning: undefined,
    aggregate: { name, argument, distinct },
  };
}

function aggregateKind(name: AggregateName, kind: Kind): Kind {
  if (name === 'COUNT') return 'BIGINT';
  if (name !== 'SUM' || kind === 'DOUBLE') return kind;
  return kind === 'BIGINT' || kind === 'DECIMAL' || !isNumber(kind) ? 'DECIMAL' : 'BIGINT';
}

function isEvaluable(select: Select): boolean {
  const known = (expression: Expression | undefined): boolean =>
    expression === undefined || expression.meaning !== undefined;
  return (
    known(select.where) &&
    select.sources.every(({ join }) => known(join?.on)) &&
    select.items.every((item) => (item.aggregate ? known(item.aggregate.argument) : item.meaning !== undefined))
  );
}

/** Returns the text of the selects, possibly inside a query that returns the same rows. */
function wrapped(wrapping: Wrapping, parts: readonly Select[], operator: Query['operator']): string {
  const plain = (named: boolean): string =>
    parts.map((part) => selectText(part, named)).join(operator === undefined ? '' : ` ${operator} `);
  switch (wrapping) {
    case 'bare':
      return plain(false);
    case 'parenthesized':
      return parts.map((part) => `(${selectText(part, false)})`).join(operator === undefined ? '' : ` ${operator} `);
    case 'derived':
      return `SELECT * FROM (${plain(true)}) x`;
    case 'common':
      return `WITH w AS (${plain(true)}) SELECT w.* FROM w`;
  }
}

function limitText(random: Random, limit: number | undefined, offset: number | undefined): string {
  if (limit === undefined) return '';
  if (random.below(3) === 0)
    return `${offset === undefined ? '' : ` OFFSET ${offset} ROWS`} FETCH FIRST ${limit} ROWS ONLY`;
  return ` LIMIT ${limit}${offset === undefined ? '' : ` OFFSET ${offset}`}`;
}

/** `named` gives the columns unique names. */
function selectText({ sources, where, items, grouped, distinct, having }: Select, named: boolean): string {
  const from = sources
    .map(({ alias, table, join }) => {
      const name = `${table.name} ${alias}`;
      if (join === undefined) return name;
      if (join.kind === 'cross') return `CROSS JOIN ${name}`;
      return `${join.kind.toUpperCase()} JOIN ${name} ON ${join.on?.text}`;
    })
    .join(' ');
  const keys = items.filter((item) => item.aggregate === undefined).map((item) => item.text);
  const group = grouped && keys.length > 0 ? ` GROUP BY ${keys.join(', ')}` : '';
  const list = items.map((item, at) => (named ? `${item.text} AS R${at + 1}` : item.text)).join(', ');
  const condition = where === undefined ? '' : ` WHERE ${where.text}`;
  const groups = having === undefined ? '' : ` HAVING COUNT(*) > ${having}`;
  return `SELECT ${distinct ? 'DISTINCT ' : ''}${list} FROM ${from}${condition}${group}${groups}`;
}

function orderText({ position, descending, nulls }: Order): string {
  return `${position}${descending ? ' DESC' : ''}${nulls === undefined ? '' : ` NULLS ${nulls.toUpperCase()}`}`;
}
