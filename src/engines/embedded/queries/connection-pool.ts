/** The read connections of a query thread: each open cursor has one of its own, free ones are used again. */
import type { SqlConnection } from './sql-connection.ts';

const KEPT_CONNECTIONS = 4;

export class ConnectionPool {
  readonly #open: () => SqlConnection;
  readonly #isCurrent: (connection: SqlConnection) => boolean;
  readonly #free: SqlConnection[] = [];

  /** `isCurrent`: whether a connection may still be used, or what it knows of the files is out of date. */
  constructor(open: () => SqlConnection, isCurrent: (connection: SqlConnection) => boolean) {
    this.#open = open;
    this.#isCurrent = isCurrent;
  }

  acquire(): SqlConnection {
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (this.#isCurrent(free)) return free;
      free.close();
    }
    return this.#open();
  }

  release(connection: SqlConnection): void {
    if (this.#free.length < KEPT_CONNECTIONS && !connection.isSpoilt && this.#isCurrent(connection)) {
      this.#free.push(connection);
    } else connection.close();
  }

  /** Closes those that nobody uses. */
  closeFree(): void {
    for (const connection of this.#free) connection.close();
    this.#free.length = 0;
  }
}
