/** A statement process's read connections. Each open cursor has its own; idle ones are reused. */

import type { StatementGuard } from '../native/statement-guard.ts';
import type { SharedQueryState } from '../shared/shared-query-state.ts';
import { bindingsOf } from '../sql/arguments.ts';
import type { PreparedQuery } from '../sql/statement.ts';
import type { Binding } from '../storage/value-storage.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { PinnedSource, RowSource } from './rows/row-sources.ts';
import { SqlConnection } from './sql-connection.ts';
import type { StatementWatch } from './statement-watch.ts';

/** Maximum number of idle connections; each has a separate page cache. */
const MAX_IDLE_CONNECTIONS = 4;
/** SQLite's page cache, which is also the size of one sorting run. With many open cursors, each statement gets less. */
const CACHE_KIB = 8 * 1024;
const CACHE_OF_MANY_KIB = 256;
const MANY_CURSORS = 16;

export interface ConnectionPoolOptions {
  readonly thread: EngineThread;
  readonly queryState: SharedQueryState;
  /** Interrupts statements inside SQLite; if undefined, they end with their process. */
  readonly guard: StatementGuard | undefined;
}

/** A statement for SQLite, and the functions that it calls. */
export type StorageText = Pick<PreparedQuery, 'sql' | 'functions'>;

export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #free: SqlConnection[] = [];

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /** Opens a connection that is not part of the pool, for changes. */
  openWritable(): SqlConnection {
    const connection = this.#open('write');
    connection.setCache(CACHE_KIB);
    return connection;
  }

  acquire(): SqlConnection {
    const connection = this.#take() ?? this.#open('read');
    connection.setCache(this.#options.queryState.openCursors() < MANY_CURSORS ? CACHE_KIB : CACHE_OF_MANY_KIB);
    return connection;
  }

  /** Returns the rows that `open` finds on a connection, which returns to the pool when they are closed. */
  withConnection(open: (connection: SqlConnection) => RowSource): RowSource {
    const connection = this.acquire();
    try {
      return open(connection);
    } catch (error) {
      this.release(connection);
      throw error;
    }
  }

  /** Starts a statement on an acquired connection, which `onClose` releases. */
  start(
    connection: SqlConnection,
    { sql, functions }: StorageText,
    bindings: readonly Binding[],
    watch: StatementWatch,
  ): Pick<PinnedSource, 'rows' | 'connection' | 'onClose'> {
    watch.use(connection.guarded);
    connection.register.context.poll = watch.poll;
    connection.register.context.checkMemory = watch.checkMemory;
    const statement = watch.run(() => connection.statements.get(sql, functions));
    const rows = statement.iterate(...bindingsOf(statement, bindings));
    return { rows, connection, onClose: () => this.release(connection) };
  }

  /** Returns an idle connection, or undefined if there is none. */
  #take(): SqlConnection | undefined {
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (this.#isCurrent(free)) return free;
      free.close();
    }
    return undefined;
  }

  release(connection: SqlConnection): void {
    connection.statements.finalizeLong();
    if (this.#free.length < MAX_IDLE_CONNECTIONS && !connection.isSingleUse && this.#isCurrent(connection)) {
      this.#free.push(connection);
    } else connection.close();
  }

  /** Closes the idle connections. */
  closeIdle(): void {
    for (const connection of this.#free) connection.close();
    this.#free.length = 0;
  }

  #open(mode: 'read' | 'write'): SqlConnection {
    const { thread, queryState, guard } = this.#options;
    const { reads, shared } = thread;
    const statistics = queryState.statisticsVersion();
    return new SqlConnection({ reads, shared, mode, epoch: shared.epoch(), statistics, guard });
  }

  /** Reports whether a connection uses the current files and statistics. */
  #isCurrent({ epoch, statistics }: SqlConnection): boolean {
    const { thread, queryState } = this.#options;
    return epoch === thread.shared.epoch() && statistics === queryState.statisticsVersion();
  }
}
