/**
 * Keeps a copy of the data of another service: applies the objects that it ships, each one verified, to a data file
 * that nobody has open. What is applied is whole pages, so an object is simply applied again after a crash.
 */
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../../../base/clock.ts';
import { fail } from '../../../../../base/errors.ts';
import { DATA_FILE } from '../../../storage/data-folder.ts';
import { RESTORING_FILE } from '../../../storage/restored-regions.ts';
import { syncFolder } from '../../private-output.ts';
import { type Destination, LOWEST_LEVEL, type ObjectName, positionText, type StoredObject } from '../destination.ts';
import { LtxDecoder, type PageHashes } from '../ltx-format.ts';
import { checkSchema, isMissing, withPlan } from '../restore-continuous.ts';
import { PageRun, writeDatabase } from '../restore-objects.ts';
import { followerOf, planRestore } from '../restore-plan.ts';
import { type CopyPoint, readCopyState, writeCopyState } from './copy-state.ts';
import type { Leases } from './leases.ts';
import { hashesOf, keepDeposed, pageBytesIn, removeLog, rewind } from './rewind.ts';

export interface FollowerOptions {
  readonly destination: Destination;
  readonly leases: Pick<Leases, 'read'>;
  readonly folder: string;
  readonly database: string;
  readonly program: string;
  readonly clock: Clock;
  readonly log: (level: 'info' | 'warn' | 'error', text: string) => void;
}

/** The copy, whose file is open for writing. */
interface Copy {
  readonly file: number;
  readonly hashes: PageHashes;
  readonly pageBytes: number;
  position: bigint;
  timestampMs: number;
  /** An object was applied in part, or the file is not what was recorded: the next object must lead to its hash. */
  isInDoubt: boolean;
}

export class Follower {
  readonly #options: FollowerOptions;
  #copy: Copy | undefined;
  #objects = 0;
  #copies = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  get position(): string | null {
    return this.#copy === undefined ? null : positionText(this.#copy.position);
  }

  get lastObjectMs(): number {
    return this.#copy?.timestampMs ?? 0;
  }

  get counts(): { readonly objects: number; readonly copies: number } {
    return { objects: this.#objects, copies: this.#copies };
  }

  /** Applies the next object, if there is one. Returns false if there is none of its name. */
  async step(): Promise<boolean> {
    const copy = this.#copy ?? (await this.#open());
    if (copy === undefined) return false;
    const next = copy.position + 1n;
    const name = { level: LOWEST_LEVEL, first: next, last: next };
    try {
      const decoder = this.#decoderOf(name);
      const header = await decoder.header();
      // The name is looked at first, then the record: what is there before the base may be there for the second time.
      if (next < (await this.#base())) return false;
      await this.#apply(copy, name, decoder, header);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Applies everything that there is. Returns the position; null: there is nothing at all. */
  async catchUp(): Promise<string | null> {
    for (;;) {
      if (this.#copy === undefined && (await this.#open()) === undefined) return null;
      const wasMerged = await this.applyMerged();
      let isNew = false;
      while (await this.step()) isNew = true;
      if (wasMerged || isNew) continue;
      if (this.#copy?.isInDoubt !== true) return this.position;
      // It was applied in part, and is gone.
      await this.#copyAnew('the data is not what the objects lead to');
    }
  }

  /** Applies what the listed objects lead to. Returns whether there was anything. */
  async applyMerged(): Promise<boolean> {
    const copy = this.#copy;
    if (copy === undefined) return false;
    const objects = await this.#options.destination.objects();
    const before = copy.position;
    for (;;) {
      const next = followerOf(objects, copy.position);
      if (next === undefined) break;
      try {
        const decoder = this.#decoderOf(next);
        await this.#apply(copy, next, decoder, await decoder.header());
        // It was copied anew.
        if (this.#copy !== copy) return true;
      } catch (error) {
        if (!isMissing(error)) throw error;
        // Merged meanwhile: it is listed anew.
        return true;
      }
    }
    if (objects.some(({ last }) => last > copy.position)) {
      await this.#copyAnew(`nothing leads on from position ${positionText(copy.position)}`);
      return true;
    }
    return copy.position > before;
  }

  close(): void {
    if (this.#copy !== undefined) closeSync(this.#copy.file);
    this.#copy = undefined;
  }

  #decoderOf(name: ObjectName): LtxDecoder {
    const text = `${positionText(name.first)}-${positionText(name.last)} of level ${name.level}`;
    return new LtxDecoder(text, this.#options.destination.read(name));
  }

  async #base(): Promise<bigint> {
    const seen = await this.#options.leases.read();
    return BigInt(`0x${seen?.record.failover?.base ?? '0'}`);
  }

  async #apply(
    copy: Copy,
    name: ObjectName,
    decoder: LtxDecoder,
    header: Awaited<ReturnType<LtxDecoder['header']>>,
  ): Promise<void> {
    const { pageBytes, pages, firstTransaction, lastTransaction, databaseHash, timestampMs } = header;
    if (firstTransaction !== name.first || lastTransaction !== name.last || pageBytes !== copy.pageBytes) {
      throw fail('BACKUP_DAMAGED', `the object of position ${positionText(name.last)} is another one`);
    }
    if (databaseHash?.by !== 'xxhash64') {
      throw fail('BACKUP_DAMAGED', `the object of position ${positionText(name.last)} has no hash of the pages`);
    }
    copy.isInDoubt = true;
    const run = new PageRun(copy.file, pageBytes);
    for await (const page of decoder.pages(header)) {
      run.add(page.number, page.bytes);
      copy.hashes.add(page);
    }
    run.write();
    ftruncateSync(copy.file, pages * pageBytes);
    copy.hashes.truncate(pages);
    if (!copy.hashes.equals(databaseHash)) {
      await this.#copyAnew(`the data differs from the hash of its pages after position ${positionText(name.last)}`);
      return;
    }
    fsyncSync(copy.file);
    copy.isInDoubt = false;
    copy.position = lastTransaction;
    copy.timestampMs = timestampMs;
    this.#objects++;
    const point = { position: positionText(lastTransaction), hash: databaseHash.value.toString(16), timestampMs };
    this.#record(point);
  }

  /** Records what the file is, which is on disk. */
  #record(copy: CopyPoint): void {
    const { folder, database } = this.#options;
    writeCopyState(folder, { ...readCopyState(folder), database, copy });
  }

  /** Opens the copy, rewinds what is left of a primary, or copies everything. Returns undefined if there is nothing. */
  async #open(): Promise<Copy | undefined> {
    const { folder, destination, clock, log } = this.#options;
    const path = join(folder, DATA_FILE);
    // What an interrupted copy has left.
    rmSync(join(folder, RESTORING_FILE), { force: true });
    if (!existsSync(path)) return this.#copyAnew(undefined);
    const { copy: point } = readCopyState(folder);
    if (point === undefined) {
      const rewound = await rewind(destination, folder, clock);
      if (rewound === undefined) {
        if ((await destination.objects()).length === 0) return undefined;
        keepDeposed(folder);
        return this.#copyAnew('the data is not what the objects lead to, and is kept in the folder deposed');
      }
      if (rewound.hasTail)
        log('warn', 'Changes that were not shipped are not in the data any more: see the folder deposed');
      this.#record(rewound.point);
    } else removeLog(folder);
    return this.#openCopy();
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
    this.#copy = { file, hashes, pageBytes, position, timestampMs: point.timestampMs, isInDoubt };
    return this.#copy;
  }

  /** Copies what the newest objects lead to. `reason`: why, if there is a copy. Undefined: there are no objects. */
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
