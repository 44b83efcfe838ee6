/**
 * Keeps a copy of another service's data: applies the objects that it ships, after verifying each one, to a data file
 * that no process has open. Objects consist of whole pages, so they are simply applied again after a crash. A nearby
 * primary creates hundreds of objects a second: the following ones are requested at the same time, and the file is
 * synced once for all of them.
 */
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../../../base/clock.ts';
import { gridError } from '../../../../../base/errors.ts';
import type { Loss } from '../../../../../base/failover-status.ts';
import { isMissing } from '../../../../../base/missing-files.ts';
import { DATA_FILE } from '../../../storage/data-folder.ts';
import { RESTORING_FILE } from '../../../storage/restored-regions.ts';
import { syncFolder } from '../../private-output.ts';
import { type Destination, LOWEST_LEVEL, type ObjectName, positionText, type StoredObject } from '../destination.ts';
import { LtxDecoder, type LtxHeader, type PageHashes } from '../ltx-format.ts';
import { checkSchema, withPlan } from '../restore-continuous.ts';
import { PageRun, writeDatabase } from '../restore-objects.ts';
import { followerOf, planRestore } from '../restore-plan.ts';
import { type CopyPoint, readCopyState, writeCopyState } from './copy-state.ts';
import type { Leases } from './leases.ts';
import type { FailoverPart } from './record.ts';
import { hashesOf, keepDeposed, pageBytesIn, removeLog, rewind } from './rewind.ts';

export interface FollowerOptions {
  readonly destination: Destination;
  readonly leases: Pick<Leases, 'read'>;
  readonly folder: string;
  readonly database: string;
  readonly program: string;
  readonly clock: Clock;
  readonly log: (level: 'info' | 'warn' | 'error', text: string) => void;
  /** Called with the commits that this service had not shipped as the primary, before it follows another primary. */
  readonly onLost: (lost: Loss) => void;
}

/** The copy, whose file is open for writing. */
interface Copy {
  readonly file: number;
  readonly hashes: PageHashes;
  readonly pageBytes: number;
  position: bigint;
  timestampMs: number;
  /** Objects up to there may be in the file without those before them, according to the record. */
  ahead: bigint;
  /** An object was applied partially, or the file differs from the record; by `doubtedTo` it must match a hash. */
  isInDoubt: boolean;
  /** The value of `ahead` when the file was opened. */
  readonly doubtedTo: bigint;
}

/** An object that is being read. */
interface OpenObject {
  readonly name: ObjectName;
  readonly decoder: LtxDecoder;
  readonly header: LtxHeader;
}

/** Maximum number of objects requested concurrently while they follow one another without a pause. */
const AT_ONCE = 16;

