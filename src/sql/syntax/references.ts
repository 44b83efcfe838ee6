/** Records what a statement refers to while it is parsed, so that no second pass over the tree is needed. */
import type { Name } from './ast.ts';

/** A table as the statement names it. Unquoted names are in upper case. */
export interface TableName {
  /** Undefined for the schema of the session. */
  readonly schema: string | undefined;
  readonly name: string;
}

export class References {
  readonly #reads = new Map<string, TableName>();
  readonly #writes = new Map<string, TableName>();
  /** Names of the common tables that are visible at the current token. */
  readonly #commonTables: string[] = [];
  /** Names of called functions, and of operators that cost as much as a function (`REGEXP`, `LIKE`). */
  readonly calls = new Set<string>();
  /** Number of tables, derived tables and table functions after FROM, in the whole statement. */
  sources = 0;
  /** Number of queries inside the statement: in expressions and after FROM, WITH and INSERT. */
  subqueries = 0;

  get reads(): readonly TableName[] {
    return [...this.#reads.values()];
  }

  get writes(): readonly TableName[] {
    return [...this.#writes.values()];
  }

  /** Records a table after FROM, unless the name is that of a common table in scope. */
  readTable(schema: Name | undefined, name: Name): void {
    this.sources += 1;
    if (schema === undefined && this.#commonTables.includes(name.text)) return;
    add(this.#reads, schema, name);
  }

  writeTable(schema: Name | undefined, name: Name): void {
    add(this.#writes, schema, name);
  }

  /** Makes a common table visible until {@link leave}. */
  declare(name: Name): void {
    this.#commonTables.push(name.text);
  }

  /** Returns a mark for {@link leave}. */
  enter(): number {
    return this.#commonTables.length;
  }

  leave(mark: number): void {
    this.#commonTables.length = mark;
  }
}

function add(tables: Map<string, TableName>, schema: Name | undefined, { text }: Name): void {
  tables.set(`${schema?.text ?? ''}\u0000${text}`, { schema: schema?.text, name: text });
}
