/**
 * Ships a database's commits to a destination: a snapshot first, then one object for each interval in which something
 * was committed. Continues the destination's chain, if that leads to the state of the database.
 */
import { type Clock, sleep } from '../../../../base/clock.ts';
import { errorText, GridError } from '../../../../base/errors.ts';
import { isMissing } from '../../../../base/missing-files.ts';
import { frameAt, LogScan, type LogState, logBytesTo } from '../write-ahead-log.ts';
import {
  type Destination,
  LOWEST_LEVEL,
  newestOf,
  type ObjectName,
  positionText,
  ShippingStopped,
  SNAPSHOT_LEVEL,
} from './destination.ts';
import {
  type DatabaseHash,
  encodeLtx,
  LtxDecoder,
  type LtxHeader,
  type LtxPage,
  lockPage,
  PageHashes,
  pageHash,
} from './ltx-format.ts';
import type { SourceDatabase } from './source-database.ts';

/** Maximum number of bytes of pages read in one step. */
const RUN_BYTES = 1024 * 1024;
/** Maximum number of bytes of the log whose pages are kept in memory until their object exists. */
const KEPT_BYTES = 4 * 1024 * 1024;
const DAMAGED = 'the last object is damaged';
const WITHOUT_HASH = 'the last object has no hash of the pages: another version or program wrote it';

export interface ShipperOptions {
  readonly source: SourceDatabase;
  readonly destination: Destination;
  /** The owner's epoch. */
  readonly epoch: bigint;
  readonly clock: Clock;
  /** Bytes per second that a snapshot reads at most, or 0 for no limit. */
  readonly bytesPerSecond: number;
  /**
   * Whether other services take over: each position is then an object of level 0, and nothing is shipped that does not
   * follow the last one.
   */
  readonly isFailover?: boolean;
  /** The hashes of all pages of the file, if they are known and it has no log. */
  readonly pageHashes?: Uint8Array | undefined;
  /** The position of the object that led to the file, if it is known: then nothing is listed if that is still there. */
  readonly position?: bigint | undefined;
}

/** The objects do not lead to the data, and with failover no snapshot replaces them. */
export class ChainDiffers extends Error {
  override readonly name = 'ChainDiffers';
}

/** The log has lost unshipped frames. */
export class LogLost extends Error {
  override readonly name = 'LogLost';
}

/** The point in the log up to which everything has been shipped. */
interface Shipped {
  readonly scan: LogScan;
  readonly salts: Buffer;
  /** The last frame of each page up to that point. */
  readonly frames: Map<number, number>;
}

/** An object that is being created. It is repeated unchanged until that succeeds. */
interface Attempt {
  readonly header: LtxHeader;
  readonly scan: LogScan;
  readonly frames: ReadonlyMap<number, number>;
  readonly hashes: ReadonlyMap<number, bigint>;
  /** The pages of it that are in memory. */
  readonly contents: ReadonlyMap<number, Uint8Array>;
  /** The previously shipped part of the same log. */
  readonly log: Shipped;
}

/** An object that was read; the hashes are of its pages. */
interface LastObject {
  readonly header: LtxHeader;
  readonly databaseHash: DatabaseHash;
  readonly hashes: PageHashes;
}

export class Shipper {
  readonly #options: ShipperOptions;
  #hashes = new PageHashes('xxhash64');
  /** Pages after the last object. */
  #pages = 0;
  #shipped: Shipped | undefined;
  #attempt: Attempt | undefined;
  #position = 0n;
  #timestampMs = 0;
  /** The epoch of the last object read or created. */
  #lastEpoch = 0n;
  #objects = 0;
  #bytes = 0;
  /** Why it is not known what the disk has of the log. */
  #unsynced: ShippingStopped | undefined;

  constructor(options: ShipperOptions) {
    this.#options = options;
  }

