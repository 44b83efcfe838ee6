/**
 * The tree of a statement after binding: every name has its object, every expression its type, conversions are
 * explicit and constants are folded. The emitter writes SQLite text from it, `spelling.ts` the names of columns.
 */
import type { ComparisonOperator, FrameBound, WindowFrame } from '../syntax/ast.ts';
import type { SqlAggregate, SqlData, SqlFunction, SqlType } from '../types/sql-types.ts';
import type { SqlColumn, SqlTable, VirtualTable } from './catalog.ts';

export interface BoundOrderItem {
  readonly expression: Bound;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}

export interface BoundWindow {
  readonly partitionBy: readonly Bound[];
  readonly orderBy: readonly BoundOrderItem[];
  readonly frame:
    | (Omit<WindowFrame, 'start' | 'end'> & { readonly start: BoundFrame; readonly end: BoundFrame | undefined })
    | undefined;
}

export interface BoundFrame {
  readonly kind: FrameBound['kind'];
  readonly offset: Bound | undefined;
}

export interface BoundAggregate {
  readonly kind: 'aggregate';
  readonly type: SqlType;
  readonly name: string;
  readonly aggregate: SqlAggregate;
  readonly args: readonly Bound[];
  readonly star: boolean;
  readonly distinct: boolean;
  readonly orderBy: readonly BoundOrderItem[];
  readonly filter: Bound | undefined;
  readonly over: BoundWindow | undefined;
}

/** ROW_NUMBER and its like: functions that exist over a window only. */
export interface BoundWindowCall {
  readonly kind: 'windowCall';
  readonly type: SqlType;
  readonly name: string;
  readonly args: readonly Bound[];
  readonly over: BoundWindow;
}

export interface BoundConstant {
  readonly kind: 'constant';
  readonly type: SqlType;
  readonly data: SqlData;
  /** What was written, where a conversion has made another constant of it. */
  readonly written?: BoundConstant;
  /** True where Ignite finds the datum only when it runs: what is made of it is typed as of an expression. */
  readonly deferred?: boolean;
}

export interface BoundParameter {
  readonly kind: 'parameter';
  readonly type: SqlType;
  /** From 0. */
  readonly index: number;
  /** True where a typed number need not fit the type: it is compared only. */
  readonly compared: boolean;
}

export interface BoundColumn {
  readonly kind: 'column';
  readonly type: SqlType;
  readonly source: BoundSource;
  /** Index in the source's columns. */
  readonly column: number;
  readonly name: string;
  /** As written in front of the name. */
  readonly qualifier: string | undefined;
}

