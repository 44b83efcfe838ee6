/** Records what a statement refers to during parsing, so that no second pass over the tree is needed. */
import type { Name, TableTarget, TextRange } from './ast.ts';

/** A table as the statement names it. Unquoted names are in upper case. */
export interface TableName {
  /** undefined for the session's schema. */
  readonly schema: string | undefined;
  readonly name: string;
}

interface Read {
  readonly name: Name;
  commonTable: number | undefined;
}

/** A common table that is visible at the current token. */
interface Declared {
  readonly name: string;
  readonly id: number;
  /** The reads of its name inside its own query, while that is being parsed. */
  waiting: Read[] | undefined;
}

/**
 * The only place that decides whether a name after FROM is a common table or one in the catalog: the analysis reports
 * its decisions, and the binder follows the marks in the tree. Two separate decisions could differ, and a user would
 * read an unchecked table.
 */
export class References {
  readonly #reads = new Map<string, TableName>();
  readonly #writes = new Map<string, TableName>();
  readonly #commonReads = new Map<string, TableName>();
  /** The innermost is last. */
  readonly #declared: Declared[] = [];
  #lastId = 0;
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

  /** Common tables that the statement reads, as tables with their names. */
  get commonReads(): readonly TableName[] {
    return [...this.#commonReads.values()];
  }

  /** Records a table after FROM. Inside a common table's query, the result is complete when that query ends. */
  readTable(schema: Name | undefined, name: Name): TableTarget {
    this.sources += 1;
    const read: Read = { name, commonTable: undefined };
    if (schema === undefined) this.#resolve(read, this.#declared.length);
    else add(this.#reads, schema, name);
    return read;
  }

  /** Resolves a name in the common tables below an index, then in the catalog. */
  #resolve(read: Read, below: number): void {
    for (let at = below - 1; at >= 0; at--) {
      const declared = this.#declared[at];
      if (declared?.name !== read.name.text) continue;
      if (declared.waiting === undefined) this.#refer(read, declared);
      else declared.waiting.push(read);
      return;
    }
    add(this.#reads, undefined, read.name);
  }

  #refer(read: Read, { id }: Declared): void {
    read.commonTable = id;
    add(this.#commonReads, undefined, read.name);
  }

  writeTable(schema: Name | undefined, name: Name): void {
    add(this.#writes, schema, name);
  }

  /**
   * Parses the query of a common table, which is visible from its end until {@link leave}. Inside, the name means the
   * common table only within the range that `recursiveRange` returns; elsewhere it means a table outside.
   */
  declare<Q>(
    { text }: Name,
    parse: () => Q,
    recursiveRange: (query: Q) => TextRange | undefined,
  ): { readonly id: number; readonly query: Q; readonly recursiveReads: number } {
    this.#lastId += 1;
    const waiting: Read[] = [];
    const declared: Declared = { name: text, id: this.#lastId, waiting };
    const at = this.#declared.push(declared) - 1;
    const query = parse();
    declared.waiting = undefined;
    const range = waiting.length === 0 ? undefined : recursiveRange(query);
    let recursiveReads = 0;
    for (const read of waiting) {
      if (range !== undefined && range.from <= read.name.at && read.name.at < range.to) {
        this.#refer(read, declared);
        recursiveReads += 1;
      } else {
        this.#resolve(read, at);
      }
    }
    return { id: declared.id, query, recursiveReads };
  }

  /** Returns a mark for {@link leave}. */
  enter(): number {
    return this.#declared.length;
  }

  leave(mark: number): void {
    this.#declared.length = mark;
  }
}

function add(tables: Map<string, TableName>, schema: Name | undefined, { text }: Name): void {
  tables.set(`${schema?.text ?? ''}\u0000${text}`, { schema: schema?.text, name: text });
}
