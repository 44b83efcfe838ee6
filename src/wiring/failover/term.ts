/** A primary's term: from taking the lease to its end. */
import { join } from 'node:path';
import { sleep, type Timer } from '../../base/clock.ts';
import { createFailoverArea, FailoverState } from '../../base/failover-state.ts';
import { type FailoverStatus, takeoverText } from '../../base/failover-status.ts';
import type { SharedFile } from '../../base/shared-areas.ts';
import { signalMemory, ThreadSignal } from '../../base/thread-signal.ts';
import { type ContinuousBackup, shippingStopped } from '../../engines/embedded/backup/continuous/continuous-backup.ts';
import {
  databaseIdIn,
  keepsTail,
  markShipped,
  readCopyState,
  renewFeed,
  writeCopyState,
} from '../../engines/embedded/backup/continuous/failover/copy-state.ts';
import { type TakenLease, takenFrom } from '../../engines/embedded/backup/continuous/failover/leases.ts';
import { withSeal } from '../../engines/embedded/backup/continuous/failover/record.ts';
import type { StandbyCopy } from '../../engines/embedded/backup/continuous/failover/standby-copy.ts';
import type { SealOutcome } from '../../engines/embedded/backup/continuous/shipping-messages.ts';
import { openEmbeddedGrid } from '../../engines/embedded/embedded-grid.ts';
import { DATA_FILE, type FolderLock } from '../../engines/embedded/storage/data-folder.ts';
import type { ContinuousStatus } from '../../grid/backup.ts';
import type { SharedPorts } from '../../http/server.ts';
import { continuousOf, embeddedSettings, type PrimaryTerm } from '../engine.ts';
import type { RunningService } from '../running-service.ts';
import type { FailoverStart } from './failover-options.ts';
import { ageOf, mayLoseMs } from './failover-parts.ts';

/** Fraction of the lease after which it is renewed. */
const RENEWAL_SHARE = 0.25;
/** How often a failed renewal is retried, and how often the end of the term is checked. */
const LOOK_MS = 250;
/**
 * Maximum number of attempts to create the first object: each failed one has encountered an object that the data did
 * not have.
 */
const SEAL_TRIES = 5;

/** Why a term ends. */
export interface TermEnd {
  readonly kind: 'deposed' | 'handed over';
  readonly reason: string;
}

export interface TermOptions extends FailoverStart {
  readonly taken: TakenLease;
  readonly lock: FolderLock;
  readonly memory: SharedFile;
  /** Whether a process has followed the objects, and still may. */
  readonly hasFollowed: boolean;
  /** Follows the objects to their end. */
  readonly copy: () => StandbyCopy;
  readonly status: () => FailoverStatus;
}

export class Term {
  readonly #options: TermOptions;
  readonly #area;
  readonly #state: FailoverState;
  readonly #signals = { shipped: signalMemory(), wanted: signalMemory() };
  readonly #shipped = new ThreadSignal(this.#signals.shipped);
  readonly #ended = Promise.withResolvers<TermEnd>();
  #renewals: Timer | undefined;
  #renewing = false;
  #renewedMs: number;
  #continuous: ContinuousBackup | undefined;
  #running: RunningService | undefined;
  #sealing: PromiseWithResolvers<{ readonly outcome: SealOutcome; readonly position: string }> | undefined;
  #isOver = false;
  /** Whether the lease is released as soon as everything has been shipped. */
  #handsOver = false;
  /** Resolves when it has been, with everything in the destination. */
  #released: Promise<void> | undefined;
  /** Since when nothing can be shipped, by the monotonic clock, or undefined if something can. */
  #waitsSinceMs: number | undefined;
  /** Until when everything was shipped, in ms since 1970. */
  #shippedAtMs: number;

  constructor(options: TermOptions) {
    this.#options = options;
    this.#area = createFailoverArea(options.memory.create);
    this.#state = new FailoverState(this.#area);
    this.#state.allowUntil(options.taken.lease.untilMs);
    this.#renewedMs = options.clock.monotonicMs();
    this.#shippedAtMs = options.clock.nowMs();
    this.#renewals = options.clock.every(LOOK_MS, () => this.#look());
    void this.#wake();
  }

  /** Resolves with the reason when the service must no longer be the primary. */
  get ended(): Promise<TermEnd> {
    return this.#ended.promise;
  }

  get epoch(): number {
    return this.#options.taken.lease.record.epoch;
  }

  /** The primary's report on itself. */
  status(): FailoverStatus {
    const { clock, failover, taken } = this.#options;
    const { epoch, failover: part } = taken.lease.record;
    const shipping = this.#continuous?.status();
    const nowMs = clock.nowMs();
    const behindSinceMs = shipping?.behindSinceMs ?? 0;
    return {
      role: 'primary',
      epoch,
      primary: failover.advertisedUrl ?? null,
      takeover: part?.takeover ?? null,
      position: shipping?.position ?? null,
      behindMs: behindSinceMs === 0 ? 0 : Math.max(0, nowMs - behindSinceMs),
      behindPositions: 0,
      lastObjectAgeMs: ageOf(shipping?.lastObjectMs, nowMs),
      isSilent: shipping?.state !== 'shipping',
      reason: shipping?.reason ?? null,
      isHeld: this.#state.holds(),
      waitsFor: null,
      mayLoseMs: mayLoseMs(failover),
    };
  }

