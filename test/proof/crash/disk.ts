/**
 * Builds possible disks after a power cut from the journal of `io-shim.c`. Synced operations survive. Of those
 * not synced, each file keeps a random part: nothing, all, a prefix, or any subset, the last ones torn.
 *
 * The rules are those of a journaling file system, stricter where POSIX is: a created, renamed or removed name is
 * durable only after a sync of the folder; if a truncation is lost, so are all later operations on its file; any
 * sectors of a write may be missing, whatever the order of the writes.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../simulation/random.ts';
import { type JournalRecord, readJournal } from './journal.ts';

const SECTOR = 512;

/** The files of a folder by name. */
export type Disk = ReadonlyMap<string, Buffer>;

type FileOperation =
  | { readonly kind: 'write'; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly size: number };

type FolderOperation =
  | { readonly kind: 'create'; readonly name: string; readonly file: number }
  | { readonly kind: 'unlink'; readonly name: string };

/** The effects of a power cut on operations that were not synced. */
export interface CutCounts {
  /** Operations that were not synced. */
  unsynced: number;
  dropped: number;
  torn: number;
  /** Writes that survived although an earlier one of the same file did not. */
  reordered: number;
}

interface JournaledFile {
  content: Content;
  pending: FileOperation[];
  /** Number of pending operations when each sync began. */
  readonly syncs: Map<number, number>;
}

