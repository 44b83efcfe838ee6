/**
 * Runs changes by key in SQL with code that is loaded when the first of them arrives: loading the statement code at
 * startup would delay a service's first response.
 */
import type { Database } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { SentStatement } from '../writer/changes.ts';
import type { EntryWriters } from '../writer/entry-writers.ts';
import type { StatementExecutor, StatementResult } from '../writer/executors.ts';

type Prepared = ReturnType<StatementExecutor['prepare']>;

/** An executor that keeps statements of SQLite open. */
export interface ReleasableExecutor extends StatementExecutor {
  release(): void;
}

export class OnDemandStatements implements ReleasableExecutor {
  readonly #thread: EngineThread;
  readonly #clock: Clock;
  #loading: Promise<void> | undefined;
  #loaded: ReleasableExecutor | undefined;

  constructor(thread: EngineThread, clock: Clock) {
    this.#thread = thread;
    this.#clock = clock;
  }

  /** Loads the code. Returns undefined once it is loaded; from then on, statements can be prepared. */
  ready(): Promise<void> | undefined {
    if (this.#loaded !== undefined) return undefined;
    this.#loading ??= this.#import();
    return this.#loading;
  }

  async #import(): Promise<void> {
    const { loadStatementCode } = await import('./statement-code.ts');
    await loadStatementCode(this.#clock);
    const { WriterStatements } = await import('./writer-statements.ts');
    this.#loaded = new WriterStatements(this.#thread, this.#clock);
  }

  prepare(statement: SentStatement): Prepared {
    return this.#required().prepare(statement);
  }

  prepared(statement: SentStatement): Prepared {
    return this.#required().prepared(statement);
  }

  run(statement: SentStatement, prepared: Prepared, database: Database, entries: EntryWriters): StatementResult {
    return this.#required().run(statement, prepared, database, entries);
  }

  /** Finalizes every statement, before files are removed. */
  release(): void {
    this.#loaded?.release();
  }

  #required(): ReleasableExecutor {
    if (this.#loaded === undefined) throw new TypeError('the code of statements has not been loaded');
    return this.#loaded;
  }
}