export type Bound =
  | BoundConstant
  | BoundParameter
  | BoundColumn
  | { readonly kind: 'negate'; readonly type: SqlType; readonly operand: Bound }
  | {
      readonly kind: 'arithmetic';
      readonly type: SqlType;
      readonly operator: '+' | '-' | '*' | '/' | '%';
      readonly left: Bound;
      readonly right: Bound;
    }
  | { readonly kind: 'concat'; readonly type: SqlType; readonly operands: readonly Bound[] }
  | {
      readonly kind: 'comparison';
      readonly type: SqlType;
      readonly operator: ComparisonOperator | 'is' | 'is not';
      readonly left: Bound;
      readonly right: Bound;
    }
  | {
      readonly kind: 'quantified';
      readonly type: SqlType;
      readonly operator: ComparisonOperator;
      readonly quantifier: 'ALL' | 'ANY';
      readonly left: Bound;
      readonly query: BoundQuery;
    }
  | { readonly kind: 'and' | 'or'; readonly type: SqlType; readonly operands: readonly Bound[] }
  | { readonly kind: 'not'; readonly type: SqlType; readonly operand: Bound }
  | { readonly kind: 'isNull'; readonly type: SqlType; readonly operand: Bound; readonly negated: boolean }
  | { readonly kind: 'inList'; readonly type: SqlType; readonly operand: Bound; readonly items: readonly Bound[] }
  | { readonly kind: 'inQuery'; readonly type: SqlType; readonly operand: Bound; readonly query: BoundQuery }
  | {
      readonly kind: 'like';
      readonly type: SqlType;
      readonly operand: Bound;
      readonly pattern: Bound;
      readonly escapedBy: Bound | undefined;
      readonly ignoreCase: boolean;
    }
  | {
      readonly kind: 'regexp';
      readonly type: SqlType;
      readonly operand: Bound;
      readonly pattern: Bound;
      readonly ignoreCase: boolean;
    }
  | { readonly kind: 'exists'; readonly type: SqlType; readonly query: BoundQuery }
  | {
      readonly kind: 'case';
      readonly type: SqlType;
      /** The common value that the branches are compared with, for the spelling; the conditions are complete. */
      readonly operand: Bound | undefined;
      readonly branches: ReadonlyArray<{ readonly when: Bound; readonly deparsed: Bound; readonly result: Bound }>;
      readonly otherwise: Bound | undefined;
    }
  /** A conversion; `written` says that the statement has a CAST there. */
  | { readonly kind: 'convert'; readonly type: SqlType; readonly operand: Bound; readonly written: boolean }
  | {
      readonly kind: 'call';
      readonly type: SqlType;
      /** As written, upper case. */
      readonly name: string;
      readonly function: SqlFunction;
      readonly args: readonly Bound[];
      readonly bare: boolean;
    }
  | BoundAggregate
  | BoundWindowCall
  | { readonly kind: 'subquery'; readonly type: SqlType; readonly query: BoundQuery }
  | { readonly kind: 'row'; readonly type: SqlType; readonly items: readonly Bound[] };

/** A column of a query's result or of a table behind FROM. */
export interface BoundResultColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly schemaName: string;
  readonly tableName: string;
}

interface SourceBase {
  /** Unique in the statement: the emitter's alias. */
  readonly id: number;
  /** Name by which columns may be qualified; undefined: none. */
  readonly alias: string | undefined;
  readonly columns: readonly BoundResultColumn[];
}

export type BoundSource =
  /** A table of entries; behind its columns stand `_KEY` and `_VAL`. */
  | (SourceBase & { readonly kind: 'table'; readonly table: SqlTable })
  | (SourceBase & { readonly kind: 'query'; readonly query: BoundQuery })
  | (SourceBase & { readonly kind: 'commonTable'; readonly name: string })
  | (SourceBase & { readonly kind: 'virtual'; readonly table: VirtualTable })
  | (SourceBase & { readonly kind: 'range'; readonly low: Bound; readonly high: Bound; readonly step: Bound })
  /** Each row an array of expressions; a column's rows may be one array instead (TABLE, UNNEST). */
  | (SourceBase & { readonly kind: 'arrays'; readonly arrays: readonly Bound[]; readonly distinct: boolean });

export type BoundTable =
  | { readonly kind: 'source'; readonly source: BoundSource }
  | {
      readonly kind: 'join';
      readonly join: 'inner' | 'left';
      readonly left: BoundTable;
      readonly right: BoundTable;
      readonly on: Bound | undefined;
    };

export interface BoundItem {
  readonly expression: Bound;
  readonly column: BoundResultColumn;
}

export interface BoundSelect {
  readonly kind: 'select';
  readonly distinct: boolean;
  readonly items: readonly BoundItem[];
  readonly from: readonly BoundTable[];
  readonly where: Bound | undefined;
  readonly groupBy: readonly Bound[];
  readonly having: Bound | undefined;
  /** True when the whole input is one group though nothing is grouped by. */
  readonly aggregated: boolean;
}

export type BoundBody =
  | BoundSelect
  | {
      readonly kind: 'setOperation';
      readonly operator: 'UNION' | 'UNION ALL' | 'EXCEPT' | 'INTERSECT';
      readonly left: BoundBody;
      readonly right: BoundBody;
    }
  | { readonly kind: 'values'; readonly rows: ReadonlyArray<readonly Bound[]> }
  | { readonly kind: 'nested'; readonly query: BoundQuery };

