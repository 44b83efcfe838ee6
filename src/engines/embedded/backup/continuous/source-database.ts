/**
 * The database file being shipped, with its write-ahead log. Two alternating read transactions keep unshipped frames
 * in the log: as long as one is open, no checkpoint passes the frame at which it began, and the log does
 * not start over before that.
 *
 * File functions open the files, so this must run in a separate process, which never closes them: closing such a
 * descriptor drops the locks that SQLite holds on the file in the same process.
 */
import type { Database } from 'bun:sqlite';
import { fdatasync, fstatSync, openSync, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { openForReading } from '../../storage/databases.ts';
import { readSetting } from '../../storage/settings.ts';
import { type LogReader, type LogState, logBytesTo, positionOf, stateAtRest } from '../write-ahead-log.ts';

const syncFile = promisify(fdatasync);

/** A read transaction, and the last frame of the log that it can see. */
class Pin {
  readonly #database: Database;
  #isOpen = false;
  frame = 0;
  salts: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#database = openForReading(path);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  begin(state: () => LogState): void {
    this.#database.run('BEGIN');
    this.#isOpen = true;
    this.#database.query('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    // Read afterwards, so it is at least the last frame that the transaction sees: the frames after it are kept.
    ({ frames: this.frame, salts: this.salts } = state());
  }

  end(): void {
    if (this.#isOpen) this.#database.run('COMMIT');
    this.#isOpen = false;
  }

  pageBytes(): number {
    const row = this.#database.query<{ page_size: bigint }, []>('PRAGMA page_size').get();
    return Number(row?.page_size);
  }

  /** Returns the database's id, which its copies keep. */
  databaseId(): string {
    return readSetting(this.#database, 'consistentId') ?? '';
  }
}

export class SourceDatabase {
  readonly #pins: [Pin, Pin];
  readonly #file: number;
  readonly #log: number;
  readonly #index: number;
  readonly #pageBytes: number;

  /** Opens the files and keeps the log. Throws SQLite's and the system's errors. */
  constructor(path: string) {
    this.#pins = [new Pin(path), new Pin(path)];
    // Opens the log and its index.
    this.#pins[0].databaseId();
    this.#pageBytes = this.#pins[0].pageBytes();
    this.#file = openSync(path, 'r');
    this.#log = openSync(`${path}-wal`, 'r');
    this.#index = openSync(`${path}-shm`, 'r');
    this.keep();
  }

  databaseId(): string {
    return this.#pins[0].databaseId();
  }

  /** Keeps the current frames of the log, and all frames written from here on. */
  keep(): void {
    for (const pin of this.#pins) {
      pin.end();
      pin.begin(() => this.state());
    }
  }

  /** Keeps nothing. */
  release(): void {
    for (const pin of this.#pins) pin.end();
  }

  /** Keeps the frames after a shipped one, and possibly some before it. */
  releaseTo(frame: number): void {
    const [older, newer] = this.#pins;
    if (!newer.isOpen || newer.frame > frame) return;
    older.end();
    older.begin(() => this.state());
    this.#pins.reverse();
  }

  /**
   * Reports whether the log, which has started over, ended with this frame. While a transaction is open, it
   * starts over only if that transaction has seen all of it, and all is in the file. From then on, the
   * transactions keep the new log.
   */
  startedOverAt(frame: number, salts: Buffer): boolean {
    const earlier = this.#pins.filter((pin) => pin.isOpen && pin.salts.equals(salts));
    if (earlier.length === 0 || earlier.some((pin) => pin.frame !== frame)) return false;
    const state = this.state();
    for (const pin of earlier) {
      pin.frame = 0;
      pin.salts = state.salts;
    }
    return true;
  }

  /** Returns the log's state. Its frames are committed. */
  state(): LogState {
    // A log without frames has no page size.
    return { ...stateAtRest(this.#index), pageBytes: this.#pageBytes };
  }

  /** Returns how much of the log is in use, in bytes: 0 if all of it is in the file, so that it starts over. */
  logBytes(): number {
    const { frames, framesInFile, pageBytes } = this.state();
    return frames === framesInFile ? 0 : logBytesTo(frames, pageBytes);
  }

  /** Makes the log durable: commits to regions with a sync interval do not wait for the disk. */
  async syncLog(): Promise<void> {
    await syncFile(this.#log);
  }

  readonly readLog: LogReader = (position, length) => {
    const bytes = Buffer.alloc(length);
    readSync(this.#log, bytes, 0, length, position);
    return bytes;
  };

  /** Returns the number of pages in the file, without the log. */
  pagesInFile(pageBytes: number): number {
    return Math.floor(fstatSync(this.#file).size / pageBytes);
  }

  /** Reads a page from a frame of the log, or from the file if undefined, with zeros beyond its end. */
  readPage(page: number, pageBytes: number, frame: number | undefined): Buffer {
    const bytes = Buffer.alloc(pageBytes);
    if (frame === undefined) readSync(this.#file, bytes, 0, pageBytes, (page - 1) * pageBytes);
    else readSync(this.#log, bytes, 0, pageBytes, positionOf(frame, pageBytes));
    return bytes;
  }

  /** Reads consecutive pages, from the log if `frames` has them. */
  readRun(firstPage: number, count: number, pageBytes: number, frames: ReadonlyMap<number, number>): Buffer {
    const bytes = Buffer.alloc(count * pageBytes);
    readSync(this.#file, bytes, 0, bytes.length, (firstPage - 1) * pageBytes);
    for (let at = 0; at < count; at++) {
      const frame = frames.get(firstPage + at);
      if (frame !== undefined) readSync(this.#log, bytes, at * pageBytes, pageBytes, positionOf(frame, pageBytes));
    }
    return bytes;
  }
}