  /** Objects created since the process started. */
  get created(): { readonly objects: number; readonly bytes: number } {
    return { objects: this.#objects, bytes: this.#bytes };
  }

  /** The position of the last object, and its time, or 0 if there is none. */
  get last(): { readonly position: bigint; readonly timestampMs: number } {
    return { position: this.#position, timestampMs: this.#timestampMs };
  }

  /** Returns the bytes of the log that have not been shipped. */
  behindBytes(): number {
    const { frames, salts, pageBytes } = this.#options.source.state();
    const shipped = this.#shipped?.salts.equals(salts) === true ? this.#shipped.scan.frame : 0;
    return logBytesTo(frames, pageBytes) - logBytesTo(shipped, pageBytes);
  }

  /** Reports whether nothing is left to ship. */
  isComplete(): boolean {
    return this.#attempt === undefined && this.#shipped !== undefined && this.behindBytes() === 0;
  }

  /**
   * Continues after the last object if the objects lead to the database, otherwise begins with a snapshot.
   * Returns why that was necessary, or undefined if it continues.
   */
  async start(): Promise<string | undefined> {
    const { source } = this.#options;
    this.#shipped = undefined;
    this.#attempt = undefined;
    source.keep();
    const { last, found } = await this.#last();
    this.#position = last?.last ?? 0n;
    const object = typeof found === 'string' ? undefined : found;
    const state = source.state();
    if (object?.header.pageBytes === state.pageBytes && (await this.#compare(object, state))) return undefined;
    if (this.#options.isFailover === true && last !== undefined) {
      throw new ChainDiffers(typeof found === 'string' ? found : 'the data is not what the objects lead to');
    }
    await this.#snapshot();
    if (last === undefined) return 'the destination was empty';
    const reason = typeof found === 'string' ? found : 'the data is not what the objects lead to';
    return `${reason} (position ${positionText(last.last)})`;
  }

  /** Ships the commits since the last object. Returns false if there was nothing. */
  async ship(): Promise<boolean> {
    const shipped = this.#shipped;
    if (shipped === undefined) return false;
    // The attempt with the failed sync may have reported another error.
    if (this.#unsynced !== undefined) throw this.#unsynced;
    const attempt = this.#attempt ?? this.#prepare(shipped);
    if (attempt === undefined) return false;
    this.#attempt = attempt;
    const { header } = attempt;
    // With failover, data that lacks the chain's end after a power cut follows it: nothing waits for the disk twice.
    const syncing = this.#sync();
    syncing.catch(() => {});
    if (this.#options.isFailover !== true) await syncing;
    const isCreated = await this.#create(LOWEST_LEVEL, header, this.#changedRuns(attempt));
    await syncing;
    if (isCreated) {
      this.#shippedUntil(attempt);
      return true;
    }
    const { firstTransaction: first, lastTransaction: last } = header;
    const found = await this.#ownAt({ level: LOWEST_LEVEL, first, last }, shipped);
    if (found === undefined) throw createdByOthers(last);
    this.#position = last;
    this.#shippedUntil(found);
    return true;
  }

  /**
   * Makes the log durable. After a failure, the kernel may have dropped what it could not write, and the next attempt
   * would succeed: with failover, the data is compared with the chain again, as after a power cut.
   */
  async #sync(): Promise<void> {
    const { source, isFailover } = this.#options;
    try {
      await source.syncLog();
    } catch (error) {
      if (isFailover !== true) throw error;
      this.#unsynced = new ShippingStopped(`what the disk has of the log is not known: ${errorText(error)}`);
      throw this.#unsynced;
    }
  }

  /**
   * Creates the first object of the epoch: from then on, no request of an earlier owner can create one. Own objects
   * that have landed since startup are adopted. Returns false if there is one from another service.
   */
  async seal(): Promise<boolean> {
    for (;;) {
      const shipped = this.#shipped;
      if (shipped === undefined) return false;
      if (this.#lastEpoch === this.#options.epoch) return true;
      const attempt = this.#sealOf(shipped);
      const { header } = attempt;
      if (await this.#create(LOWEST_LEVEL, header, this.#changedRuns(attempt))) {
        this.#shippedUntil(attempt);
        continue;
      }
      const { firstTransaction: first, lastTransaction: last } = header;
      const found = await this.#ownAt({ level: LOWEST_LEVEL, first, last }, shipped);
      if (found === undefined) return false;
      this.#position = last;
      this.#shippedUntil(found);
    }
  }

  /** Reports whether everything up to a state of the log has been shipped. */
  reaches({ salts, frames }: LogState): boolean {
    const shipped = this.#shipped;
    return shipped?.salts.equals(salts) === true && shipped.scan.frame >= frames;
  }

  /** Returns an object that changes nothing: Litestream requires a page, so it repeats the first one. */
  #sealOf(shipped: Shipped): Attempt {
    const { source, epoch, clock } = this.#options;
    const { pageBytes } = source.state();
    const end = logBytesTo(shipped.scan.frame, pageBytes);
    const bytes = source.readPage(1, pageBytes, shipped.frames.get(1));
    const header: LtxHeader = {
      pageBytes,
      pages: this.#pages,
      firstTransaction: this.#position + 1n,
      lastTransaction: this.#position + 1n,
      timestampMs: Math.max(clock.nowMs(), this.#timestampMs + 1),
      logStart: end,
      logEnd: end,
      salts: shipped.salts.readBigUInt64BE(),
      epoch,
      databaseHash: this.#hashes.total(),
    };
    const hashes = new Map([[1, pageHash(1, bytes)]]);
    const contents = new Map([[1, bytes]]);
    return { header, scan: shipped.scan, frames: new Map(), hashes, contents, log: shipped };
  }

  /** Continues at the end of an object. */
  #shippedUntil({ header, scan, frames, hashes, log }: Attempt): void {
    for (const [page, hash] of hashes) this.#hashes.set(page, hash);
    this.#hashes.truncate(header.pages);
    for (const [page, frame] of frames) log.frames.set(page, frame);
    this.#shipped = { ...log, scan };
    this.#pages = header.pages;
    this.#attempt = undefined;
    this.#options.source.releaseTo(frameAt(header.logEnd, header.pageBytes));
  }

  /**
   * Returns the state of the log at the end of an object, if the object has exactly its pages: a request of an earlier
   * process of this service, which ended before the response, has created it since. Undefined if it is
   * another service's.
   */
  async #ownAt(name: ObjectName, shipped: Shipped): Promise<Attempt | undefined> {
    const found = await this.#readLast(name);
    const from = this.#shipped ?? shipped;
    if (typeof found === 'string') return undefined;
    const { header, databaseHash, hashes } = found;
    const state = this.#options.source.state();
    const { pageBytes, salts } = state;
    const lastFrame = frameAt(header.logEnd, pageBytes);
    const isOfLog =
      header.pageBytes === pageBytes &&
      header.salts === salts.readBigUInt64BE() &&
      salts.equals(from.salts) &&
      header.logStart === logBytesTo(from.scan.frame, pageBytes) &&
      lastFrame >= from.scan.frame &&
      lastFrame <= state.frames;
    if (!isOfLog) return undefined;
    if (lastFrame === from.scan.frame) {
      // The first object of an earlier term, which changes nothing.
      const isSeal =
        header.epoch < this.#options.epoch &&
        header.pages === this.#pages &&
        this.#hashes.equals(databaseHash) &&
        hashes.isPartOf(this.#hashes);
      const nothing = { frames: new Map(), hashes: new Map(), contents: new Map() };
      return isSeal ? { header, scan: from.scan, ...nothing, log: from } : undefined;
    }
    const own = this.#changesTo(from, state, lastFrame, header.timestampMs);
    const isSame =
      own.header.pages === header.pages &&
      own.header.databaseHash?.value === databaseHash.value &&
      own.hashes.size === hashes.count &&
      [...own.hashes].every(([page, hash]) => hashes.of(page) === hash);
    return isSame ? own : undefined;
  }

  /** Continues after everything was shipped and the log may have been emptied, while nothing was written. */
  keep(): void {
    const { source } = this.#options;
    source.keep();
    const state = source.state();
    if (this.#shipped?.salts.equals(state.salts) === false) this.#beginLog(state);
  }

  /** Returns the next object to ship, or undefined if there is none. Throws LogLost. */
  #prepare(shipped: Shipped): Attempt | undefined {
    const { source, clock } = this.#options;
    const state = source.state();
    const { salts, frames: lastFrame } = state;
    let from = shipped;
    if (!salts.equals(shipped.salts)) {
      if (!source.startedOverAt(shipped.scan.frame, shipped.salts))
        throw new LogLost('the log has started over before it was shipped');
      from = this.#beginLog(state);
    }
    if (lastFrame === from.scan.frame) return undefined;
    const timestampMs = Math.max(clock.nowMs(), this.#timestampMs + 1);
    return this.#changesTo(from, state, lastFrame, timestampMs);
  }

  /** Returns an object with the changes up to a frame, at the next position. */
  #changesTo(from: Shipped, { pageBytes, salts }: LogState, lastFrame: number, timestampMs: number): Attempt {
    const { source, epoch } = this.#options;
    const firstFrame = from.scan.frame;
    const scan = from.scan.copy();
    const contents = new Map<number, Buffer>();
    const isKept = (lastFrame - firstFrame) * pageBytes <= KEPT_BYTES;
    const frames = scan.advance(lastFrame, isKept ? contents : undefined);
    const { pages } = scan;
    const unstored = lockPage(pageBytes);
    frames.delete(unstored);
    for (const page of frames.keys()) if (page > pages) frames.delete(page);
    const changed = [...frames.keys()];
    // SQLite writes no page without contents: new pages without a frame are unused.
    for (let page = this.#pages + 1; page <= pages; page++) {
      if (page !== unstored && !frames.has(page)) changed.push(page);
    }
    changed.sort((a, b) => a - b);
    const hashes = new Map<number, bigint>();
    for (const page of changed) {
      const bytes = contents.get(page) ?? source.readPage(page, pageBytes, frames.get(page) ?? from.frames.get(page));
      hashes.set(page, pageHash(page, bytes));
    }
    const header: LtxHeader = {
      pageBytes,
      pages,
      firstTransaction: this.#position + 1n,
      lastTransaction: this.#position + 1n,
      timestampMs,
      logStart: logBytesTo(firstFrame, pageBytes),
      logEnd: logBytesTo(lastFrame, pageBytes),
      salts: salts.readBigUInt64BE(),
      epoch,
      databaseHash: this.#hashes.totalAfter(hashes, pages),
    };
    return { header, scan, frames, hashes, contents, log: from };
  }

  #beginLog({ salts, pageBytes }: LogState): Shipped {
    const scan = new LogScan(this.#options.source.readLog, salts, pageBytes);
    this.#shipped = { scan, salts, frames: new Map() };
    return this.#shipped;
  }

  /** Creates an object. Returns false if there is a different one with its name. */
  async #create(level: number, header: LtxHeader, runs: AsyncIterable<readonly LtxPage[]>): Promise<boolean> {
    const { destination } = this.#options;
    const { firstTransaction: first, lastTransaction: last, timestampMs } = header;
    const bytes = await destination.create({ level, first, last }, timestampMs, encodeLtx(header, runs));
    if (bytes === undefined) return false;
    this.#position = last;
    this.#lastEpoch = header.epoch;
    this.#timestampMs = timestampMs;
    this.#objects++;
    this.#bytes += bytes;
    return true;
  }

  /** Yields an object's pages. */
  async *#changedRuns({ header: { pageBytes }, frames, hashes, contents }: Attempt): AsyncGenerator<LtxPage[]> {
    const { source, clock } = this.#options;
    const pagesAtOnce = RUN_BYTES / pageBytes;
    let run: LtxPage[] = [];
    for (const number of hashes.keys()) {
      const frame = frames.get(number) ?? this.#shipped?.frames.get(number);
      run.push({ number, bytes: contents.get(number) ?? source.readPage(number, pageBytes, frame) });
      if (run.length < pagesAtOnce) continue;
      yield run;
      run = [];
      await eventLoop(clock);
    }
    yield run;
  }

  /** Reads the last object, if there is one. */
  async #last(): Promise<{ readonly last?: ObjectName; readonly found?: LastObject | string }> {
    const { destination, position } = this.#options;
    if (position !== undefined) {
      // If there are later ones, the first object of the term cannot be created.
      const last = { level: LOWEST_LEVEL, first: position, last: position };
      try {
        return { last, found: await this.#readLast(last) };
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    const last = newestOf(await destination.objects());
    return last === undefined ? {} : { last, found: await this.#readLast(last) };
  }

  /**
   * Reads the last object. Returns why it cannot be continued, if it cannot. Throws ShippingStopped without its key.
   */
  async #readLast(name: ObjectName): Promise<LastObject | string> {
    const decoder = new LtxDecoder(positionText(name.last), this.#options.destination.read(name));
    try {
      const header = await decoder.header();
      const hashes = new PageHashes('xxhash64');
      for await (const page of decoder.pages(header)) {
        hashes.add(page);
        await eventLoop(this.#options.clock);
      }
      this.#timestampMs = header.timestampMs;
      this.#lastEpoch = header.epoch;
      const { lastTransaction, databaseHash } = header;
      if (lastTransaction !== name.last) return DAMAGED;
      return databaseHash?.by === 'xxhash64' ? { header, databaseHash, hashes } : WITHOUT_HASH;
    } catch (error) {
      switch (error instanceof GridError ? error.code : undefined) {
        case 'STORAGE_CORRUPT':
          return DAMAGED;
        case 'BACKUP_NOT_ENCRYPTED':
          return 'the last object is not encrypted';
        case 'BACKUP_KEY_MISSING':
        case 'BACKUP_KEY_WRONG':
          throw new ShippingStopped(`${errorText(error)}, or name another destination`);
        default:
          throw error;
      }
    }
  }

  /**
   * Continues at the end of the last object, if the database up to there has its hash, and the pages that the object
   * contains. Returns whether it does.
   */
  async #compare({ header, databaseHash, hashes }: LastObject, state: LogState): Promise<boolean> {
    const { pageBytes, salts } = state;
    const frame = salts.readBigUInt64BE() === header.salts ? frameAt(header.logEnd, pageBytes) : 0;
    if (frame > state.frames) return false;
    const shipped = await this.#hashAll(state, frame);
    const isSame = this.#pages === header.pages && this.#hashes.equals(databaseHash) && hashes.isPartOf(this.#hashes);
    if (isSame) this.#shipped = shipped;
    return isSame;
  }

  /** Computes the hashes of all pages, as they were after a frame of the log. */
  async #hashAll(state: LogState, lastFrame: number): Promise<Shipped> {
    const { source } = this.#options;
    const { pageBytes, salts } = state;
    const scan = new LogScan(source.readLog, salts, pageBytes);
    let frames = lastFrame === 0 ? new Map<number, number>() : scan.advance(lastFrame);
    this.#pages = lastFrame === 0 ? source.pagesInFile(pageBytes) : scan.pages;
    // The log may start over then, and the file has all of it.
    if (lastFrame === state.frames && state.framesInFile === state.frames) frames = new Map();
    const known = lastFrame === 0 && state.frames === 0 ? this.#knownHashes() : undefined;
    if (known?.pages === this.#pages) {
      this.#hashes = known;
      return { scan, salts, frames };
    }
    this.#hashes.truncate(0);
    for await (const run of this.#allRuns(pageBytes, frames)) {
      for (const { number, bytes } of run) this.#hashes.set(number, pageHash(number, bytes));
    }
    return { scan, salts, frames };
  }

  /** Returns the hashes kept by the process that wrote the file. */
  #knownHashes(): PageHashes | undefined {
    const { pageHashes } = this.#options;
    return pageHashes && PageHashes.from('xxhash64', pageHashes);
  }

  /**
   * Ships all pages in their current state. If there are objects, the next position is skipped: a request of an earlier
   * owner may still create its object there, and what follows a snapshot must not follow that.
   */
  async #snapshot(): Promise<void> {
    const { source, clock, epoch, isFailover = false } = this.#options;
    source.keep();
    const state = source.state();
    const { pageBytes, frames, salts } = state;
    const timestampMs = Math.max(clock.nowMs(), this.#timestampMs + 1);
    await source.syncLog();
    const shipped = await this.#hashAll(state, frames);
    const log =
      frames === 0
        ? { logStart: 0, logEnd: 0, salts: 0n }
        : {
            logStart: logBytesTo(0, pageBytes),
            logEnd: logBytesTo(frames, pageBytes),
            salts: salts.readBigUInt64BE(),
          };
    const header: LtxHeader = {
      pageBytes,
      pages: this.#pages,
      firstTransaction: 1n,
      lastTransaction: this.#position + (this.#position === 0n ? 1n : 2n),
      timestampMs,
      ...log,
      epoch,
      databaseHash: this.#hashes.total(),
    };
    // With failover, a position belongs to the service that creates its object of level 0.
    const level = isFailover ? LOWEST_LEVEL : SNAPSHOT_LEVEL;
    const isCreated = await this.#create(level, header, this.#allRuns(pageBytes, shipped.frames));
    if (!isCreated) throw createdByOthers(header.lastTransaction);
    this.#shipped = shipped;
  }

  /** Yields all pages of the database, at the rate of snapshots. */
  async *#allRuns(pageBytes: number, frames: ReadonlyMap<number, number>): AsyncGenerator<LtxPage[]> {
    const { source, clock, bytesPerSecond } = this.#options;
    const pagesAtOnce = RUN_BYTES / pageBytes;
    const unstored = lockPage(pageBytes);
    const startMs = clock.monotonicMs();
    for (let first = 1; first <= this.#pages; first += pagesAtOnce) {
      const count = Math.min(pagesAtOnce, this.#pages - first + 1);
      const bytes = source.readRun(first, count, pageBytes, frames);
      const run: LtxPage[] = [];
      for (let at = 0; at < count; at++) {
        const number = first + at;
        if (number !== unstored) run.push({ number, bytes: bytes.subarray(at * pageBytes, (at + 1) * pageBytes) });
      }
      yield run;
      const readMs = bytesPerSecond === 0 ? 0 : (((first + count) * pageBytes) / bytesPerSecond) * 1000;
      const aheadMs = readMs - (clock.monotonicMs() - startMs);
      if (aheadMs > 1) await sleep(clock, aheadMs);
      else await eventLoop(clock);
    }
  }
}

function createdByOthers(position: bigint): ShippingStopped {
  return new ShippingStopped(`somebody else has created the object of position ${positionText(position)}`);
}

/** Allows messages to be received in between. */
function eventLoop(clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.nextTick(resolve));
}
