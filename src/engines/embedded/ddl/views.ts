/** SQL views, stored in the table `views` of the data file. */
import type { Database } from 'bun:sqlite';
import type { DefinitionChange } from '../../../grid/definition-changes.ts';
import type { DdlStatement } from '../../../sql/syntax/ast.ts';
import { ddlFailure } from './ddl-failures.ts';
import type { StructureParts } from './structure-parts.ts';

type Ddl<K extends DdlStatement['kind']> = Extract<DdlStatement, { kind: K }>;

export class Views {
  readonly #parts: Pick<StructureParts, 'connections' | 'shared'>;
  readonly #noted: DefinitionChange[] | undefined;

  /** `noted` receives the changes, which are not made then. */
  constructor(parts: Pick<StructureParts, 'connections' | 'shared'>, noted?: DefinitionChange[]) {
    this.#parts = parts;
    this.#noted = noted;
  }

  /** Runs CREATE VIEW. The caller has checked that no table has the name. */
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
    return undefined;
  }

  has(schema: string, name: string): boolean {
    const { database } = this.#parts.connections.data;
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
    const { connections, shared } = this.#parts;
    connections.data.transact(change);
    shared.definitionsChanged();
  }

  /** Drops the views of a dropped table as Apache Ignite does: those whose text contains the table's name as a word. */
  dropViewsOf(schema: string, table: string): void {
    const pattern = new RegExp(`(?<![\\w"])"?${RegExp.escape(table)}"?(?![\\w"])`, 'i');
    const { database } = this.#parts.connections.data;
    const views = database
      .query<{ name: string; query: string }, [string]>('SELECT name, query FROM views WHERE schema = ?')
      .all(schema)
      .filter((view) => pattern.test(view.query));
    for (const { name } of views) this.#remove(schema, name);
  }
}
