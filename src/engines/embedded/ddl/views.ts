/** SQL views, stored in the table `views` of the data file. */
import type { Database } from 'bun:sqlite';
import { SqlFailure } from '../../../base/sql-failure.ts';
import type { DefinitionChange } from '../../../grid/definition-changes.ts';
import type { DdlStatement } from '../../../sql/syntax/ast.ts';
import { parseTokens } from '../../../sql/syntax/parser.ts';
import { TokenReader } from '../../../sql/syntax/token-reader.ts';
import { ddlFailure } from './ddl-failures.ts';
import type { StructureOptions } from './structure-options.ts';

type Ddl<K extends DdlStatement['kind']> = Extract<DdlStatement, { kind: K }>;

export class Views {
  readonly #options: Pick<StructureOptions, 'connections' | 'shared'>;
  readonly #noted: DefinitionChange[] | undefined;

  /** `noted` receives the changes, which are then not made. */
  constructor(options: Pick<StructureOptions, 'connections' | 'shared'>, noted?: DefinitionChange[]) {
    this.#options = options;
    this.#noted = noted;
  }

  /** Runs CREATE VIEW. The caller has checked that the name is not a table's. */
  create(statement: Ddl<'createView'>, schema: string): undefined {
    const name = statement.view.name.text;
    const isKnown = this.has(schema, name);
    if (isKnown && !statement.orReplace) {
      if (statement.ifNotExists) return undefined;
      throw ddlFailure('VIEW_EXISTS', name);
    }
    this.#change({ view: `${schema}.${name}`, change: isKnown ? 'changed' : 'created' }, (database) =>
      database
        .query('INSERT OR REPLACE INTO views VALUES (?, ?, ?, ?)')
        .run(schema, name, JSON.stringify(statement.columns.map((column) => column.text)), statement.text),
    );
    return undefined;
  }

  /** Runs DROP VIEW. */
  drop(statement: Ddl<'dropView'>, schema: string): undefined {
    const name = statement.view.name.text;
    if (!this.has(schema, name)) {
      if (statement.ifExists) return undefined;
      throw ddlFailure('DDL_VIEW_NOT_FOUND', name);
    }
    this.#remove(schema, name);
    this.#removeReaders([{ schema, name }]);
    return undefined;
  }

  has(schema: string, name: string): boolean {
    const { database } = this.#options.connections.data;
    return database.query('SELECT 1 FROM views WHERE schema = ? AND name = ?').get(schema, name) !== null;
  }

  #remove(schema: string, name: string): void {
    this.#change({ view: `${schema}.${name}`, change: 'removed' }, (database) =>
      database.query('DELETE FROM views WHERE schema = ? AND name = ?').run(schema, name),
    );
  }

  #change(noted: DefinitionChange, change: (database: Database) => void): void {
    if (this.#noted !== undefined) {
      this.#noted.push(noted);
      return;
    }
    const { connections, shared } = this.#options;
    connections.data.transact(change);
    shared.definitionsChanged();
  }

  /** Drops the views of a dropped table as Apache Ignite does: those whose text contains the table's name as a word. */
  dropViewsOf(schema: string, table: string): void {
    const pattern = new RegExp(`(?<![\\w"])"?${RegExp.escape(table)}"?(?![\\w"])`, 'i');
    const named = this.#all().filter((view) => view.schema === schema && pattern.test(view.query));
    for (const { name } of named) this.#remove(schema, name);
    this.#removeReaders([{ schema, name: table }, ...named]);
  }

  /** Drops the views that read one of the objects, and those that read them in turn, because they would be unusable. */
  #removeReaders(gone: readonly ViewName[]): void {
    const names = new Set(gone.map(keyOf));
    const removed = new Set(names);
    const others = this.#all().map((view) => ({ view, reads: readsOf(view) }));
    for (let before = -1; before !== names.size; ) {
      before = names.size;
      for (const { view, reads } of others) if (reads.some((read) => names.has(read))) names.add(keyOf(view));
    }
    for (const { view } of others) {
      if (names.has(keyOf(view)) && !removed.has(keyOf(view))) this.#remove(view.schema, view.name);
    }
  }

  #all(): readonly StoredView[] {
    const { database } = this.#options.connections.data;
    return database.query<StoredView, []>('SELECT schema, name, query FROM views ORDER BY schema, name').all();
  }
}

interface ViewName {
  readonly schema: string;
  readonly name: string;
}

interface StoredView extends ViewName {
  readonly query: string;
}

function keyOf({ schema, name }: ViewName): string {
  return `${schema}\u0000${name}`;
}

/** Returns the keys of the tables and views that a view names. */
function readsOf({ schema, query }: StoredView): readonly string[] {
  const reader = new TokenReader(query);
  try {
    parseTokens(reader);
  } catch (error) {
    // A query from an earlier version that does not match the grammar cannot be used.
    if (error instanceof SqlFailure) return [];
    throw error;
  }
  return reader.references.reads.map((read) => keyOf({ schema: read.schema ?? schema, name: read.name }));
}
