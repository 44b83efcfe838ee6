/**
 * Records the operations of the shipping process on the files of its destination, so that a test can build the possible
 * contents of a disk after a power cut. The records are those of `../crash/disk.ts`. The runtime makes its own system
 * calls, which the library below SQLite does not see, so the functions of `node:fs` are replaced before any module
 * imports them; no module that this one imports may import them. A file's time is also recorded, in the first eight
 * bytes of the contents.
 */
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { SHIPPING_PROCESS_ARGUMENT } from '../../../src/engines/embedded/backup/continuous/shipping-messages.ts';
import { encodeRecord } from '../crash/journal.ts';

/** Bytes before the contents of a file, which hold its time in ms since 1970. */
export const TIME_BYTES = 8;
/** Duration of each operation: on such a slow disk, power cuts hit operations in progress. */
const SLOW_MS = 15;
/** The journal of the destination itself; those of the folders in it are named after their paths. */
const ROOT_JOURNAL = 'root';
/** Contains the id of the recording process. */
export const PROCESS_FILE = 'process';

export interface RecorderOptions {
  /** The folder that is watched. */
  readonly folder: string;
  /** Where the journals are written. */
  readonly journals: string;
  /** Whether syncs are omitted: then nothing is ever durable. */
  readonly ignoresSyncs: boolean;
}

/** Returns the name of the journal of a folder in the destination; '' is the destination itself. */
export function journalOf(path: string): string {
  return path === '' ? ROOT_JOURNAL : path.replaceAll('/', '-');
}

interface Watched {
  readonly journal: string;
  readonly file: number;
  /** The end of the file. */
  length: number;
}

/** Replaces the functions of `node:fs` in the process that ships. */
export function startRecorder(options: RecorderOptions): void {
  if (!process.argv.includes(SHIPPING_PROCESS_ARGUMENT)) return;
  // All modules import the functions of this object.
  const fs = createRequire(import.meta.url)('node:fs') as typeof import('node:fs');
  fs.writeFileSync(join(options.journals, PROCESS_FILE), String(process.pid));
  new Recorder(fs, options).replace();
}

class Recorder {
  readonly #fs: typeof import('node:fs');
  readonly #real: typeof import('node:fs');
  readonly #options: RecorderOptions;
  readonly #journals = new Map<string, number>();
  readonly #watched = new Map<number, Watched>();
  readonly #files = new Map<string, number>();
  #lastFile: number;
  #syncs = 0;

  constructor(fs: typeof import('node:fs'), options: RecorderOptions) {
    this.#fs = fs;
    this.#real = { ...fs };
    this.#options = options;
    // A later process begins with numbers that the first one has not reached.
    const sizes = fs.readdirSync(options.journals).map((name) => fs.statSync(join(options.journals, name)).size);
    this.#lastFile = sizes.reduce((sum, size) => sum + size, 0);
  }

