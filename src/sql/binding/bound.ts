/**
 * The tree of a statement after binding: names are resolved, expressions have types, conversions are explicit and
 * constants are folded. Engines generate code from it; `deparser.ts` prints column names.
 */
import type { ComparisonOperator, FrameBound, WindowFrame } from '../syntax/ast.ts';
import type { SqlAggregate, SqlData, SqlFunction, SqlType } from '../types/sql-types.ts';
import type { SqlTable, VirtualTable } from './catalog.ts';

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
  /** The result, if it is known without reading rows. */
  readonly known?: { readonly data: SqlData };
}

/** A call of a function that only exists over a window, such as ROW_NUMBER. */
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
  /** The constant in the statement, when a conversion has replaced it. */
  readonly written?: BoundConstant;
  /** True if Ignite computes the value only at run time, so that it has the type of an expression. */
  readonly deferred?: boolean;
}

export interface BoundParameter {
  readonly kind: 'parameter';
  readonly type: SqlType;
  /** Counts from 0. */
  readonly index: number;
  /** True if the argument is only compared, so a number does not have to fit the type. */
  readonly compared: boolean;
}

export interface BoundColumn {
  readonly kind: 'column';
  readonly type: SqlType;
  readonly source: BoundSource;
  /** Index in the source's columns. */
  readonly column: number;
  readonly name: string;
  /** The qualifier in the statement. */
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
      /** True if dividing the smallest integer by -1 yields that integer. */
      readonly wraps?: boolean;
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
      /** The operand of a simple CASE, for the deparser. The conditions contain the comparison with it. */
      readonly operand: Bound | undefined;
      readonly branches: ReadonlyArray<{ readonly when: Bound; readonly written: Bound; readonly result: Bound }>;
      readonly otherwise: Bound | undefined;
    }
  /** A conversion. `written` is true for a CAST of the statement. */
  | { readonly kind: 'convert'; readonly type: SqlType; readonly operand: Bound; readonly written: boolean }
  | {
      readonly kind: 'call';
      readonly type: SqlType;
      /** The name in the statement, in upper case. */
      readonly name: string;
      readonly function: SqlFunction;
      readonly args: readonly Bound[];
      readonly bare: boolean;
    }
  | BoundAggregate
  | BoundWindowCall
  | { readonly kind: 'subquery'; readonly type: SqlType; readonly query: BoundQuery }
  | { readonly kind: 'row'; readonly type: SqlType; readonly items: readonly Bound[] };

/** A column of a query's result or of a table after FROM. */
export interface BoundResultColumn {
  readonly name: string;
  /** The name before the table's alias renamed it, which result names contain, or undefined if not renamed. */
  readonly originalName?: string;
  readonly type: SqlType;
  readonly schemaName: string;
  readonly tableName: string;
}

interface SourceBase {
  /** Unique in the statement. The generated SQL uses it as the alias. */
  readonly id: number;
  /** The name that qualifies columns, or undefined if there is none. */
  readonly alias: string | undefined;
  readonly columns: readonly BoundResultColumn[];
}

export type BoundSource =
  /** An entry table. `_KEY` and `_VAL` follow its columns. */
  | (SourceBase & { readonly kind: 'table'; readonly table: SqlTable })
  | (SourceBase & { readonly kind: 'query'; readonly query: BoundQuery })
  | (SourceBase & { readonly kind: 'commonTable'; readonly name: string })
  | (SourceBase & { readonly kind: 'virtual'; readonly table: VirtualTable })
  | (SourceBase & { readonly kind: 'range'; readonly low: Bound; readonly high: Bound; readonly step: Bound })
  /** TABLE or UNNEST: one array per column. */
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
  /** True if all rows are one group without GROUP BY. */
  readonly aggregated: boolean;
  /** Columns that must have a single value in every group; there must also be a group, otherwise 90016 is thrown. */
  readonly ungrouped: readonly BoundColumn[];
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
  readonly body: BoundBody;
  /** The columns of the result. Bodies are converted to their types. */
  readonly columns: readonly BoundResultColumn[];
  /** Expressions over the scope of a select, or positions of result columns. */
  readonly orderBy: ReadonlyArray<BoundOrderItem | BoundPosition>;
  readonly limit: Bound | undefined;
  readonly offset: Bound | undefined;
}

export interface BoundPosition {
  /** Counts from 0. */
  readonly position: number;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}

export const KEY_COLUMN = '_KEY';
export const VALUE_COLUMN = '_VAL';

export const BOOLEAN: SqlType = { name: 'BOOLEAN' };
export const NULL_TYPE: SqlType = { name: 'NULL' };

export function constant(type: SqlType, data: SqlData): BoundConstant {
  return { kind: 'constant', type, data };
}

export function isConstant(bound: Bound): bound is BoundConstant {
  return bound.kind === 'constant';
}

/** Returns whether the expression is the constant NULL, typed or not. */
export function isNullConstant(bound: Bound): boolean {
  return isConstant(bound) && bound.data === null;
}

/** Returns whether the expression is a parameter without a type. */
export function isUnknown(bound: Bound): boolean {
  return bound.type.name === 'UNKNOWN';
}

/** Returns whether the type belongs to an untyped parameter or NULL. */
export function isOpen(type: SqlType): boolean {
  return type.name === 'UNKNOWN' || type.name === 'NULL';
}

/** Returns the direct subexpressions, without those in subqueries. */
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

/** Returns whether the expression or a subexpression satisfies `test`. Does not look into subqueries. */
export function anyPart(bound: Bound, test: (part: Bound) => boolean): boolean {
  return test(bound) || partsOf(bound).some((part) => anyPart(part, test));
}

/** Returns the conditions that AND combines, at any depth. */
export function conjunctsOf(bound: Bound): readonly Bound[] {
  return bound.kind === 'and' ? bound.operands.flatMap(conjunctsOf) : [bound];
}

/** Returns whether the expression contains an aggregate over the rows of one of this query's groups. */
export function isAggregated(bound: Bound): boolean {
  return aggregatesOf(bound).length > 0;
}

/** Returns an expression's aggregates over the rows of one of this query's groups. */
export function aggregatesOf(bound: Bound): readonly BoundAggregate[] {
  return bound.kind === 'aggregate' && bound.over === undefined ? [bound] : partsOf(bound).flatMap(aggregatesOf);
}

/** Returns whether an expression depends on constants and parameters only. */
export function isFixed(bound: Bound): boolean {
  return !anyPart(bound, (part) => !isConstant(part) && part.kind !== 'parameter' && !isPure(part));
}

function isPure(bound: Bound): boolean {
  if (bound.kind === 'call') return true;
  return !['column', 'subquery', 'exists', 'inQuery', 'quantified', 'aggregate', 'windowCall'].includes(bound.kind);
}
