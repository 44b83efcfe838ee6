/**
 * Stores a cursor's rows that were moved off its snapshot in a temporary database of its connection. SQLite keeps it in
 * an unnamed file, which is removed when the connection closes.
 */

import { deserialize, serialize } from 'bun:jsc';
import type { Statement } from 'bun:sqlite';
import { EMBEDDED_BOUNDS } from '../../../../base/limits.ts';
import type { StorageRow } from '../../sql/statement-cache.ts';
import { PAGE_BYTES, prepare } from '../../storage/databases.ts';
import type { Binding } from '../../storage/value-storage.ts';
import type { SqlConnection } from '../sql-connection.ts';

/** A batch of rows is stored when it reaches this number of rows or characters. */
const BATCH_ROWS = 256;
const BATCH_CHARACTERS = 256 * 1024;

export class SpilledRows {
  readonly #connection: SqlConnection;
  readonly #insert: Statement<unknown, Binding[]>;
  readonly #select: Statement<{ content: Uint8Array }, Binding[]>;
  #batch: StorageRow[] = [];
  #batchCharacters = 0;
  #stored = 0;
  #read = 0;
  /** The batch being read, and the number of its rows already read. */
  #current: readonly StorageRow[] = [];
  #at = 0;

  /** Marks the connection for single use: it is closed with its cursor. */
  constructor(connection: SqlConnection) {
    this.#connection = connection;
    const { database } = connection;
    database.run('PRAGMA query_only = OFF');
    database.run('CREATE TEMP TABLE spilled (n INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT');
    database.run(`PRAGMA temp.max_page_count = ${EMBEDDED_BOUNDS.spilledBytes / PAGE_BYTES}`);
    this.#insert = prepare(database, 'INSERT INTO spilled VALUES (?, ?)');
    this.#select = prepare(database, 'SELECT content FROM spilled WHERE n = ?');
  }

  push(row: StorageRow): void {
    this.#batch.push(row);
    for (const name in row) {
      const storageValue = row[name];
      if (typeof storageValue === 'string' || storageValue instanceof Uint8Array)
        this.#batchCharacters += storageValue.length;
    }
    if (this.#batch.length >= BATCH_ROWS || this.#batchCharacters >= BATCH_CHARACTERS) this.#store();
  }

  /** Removes and returns the oldest row, or undefined if there is none. */
  shift(): StorageRow | undefined {
    if (this.#at === this.#current.length) this.#load();
    const row = this.#current[this.#at];
    if (row !== undefined) this.#at++;
    return row;
  }

  #store(): void {
    this.#insert.run(this.#stored, new Uint8Array(serialize(this.#batch)));
    this.#stored++;
    this.#batch = [];
    this.#batchCharacters = 0;
  }

  #load(): void {
    this.#at = 0;
    if (this.#read === this.#stored) {
      this.#current = this.#batch;
      this.#batch = [];
      this.#batchCharacters = 0;
      return;
    }
    const row = this.#select.get(this.#read);
    if (row === null) throw new Error(`batch ${this.#read} of ${this.#stored} is missing`);
    this.#read++;
    // Written by `serialize` in this process.
    this.#current = deserialize(row.content.slice().buffer) as readonly StorageRow[];
  }

  close(): void {
    this.#insert.finalize();
    this.#select.finalize();
    this.#connection.markSingleUse();
  }
}
