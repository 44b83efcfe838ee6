/**
 * Reads the pages of a database file as of one instant, while others write to it. SQLite's read transaction keeps the
 * snapshot: no checkpoint overwrites one of its pages in the file, and no commit one of its frames in the log.
 *
 * The file is read with file functions, so this must run in a separate process: closing such a descriptor drops the
 * locks that SQLite holds on the file in the same process.
 */
import type { Database } from 'bun:sqlite';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { gridError } from '../../../base/errors.ts';
import { openForReading } from '../storage/databases.ts';
import { promisedBytes } from '../storage/disk-space.ts';
import { schemaVersionOf } from '../storage/schema.ts';
import type { BackupFile } from './backup-format.ts';
import { framesOf, type LogRange, positionOf, rangeOf, stateAtRest } from './write-ahead-log.ts';

/** Offset in page 1 of the page number of the free list's first trunk, which the number of free pages follows. */
const FREE_LIST_AT = 32;

export class SnapshotFile {
  readonly path: string;
  readonly region: string | null;
  readonly #database: Database;
  readonly #file: number;
  readonly #log: number;
  readonly #index: number;
  #pageBytes = 0;
  #pages = 0;
  #range: LogRange | undefined;
  #frames: ReadonlyMap<number, number> = new Map();
  /** Pages without contents. */
  #free: ReadonlySet<number> = new Set();

  /** Opens the file. Throws SQLite's and the system's errors. */
  constructor(path: string, region: string | null) {
    this.path = path;
    this.region = region;
    this.#database = openForReading(path);
    // Opens the log and its index.
    this.#database.query('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    this.#file = openSync(path, 'r');
    this.#log = openSync(`${path}-wal`, 'r');
    this.#index = openSync(`${path}-shm`, 'r');
  }

  /** Reports whether the file is still the one at its path, not removed or replaced. */
  isCurrent(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.ino === fstatSync(this.#file).ino;
  }

  /** Takes the snapshot, in less than a millisecond. Nothing may be written in the meantime. */
  pin(): void {
    this.#database.run('BEGIN');
    this.#database.query('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    this.#range = rangeOf(stateAtRest(this.#index));
    this.#pageBytes = this.#number('page_size');
    this.#pages = this.#number('page_count');
  }

  /**
   * Returns by how many bytes the file grows when its log is checkpointed, including frames newer than the snapshot.
   */
  promisedBytes(): number {
    return promisedBytes(this.path, rangeOf(stateAtRest(this.#index))?.pages ?? 0);
  }

  get schemaVersion(): number {
    return schemaVersionOf(this.#database);
  }

  /** Returns the number and size of the pages, after {@link pin}. Reads the log of the snapshot and the free list. */
  describe(): BackupFile {
    if (this.#range !== undefined) {
      const read = (position: number, length: number): Buffer => {
        const bytes = Buffer.alloc(length);
        readSync(this.#log, bytes, 0, length, position);
        return bytes;
      };
      if (this.#range.pages !== this.#pages) throw new Error('the index of the write-ahead log differs from the file');
      this.#frames = framesOf(this.#range, this.#pageBytes, read);
    }
    this.#free = this.#freePages();
    return { region: this.region, pageBytes: this.#pageBytes, pages: this.#pages };
  }

  /** Reads consecutive pages. Free pages are zeros, because they can contain removed entries. */
  read(firstPage: number, count: number): Buffer {
    const size = this.#pageBytes;
    const bytes = Buffer.alloc(count * size);
    // Pages that were added last are only in the log: the file may be shorter.
    const read = readSync(this.#file, bytes, 0, bytes.length, (firstPage - 1) * size);
    for (let at = 0; at < count; at++) {
      const page = firstPage + at;
      const frame = this.#frames.get(page);
      if (this.#free.has(page)) bytes.fill(0, at * size, (at + 1) * size);
      else if (frame !== undefined) readSync(this.#log, bytes, at * size, size, positionOf(frame, size));
      else if ((at + 1) * size > read) throw gridError('STORAGE_CORRUPT', `page ${page} is missing`);
    }
    return bytes;
  }

  /** Ends the snapshot. */
  close(): void {
    this.#database.close(true);
    for (const descriptor of [this.#file, this.#log, this.#index]) closeSync(descriptor);
  }

  /** Returns the leaves of the free list, or none if it is damaged; verifying the copy then reports that. */
  #freePages(): ReadonlySet<number> {
    const free = new Set<number>();
    const first = this.read(1, 1);
    const count = first.readUInt32BE(FREE_LIST_AT + 4);
    let trunks = 0;
    for (let trunk = first.readUInt32BE(FREE_LIST_AT); trunk !== 0; trunks++) {
      if (trunk > this.#pages || trunks + free.size > count) return new Set();
      const page = this.read(trunk, 1);
      const leaves = page.readUInt32BE(4);
      if (leaves > this.#pageBytes / 4 - 2) return new Set();
      for (let leaf = 0; leaf < leaves; leaf++) free.add(page.readUInt32BE(8 + 4 * leaf));
      trunk = page.readUInt32BE(0);
    }
    return trunks + free.size === count ? free : new Set();
  }

  #number(pragma: 'page_size' | 'page_count'): number {
    const row = this.#database.query<Record<string, bigint>, []>(`PRAGMA ${pragma}`).get();
    return Number(row?.[pragma] ?? 0);
  }
}
