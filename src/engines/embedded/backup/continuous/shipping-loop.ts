/** The loop of the shipping process: acquires the destination, ships, merges, and responds to the service. */

import { hostname } from 'node:os';
import { type Clock, randomBytes, sleep } from '../../../../base/clock.ts';
import { errorText } from '../../../../base/errors.ts';
import { FailoverState } from '../../../../base/failover-state.ts';
import { createMutex } from '../../../../base/maybe-promise.ts';
import type { RpcChannel } from '../../../../base/rpc-channel.ts';
import type { SharedArea } from '../../../../base/shared-areas.ts';
import type { ContinuousState } from '../../../../grid/backup.ts';
import { spaceBeside } from '../../storage/disk-space.ts';
import { commitsIn } from '../../storage/shared-state.ts';
import { readKeys } from '../backup-keys.ts';
import { Compactor } from './compactor.ts';
import { type Destination, DestinationOwned, type Ownership, positionText, ShippingStopped } from './destination.ts';
import { failoverLimits } from './failover/open-leases.ts';
import { SharedOwnership } from './failover/shared-ownership.ts';
import { instanceOf } from './instance.ts';
import { type DestinationContext, openDestination } from './open-destination.ts';
import { OwnedDestination } from './owned-destination.ts';
import { ChainDiffers, LogLost, Shipper, type ShipperOptions } from './shipper.ts';
import type {
  SealOutcome,
  ShippingAction,
  ShippingMethods,
  ShippingReports,
  ShippingRequest,
} from './shipping-messages.ts';
import { SourceDatabase } from './source-database.ts';

/** Longest pause after consecutive failures. */
const MAX_PAUSE_MS = 30_000;
/** Longest time between attempts to acquire the destination: its owner may end at any time. */
const OWNED_PAUSE_MS = 2_000;
/** How often to check whether objects can be merged. */
const COMPACTION_PAUSE_MS = 5_000;
/** Maximum number of objects shipped before the log is emptied, while nothing is written. */
const RELEASE_TRIES = 3;

/**
 * Maximum number of objects shipped while others write; the last one contains only writes made during the previous one.
 */
const SHIP_TRIES = 2;
/** How often the state is reported while an object is being created. */
const REPORT_MS = 1_000;
/** How long an object waits for the clients of the previous one, as a fraction of the time that one took. */
const GROUP_SHARE = 0.5;
const MAX_GROUP_MS = 50;
/** Minimum time between reports while objects follow one another. */
const REPORT_PAUSE_MS = 100;

export class ShippingProcess {
  readonly #context: DestinationContext;
  readonly #clock: Clock;
  readonly #service: Pick<RpcChannel<ShippingReports, ShippingMethods>, 'call'>;
  #source: SourceDatabase | undefined;
  #unowned: Destination | undefined;
  #ownership: Ownership | undefined;
  #destination: OwnedDestination | undefined;
  #shipper: Shipper | undefined;
  #compactor: Compactor | undefined;
  /** Resolves when the current merge has finished. */
  #compacting: Promise<void> | undefined;
  /** When they are next due, by the monotonic clock. */
  #compactAtMs = 0;
  #state: ContinuousState = 'starting';
  #reason: string | null = null;
  #failures = 0;
  #snapshots = 0;
  #behindSinceMs = 0;
  /** Failures since the last success. */
  #failuresInRow = 0;
  /** Requests to release the log, and the number of the one that is still wanted. */
  #releases = 0;
  #releaseWanted: number | undefined;
  /** Whether no part of the log is kept. */
  #isReleased = false;
  /** A primary's term, or undefined if no other service takes over. */
  #term: { readonly state: FailoverState; readonly isPrompt: boolean } | undefined;
  /** Returns the number of commits, or undefined if the engine is not open. */
  #commits: (() => number) | undefined;
  /** Ends the wait for commits. */
  #wake: (() => void) | undefined;
  /** The number of responses that had begun to wait when the last object began. */
  #waitsShipped = 0;
  /** The next object waits until this many responses have begun to wait, or until a time by the monotonic clock. */
  #group: { readonly waits: number; readonly untilMs: number } | undefined;
  /** When it last reported, by the monotonic clock. */
  #reportedMs = Number.NEGATIVE_INFINITY;
  /** The running and waiting users of the shipper: only one at a time. */
  readonly #exclusively = createMutex();
  /** What is known about the file, until it has been examined. */
  #known: Pick<ShipperOptions, 'pageHashes' | 'position'> = {};

  constructor(context: DestinationContext, service: Pick<RpcChannel<ShippingReports, ShippingMethods>, 'call'>) {
    this.#context = context;
    this.#clock = context.clock;
    this.#service = service;
  }

  countIn(area: SharedArea): void {
    this.#commits = commitsIn(area);
  }