  replace(): void {
    const { openSync, closeSync, writeSync, writeFileSync, fsyncSync, futimesSync } = this.#real;
    const { linkSync, renameSync, rmSync, mkdirSync, existsSync } = this.#real;
    const replaced: Partial<typeof import('node:fs')> = {
      openSync: (path, flags, mode) => {
        const isNew = !existsSync(path);
        const descriptor = openSync(path, flags, mode);
        this.#opened(descriptor, String(path), isNew);
        return descriptor;
      },
      closeSync: (descriptor) => {
        this.#watched.delete(descriptor);
        closeSync(descriptor);
      },
      fsyncSync: (descriptor) => {
        const watched = this.#watched.get(descriptor);
        if (watched === undefined || this.#options.ignoresSyncs) return fsyncSync(descriptor);
        const number = ++this.#syncs;
        this.#record(watched.journal, 'S', watched.file, number);
        this.#record(watched.journal, 'E', watched.file, number);
      },
      futimesSync: (descriptor, accessed, modified) => {
        futimesSync(descriptor, accessed, modified);
        const watched = this.#watched.get(descriptor);
        if (watched === undefined) return;
        const time = Buffer.alloc(TIME_BYTES);
        time.writeDoubleLE(Math.round(Number(modified) * 1000));
        this.#record(watched.journal, 'W', watched.file, 0, time);
      },
      linkSync: (existing, path) => {
        linkSync(existing, path);
        this.#linked(String(existing), String(path));
      },
      renameSync: (from, to) => {
        renameSync(from, to);
        this.#linked(String(from), String(to));
        this.#removed(String(from));
      },
      rmSync: (path, removeOptions) => {
        const isThere = existsSync(path);
        rmSync(path, removeOptions);
        if (isThere) this.#removed(String(path));
      },
      mkdirSync: ((path: string, mkdirOptions: { readonly recursive: true }) => {
        const first = mkdirSync(path, mkdirOptions);
        if (first !== undefined) this.#createdFolders(first, path);
        return first;
      }) as typeof mkdirSync,
      writeFileSync: (path, data, writeOptions) => {
        writeFileSync(path, data, writeOptions);
        const [journal, name] = this.#placeOf(String(path)) ?? [];
        if (journal === undefined || name === undefined) return;
        const file = this.#create(journal, String(path));
        this.#record(journal, 'W', file, TIME_BYTES, Buffer.from(String(data)));
        const isFlushed = typeof writeOptions === 'object' && writeOptions?.flush === true;
        if (!isFlushed || this.#options.ignoresSyncs) return;
        const number = ++this.#syncs;
        this.#record(journal, 'S', file, number);
        this.#record(journal, 'E', file, number);
      },
    };
    // Written one after another at the end of the file, as `folder-destination.ts` does.
    const write = (descriptor: number, bytes: Uint8Array, ...rest: readonly number[]): number => {
      const written = writeSync(descriptor, bytes, ...rest);
      const watched = this.#watched.get(descriptor);
      if (watched !== undefined) {
        const [offset = 0] = rest;
        const data = bytes.subarray(offset, offset + written);
        this.#record(watched.journal, 'W', watched.file, TIME_BYTES + watched.length, data);
        watched.length += written;
      }
      return written;
    };
    Object.assign(this.#fs, replaced, { writeSync: write });
  }

  #opened(descriptor: number, path: string, isNew: boolean): void {
    const { folder } = this.#options;
    const below = relative(folder, path);
    if (path === folder || (!below.startsWith('..') && this.#real.statSync(path).isDirectory())) {
      this.#watched.set(descriptor, { journal: journalOf(below), file: 0, length: 0 });
      return;
    }
    const [journal] = this.#placeOf(path) ?? [];
    if (journal === undefined || !isNew) return;
    this.#watched.set(descriptor, { journal, file: this.#create(journal, path), length: 0 });
  }

  #create(journal: string, path: string): number {
    const file = ++this.#lastFile;
    this.#files.set(path, file);
    this.#record(journal, 'C', file, 0, Buffer.from(basename(path)));
    return file;
  }

  #createdFolders(first: string, last: string): void {
    for (let path = last; path.length >= first.length; path = dirname(path)) {
      const [journal] = this.#placeOf(path) ?? [];
      if (journal !== undefined) this.#create(journal, path);
    }
  }

  #linked(from: string, to: string): void {
    const [journal] = this.#placeOf(to) ?? [];
    const file = this.#files.get(from);
    if (journal === undefined || file === undefined) return;
    this.#files.set(to, file);
    this.#record(journal, 'L', file, 0, Buffer.from(basename(to)));
  }

  #removed(path: string): void {
    const [journal] = this.#placeOf(path) ?? [];
    if (journal === undefined) return;
    this.#files.delete(path);
    this.#record(journal, 'U', 0, 0, Buffer.from(basename(path)));
  }

  /** Returns the journal and the name of a file in the watched folder. */
  #placeOf(path: string): readonly [string, string] | undefined {
    const below = relative(this.#options.folder, path);
    if (below === '' || below.startsWith('..')) return undefined;
    const folder = dirname(below);
    return [journalOf(folder === '.' ? '' : folder), basename(below)];
  }

  #record(journal: string, kind: string, file: number, offset: number, data: Uint8Array = new Uint8Array(0)): void {
    let descriptor = this.#journals.get(journal);
    if (descriptor === undefined) {
      descriptor = this.#real.openSync(join(this.#options.journals, journal), 'a');
      this.#journals.set(journal, descriptor);
    }
    this.#real.writeSync(descriptor, encodeRecord(kind, file, offset, data));
    Bun.sleepSync(SLOW_MS);
  }
}
