/** The state of binding one statement: the catalog, the current schema, ids, and the tables in use. */

import { SQL_BOUNDS } from '../../base/limits.ts';
import { sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import { nearestName, type SqlFailure } from '../../base/sql-failure.ts';
import { AGGREGATES, FUNCTIONS, UNSUPPORTED } from '../functions/functions.ts';
import type { Name } from '../syntax/ast.ts';
import { nearestWritten, writtenName } from '../syntax/written-name.ts';
import type { SqlAggregate, SqlFunction, SqlType } from '../types/sql-types.ts';
import { type Bound, type BoundResultColumn, isConstant, isOpen } from './bound.ts';
import type { DateFunctions } from './build.ts';
import type { CatalogEntry, SqlCatalog, SqlTable, SqlView } from './catalog.ts';
import { Repetition } from './repetition.ts';

/** The schema of tables without a configured one. */
export const PUBLIC_SCHEMA = 'PUBLIC';

export interface CommonTableEntry {
  /** The id of the common table in the syntax tree. */
  readonly target: number;
  /** Unique in the statement. The generated SQL uses it as the name. */
  readonly id: string;
  readonly columns: readonly BoundResultColumn[];
}

/** The types of arguments by parameter index, for parameters that have no other type. */
export type ArgumentTypes = ReadonlyMap<number, SqlType>;

const NO_TYPES: ArgumentTypes = new Map();
const UNKNOWN: SqlType = { name: 'UNKNOWN' };

export class Binder {
  readonly catalog: SqlCatalog;
  readonly schema: string;
  /** Entry tables that the statement reads or changes. */
  readonly tables = new Set<SqlTable>();
  /** Views that the statement reads, directly or through other views. */
  readonly views = new Set<SqlView>();
  /** Indexes of the parameters whose type nothing in the statement determines. */
  readonly untyped = new Set<number>();
  readonly repetition = new Repetition();
  readonly #argumentTypes: ArgumentTypes;
  #nextId = 0;
  #views = 0;
  #expandedViews = 0;
  #expandedCharacters = 0;
  #derived = 0;

  constructor(catalog: SqlCatalog, schema: string, argumentTypes: ArgumentTypes = NO_TYPES) {
    this.catalog = catalog;
    this.schema = schema;
    this.#argumentTypes = argumentTypes;
  }

  /** Returns a parameter's type before its context determines one. */
  typeOfParameter(index: number): SqlType {
    return this.#argumentTypes.get(index) ?? UNKNOWN;
  }

  /** Records the parameters among operands that have the same type, if no operand has one. */
  noteUntyped(operands: readonly Bound[]): void {
    if (!operands.every(({ type }) => isOpen(type) || type.isAny === true)) return;
    for (const operand of operands) if (operand.kind === 'parameter') this.untyped.add(operand.index);
  }

  /** See {@link SqlCatalog.asIgnite}. */
  get asIgnite(): boolean {
    return this.catalog.asIgnite === true;
  }

  nextId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  /**
   * Binds the query of a view. Throws if views are nested too deeply, or if the statement contains too many or too long
   * ones: in a chain of twenty views that each use the previous one twice, each view doubles the statement.
   */
  insideView<T>(view: SqlView, bind: () => T): T {
    const { query } = view;
    this.views.add(view);
    if (this.#views >= SQL_BOUNDS.views) throw sqlFailure('VIEWS_NESTED');
    this.#expandedViews += 1;
    this.#expandedCharacters += query.length;
    const { expandedViews, expandedCharacters } = SQL_BOUNDS;
    if (this.#expandedViews > expandedViews) throw sqlFailure('VIEWS_EXPANDED', expandedViews, 'views');
    if (this.#expandedCharacters > expandedCharacters) {
      throw sqlFailure('VIEWS_EXPANDED', expandedCharacters, 'characters of views');
    }
    this.#views += 1;
    const result = this.insideTable(bind);
    this.#views -= 1;
    return result;
  }

  /** Binds the query of a derived table or a view. */
  insideTable<T>(bind: () => T): T {
    this.#derived += 1;
    const result = bind();
    this.#derived -= 1;
    return result;
  }

  /**
   * Returns whether a CAST ignores the precision of times, as in Ignite: in derived tables, and for expressions
   * computed for table rows.
   */
  ignoresPrecision(operand: Bound): boolean {
    return this.asIgnite && (this.#derived > 0 || (this.tables.size > 0 && !isConstant(operand)));
  }

  requireSchema(schema: Name | undefined): string {
    if (schema === undefined) return this.schema;
    const schemas = this.catalog.schemas();
    if (!schemas.includes(schema.text)) {
      throw sqlFailureAt(
        { at: schema.at, suggestion: nearestWritten(schema.text, schemas) },
        'SCHEMA_NOT_FOUND',
        schema.text,
      );
    }
    return schema.text;
  }

  /** Returns a table or view. Throws 90079 for an unknown schema and 42102 for an unknown table. */
  requireTable(schema: Name | undefined, name: Name): CatalogEntry {
    const found = this.catalog.find(schema?.text ?? this.schema, name.text) ?? this.#entriesOf(schema, name);
    if (found === undefined) {
      const home = this.requireSchema(schema);
      const reachable = this.#reachable(home);
      const nearest = nearestName(name.text, reachable.keys());
      throw sqlFailureAt({ at: name.at, suggestion: nearest && reachable.get(nearest) }, 'TABLE_NOT_FOUND', name.text);
    }
    if (found.kind === 'table') this.tables.add(found.table);
    return found;
  }

  #entriesOf(schema: Name | undefined, name: Name): CatalogEntry | undefined {
    const table = schema && this.catalog.findEntries?.(schema.text, name.text);
    return table && { kind: 'table', table };
  }

  /** Returns the names in the schema and the qualified names of other schemas, each as a statement writes it. */
  #reachable(home: string): ReadonlyMap<string, string> {
    const names = new Map(this.catalog.names(home).map((name) => [name, writtenName(name)]));
    for (const schema of this.catalog.schemas()) {
      if (schema === home) continue;
      for (const name of this.catalog.names(schema)) {
        names.set(`${schema}.${name}`, `${writtenName(schema)}.${writtenName(name)}`);
      }
    }
    return names;
  }

  findFunction(name: string): SqlFunction | undefined {
    return FUNCTIONS.get(name);
  }

  findAggregate(name: string): SqlAggregate | undefined {
    return AGGREGATES.get(name);
  }

  functionMissing(name: string, at: number): SqlFailure {
    const reason = UNSUPPORTED.get(name);
    if (reason !== undefined) return sqlFailureAt({ at }, 'FUNCTION_UNSUPPORTED', name, reason);
    return sqlFailureAt(
      { at, suggestion: nearestName(name, [...FUNCTIONS.keys(), ...AGGREGATES.keys()]) },
      'FUNCTION_NOT_FOUND',
      name,
    );
  }

  get dateFunctions(): DateFunctions {
    return DATE_FUNCTIONS;
  }
}

function requireFunction(name: string): SqlFunction {
  const found = FUNCTIONS.get(name);
  if (found === undefined) throw new Error(`function ${name} is missing from the table`);
  return found;
}

const DATE_FUNCTIONS: DateFunctions = { dateAdd: requireFunction('DATEADD'), dateDiff: requireFunction('DATEDIFF') };