  /** Catches up, seals, opens the engine and serves. Throws if the service cannot be the primary. */
  async begin(ports: SharedPorts): Promise<RunningService> {
    const { taken, lock, clock, log, start, failover } = this.#options;
    const { lease, before } = taken;
    const { continuous, position: sealedAt } = await this.#seal();
    // The seal's name must never become free. As long as the record after the seal is this service's, no one has
    // removed what the name was before.
    while (!(await lease.renew((part) => withSeal(part, sealedAt)))) {
      if (lease.isLost || !this.#state.holds())
        throw new Error('the lease was lost before the service was the primary');
      await sleep(clock, LOOK_MS);
    }
    this.#state.allowUntil(lease.untilMs);
    const mayHaveLost = failover.acknowledge === 'local' && before?.released === false && !taken.isSameService;
    if (mayHaveLost) renewFeed(this.#options.configuration.dataDir);
    const { status } = this.#options;
    const term: PrimaryTerm = {
      epoch: this.epoch,
      lock,
      continuous,
      state: this.#area,
      signals: this.#signals,
      status,
    };
    this.#running = await start(() => ports, term);
    const { takeover } = lease.record.failover ?? {};
    const because = takeover === undefined || takeover.epoch !== this.epoch ? 'a restart' : takeoverText(takeover);
    const { position = null } = continuous.status();
    const mayHaveLostMs = takeover?.epoch === this.epoch ? (takeover.mayHaveLostMs ?? null) : 0;
    const level = mayHaveLostMs === 0 ? 'info' : 'warn';
    log[level]('This service is the primary', { epoch: this.epoch, because, position, mayHaveLostMs });
    return this.#running;
  }

  /** Announces in the record that the term is about to end in an orderly way. */
  async announceEnd(): Promise<void> {
    await this.#options.taken.lease.renew((part) => ({ ...part, isEnding: true }));
  }

  /**
   * Ends the term. `isDeposed`: nothing is answered any more, and unshipped changes are lost; otherwise requests are
   * finished and everything is shipped, so that a standby takes over immediately.
   */
  async end(isDeposed: boolean): Promise<void> {
    const { lease } = this.#options.taken;
    this.#isOver = true;
    this.#handsOver = !isDeposed;
    if (isDeposed) this.#state.close();
    try {
      await this.#running?.stop();
    } finally {
      this.#renewals?.cancel();
      this.#state.close();
      await this.#released;
      await this.#continuous?.end();
      if (this.#released === undefined) await lease.release(false);
    }
  }

  /** Creates the first object of the term, over the data that the objects lead to. */
  async #seal(): Promise<{ readonly continuous: ContinuousBackup; readonly position: string }> {
    const { configuration, taken, log } = this.#options;
    const { dataDir } = configuration;
    const { record } = taken.lease;
    for (let isOwn = this.#keepsTail(), tries = 1; ; isOwn = false, tries++) {
      const followed = isOwn ? undefined : await this.#options.copy().catchUp();
      try {
        if (databaseIdIn(dataDir) === undefined) await this.#create();
      } catch (error) {
        await followed?.process.close();
        throw error;
      }
      const continuous = this.#ship(followed);
      const { outcome, position } = await this.#sealed();
      if (outcome === 'sealed') {
        const { lost } = readCopyState(dataDir);
        writeCopyState(dataDir, { database: record.database, sealed: record.epoch, lost });
        return { continuous, position };
      }
      log.warn('The data is not the last of the continuous backup yet', { outcome, position });
      this.#continuous = undefined;
      await continuous.end();
      if (tries === SEAL_TRIES || !this.#state.holds())
        throw new Error('the first object could not be created in time');
    }
  }

  /** Whether this service's unshipped commits are still to be shipped: no other service has taken over since. */
  #keepsTail(): boolean {
    const { taken, configuration, hasFollowed } = this.#options;
    const { before, isSameService } = taken;
    if (hasFollowed) return false;
    const state = readCopyState(configuration.dataDir);
    if (before === undefined) return state.copy === undefined;
    return isSameService && keepsTail(state, before.failover?.since ?? 0);
  }

  /** Creates the data of a destination that has none. */
  async #create(): Promise<void> {
    const { configuration, clock, lock, taken } = this.#options;
    const { database } = taken.lease.record;
    const grid = await openEmbeddedGrid({ ...embeddedSettings(configuration), clock, lock, databaseId: database });
    await grid.close();
  }

  /** `followed`: the known facts about the data file, and the process that knows them. */
  #ship(followed: Awaited<ReturnType<StandbyCopy['catchUp']>> | undefined): ContinuousBackup {
    const { configuration, clock, log, taken, failover } = this.#options;
    const { lease } = taken;
    const sealing = Promise.withResolvers<{ readonly outcome: SealOutcome; readonly position: string }>();
    this.#sealing = sealing;
    const continuous = continuousOf(configuration, clock, log, {
      pageHashes: followed?.caughtUp.pageHashes,
      position: followed?.caughtUp.isLast === true ? (followed.caughtUp.position ?? undefined) : undefined,
      process: followed?.process,
      failover: {
        epoch: lease.record.epoch,
        leaseMs: failover.leaseMs,
        takenFrom: takenFrom(taken),
        state: this.#area,
        isPrompt: failover.acknowledge === 'remote',
      },
      shipping: {
        onSealed: (outcome, position) => {
          sealing.resolve({ outcome, position });
          // A shipping process was restarted, and cannot continue.
          if (outcome !== 'sealed' && this.#running !== undefined) this.#deposed(`the data is ${outcome}`);
        },
        onShipped: () => this.#shipped.send(),
        onComplete: () => this.#completed(),
        async raiseBase(position) {
          const raised = await lease.renew((part) => (part.base < position ? { ...part, base: position } : part));
          return raised ? (lease.record.failover?.seals ?? []) : null;
        },
      },
    });
    if (continuous === undefined) throw new Error(`${join(configuration.dataDir, DATA_FILE)} is not shipped`);
    this.#continuous = continuous;
    return continuous;
  }

  /** Lets the next primary begin while this one closes its files. */
  #completed(): void {
    if (!this.#handsOver) return;
    // Before others may have the lease.
    this.#state.close();
    this.#released ??= this.#options.taken.lease.release(true);
  }

  /** Waits for the first object. Throws if the lease ends before. */
  async #sealed(): Promise<{ readonly outcome: SealOutcome; readonly position: string }> {
    const sealed = this.#sealing?.promise ?? Promise.reject(new Error('nothing is shipped'));
    const result = await Promise.race([sealed, this.ended.then(({ reason }) => new Error(reason))]);
    if (result instanceof Error) throw result;
    return result;
  }

