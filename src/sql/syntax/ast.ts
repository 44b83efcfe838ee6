/** The syntax tree of a statement, before names are resolved. `at` is an offset in the text. */
import type { SqlData, SqlType, SqlTypeName } from '../types/sql-types.ts';

/** A name in the statement. Unquoted names are in upper case. */
export interface Name {
  readonly text: string;
  readonly at: number;
}

/** Offsets in the text, the second one excluded. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

export interface OrderItem {
  readonly expression: Expression;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}

export interface WindowFrame {
  readonly unit: 'ROWS' | 'RANGE' | 'GROUPS';
  readonly start: FrameBound;
  readonly end: FrameBound | undefined;
  readonly exclude: 'CURRENT ROW' | 'GROUP' | 'TIES' | undefined;
}

export interface FrameBound {
  readonly kind: 'unbounded preceding' | 'preceding' | 'current row' | 'following' | 'unbounded following';
  readonly offset?: Expression;
}

export interface WindowSpecification {
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderItem[];
  readonly frame: WindowFrame | undefined;
}

export interface CallExpression {
  readonly kind: 'call';
  readonly name: string;
  readonly at: number;
  readonly args: readonly Expression[];
  /** COUNT(*). */
  readonly star?: boolean;
  readonly distinct?: boolean;
  /** For GROUP_CONCAT and ARRAY_AGG. */
  readonly orderBy?: readonly OrderItem[];
  readonly separator?: Expression;
  readonly filter?: Expression;
  readonly over?: WindowSpecification;
  /** True for a call without parentheses, such as CURRENT_DATE. */
  readonly bare?: boolean;
}

export type Expression =
  | { readonly kind: 'literal'; readonly type: SqlType; readonly data: SqlData; readonly at: number }
  /** `index` counts from 0. */
  | { readonly kind: 'parameter'; readonly index: number; readonly at: number }
  | {
      readonly kind: 'column';
      readonly schema: string | undefined;
      readonly table: string | undefined;
      readonly name: string;
      readonly at: number;
      /** The function that the name calls if no column has it. */
      readonly orCall?: string | undefined;
    }
  | { readonly kind: 'negate'; readonly operand: Expression }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly at: number;
    }
  | { readonly kind: 'concat'; readonly operands: readonly Expression[] }
  | {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator | 'is' | 'is not';
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'quantified';
      readonly operator: ComparisonOperator;
      readonly quantifier: 'ALL' | 'ANY';
      readonly left: Expression;
      readonly query: Query;
    }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'isNull'; readonly operand: Expression; readonly negated: boolean }
  | { readonly kind: 'between'; readonly operand: Expression; readonly low: Expression; readonly high: Expression }
  | { readonly kind: 'inList'; readonly operand: Expression; readonly items: readonly Expression[] }
  | { readonly kind: 'inQuery'; readonly operand: Expression; readonly query: Query }
  | {
      readonly kind: 'like';
      readonly operand: Expression;
      readonly pattern: Expression;
      readonly escapedBy: Expression | undefined;
      readonly ignoreCase: boolean;
    }
  | {
      readonly kind: 'regexp';
      readonly operand: Expression;
      readonly pattern: Expression;
      readonly ignoreCase: boolean;
    }
  | { readonly kind: 'exists'; readonly query: Query }
  | {
      readonly kind: 'case';
      readonly operand: Expression | undefined;
      readonly branches: ReadonlyArray<{ readonly when: Expression; readonly result: Expression }>;
      readonly otherwise: Expression | undefined;
    }
  | { readonly kind: 'cast'; readonly operand: Expression; readonly type: SqlType; readonly at: number }
  | CallExpression
  | { readonly kind: 'subquery'; readonly query: Query; readonly at: number }
  /** `(a, b)`: an array, or a row of a comparison. */
  | { readonly kind: 'row'; readonly items: readonly Expression[]; readonly at: number }
  | { readonly kind: 'element'; readonly array: Expression; readonly index: Expression }
  /** DEFAULT instead of a value. */
  | { readonly kind: 'default'; readonly at: number };

/** What a table name after FROM resolves to, decided once (`References`). */
export interface TableTarget {
  /** The id of the common table that it names, or undefined for a table or view in the catalog. */
  readonly commonTable: number | undefined;
}

export interface CommonTable {
  /** Unique in the statement. */
  readonly id: number;
  readonly name: Name;
  readonly columns: readonly Name[];
  readonly query: Query;
  /** How often the last operand of its query, which is then a UNION, reads the common table. */
  readonly recursiveReads: number;
}