export class Follower {
  readonly #options: FollowerOptions;
  #copy: Copy | undefined;
  #objects = 0;
  #copies = 0;
  /** Whether the last check found an object, so more are likely. */
  #isBehind = false;
  #hasAll = false;
  /**
   * The epoch of the last record before a listing that has shown that nothing is beyond the copy, or undefined if there
   * was no such listing, or a service without failover wrote its record.
   */
  #listedEpoch: number | undefined;
  #isLast = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  get position(): string | null {
    return this.#copy === undefined ? null : positionText(this.#copy.position);
  }

  get lastObjectMs(): number {
    return this.#copy?.timestampMs ?? 0;
  }

  /** The hashes of all pages, or undefined if there is no copy, or its state is unknown. */
  get pageHashes(): Uint8Array | undefined {
    return this.#copy?.isInDoubt === false ? this.#copy.hashes.bytes() : undefined;
  }

  get counts(): { readonly objects: number; readonly copies: number } {
    return { objects: this.#objects, copies: this.#copies };
  }

  /** Whether the last step has applied everything that existed when it looked. */
  get hasAll(): boolean {
    return this.#hasAll;
  }

  /** Applies the next objects, if there are any. Returns false if there is none with the next name. */
  async step(): Promise<boolean> {
    const copy = this.#copy ?? (await this.#open());
    if (copy === undefined) return false;
    const next = copy.position + 1n;
    const count = this.#isBehind ? AT_ONCE : 1;
    const found = await this.#openNext(next, count);
    this.#isBehind = found.length > 0;
    this.#hasAll = false;
    try {
      if (found.length === 0) return false;
      // The names are checked first, then the record: an object before the base may be the second with its name.
      if (next < (await this.#base())) return false;
      await this.#applyAll(copy, found);
      this.#hasAll = found.length < count;
      return true;
    } finally {
      for (const { decoder } of found) await decoder.close();
    }
  }

  /** Begins to read the objects with the next names, up to the first missing one. */
  async #openNext(first: bigint, count: number): Promise<readonly OpenObject[]> {
    const names = Array.from({ length: count }, (_, at) => first + BigInt(at));
    const opened = names.map(async (position): Promise<OpenObject> => {
      const name = { level: LOWEST_LEVEL, first: position, last: position };
      const decoder = this.#decoderOf(name);
      return { name, decoder, header: await decoder.header() };
    });
    const found: OpenObject[] = [];
    let failure: { readonly error: unknown } | undefined;
    for (const result of await Promise.allSettled(opened)) {
      if (result.status === 'rejected') failure ??= { error: result.reason };
      else if (failure === undefined) found.push(result.value);
      else await result.value.decoder.close();
    }
    if (failure === undefined || isMissing(failure.error) || found.length > 0) return found;
    throw failure.error;
  }

  /**
   * Applies all objects. Returns the position, or null if there are none. Throws if some before the record's base are
   * not found, whose names may be free.
   */
  async catchUp(): Promise<string | null> {
    // Once: this service has the lease, so no other service changes the record.
    const part = (await this.#options.leases.read())?.record.failover;
    const position = await this.#catchUp(part);
    const base = baseOf(part);
    if ((this.#copy?.position ?? 0n) + 1n < base) {
      throw new Error(`nothing leads to position ${positionText(base - 1n)}, which the record says was there`);
    }
    this.#isLast = this.#findsByName(part);
    return position;
  }

  /**
   * Whether any object after the last {@link catchUp} would have the next name, so that creating that shows whether
   * there is one.
   */
  get isLast(): boolean {
    return this.#isLast;
  }

  async #catchUp(part: FailoverPart | undefined): Promise<string | null> {
    for (;;) {
      if (this.#copy === undefined && (await this.#open()) === undefined) return null;
      const wasMerged = !this.#findsByName(part) && (await this.applyMerged());
      let isNew = false;
      while (await this.step()) isNew = true;
      if (wasMerged || isNew) continue;
      if (this.#copy?.isInDoubt !== true) return this.position;
      // It was applied partially, and is gone.
      await this.#copyAnew('the data is not what the objects lead to');
    }
  }

  /**
   * Whether everything beyond the copy has its name on level 0: all owners since the last listing have had failover,
   * and the record says which names they have freed. A service without it skips positions, and says nothing.
   */
  #findsByName(part: FailoverPart | undefined): boolean {
    const copy = this.#copy;
    if (part?.allSince === undefined || this.#listedEpoch === undefined || copy === undefined) return false;
    return this.#listedEpoch >= part.allSince && copy.position + 1n >= baseOf(part);
  }

  /** Applies the listed objects. Returns whether there were any to apply. */
  async applyMerged(): Promise<boolean> {
    const copy = this.#copy;
    if (copy === undefined) return false;
    // The record first: a later holder of the lease has read it.
    const record = (await this.#options.leases.read())?.record;
    const objects = await this.#options.destination.objects();
    const before = copy.position;
    for (;;) {
      const next = followerOf(objects, copy.position);
      if (next === undefined) break;
      try {
        const decoder = this.#decoderOf(next);
        await this.#applyAll(copy, [{ name: next, decoder, header: await decoder.header() }]);
        // It was copied again.
        if (this.#copy !== copy) return true;
      } catch (error) {
        if (!isMissing(error)) throw error;
        // Merged in the meantime: it is listed again.
        return true;
      }
    }
    if (objects.some(({ last }) => last > copy.position)) {
      await this.#copyAnew(`nothing leads on from position ${positionText(copy.position)}`);
      return true;
    }
    this.#listedEpoch = record?.failover === undefined ? undefined : record.epoch;
    return copy.position > before;
  }

  close(): void {
    if (this.#copy !== undefined) closeSync(this.#copy.file);
    this.#copy = undefined;
    // The position on the disk may be an earlier one.
    this.#listedEpoch = undefined;
  }

  #decoderOf(name: ObjectName): LtxDecoder {
    const text = `${positionText(name.first)}-${positionText(name.last)} of level ${name.level}`;
    return new LtxDecoder(text, this.#options.destination.read(name));
  }

  async #base(): Promise<bigint> {
    return baseOf((await this.#options.leases.read())?.record.failover);
  }

  /** Applies consecutive objects, and records the resulting state of the file. */
  async #applyAll(copy: Copy, objects: readonly OpenObject[]): Promise<void> {
    const last = objects.at(-1)?.name.last ?? copy.position;
    if (last > copy.ahead) this.#promise(copy, last);
    for (const object of objects) {
      try {
        await this.#apply(copy, object);
      } catch (error) {
        // It was applied partially: the file is read again.
        if (this.#copy === copy) this.close();
        throw error;
      }
      // It was copied again.
      if (this.#copy !== copy) return;
    }
    fsyncSync(copy.file);
    if (copy.isInDoubt) return;
    copy.ahead = copy.position + BigInt(AT_ONCE);
    const { position, ahead, timestampMs } = copy;
    const hash = copy.hashes.total().value.toString(16);
    this.#record({ position: positionText(position), hash, timestampMs, ahead: positionText(ahead) });
  }

  /** Records that objects up to a position may be in the file, before they are. */
  #promise(copy: Copy, ahead: bigint): void {
    const { copy: point } = readCopyState(this.#options.folder);
    if (point === undefined) throw new Error('there is no record of the copy');
    this.#record({ ...point, ahead: positionText(ahead) });
    copy.ahead = ahead;
  }

  async #apply(copy: Copy, { name, decoder, header }: OpenObject): Promise<void> {
    const { pageBytes, pages, firstTransaction, lastTransaction, databaseHash, timestampMs } = header;
    if (firstTransaction !== name.first || lastTransaction !== name.last || pageBytes !== copy.pageBytes) {
      throw gridError('BACKUP_DAMAGED', `the object of position ${positionText(name.last)} is another one`);
    }
    if (databaseHash?.by !== 'xxhash64') {
      throw gridError('BACKUP_DAMAGED', `the object of position ${positionText(name.last)} has no hash of the pages`);
    }
    const wasInDoubt = copy.isInDoubt;
    copy.isInDoubt = true;
    const run = new PageRun(copy.file, pageBytes);
    for await (const page of decoder.pages(header)) {
      run.add(page.number, page.bytes);
      copy.hashes.add(page);
    }
    run.write();
    ftruncateSync(copy.file, pages * pageBytes);
    copy.hashes.truncate(pages);
    copy.isInDoubt = !copy.hashes.equals(databaseHash);
    // Pages of later objects may be there until all of those have been applied.
    if (copy.isInDoubt && !(wasInDoubt && lastTransaction < copy.doubtedTo)) {
      await this.#copyAnew(`the data differs from the hash of its pages after position ${positionText(name.last)}`);
      return;
    }
    copy.position = lastTransaction;
    copy.timestampMs = timestampMs;
    this.#objects++;
  }

  /** Records the state of the file, which is on disk. */
  #record(copy: CopyPoint): void {
    const { folder, database } = this.#options;
    writeCopyState(folder, { ...readCopyState(folder), database, copy });
  }

  /** Opens the copy, rewinds a former primary's data, or copies everything. Returns undefined if there is nothing. */
  async #open(): Promise<Copy | undefined> {
    const { folder, destination, clock } = this.#options;
    const path = join(folder, DATA_FILE);
    // Left by an interrupted copy.
    rmSync(join(folder, RESTORING_FILE), { force: true });
    if (!existsSync(path)) return this.#copyAnew(undefined);
    const { copy: point } = readCopyState(folder);
    if (point === undefined) {
      const rewound = await rewind(destination, folder, clock);
      if (rewound === undefined) {
        if ((await destination.objects()).length === 0) return undefined;
        keepDeposed(folder);
        this.#lost({ commits: null, withinMs: 0, atMs: clock.nowMs() });
        return this.#copyAnew('the data is not what the objects lead to, and is kept in the folder deposed');
      }
      this.#lost(rewound.lost);
      this.#record(rewound.point);
    } else removeLog(folder);
    return this.#openCopy();
  }

  /** Records the lost commits, and reports them. */
  #lost(lost: Loss): void {
    const { folder, onLost } = this.#options;
    writeCopyState(folder, { ...readCopyState(folder), lost });
    onLost(lost);
  }

  async #openCopy(): Promise<Copy | undefined> {
    const { folder, clock } = this.#options;
    const { copy: point } = readCopyState(folder);
    const file = openSync(join(folder, DATA_FILE), 'r+');
    const pageBytes = pageBytesIn(file);
    if (pageBytes === undefined || point === undefined) {
      closeSync(file);
      return this.#copyAnew('the data file is damaged');
    }
    const hashes = await hashesOf(file, pageBytes, clock);
    const isInDoubt = hashes.total().value.toString(16) !== point.hash;
    const position = BigInt(`0x${point.position}`);
    const ahead = point.ahead === undefined ? position + 1n : BigInt(`0x${point.ahead}`);
    const { timestampMs } = point;
    this.#copy = { file, hashes, pageBytes, position, timestampMs, ahead, isInDoubt, doubtedTo: ahead };
    return this.#copy;
  }

  /**
   * Copies the state that the newest objects lead to. `reason`: why, if there is already a copy. Returns undefined if
   * there are no objects.
   */
  async #copyAnew(reason: string | undefined): Promise<Copy | undefined> {
    const { folder, destination, program, log } = this.#options;
    if (reason !== undefined) log('warn', `The data is copied anew: ${reason}`);
    this.close();
    const objects = await destination.objects();
    if (objects.length === 0) return undefined;
    const restoring = join(folder, RESTORING_FILE);
    const { header, hashes } = await withPlan(
      destination,
      (all: readonly StoredObject[]) => planRestore(destination, all, {}),
      async (plan) => {
        const file = openSync(restoring, 'w+', 0o600);
        try {
          syncFolder(folder);
          const written = await writeDatabase(destination, plan, file);
          fsyncSync(file);
          return written;
        } finally {
          closeSync(file);
        }
      },
    );
    checkSchema(restoring, folder, program);
    removeLog(folder);
    rmSync(join(folder, DATA_FILE), { force: true });
    const position = positionText(header.lastTransaction);
    const hash = hashes.total().value.toString(16);
    this.#record({ position, hash, timestampMs: header.timestampMs });
    renameSync(restoring, join(folder, DATA_FILE));
    syncFolder(folder);
    this.#copies++;
    log('info', `The data was copied up to position ${position}`);
    return this.#openCopy();
  }
}

/** Returns the position from which names of level 0 are complete. */
function baseOf(part: FailoverPart | undefined): bigint {
  return BigInt(`0x${part?.base ?? '0'}`);
}
