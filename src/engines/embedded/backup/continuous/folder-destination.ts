/** A folder as the destination of a continuous backup. An object gets its name once it is complete and on disk. */
import { Database } from 'bun:sqlite';
import {
  closeSync,
  createReadStream,
  fsyncSync,
  futimesSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { randomUuid } from '../../../../base/clock.ts';
import { syncFolder } from '../private-output.ts';
import {
  type Destination,
  DestinationOwned,
  describeOwner,
  fileNameOf,
  LOWEST_LEVEL,
  type ObjectName,
  type OwnerRecord,
  type Ownership,
  objectOf,
  ownerIn,
  type ShippingOwner,
  ShippingStopped,
  SNAPSHOT_LEVEL,
  type StoredObject,
  takenFromOf,
} from './destination.ts';

const LEVELS_FOLDER = 'ltx';
/** A database whose lock the owner holds: the kernel releases it with the process. */
const LOCK_FILE = 'lock.db';
/** Describes the owner, or the last one if there is none. */
const OWNER_FILE = 'owner.json';
const PARTIAL = '.tmp';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const COMPARED_BYTES = 256 * 1024;

export class FolderDestination implements Destination {
  readonly #folder: string;
  readonly #checkRoom: (folder: string) => void;

  /** `checkRoom` throws if nothing more may be stored in a folder. */
  constructor(folder: string, checkRoom: (folder: string) => void = () => {}) {
    this.#folder = folder;
    this.#checkRoom = checkRoom;
  }

  async objects(): Promise<StoredObject[]> {
    const objects: StoredObject[] = [];
    for (let level = LOWEST_LEVEL; level <= SNAPSHOT_LEVEL; level++) {
      for (const each of filesIn(this.#levelFolder(level))) {
        const name = objectOf(level, each);
        // It may have been removed in the meantime.
        const file = name && statSync(this.#pathOf(name), { throwIfNoEntry: false });
        if (name === undefined || file === undefined) continue;
        objects.push({ ...name, bytes: file.size, timestampMs: Math.round(file.mtimeMs) });
      }
    }
    return objects;
  }

  async withTimes(objects: readonly StoredObject[]): Promise<StoredObject[]> {
    return [...objects];
  }

  read(name: ObjectName): AsyncIterable<Uint8Array> {
    return createReadStream(this.#pathOf(name), { highWaterMark: COMPARED_BYTES });
  }

  async create(name: ObjectName, timestampMs: number, chunks: AsyncIterable<Uint8Array>): Promise<number | undefined> {
    const path = this.#pathOf(name);
    const folder = this.#levelFolder(name.level);
    createFolder(folder);
    const partial = partialOf(path);
    let bytes = 0;
    const descriptor = openSync(partial, 'wx', FILE_MODE);
    try {
      for await (const chunk of chunks) {
        this.#checkRoom(folder);
        for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
        bytes += chunk.length;
      }
      futimesSync(descriptor, timestampMs / 1000, timestampMs / 1000);
      fsyncSync(descriptor);
      closeSync(descriptor);
    } catch (error) {
      closeSync(descriptor);
      rmSync(partial, { force: true });
      throw error;
    }
    try {
      linkSync(partial, path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      // Its own object, if the process has lost the result of the first attempt.
      return areEqual(partial, path) ? bytes : undefined;
    } finally {
      rmSync(partial, { force: true });
    }
    syncFolder(folder);
    return bytes;
  }

  async remove(name: ObjectName): Promise<void> {
    rmSync(this.#pathOf(name), { force: true });
  }

  async acquire(owner: ShippingOwner): Promise<Ownership> {
    createFolder(this.#folder);
    const path = join(this.#folder, LOCK_FILE);
    const lock = new Database(path, { create: true });
    try {
      lock.run('PRAGMA journal_mode = MEMORY');
      lock.run('PRAGMA locking_mode = EXCLUSIVE');
      lock.run('BEGIN EXCLUSIVE');
      const last = this.#lastOwner();
      const isForeign = last === undefined ? (await this.objects()).length > 0 : last.database !== owner.database;
      if (isForeign) {
        const whose = last === undefined ? 'that svc has not written' : `of another database (${describeOwner(last)})`;
        throw new ShippingStopped(`${this.#folder} has objects ${whose}: name another folder`);
      }
      this.#removePartial();
      const epoch = (last?.epoch ?? 0) + 1;
      this.#writeOwner({ ...owner, epoch });
      const { ino } = statSync(path);
      let isReleased = false;
      return {
        epoch: BigInt(epoch),
        takenFrom: takenFromOf(last, owner),
        check: () => {
          if (isReleased) throw new Error(`${this.#folder} was released`);
          const found = statSync(path, { throwIfNoEntry: false });
          if (found !== undefined && found.ino !== ino) {
            throw new ShippingStopped(`${this.#folder} was replaced, so another service may ship there`);
          }
          // A missing folder may come back, if it is mounted.
          if (found === undefined) throw new Error(`${path} is missing`);
        },
        release: () => {
          isReleased = true;
          lock.close(true);
        },
      };
    } catch (error) {
      lock.close(true);
      if (!hasCode(error, 'SQLITE_BUSY')) throw error;
      const holder = this.#readOwner()?.owner;
      const who = holder === undefined ? 'another process' : describeOwner(holder);
      throw new DestinationOwned(`${this.#folder} belongs to ${who}, which ships there`);
    }
  }

  /** Removes incomplete objects of killed owners. */
  #removePartial(): void {
    removePartialIn(this.#folder, OWNER_FILE);
    for (let level = LOWEST_LEVEL; level <= SNAPSHOT_LEVEL; level++) removePartialIn(this.#levelFolder(level), '');
  }

  #levelFolder(level: number): string {
    return join(this.#folder, LEVELS_FOLDER, String(level));
  }

  #pathOf(name: ObjectName): string {
    return join(this.#levelFolder(name.level), fileNameOf(name));
  }

  /** Throws ShippingStopped if there is a file with its name that is not a record: it is not replaced. */
  #lastOwner(): OwnerRecord | undefined {
    const found = this.#readOwner();
    if (found === undefined || found.owner !== undefined) return found?.owner;
    throw new ShippingStopped(`${join(this.#folder, OWNER_FILE)} is not a record of svc: name another folder`);
  }

  /** Returns the owner's record, if the file is one, or undefined if there is no file. */
  #readOwner(): { readonly owner: OwnerRecord | undefined } | undefined {
    let text: string;
    try {
      text = readFileSync(join(this.#folder, OWNER_FILE), 'utf8');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
    return { owner: ownerIn(text) };
  }

  #writeOwner(owner: OwnerRecord): void {
    const path = join(this.#folder, OWNER_FILE);
    const partial = partialOf(path);
    writeFileSync(partial, `${JSON.stringify(owner)}\n`, { mode: FILE_MODE, flush: true });
    renameSync(partial, path);
    syncFolder(this.#folder);
  }
}

/** Returns a name that no other process writes to: a former lock holder may be creating the same object. */
function partialOf(path: string): string {
  return `${path}.${randomUuid()}${PARTIAL}`;
}

function removePartialIn(folder: string, prefix: string): void {
  const partial = filesIn(folder).filter((file) => file.startsWith(prefix) && file.endsWith(PARTIAL));
  for (const file of partial) rmSync(join(folder, file), { force: true });
}

/** Creates a folder and those above it, and makes their names durable. */
function createFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let at = folder; at.length >= first.length; at = join(at, '..')) syncFolder(join(at, '..'));
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function areEqual(one: string, other: string): boolean {
  if (statSync(one).size !== statSync(other).size) return false;
  const descriptors = [openSync(one, 'r'), openSync(other, 'r')] as const;
  try {
    const parts = [Buffer.alloc(COMPARED_BYTES), Buffer.alloc(COMPARED_BYTES)] as const;
    for (;;) {
      const length = readSync(descriptors[0], parts[0]);
      readSync(descriptors[1], parts[1]);
      if (length === 0) return true;
      if (!parts[0].subarray(0, length).equals(parts[1].subarray(0, length))) return false;
    }
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

/** Reports whether an error of the system or of SQLite has a code; SQLite's may be extended. */
function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith(code);
}
