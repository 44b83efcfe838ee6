/**
 * The lease in a folder: a lock of the kernel, which its holder has until it ends. A suspended holder has it, too, so
 * it is never replaced; that suits two services of one machine, and tests.
 */
import { Database } from 'bun:sqlite';
import { mkdirSync, readFileSync, renameSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMutex } from '../../../../../base/maybe-promise.ts';
import { syncFolder } from '../../private-output.ts';
import { DestinationOwned, isSameService, ShippingStopped } from '../destination.ts';
import {
  type Attempt,
  type AttemptOptions,
  checkDatabase,
  type Lease,
  type Leases,
  nextRecord,
  type OwnService,
  obstacleOf,
  ownerOf,
  type SeenRecord,
} from './leases.ts';
import { type FailoverPart, type FailoverRecord, recordIn } from './record.ts';

const LOCK_FILE = 'lock.db';
const OWNER_FILE = 'owner.json';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** File systems whose locks may hold on one machine only: NFS, SMB, CIFS, SMB2, AFS, Ceph, FUSE, 9P. */
const NETWORK_TYPES: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400, 0x65735546, 0x01021997,
]);

export interface FolderLeasesOptions extends OwnService {
  /** The folder of the destination. */
  readonly destination: string;
  hasObjects(): Promise<boolean>;
}

export class FolderLeases implements Leases {
  readonly #options: FolderLeasesOptions;

  constructor(options: FolderLeasesOptions) {
    this.#options = options;
  }

  async read(): Promise<SeenRecord | undefined> {
    const path = join(this.#options.destination, OWNER_FILE);
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
    const record = recordIn(text);
    if (record === undefined) throw new ShippingStopped(`${path} is not a record of svc: name another folder`);
    return { record, version: text };
  }

  async attempt(options: AttemptOptions): Promise<Attempt> {
    const { destination } = this.#options;
    mkdirSync(destination, { recursive: true, mode: FOLDER_MODE });
    const type = statfsSync(destination).type;
    if (NETWORK_TYPES.has(type >>> 0)) {
      throw new ShippingStopped(
        `${destination} is on a network file system, whose locks others may not see: name a bucket, or a local folder`,
      );
    }
    const lock = new Database(join(destination, LOCK_FILE), { create: true });
    try {
      lock.run('PRAGMA journal_mode = MEMORY');
      lock.run('PRAGMA locking_mode = EXCLUSIVE');
      lock.run('BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close(true);
      if (!isBusy(error)) throw error;
      const seen = await this.read();
      checkDatabase(seen?.record, options.database, destination);
      // Its holder has not written its record yet.
      if (seen === undefined) throw new DestinationOwned(`${destination} was taken by another process`);
      return { kind: 'held', record: seen.record, waitsFor: undefined };
    }
    try {
      const seen = await this.read();
      checkDatabase(seen?.record, options.database, destination);
      const waitsFor = seen && waitsForOf(seen.record, options, this.#options);
      if (seen !== undefined && waitsFor !== undefined) {
        lock.close(true);
        return { kind: 'held', record: seen.record, waitsFor };
      }
      const named = { ...this.#options, url: destination };
      const { record, isSameService } = await nextRecord(options, seen?.record, named);
      writeRecord(destination, record);
      const lease = new FolderLease(destination, record, lock);
      return { kind: 'taken', taken: { lease, before: seen?.record, isSameService } };
    } catch (error) {
      lock.close(true);
      throw error;
    }
  }
}

/** Returns what keeps a service from taking over from one that has ended; undefined: nothing does. */
function waitsForOf(record: FailoverRecord, { terms, isForced }: AttemptOptions, own: OwnService): string | undefined {
  if (record.released || isForced || isSameService(record, ownerOf(own, record.database))) return undefined;
  return obstacleOf(record, terms);
}

class FolderLease implements Lease {
  readonly #destination: string;
  readonly #lock: Database;
  readonly #inode: bigint;
  readonly #exclusively = createMutex();
  #record: FailoverRecord;
  #isLost = false;
  #isReleased = false;
  readonly untilMs = Number.POSITIVE_INFINITY;

  constructor(destination: string, record: FailoverRecord, lock: Database) {
    this.#destination = destination;
    this.#record = record;
    this.#lock = lock;
    this.#inode = statSync(join(destination, LOCK_FILE), { bigint: true }).ino;
  }

  get record(): FailoverRecord {
    return this.#record;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  renew(change?: (part: FailoverPart) => FailoverPart): Promise<boolean> {
    return this.#exclusively(async () => {
      if (this.#isLost || this.#isReleased) return false;
      try {
        const path = join(this.#destination, LOCK_FILE);
        const found = statSync(path, { bigint: true, throwIfNoEntry: false });
        // A folder that is gone may come back, as one that is mounted does.
        if (found === undefined) return false;
        if (found.ino !== this.#inode) {
          this.#isLost = true;
          return false;
        }
        const { failover } = this.#record;
        if (change === undefined || failover === undefined) return true;
        const record = { ...this.#record, failover: change(failover) };
        writeRecord(this.#destination, record);
        this.#record = record;
        return true;
      } catch {
        return false;
      }
    });
  }

  async release(isComplete: boolean): Promise<void> {
    this.#isReleased = true;
    await this.#exclusively(async () => {
      try {
        if (isComplete && !this.#isLost) writeRecord(this.#destination, { ...this.#record, released: true });
      } catch {
        // The lock alone tells that it is free.
      }
      this.#lock.close(true);
    });
  }
}

function writeRecord(destination: string, record: FailoverRecord): void {
  const path = join(destination, OWNER_FILE);
  const partial = `${path}.${record.id}.tmp`;
  writeFileSync(partial, `${JSON.stringify(record)}\n`, { mode: FILE_MODE, flush: true });
  renameSync(partial, path);
  syncFolder(destination);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
