/**
 * The lease in a folder: a kernel lock, which its holder has until it ends. A suspended holder still has it, so
 * it is never replaced; that suits two services on one machine, and tests.
 */
import { Database } from 'bun:sqlite';
import { mkdirSync, renameSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMutex } from '../../../../../base/maybe-promise.ts';
import { textIfThere } from '../../../../../base/missing-files.ts';
import { syncFolder } from '../../private-output.ts';
import { DestinationOwned, ShippingStopped } from '../destination.ts';
import { instanceOf } from '../instance.ts';
import {
  type Attempt,
  type AttemptOptions,
  checkRecord,
  LastSeen,
  type Lease,
  type Leases,
  nextTerm,
  type OwnService,
  type SeenRecord,
} from './leases.ts';
import { type FailoverPart, type FailoverRecord, recordIn } from './record.ts';

const LOCK_FILE = 'lock.db';
const OWNER_FILE = 'owner.json';
/** Written by a standby that asks for a hand-over. */
const HEIR_FILE = 'heir.json';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** File systems whose locks may only work within one machine, by their numbers (statfs(2)). */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB 2'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x19830326, 'BeeGFS'],
  [0x786f4256, 'a folder of the host of VirtualBox'],
  [0x01021997, '9P'],
  // Includes virtiofs and file systems of programs (FUSE): it is not known which of them support locks.
  [0x65735546, 'FUSE'],
]);

export interface FolderLeasesOptions extends OwnService {
  /** The destination's folder. */
  readonly destination: string;
  /** The boot clock. */
  readonly bootMs: () => number;
  hasObjects(): Promise<boolean>;
  /** Returns the type number of a folder's file system. */
  readonly fileSystemOf?: (folder: string) => number;
}

export class FolderLeases implements Leases {
  readonly #options: FolderLeasesOptions;
  readonly #lastSeen: LastSeen;

  constructor(options: FolderLeasesOptions) {
    this.#options = options;
    this.#lastSeen = new LastSeen(options.bootMs);
  }

  async read(): Promise<SeenRecord | undefined> {
    const path = join(this.#options.destination, OWNER_FILE);
    const text = textIfThere(path);
    if (text === undefined) return undefined;
    const record = recordIn(text);
    if (record === undefined) throw new ShippingStopped(`${path} is not a record of svc: name another folder`);
    const seen = { record, version: text };
    this.#lastSeen.see(seen);
    return seen;
  }

  async ask(): Promise<boolean> {
    const { destination, folder } = this.#options;
    const seen = await this.read();
    if (seen === undefined || seen.record.released) return false;
    const heir: Heir = { id: seen.record.id, heir: instanceOf(folder).id };
    writeDurably(destination, HEIR_FILE, JSON.stringify(heir), heir.heir);
    return true;
  }

  async attempt(options: AttemptOptions): Promise<Attempt> {
    const { destination, fileSystemOf = (folder) => statfsSync(folder).type } = this.#options;
    mkdirSync(destination, { recursive: true, mode: FOLDER_MODE });
    const network = NETWORK_TYPES.get(fileSystemOf(destination) >>> 0);
    if (network !== undefined) {
      throw new ShippingStopped(
        `${destination} is on a network file system (${network}), whose locks others may not see: name a bucket, or a ` +
          'local folder',
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
      checkRecord(seen?.record, options, { ...this.#options, url: destination });
      // Its holder has not written its record yet.
      if (seen === undefined) throw new DestinationOwned(`${destination} was taken by another process`);
      return { kind: 'held', record: seen.record, isSameService: false, waitsFor: undefined };
    }
    try {
      const next = await nextTerm(options, {
        ...this.#options,
        url: destination,
        read: () => this.read(),
        isHeld: () => false,
        isKeptForHeir: (seen) => !this.#lastSeen.hasExpired(seen),
      });
      if (next.kind === 'held') {
        lock.close(true);
        return next;
      }
      const { record, before, isSameService } = next;
      writeRecord(destination, record);
      return {
        kind: 'taken',
        taken: { lease: new FolderLease(destination, record, lock), before: before?.record, isSameService },
      };
    } catch (error) {
      lock.close(true);
      throw error;
    }
  }
}

class FolderLease implements Lease {
  readonly #destination: string;
  readonly #lock: Database;
  readonly #inode: bigint;
  readonly #exclusively = createMutex();
  #record: FailoverRecord;
  #isLost = false;
  #isReleased = false;
  #heir: string | undefined;
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

  get heir(): string | undefined {
    return this.#heir;
  }

  renew(change?: (part: FailoverPart) => FailoverPart): Promise<boolean> {
    return this.#exclusively(async () => {
      if (this.#isLost || this.#isReleased) return false;
      try {
        const path = join(this.#destination, LOCK_FILE);
        const found = statSync(path, { bigint: true, throwIfNoEntry: false });
        // A missing folder may come back, if it is mounted.
        if (found === undefined) return false;
        if (found.ino !== this.#inode) {
          this.#isLost = true;
          return false;
        }
        this.#heir = heirOf(this.#destination, this.#record) ?? this.#heir;
        const { failover } = this.#record;
        if (change === undefined || failover === undefined) return true;
        const record = { ...this.#record, failover: change(failover) };
        // Waiting for it to change is pointless: the lock shows that its holder is running.
        if (JSON.stringify(record) !== JSON.stringify(this.#record)) writeRecord(this.#destination, record);
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
        const released = { ...this.#record, heir: this.#heir, released: true };
        if (isComplete && !this.#isLost) writeRecord(this.#destination, released);
      } catch {
        // Only the lock shows that it is free.
      }
      this.#lock.close(true);
    });
  }
}

/** Written by a standby that asks for a hand-over. */
interface Heir {
  /** The term to be ended. */
  readonly id: string;
  readonly heir: string;
}

/** Returns the id of the service that has asked for a record's term to end, or undefined if none has. */
function heirOf(destination: string, { id }: FailoverRecord): string | undefined {
  const text = textIfThere(join(destination, HEIR_FILE));
  if (text === undefined) return undefined;
  try {
    const asked = JSON.parse(text) as Partial<Record<keyof Heir, unknown>> | null;
    return asked?.id === id && typeof asked.heir === 'string' ? asked.heir : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function writeRecord(destination: string, record: FailoverRecord): void {
  writeDurably(destination, OWNER_FILE, JSON.stringify(record), record.id);
}

function writeDurably(destination: string, name: string, text: string, writer: string): void {
  const path = join(destination, name);
  const partial = `${path}.${writer}.tmp`;
  writeFileSync(partial, `${text}\n`, { mode: FILE_MODE, flush: true });
  renameSync(partial, path);
  syncFolder(destination);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