  /** Ends its wait for commits. */
  wake(): void {
    this.#wake?.();
  }

  async act(action: ShippingAction): Promise<boolean> {
    switch (action) {
      case 'ship':
        return this.#exclusively(() => this.#shipSome());
      case 'release': {
        const number = ++this.#releases;
        this.#releaseWanted = number;
        return this.#exclusively(() => this.#release(number));
      }
      case 'keep':
        this.#releaseWanted = undefined;
        // An object that is being created does not hold up the service, for which changes wait.
        if (this.#isReleased) await this.#exclusively(async () => this.#keep());
        this.#report();
        return true;
      case 'finish':
        return this.#exclusively(() => this.#finish());
    }
  }

  async run(request: ShippingRequest): Promise<void> {
    // An object may wait for its destination: it is nevertheless known how far shipping is behind.
    this.#clock.every(REPORT_MS, () => this.#report());
    // The contents of the destination are not known yet.
    this.#behindSinceMs = this.#clock.nowMs();
    const { failover } = request;
    const { pageHashes, position } = request;
    this.#known = { pageHashes, position: position === undefined ? undefined : BigInt(`0x${position}`) };
    this.#term = failover && { state: new FailoverState(failover.state), isPrompt: failover.isPrompt };
    while (!this.#isStopped()) {
      const beganMs = this.#clock.monotonicMs();
      // Commits made during startup do not wait for another interval.
      let pauseMs = this.#shipper === undefined ? 0 : request.intervalMs;
      try {
        await this.#exclusively(() => this.#step(request));
        if (this.#isStopped()) break;
        this.#succeeded();
        this.#compact();
      } catch (error) {
        pauseMs = this.#failed(error, request.intervalMs);
      }
      if (this.#failuresInRow > 0 || beganMs - this.#reportedMs >= REPORT_PAUSE_MS) this.#report();
      await this.#pause(beganMs + pauseMs);
    }
  }

  /** Waits until a time by the monotonic clock, unless changes wait for their commits to be shipped. */
  async #pause(untilMs: number): Promise<void> {
    const term = this.#term;
    if (term?.isPrompt !== true || this.#failuresInRow > 0) {
      return sleep(this.#clock, Math.max(0, untilMs - this.#clock.monotonicMs()));
    }
    const { state } = term;
    const group = this.#group;
    this.#group = undefined;
    if (group !== undefined) await this.#idle(state, group.waits, group.untilMs);
    // undefined after the seal, until the engine is open: its first change does not wait for the interval, either.
    const shipped = this.#commits?.();
    if (shipped !== undefined && !state.isShipped(shipped)) return;
    await this.#idle(state, (state.waits + 1) | 0, untilMs, () => this.#commits?.() === shipped);
  }

  /**
   * Waits until this many responses have begun to wait, but at most until a time by the monotonic clock, and not at all
   * unless `isWanted` once those that begin to wait are noticed.
   */
  async #idle(state: FailoverState, waits: number, untilMs: number, isWanted?: () => boolean): Promise<void> {
    const woken = Promise.withResolvers<void>();
    this.#wake = woken.resolve;
    state.idleUntil(waits);
    const isReached = ((state.waits - waits) | 0) >= 0;
    const leftMs = untilMs - this.#clock.monotonicMs();
    if (!isReached && leftMs > 0 && isWanted?.() !== false) {
      const limit = this.#clock.after(leftMs, woken.resolve);
      await woken.promise;
      limit.cancel();
    }
    state.idleUntil(undefined);
    this.#wake = undefined;
  }

  /** Ships all commits, and reports which are in the destination. */
  async #shipCounted(shipper: Shipper, source: SourceDatabase): Promise<void> {
    const state = this.#term?.state;
    const beganMs = this.#clock.monotonicMs();
    const waits = state?.waits ?? 0;
    // The number is read first: the log then has at least these commits.
    const commits = this.#commits?.() ?? 0;
    const atMs = state?.bootMs() ?? 0;
    const log = source.state();
    const isCreated = await shipper.ship();
    if (state === undefined || !shipper.reaches(log)) return;
    const isNews = !state.isShipped(commits);
    state.shipped(commits, atMs);
    if (isNews) this.#service.call('shipped', null).catch(() => {});
    if (!isCreated) return;
    const endedMs = this.#clock.monotonicMs();
    // The clients that are answered now, and those that have sent changes since: if the next object carried only the
    // changes of the latter, each client would wait for two objects.
    const clients = (state.waits - this.#waitsShipped) | 0;
    this.#waitsShipped = waits;
    this.#group = {
      waits: (waits + clients) | 0,
      untilMs: endedMs + Math.min(MAX_GROUP_MS, (endedMs - beganMs) * GROUP_SHARE),
    };
  }

  /** Ships the commits; before the first, acquires the destination and compares it with the database. */
  async #step(request: ShippingRequest): Promise<void> {
    if (this.#isStopped()) return;
    const { path, url, folder, processId, bytesPerSecond, pitrWindowMs, retentionMs, assumesSoleWriter, keyFile } =
      request;
    this.#source ??= new SourceDatabase(path);
    const source = this.#source;
    if (this.#shipper !== undefined) {
      // Even while nothing is written: an unwritable destination must be detected before the next commit.
      this.#ownership?.check();
      const lookedMs = this.#clock.nowMs();
      if (this.#behindSinceMs === 0 && !this.#shipper.isComplete()) this.#behindSinceMs = lookedMs;
      await this.#shipCounted(this.#shipper, source);
      // Everything that existed then has been shipped.
      this.#behindSinceMs = this.#shipper.isComplete() ? 0 : lookedMs;
      return;
    }
    const clock = this.#clock;
    const keys = keyFile === undefined ? undefined : readKeys(keyFile);
    const { failover } = request;
    const limits = failover && failoverLimits(failover.leaseMs);
    const checkRoom = roomCheckOf(request, source);
    this.#unowned ??= openDestination(url, { ...this.#context, limits }, { assumesSoleWriter, keys, checkRoom });
    const unowned = this.#unowned;
    if (failover !== undefined && this.#term !== undefined) {
      this.#ownership ??= new SharedOwnership(failover, this.#term.state);
    }
    const owner = { database: source.databaseId(), host: hostname(), processId, folder, instance: instanceOf(folder) };
    this.#ownership ??= await unowned.acquire(owner);
    const { epoch, takenFrom } = this.#ownership;
    if (takenFrom !== undefined)
      this.#log('warn', `Continuous backup has taken the destination over from ${takenFrom}`);
    // All code that changes objects knows the same ones.
    if (this.#destination === undefined) await this.#compacting;
    this.#destination ??= new OwnedDestination(unowned, this.#ownership);
    const destination = this.#destination;
    const isFailover = failover !== undefined;
    const known = this.#known;
    this.#known = {};
    const shipper = new Shipper({ source, destination, epoch, clock, bytesPerSecond, isFailover, ...known });
    let reason: string | undefined;
    try {
      reason = await shipper.start();
      if (isFailover && !(await this.#seal(shipper))) return;
    } catch (error) {
      if (error instanceof ChainDiffers) {
        await this.#sealEnded('differs', shipper);
        return;
      }
      // The store may have created the snapshot although its response was lost: the next step lists the objects again.
      this.#destination = undefined;
      this.#compactor = undefined;
      throw error;
    }
    this.#shipper = shipper;
    if (shipper.isComplete()) this.#behindSinceMs = 0;
    const raiseBase = isFailover ? (base: string) => this.#service.call('base', base) : undefined;
    // Clients are waiting for the first changes of a term, so merging begins later.
    if (isFailover) this.#compactAtMs = clock.monotonicMs() + COMPACTION_PAUSE_MS;
    this.#compactor ??= new Compactor({ destination, clock, pitrWindowMs, retentionMs, raiseBase });
    const position = positionText(shipper.last.position);
    if (reason !== undefined) this.#snapshots++;
    this.#log(
      'info',
      reason === undefined
        ? `Continuous backup continues at position ${position}`
        : `Continuous backup began with a snapshot at position ${position}: ${reason}`,
    );
  }

  /** Creates the first object of the term. Returns false if that is impossible. */
  async #seal(shipper: Shipper): Promise<boolean> {
    const isSealed = await shipper.seal();
    await this.#sealEnded(isSealed ? 'sealed' : 'behind', shipper);
    return isSealed;
  }

  async #sealEnded(outcome: SealOutcome, shipper: Shipper): Promise<void> {
    if (outcome !== 'sealed') this.#state = 'stopped';
    const position = positionText(shipper.last.position);
    await this.#service.call('sealed', { outcome, position });
  }

  /** Ships all commits while others write. Returns false if that fails. */
  async #shipSome(): Promise<boolean> {
    if (this.#state === 'stopped') return true;
    try {
      const shipper = this.#shipper;
      const source = this.#source;
      if (shipper === undefined || source === undefined) return false;
      for (let tries = 0; tries < SHIP_TRIES; tries++) await this.#shipCounted(shipper, source);
      return true;
    } catch {
      // The next attempt also fails, and is reported.
      return false;
    }
  }

  /**
   * Ships the rest and stops keeping the log, while nothing is written. Returns whether the log can be emptied; not if
   * the service no longer waits, because others write then.
   */
  async #release(number: number): Promise<boolean> {
    if (this.#state === 'stopped') return true;
    if (this.#releaseWanted !== number || !(await this.#shipAll()) || this.#releaseWanted !== number) return false;
    this.#source?.release();
    this.#isReleased = true;
    return true;
  }

  #keep(): void {
    this.#shipper?.keep();
    this.#isReleased = false;
  }

  /** Ships the rest and lets others have the destination. */
  async #finish(): Promise<boolean> {
    if (!(await this.#shipAll())) return false;
    // Nothing continues from here, because another owner may from the release on, even if its response is late.
    this.#state = 'stopped';
    // If this fails, the next owner waits until it has not been renewed.
    await Promise.resolve(this.#ownership?.release()).catch(() => {});
    return true;
  }

  async #shipAll(): Promise<boolean> {
    try {
      for (let tries = 0; tries < RELEASE_TRIES; tries++) {
        if (this.#shipper?.isComplete() === true) return true;
        await this.#shipper?.ship();
      }
      return this.#shipper?.isComplete() === true;
    } catch {
      // The next attempt also fails, and is reported.
      return false;
    }
  }

  /** Merges and removes objects alongside shipping, when due. */
  #compact(): void {
    const compactor = this.#compactor;
    if (compactor === undefined || this.#compacting !== undefined) return;
    if (this.#clock.monotonicMs() >= this.#compactAtMs) this.#compacting = this.#compactWith(compactor);
  }

  /** Never rejects. */
  async #compactWith(compactor: Compactor): Promise<void> {
    let pauseMs = COMPACTION_PAUSE_MS;
    try {
      await compactor.run();
    } catch (error) {
      pauseMs = MAX_PAUSE_MS;
      if (this.#isStopped()) return;
      this.#failures++;
      this.#log('warn', `Objects of the continuous backup could not be merged: ${errorText(error)}`);
    } finally {
      this.#compactAtMs = this.#clock.monotonicMs() + pauseMs;
      this.#compacting = undefined;
    }
  }

  /** Whether shipping has stopped. */
  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #succeeded(): void {
    if (this.#failuresInRow > 0) this.#log('info', 'Continuous backup works again');
    this.#failuresInRow = 0;
    this.#state = 'shipping';
    this.#reason = null;
  }

  /** Records a failure; returns the time until the next attempt. */
  #failed(error: unknown, intervalMs: number): number {
    const text = errorText(error);
    this.#failures++;
    this.#failuresInRow++;
    if (error instanceof LogLost) this.#shipper = undefined;
    if (this.#shipper === undefined && this.#behindSinceMs === 0) this.#behindSinceMs = this.#clock.nowMs();
    if (error instanceof ShippingStopped) {
      this.#state = 'stopped';
      this.#source?.release();
      this.#log('error', `Continuous backup has stopped: ${text}`);
    } else {
      if (this.#reason !== text) this.#log('warn', `Continuous backup waits: ${text}`);
      this.#state = 'waiting';
    }
    this.#reason = text;
    const longestMs = Math.min(MAX_PAUSE_MS, intervalMs * 2 ** Math.min(this.#failuresInRow, 10));
    // Services that lost the same store should not all retry at the same time.
    const pauseMs = longestMs * (0.75 + (randomBytes(1)[0] ?? 0) / 1024);
    return error instanceof DestinationOwned ? Math.min(OWNED_PAUSE_MS, pauseMs) : pauseMs;
  }

  #report(): void {
    this.#reportedMs = this.#clock.monotonicMs();
    const { position, timestampMs } = this.#shipper?.last ?? { position: 0n, timestampMs: 0 };
    const status = {
      state: this.#state,
      reason: this.#reason,
      takenFrom: this.#ownership?.takenFrom ?? null,
      position: position === 0n ? null : positionText(position),
      lastObjectMs: timestampMs,
      behindSinceMs: this.#behindSinceMs,
      behindBytes: this.#shipper?.behindBytes() ?? 0,
      ...(this.#shipper?.created ?? { objects: 0, bytes: 0 }),
      failures: this.#failures,
      snapshots: this.#snapshots,
    };
    this.#service.call('status', { status, logBytes: this.#source?.logBytes() ?? 0 }).catch(() => {});
  }

  #log(level: 'info' | 'warn' | 'error', text: string): void {
    this.#service.call('log', { level, text }).catch(() => {});
  }
}

/** Returns a function that throws if a folder on the data's disk may not use more of it. */
function roomCheckOf({ path, minFreeBytes }: ShippingRequest, source: SourceDatabase): (folder: string) => void {
  return (folder) => {
    const space = spaceBeside(path, source.state().pages, folder, minFreeBytes);
    if (space !== undefined && space.leftBytes < space.leastBytes) {
      // The same text each time, so that it is logged once.
      throw new Error(`the disk of the data is almost full, and objects in ${folder} leave ${space.leastBytes} bytes`);
    }
  };
}