export interface Query {
  readonly kind: 'query';
  readonly with: readonly CommonTable[];
  readonly body: QueryBody;
  readonly orderBy: readonly OrderItem[];
  readonly limit: Expression | undefined;
  readonly offset: Expression | undefined;
}

export type QueryBody =
  | SelectBody
  | {
      readonly kind: 'setOperation';
      readonly operator: 'UNION' | 'UNION ALL' | 'EXCEPT' | 'INTERSECT';
      readonly left: QueryBody;
      readonly right: QueryBody;
      /** Where the right operand is in the text. */
      readonly rightRange: TextRange;
    }
  | { readonly kind: 'values'; readonly rows: ReadonlyArray<readonly Expression[]>; readonly at: number }
  /** A query in parentheses with its own ORDER BY or LIMIT. */
  | { readonly kind: 'nested'; readonly query: Query };

export interface SelectBody {
  readonly kind: 'select';
  readonly distinct: boolean;
  readonly items: readonly SelectItem[];
  readonly from: readonly TableReference[];
  readonly where: Expression | undefined;
  readonly groupBy: readonly Expression[];
  readonly having: Expression | undefined;
}

export type SelectItem =
  | {
      readonly kind: 'star';
      readonly schema: string | undefined;
      readonly table: string | undefined;
      readonly at: number;
    }
  | { readonly kind: 'expression'; readonly expression: Expression; readonly alias: string | undefined };

export interface TableAlias {
  readonly alias: Name | undefined;
  readonly columns: readonly Name[];
}

export type TableReference =
  | ({
      readonly kind: 'table';
      readonly schema: Name | undefined;
      readonly name: Name;
      readonly target: TableTarget;
      /** USE INDEX (...). */
      readonly indexHint: readonly Name[] | undefined;
    } & TableAlias)
  | ({ readonly kind: 'derived'; readonly query: Query } & TableAlias)
  /** SYSTEM_RANGE, UNNEST. */
  | ({ readonly kind: 'tableFunction'; readonly name: Name; readonly args: readonly Expression[] } & TableAlias)
  /** TABLE(name type = (values), ...). */
  | ({
      readonly kind: 'columnsTable';
      readonly distinct: boolean;
      readonly members: ReadonlyArray<{ readonly name: Name; readonly type: SqlType; readonly values: Expression }>;
      readonly at: number;
    } & TableAlias)
  | {
      readonly kind: 'join';
      readonly join: 'inner' | 'left' | 'right' | 'full';
      readonly left: TableReference;
      readonly right: TableReference;
      readonly on: Expression | undefined;
      readonly using: readonly Name[];
      readonly natural: boolean;
    };

/** A table that a statement changes. */
export interface TargetTable {
  readonly schema: Name | undefined;
  readonly name: Name;
  readonly alias: Name | undefined;
}

export type RowSource =
  | { readonly kind: 'rows'; readonly rows: ReadonlyArray<readonly Expression[]> }
  | { readonly kind: 'query'; readonly query: Query };

export interface Assignment {
  /** One column, or several that are set from one subquery. */
  readonly columns: readonly Name[];
  readonly value: Expression;
}

/** The parts that every change has. */
interface Change {
  /** Common tables in front of the statement, which all its queries may read. */
  readonly with: readonly CommonTable[];
  readonly target: TargetTable;
}

export interface InsertStatement extends Change {
  readonly kind: 'insert';
  /** Undefined for all columns. */
  readonly columns: readonly Name[] | undefined;
  readonly source: RowSource;
}

export interface MergeStatement extends Change {
  readonly kind: 'merge';
  readonly columns: readonly Name[] | undefined;
  readonly keys: readonly Name[] | undefined;
  readonly source: RowSource;
}

export interface MergeUsingStatement extends Change {
  readonly kind: 'mergeUsing';
  readonly source: TableReference;
  readonly on: Expression;
  readonly update: { readonly assignments: readonly Assignment[]; readonly where: Expression | undefined } | undefined;
  readonly delete: { readonly where: Expression | undefined } | undefined;
  readonly insert:
    | { readonly columns: readonly Name[] | undefined; readonly values: readonly Expression[] }
    | undefined;
}

export interface UpdateStatement extends Change {
  readonly kind: 'update';
  readonly assignments: readonly Assignment[];
  readonly where: Expression | undefined;
  readonly orderBy: readonly OrderItem[];
  readonly limit: Expression | undefined;
}