export interface BoundCommonTable {
  readonly name: string;
  readonly query: BoundQuery;
}

export interface BoundQuery {
  readonly with: readonly BoundCommonTable[];
  readonly recursive: boolean;
  readonly body: BoundBody;
  /** Types of the result; bodies are converted to them. */
  readonly columns: readonly BoundResultColumn[];
  /** Over the items of a select; over columns of the result (kind 'position') where the body is none. */
  readonly orderBy: ReadonlyArray<BoundOrderItem | BoundPosition>;
  readonly limit: Bound | undefined;
  readonly offset: Bound | undefined;
}

export interface BoundPosition {
  /** From 0. */
  readonly position: number;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}

export const KEY_COLUMN = '_KEY';
export const VALUE_COLUMN = '_VAL';

/** The table's column that a bound column names; undefined for `_KEY`, `_VAL` and columns of other sources. */
export function tableColumn(column: BoundColumn): SqlColumn | undefined {
  return column.source.kind === 'table' ? column.source.table.columns[column.column] : undefined;
}

export const BOOLEAN: SqlType = { name: 'BOOLEAN' };
export const NULL_TYPE: SqlType = { name: 'NULL' };

export function constant(type: SqlType, data: SqlData): BoundConstant {
  return { kind: 'constant', type, data };
}

export function isConstant(bound: Bound): bound is BoundConstant {
  return bound.kind === 'constant';
}

/** The direct parts of an expression, sub-queries left out. */
export function partsOf(bound: Bound): readonly Bound[] {
  switch (bound.kind) {
    case 'constant':
    case 'parameter':
    case 'column':
    case 'exists':
    case 'subquery':
      return [];
    case 'negate':
    case 'not':
    case 'isNull':
    case 'convert':
      return [bound.operand];
    case 'arithmetic':
    case 'comparison':
      return [bound.left, bound.right];
    case 'concat':
    case 'and':
    case 'or':
      return bound.operands;
    case 'quantified':
      return [bound.left];
    case 'inList':
      return [bound.operand, ...bound.items];
    case 'inQuery':
      return [bound.operand];
    case 'like':
      return [bound.operand, bound.pattern, ...(bound.escapedBy === undefined ? [] : [bound.escapedBy])];
    case 'regexp':
      return [bound.operand, bound.pattern];
    case 'case':
      return [
        ...bound.branches.flatMap((branch) => [branch.when, branch.result]),
        ...(bound.otherwise === undefined ? [] : [bound.otherwise]),
      ];
    case 'call':
      return bound.args;
    case 'aggregate':
      return [
        ...bound.args,
        ...bound.orderBy.map((item) => item.expression),
        ...(bound.filter === undefined ? [] : [bound.filter]),
        ...windowParts(bound.over),
      ];
    case 'windowCall':
      return [...bound.args, ...windowParts(bound.over)];
    case 'row':
      return bound.items;
  }
}

function windowParts(over: BoundWindow | undefined): readonly Bound[] {
  return over === undefined ? [] : [...over.partitionBy, ...over.orderBy.map((item) => item.expression)];
}

/** Whether the expression or a part of it satisfies `test`; sub-queries are not looked into. */
export function anyPart(bound: Bound, test: (part: Bound) => boolean): boolean {
  return test(bound) || partsOf(bound).some((part) => anyPart(part, test));
}

/** An aggregate over the rows of a group, in this query itself. */
export function isAggregated(bound: Bound): boolean {
  return anyPart(bound, (part) => part.kind === 'aggregate' && part.over === undefined);
}

/** Whether an expression depends on nothing but constants and arguments. */
export function isFixed(bound: Bound): boolean {
  return !anyPart(bound, (part) => !isConstant(part) && part.kind !== 'parameter' && !isPure(part));
}

function isPure(bound: Bound): boolean {
  if (bound.kind === 'call') return true;
  return !['column', 'subquery', 'exists', 'inQuery', 'quantified', 'aggregate', 'windowCall'].includes(bound.kind);
}