  /** Renews the lease when it is time, and determines whether the term has ended. */
  #look(): void {
    const { taken, clock, failover } = this.#options;
    const { lease } = taken;
    const shipping = this.#continuous?.status();
    if (lease.isLost) this.#deposed('another service has taken over');
    else if (shipping?.state === 'stopped') {
      const stopped = shippingStopped(shipping.reason);
      if (this.#running !== undefined) this.#deposed(stopped.message);
      // There will be no first object.
      else this.#sealing?.reject(stopped);
    } else if (this.#running === undefined && this.#waitsForLong(shipping)) {
      // Another service may be able to.
      this.#sealing?.reject(new Error(shipping?.reason ?? 'nothing can be shipped'));
    } else if (this.#running !== undefined && lease.heir !== undefined) {
      this.#over({ kind: 'handed over', reason: 'another service is to be the primary' });
    }
    this.#markShipped();
    const isDue = clock.monotonicMs() - this.#renewedMs >= failover.leaseMs * RENEWAL_SHARE;
    if (this.#renewing || (!isDue && this.#state.holds())) return;
    this.#renewing = true;
    const beganMs = clock.monotonicMs();
    const position = shipping?.position ?? undefined;
    void lease
      .renew((part) => ({ ...part, position: position ?? part.position }))
      .then((isRenewed) => {
        this.#renewing = false;
        if (!isRenewed) return;
        this.#renewedMs = beganMs;
        this.#state.allowUntil(lease.untilMs);
      });
  }

  /** Whether shipping has failed for the length of a lease. Without failures, the first object may take any time. */
  #waitsForLong(shipping: ContinuousStatus | undefined): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    if (shipping?.state !== 'waiting') this.#waitsSinceMs = undefined;
    else this.#waitsSinceMs ??= nowMs;
    return this.#waitsSinceMs !== undefined && nowMs - this.#waitsSinceMs > this.#options.failover.leaseMs;
  }

  /** Wakes what ships when an answer waits for it. */
  async #wake(): Promise<void> {
    const wanted = new ThreadSignal(this.#signals.wanted);
    // Also while the last requests are being answered.
    for (let { count } = wanted; !this.#state.isClosed; ) {
      await wanted.after(count, LOOK_MS);
      if (wanted.count === count) continue;
      count = wanted.count;
      this.#continuous?.wake();
    }
  }

  /** Remembers until when everything was shipped, if something may be lost. */
  #markShipped(): void {
    const { clock, configuration, failover } = this.#options;
    if (failover.acknowledge !== 'local' || this.#running === undefined) return;
    const atMs = clock.nowMs() - this.#state.unshippedMs();
    if (atMs <= this.#shippedAtMs) return;
    this.#shippedAtMs = atMs;
    markShipped(configuration.dataDir, atMs);
  }

  #deposed(reason: string): void {
    this.#over({ kind: 'deposed', reason });
  }

  #over(end: TermEnd): void {
    if (!this.#isOver) this.#ended.resolve(end);
  }
}
