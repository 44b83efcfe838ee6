/** The read connections of a query thread. Each open cursor has its own; idle ones are reused. */
import type { SqlConnection } from './sql-connection.ts';

/** The largest number of idle connections; each has its own page cache. */
const MAX_IDLE_CONNECTIONS = 4;

export class ConnectionPool {
  readonly #open: () => SqlConnection;
  readonly #isCurrent: (connection: SqlConnection) => boolean;
  readonly #cacheKib: () => number;
  readonly #free: SqlConnection[] = [];

  /**
   * `isCurrent` reports whether a connection uses the current files and statistics; `cacheKib` returns the size of the
   * page cache of one that begins a statement.
   */
  constructor(open: () => SqlConnection, isCurrent: (connection: SqlConnection) => boolean, cacheKib: () => number) {
    this.#open = open;
    this.#isCurrent = isCurrent;
    this.#cacheKib = cacheKib;
  }

  acquire(): SqlConnection {
    const connection = this.#take() ?? this.#open();
    connection.setCache(this.#cacheKib());
    return connection;
  }

  /** Returns an idle connection; undefined when there is none. */
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
}
