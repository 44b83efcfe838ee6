/** Runs changes by key and quick definitions for a request's thread, and previews definitions. */
import { type Clock, sleep } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { SQL_BOUNDS } from '../../../base/limits.ts';
import type { DefinitionChange, DefinitionStatement } from '../../../grid/definition-changes.ts';
import type { Column, FieldsQuery, QueryPage } from '../../../grid/grid.ts';
import { updateCount } from '../../../grid/row-writers.ts';
import { analyze, isRowStatement } from '../../../sql/analysis/analysis.ts';
import type { DdlStatement } from '../../../sql/syntax/ast.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import { checkChange } from '../shared/change-state.ts';
import { checkSetLogging, definitionOf, type QuickDefinition } from '../shared/definitions.ts';
import type { PreparedStatements } from '../shared/prepared-statements.ts';
import type { PreparedChange, PreparedDdl } from '../sql/statement.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import type { LocalReads } from './local-reads.ts';
import type { StatementKills } from './statement-kills.ts';
import { isShort } from './statement-size.ts';

export interface LocalChangesOptions {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly changes: ChangeChannel;
  /** Runs KILL QUERY with the id in its text. */
  readonly kill: StatementKills['killBySql'];
  readonly catalog: EngineCatalog;
  readonly statements: PreparedStatements;
  readonly reads: LocalReads;
}

/** The verbs of definition statements. */
const DEFINITION = /^(create|alter|drop)\b/i;

export class LocalChanges {
  readonly #options: LocalChangesOptions;

  constructor(options: LocalChangesOptions) {
    this.#options = options;
  }

  /** Sends a change by key to the writer. */
  async change(prepared: PreparedChange, query: FieldsQuery): Promise<QueryPage> {
    const { schema } = prepared;
    const { thread, changes, reads } = this.#options;
    const start = reads.now();
    checkChange(thread, prepared, query.sql, query.args);
    try {
      const updated = await changes.submit('runStatement', {
        sql: query.sql,
        schema,
        // Ignite ignores additional arguments.
        args: query.args.slice(0, prepared.parameterCount),
        user: query.owner,
        grant: query.sender?.grant(),
      });
      reads.note(query, schema, start, Number(updated));
      return reads.page(prepared.columns, updateCount(query.format, updated, query.notation), 1);
    } catch (error) {
      reads.note(query, schema, start, undefined);
      throw error;
    }
  }

  /** Runs KILL QUERY here: the process for changes may be occupied by the statement to be killed. */
  async kill(
    query: FieldsQuery,
    columns: readonly Column[],
    { id, waits }: Extract<DdlStatement, { kind: 'killQuery' }>,
  ): Promise<QueryPage> {
    const { owner, sender } = query;
    const killed = this.#options.kill(query.sql, id, {
      owner,
      isAdministrator: sender?.tenant().isAdministrator === true,
    });
    // KILL QUERY ASYNC does not wait until the query is gone; an unknown query is an error immediately.
    if (waits) await killed;
    else await Promise.race([killed, sleep(this.#options.clock, 0)]);
    return this.#zero(query, columns);
  }

  /** Sends a quick definition to the writer: a statement process would read the definitions of all caches first. */
  async define(
    query: FieldsQuery,
    prepared: PreparedDdl & { readonly statement: QuickDefinition },
  ): Promise<QueryPage> {
    const { schema, columns } = prepared;
    const { changes, reads } = this.#options;
    const start = reads.now();
    try {
      const statement = definitionOf(prepared, query.definesAsIgnite === true);
      await changes.submit('runDdl', { statement, schema });
      reads.note(query, schema, start, 1);
      return this.#zero(query, columns);
    } catch (error) {
      reads.note(query, schema, start, undefined);
      throw error;
    }
  }

  /** Returns the page of a statement without rows. */
  #zero({ format, notation }: FieldsQuery, columns: readonly Column[]): QueryPage {
    return this.#options.reads.page(columns, updateCount(format, 0, notation), 1);
  }

  /** Predicts the changes of a definition; returns undefined for any other statement. Throws DRY_RUN_UNSUPPORTED. */
  async previewDefinition({
    sql,
    cache,
    definesAsIgnite,
  }: DefinitionStatement): Promise<readonly DefinitionChange[] | undefined> {
    const { thread, catalog, statements, changes } = this.#options;
    if (thread.shared.isInactive()) throw gridError('INACTIVE');
    const analysis = analyze(sql);
    const { kind, verb } = analysis;
    if (kind === 'killQuery') {
      throw gridError('DRY_RUN_UNSUPPORTED', 'KILL QUERY', 'the query may end before it is executed');
    }
    const isDefinition = kind === 'unknown' ? DEFINITION.test(verb) : !isRowStatement(kind);
    if (isDefinition && !isShort(sql, analysis, SQL_BOUNDS.previewedCharacters)) {
      throw gridError('DRY_RUN_UNSUPPORTED', verb, 'the statement is too long to be previewed');
    }
    if (!isDefinition) return undefined;
    const prepared = statements.get(sql, catalog.schemaOfCache(cache), []);
    if (prepared.kind !== 'ddl') return undefined;
    const statement = definitionOf(prepared, definesAsIgnite === true);
    switch (statement.kind) {
      case 'createTable':
      case 'dropTable':
      case 'addColumns':
      case 'dropColumns':
      case 'createIndex':
      case 'dropIndex':
      case 'createView':
      case 'dropView':
        return changes.submit('previewDdl', { statement, schema: prepared.schema });
      case 'alterIfExists':
        return [];
      case 'setLogging':
        checkSetLogging(statement, prepared, catalog);
        return [];
      case 'analyze':
        throw gridError('DRY_RUN_UNSUPPORTED', 'ANALYZE', 'it changes no data, only how later statements are planned');
      case 'truncate':
      case 'killQuery':
      case 'createUser':
      case 'alterUser':
      case 'dropUser':
        return undefined;
    }
  }
}