export interface DeleteStatement extends Change {
  readonly kind: 'delete';
  readonly where: Expression | undefined;
  readonly limit: Expression | undefined;
}

export interface ColumnDefinition {
  readonly name: Name;
  readonly type: SqlType;
  /** The type as written, in upper case, with precision and scale. */
  readonly typeText: string;
  readonly notNull: boolean;
  readonly default: Expression | undefined;
  readonly primaryKey: boolean;
  /** Whether it has INVISIBLE, which Ignite ignores. */
  readonly invisible: boolean;
}

export interface QualifiedName {
  readonly schema: Name | undefined;
  readonly name: Name;
}

export interface IndexColumn {
  /** The column's name, or the text of the path. */
  readonly name: Name;
  /** JSON_VALUE(_VAL, path RETURNING type) instead of a column. */
  readonly path?: { readonly path: string; readonly type: SqlTypeName };
  readonly descending: boolean;
}

export interface CreateTableStatement {
  readonly kind: 'createTable';
  readonly table: QualifiedName;
  readonly ifNotExists: boolean;
  readonly columns: readonly ColumnDefinition[];
  /** Columns of a PRIMARY KEY constraint; empty when a column definition has it. */
  readonly primaryKey: readonly Name[];
  /** The strings after WITH: "name=value,...". */
  readonly parameters: readonly string[];
}

export type DdlStatement =
  | CreateTableStatement
  | { readonly kind: 'dropTable'; readonly tables: readonly QualifiedName[]; readonly ifExists: boolean }
  | {
      readonly kind: 'addColumns';
      readonly table: QualifiedName;
      readonly ifTableExists: boolean;
      readonly ifNotExists: boolean;
      readonly columns: readonly ColumnDefinition[];
    }
  | {
      readonly kind: 'dropColumns';
      readonly table: QualifiedName;
      readonly ifTableExists: boolean;
      readonly ifExists: boolean;
      readonly columns: readonly Name[];
    }
  | {
      readonly kind: 'setLogging';
      readonly table: QualifiedName;
      readonly ifTableExists: boolean;
      readonly logging: boolean;
    }
  | {
      readonly kind: 'createIndex';
      /** Undefined for an index that is named after its table and columns. */
      readonly name: QualifiedName | undefined;
      readonly table: QualifiedName;
      readonly ifNotExists: boolean;
      readonly columns: readonly IndexColumn[];
    }
  | { readonly kind: 'dropIndex'; readonly name: QualifiedName; readonly ifExists: boolean }
  | {
      readonly kind: 'createView';
      readonly view: QualifiedName;
      readonly orReplace: boolean;
      readonly ifNotExists: boolean;
      readonly columns: readonly Name[];
      readonly query: Query;
      /** The text of the query. */
      readonly text: string;
    }
  | { readonly kind: 'dropView'; readonly view: QualifiedName; readonly ifExists: boolean }
  | {
      readonly kind: 'createUser';
      readonly user: Name;
      readonly password: string;
      /** undefined if the statement does not name any. */
      readonly roles: readonly string[] | undefined;
    }
  | { readonly kind: 'alterUser'; readonly user: Name; readonly password: string }
  | { readonly kind: 'dropUser'; readonly user: Name }
  | { readonly kind: 'analyze'; readonly tables: readonly QualifiedName[] }
  /** Also KILL SCAN. `waits`: until the query has ended (not ASYNC). */
  | { readonly kind: 'killQuery'; readonly id: string; readonly waits: boolean }
  /** Not supported, but parsed, because the error depends on whether the table exists. */
  | { readonly kind: 'truncate'; readonly table: QualifiedName }
  /** ALTER TABLE or SCHEMA IF EXISTS with a change that is not supported: it has no effect without its object. */
  | { readonly kind: 'alterIfExists'; readonly table: QualifiedName | undefined; readonly schema: Name | undefined };

export type ChangeStatement =
  | InsertStatement
  | MergeStatement
  | MergeUsingStatement
  | UpdateStatement
  | DeleteStatement;

export type Statement =
  | Query
  | { readonly kind: 'explain'; readonly analyze: boolean; readonly query: Query }
  | ChangeStatement
  | DdlStatement;

/** A parsed statement and the number of its parameters. */
export interface ParsedStatement {
  readonly statement: Statement;
  readonly parameterCount: number;
}