/** The bytes of a file, growing. */
class Content {
  #bytes: Buffer;
  #size: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = Buffer.from(bytes);
    this.#size = bytes.length;
  }

  apply(operation: FileOperation): void {
    if (operation.kind === 'truncate') {
      this.#reserve(operation.size);
      if (operation.size < this.#size) this.#bytes.fill(0, operation.size, this.#size);
      this.#size = operation.size;
      return;
    }
    const end = operation.offset + operation.data.length;
    this.#reserve(end);
    operation.data.copy(this.#bytes, operation.offset);
    this.#size = Math.max(this.#size, end);
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return;
    const grown = Buffer.alloc(Math.max(size, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#size);
    this.#bytes = grown;
  }
}

/** The state of a folder according to a journal: durable contents and pending operations. */
export class JournaledFolder {
  readonly #files = new Map<number, JournaledFile>();
  readonly #names = new Map<string, number>();
  #pending: FolderOperation[] = [];
  readonly #syncs = new Map<number, number>();

  constructor(base: Disk, journal: Buffer) {
    // Files that are never opened keep numbers that the journal does not use.
    let number = -1;
    for (const [name, bytes] of base) {
      this.#names.set(name, number);
      this.#add(number--, bytes);
    }
    for (const entry of readJournal(journal)) this.#replay(entry, base);
  }

  /** Builds the disk that has everything, as after the end of the process alone. */
  whole(): Disk {
    const names = new Map(this.#names);
    for (const operation of this.#pending) applyToNames(names, operation);
    const disk = new Map<string, Buffer>();
    for (const [name, number] of names) {
      const file = this.#files.get(number);
      if (file === undefined) continue;
      const content = new Content(file.content.bytes());
      for (const operation of file.pending) content.apply(operation);
      disk.set(name, content.bytes());
    }
    return disk;
  }

  /** Builds the disk after a power cut at the end of the journal. */
  cut(random: Random, counts: CutCounts): Disk {
    const names = new Map(this.#names);
    const kept = random.below(this.#pending.length + 1);
    counts.unsynced += this.#pending.length;
    counts.dropped += this.#pending.length - kept;
    for (const operation of this.#pending.slice(0, kept)) applyToNames(names, operation);
    const disk = new Map<string, Buffer>();
    for (const [name, number] of names) {
      const file = this.#files.get(number);
      if (file !== undefined) disk.set(name, cutFile(file, random, counts));
    }
    return disk;
  }

  #replay({ kind, file, offset, data }: JournalRecord, base: Disk): void {
    if (kind === 'O') this.#open(file, data.toString(), base);
    else if (kind === 'C') {
      this.#add(file);
      this.#pending.push({ kind: 'create', name: data.toString(), file });
    } else if (kind === 'L') this.#pending.push({ kind: 'create', name: data.toString(), file });
    else if (kind === 'U') this.#pending.push({ kind: 'unlink', name: data.toString() });
    else if (kind === 'W') this.#files.get(file)?.pending.push({ kind: 'write', offset, data });
    else if (kind === 'T') this.#files.get(file)?.pending.push({ kind: 'truncate', size: offset });
    else if (kind === 'S') this.#beginSync(file, offset);
    else if (kind === 'E') this.#endSync(file, offset);
    else throw new Error(`a record of the unknown kind ${kind}`);
  }

  #add(number: number, bytes?: Buffer): void {
    this.#files.set(number, { content: new Content(bytes), pending: [], syncs: new Map() });
  }

  /**
   * A file that existed when SQLite opened it: it has the base's contents, or the runtime has just created it by system
   * calls that the shim does not see. It is then empty, and its name is as durable as any new file's.
   */
  #open(number: number, name: string, base: Disk): void {
    const bytes = base.get(name);
    this.#add(number, bytes);
    if (bytes === undefined) this.#pending.push({ kind: 'create', name, file: number });
    else this.#names.set(name, number);
  }

  #beginSync(number: number, sync: number): void {
    if (number === 0) this.#syncs.set(sync, this.#pending.length);
    const file = this.#files.get(number);
    file?.syncs.set(sync, file.pending.length);
  }

  #endSync(number: number, sync: number): void {
    if (number === 0) {
      const done = removeSync(this.#syncs, sync);
      for (const operation of this.#pending.splice(0, done)) applyToNames(this.#names, operation);
      return;
    }
    const file = this.#files.get(number);
    if (file === undefined) return;
    const done = removeSync(file.syncs, sync);
    for (const operation of file.pending.splice(0, done)) file.content.apply(operation);
  }
}

/** Removes the number of a sync; those of the others shrink by what it makes durable. */
function removeSync(syncs: Map<number, number>, sync: number): number {
  const done = syncs.get(sync) ?? 0;
  syncs.delete(sync);
  for (const [other, count] of syncs) syncs.set(other, Math.max(0, count - done));
  return done;
}

function applyToNames(names: Map<string, number>, operation: FolderOperation): void {
  if (operation.kind === 'create') names.set(operation.name, operation.file);
  else names.delete(operation.name);
}

const STRATEGIES = ['nothing', 'all', 'prefix', 'any', 'any'] as const;

function cutFile(file: JournaledFile, random: Random, counts: CutCounts): Buffer {
  const content = new Content(file.content.bytes());
  const strategy = random.pick(STRATEGIES);
  const { pending } = file;
  counts.unsynced += pending.length;
  const last = strategy === 'nothing' ? 0 : strategy === 'prefix' ? random.below(pending.length + 1) : pending.length;
  let dropped = 0;
  for (const [index, operation] of pending.entries()) {
    // The last operation of a prefix is torn; in a subset, each one may be dropped or torn.
    const chance = random.fraction();
    const isDropped = index >= last || (strategy === 'any' && chance < 0.4);
    if (isDropped && operation.kind === 'truncate') {
      counts.dropped += pending.length - index;
      break;
    }
    if (isDropped) {
      dropped += 1;
      counts.dropped += 1;
      continue;
    }
    if (dropped > 0) counts.reordered += 1;
    const torn = operation.kind === 'write' && (strategy === 'prefix' ? index === last - 1 : chance > 0.7);
    if (torn && strategy !== 'all') {
      counts.torn += 1;
      for (const part of tear(operation, random)) content.apply(part);
    } else content.apply(operation);
  }
  return content.bytes();
}

/** Some of the sectors of a write, at least one fewer than all when it has more than one. */
function* tear(
  { offset, data }: { readonly offset: number; readonly data: Buffer },
  random: Random,
): Generator<FileOperation> {
  const end = offset + data.length;
  for (let from = offset; from < end; ) {
    const next = Math.min(end, (Math.floor(from / SECTOR) + 1) * SECTOR);
    if (random.fraction() < 0.5) {
      yield { kind: 'write', offset: from, data: data.subarray(from - offset, next - offset) };
    }
    from = next;
  }
}

/** Reads the files of a folder that no process has open. Shared memory of SQLite is never durable and left out. */
export function readDisk(folder: string): Map<string, Buffer> {
  const disk = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && !entry.name.endsWith('-shm')) disk.set(entry.name, readFileSync(join(folder, entry.name)));
  }
  return disk;
}

/** Replaces the files of a folder with those of a disk. */
export function writeDisk(folder: string, disk: Disk): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of disk) writeFileSync(join(folder, name), bytes);
}
