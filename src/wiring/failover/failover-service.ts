/** A service with failover: alternates between terms as the primary and times as a standby. Runs in the main thread. */
import { keepAlive, sleep } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import { type FailoverStatus, type Loss, lossText, takeoverText } from '../../base/failover-status.ts';
import { PRODUCT_VERSION } from '../../configuration/version.ts';
import { DestinationOwned, describeOwner } from '../../engines/embedded/backup/continuous/destination.ts';
import {
  databaseIdIn,
  keepsTail,
  markUnbegun,
  readCopyState,
  unbegunIn,
} from '../../engines/embedded/backup/continuous/failover/copy-state.ts';
import type { Attempt, Leases, TakenLease } from '../../engines/embedded/backup/continuous/failover/leases.ts';
import type { FailoverRecord, FailoverTerms } from '../../engines/embedded/backup/continuous/failover/record.ts';
import type { StandbyCopy } from '../../engines/embedded/backup/continuous/failover/standby-copy.ts';
import { awaitProcesses } from '../../engines/embedded/embedded-grid.ts';
import { type FolderLock, lockFolder } from '../../engines/embedded/storage/data-folder.ts';
import { type ReservedPorts, type RunningServer, reservePorts } from '../../http/server.ts';
import { consoleUrl } from '../console/console-url.ts';
import { announce, describeRole } from '../folder-owner.ts';
import type { RunningService } from '../running-service.ts';
import type { FailoverStart } from './failover-options.ts';
import {
  checkPrimary,
  copyOf,
  HAND_OVER_MS,
  HAND_OVER_POLL_MS,
  leasesOf,
  POLL_MS,
  standbyStatus,
  termMemory,
  termsOf,
  whenStoreAnswers,
} from './failover-parts.ts';
import { promote, promotionIn } from './promotion.ts';
import { startStandbyServer } from './standby-server.ts';
import { Term } from './term.ts';

/** Pause after a term that could not begin. */
const FAILED_PAUSE_MS = 1_000;
/** How often the description in the data folder is compared with the role. */
const DESCRIBE_MS = 1_000;
const UNKNOWN = 'not known yet';

export class FailoverService {
  readonly #options: FailoverStart;
  readonly #lock: FolderLock;
  readonly #memory: ReturnType<typeof termMemory>;
  readonly #leases: Leases;
  readonly #terms: FailoverTerms;
  #ports: ReservedPorts | undefined;
  #waiting: RunningServer | undefined;
  #withdraw: (() => void) | undefined;
  #copy: StandbyCopy | undefined;
  #term: Term | undefined;
  /** The record of the primary being followed. */
  #primary: FailoverRecord | undefined;
  #waitsFor: string | undefined;
  /** Whether the lease is its own, and must end first, and it still has the data committed by then. */
  #awaitsOwnLease = false;
  /** Whether the record is its own. */
  #isOwnRecord = false;
  /** The epoch of the last term, if it did not serve in it. */
  #unbegun: number | undefined;
  /** The term whose primary was asked to hand over. */
  #askedFor: string | undefined;
  /** The term that is known to end soon, and since when. */
  #ending: string | undefined;
  #endingAtMs = Number.NEGATIVE_INFINITY;
  /** Why it could not take over the last time. */
  #failure: string | undefined;
  /** The database's id, or undefined if there is none yet. */
  #database: string | undefined;
  /** Commits that it had not shipped when another service last took over. */
  #lost: Loss | undefined;
  #isStopped = false;
  #loop: Promise<void> | undefined;
  #isRecorded = false;

  private constructor(options: FailoverStart, lock: FolderLock, memory: ReturnType<typeof termMemory>) {
    this.#options = options;
    this.#lock = {
      isCreated: lock.isCreated,
      recordCreation: () => {
        if (!this.#isRecorded) lock.recordCreation();
        this.#isRecorded = true;
      },
      release: () => lock.release(),
    };
    this.#memory = memory;
    const { dataDir } = options.configuration;
    this.#database = databaseIdIn(dataDir);
    this.#lost = readCopyState(dataDir).lost;
    this.#unbegun = unbegunIn(dataDir);
    this.#leases = leasesOf(options);
    this.#terms = termsOf(options);
  }

  /** Locks the data folder. */
  static async open(options: FailoverStart): Promise<FailoverService> {
    const { configuration, clock, log } = options;
    const { dataDir } = configuration;
    const owner = { processId: process.pid, startedAtMs: clock.nowMs(), version: PRODUCT_VERSION, locked: true };
    const lock = lockFolder(dataDir, (level, text) => log[level](text), owner);
    try {
      await awaitProcesses(dataDir, clock);
      return new FailoverService(options, lock, termMemory(dataDir));
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Resolves when it listens. Throws if it can be neither the primary nor a standby. */
  async begin(): Promise<RunningService> {
    const { configuration } = this.#options;
    this.#ports = reservePorts(configuration.http);
    const taken = await whenStoreAnswers(this.#options, () => this.#attempt());
    if (taken === undefined && this.#primary !== undefined && !this.#isOwnRecord) {
      checkPrimary(this.#primary, this.#terms);
    }
    const url = taken === undefined ? await this.#listen() : await this.#serve(taken);
    this.#loop = this.#run();
    return {
      url,
      consoleUrl: consoleUrl(url, configuration.http),
      role: this.#roleText(),
      stop: () => this.stop(),
    };
  }

  /** Its report on itself. */
  status(): FailoverStatus {
    const nowMs = this.#options.clock.nowMs();
    const status = this.#term?.status() ?? standbyStatus(this.#primary, this.#copy, this.#waitsFor, nowMs);
    return { ...status, lost: this.#lost };
  }

  #roleText(): string {
    const { role, epoch, takeover } = this.status();
    if (role === 'standby') return `standby of ${this.#primaryUrl()}`;
    return takeover?.epoch === epoch
      ? `primary since takeover ${epoch}: ${takeoverText(takeover)}`
      : `primary again, in epoch ${epoch}`;
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const { clock, configuration } = this.#options;
    try {
      // It responds for a while longer, so standbys notice: they then take over as soon as the term has ended.
      void this.#term?.announceEnd();
      await this.#endTerm();
      await this.#copy?.close();
      await this.#loop;
      // One that has begun in the meantime.
      await this.#endTerm();
    } finally {
      await this.#waiting?.stop(configuration.shutdownDelayMs > 0 ? undefined : 0);
      this.#ports?.release();
      this.#withdraw?.();
      this.#memory.remove();
      await sleep(clock, 0);
      this.#lock.release();
    }
  }

  /** Ends the term, if there is one, in an orderly way. */
  async #endTerm(): Promise<void> {
    const term = this.#term;
    this.#term = undefined;
    await term?.end(false);
  }

  /** Is the primary or a standby, until stopped. Never rejects. */
  async #run(): Promise<void> {
    const { log, clock } = this.#options;
    // Nothing listens between a term and the next attempt, and timers do not keep a process alive.
    const alive = keepAlive();
    const descriptions = clock.every(DESCRIBE_MS, () => this.#describe());
    while (!this.#isStopped) {
      try {
        const term = this.#term;
        if (term !== undefined) await this.#until(term);
        else await this.#standBy();
        this.#failure = undefined;
      } catch (error) {
        const reason = errorText(error);
        if (reason !== this.#failure) log.error('The service could not take over', { reason });
        this.#failure = reason;
        await sleep(clock, FAILED_PAUSE_MS);
      }
    }
    descriptions.cancel();
    alive.cancel();
  }

  /** Writes to the data folder what `svc status` says about the role that may not be queried over the network. */
  #describe(): void {
    try {
      describeRole(this.#options.configuration.dataDir, this.status());
    } catch {
      // The disk is full; it is retried, and the log has everything.
    }
  }

  /** Waits until a term has ended, and ends it. */
  async #until(term: Term): Promise<void> {
    const { log } = this.#options;
    const end = await Promise.race([term.ended, this.#stopped()]);
    if (this.#isStopped || end === undefined) return;
    const { kind, reason } = end;
    const isDeposed = kind === 'deposed';
    log[isDeposed ? 'error' : 'info']('This service is the primary no longer', { epoch: term.epoch, reason });
    this.#term = undefined;
    await term.end(isDeposed);
  }

  /** Resolves when the service is stopped. */
  async #stopped(): Promise<undefined> {
    while (!this.#isStopped) await sleep(this.#options.clock, POLL_MS);
  }

  /** Follows the primary until this service has taken its lease, and becomes the primary. */
  async #standBy(): Promise<void> {
    const { clock } = this.#options;
    const taken = await this.#attempt();
    if (this.#isStopped) {
      await taken?.lease.release(false);
      return;
    }
    if (taken === undefined) {
      if (this.#waiting === undefined) await this.#listen();
      else if (!this.#awaitsOwnLease && this.#copy?.isFollowing === false) this.#copy.follow();
      const isHandingOver = clock.monotonicMs() - this.#endingAtMs < HAND_OVER_MS;
      await sleep(clock, isHandingOver ? HAND_OVER_POLL_MS : POLL_MS);
      return;
    }
    this.#endingAtMs = Number.NEGATIVE_INFINITY;
    await this.#serve(taken);
  }

  /** Takes the lease if it is free. */
  async #attempt(): Promise<TakenLease | undefined> {
    const { configuration, log, clock } = this.#options;
    const { dataDir } = configuration;
    const promotion = promotionIn(dataDir);
    try {
      const attempt = await this.#leases.attempt({
        terms: this.#terms,
        database: this.#database,
        isForced: promotion === 'force',
        unbegun: this.#unbegun,
        atMs: clock.nowMs(),
      });
      if (attempt.kind === 'taken') promote(dataDir, undefined);
      else if (promotion !== undefined && attempt.waitsFor === undefined) await this.#ask(attempt.record);
      this.#database = (attempt.kind === 'taken' ? attempt.taken.lease.record : attempt.record).database;
      if (attempt.kind === 'taken') return attempt.taken;
      this.#primary = attempt.record;
      this.#isOwnRecord = attempt.isSameService;
      this.#awaitsOwnLease = this.#hasTail(attempt);
      if (attempt.record.failover?.isEnding === true) this.#ends(attempt.record.id);
      if (attempt.waitsFor !== this.#waitsFor && attempt.waitsFor !== undefined) {
        log.error('The primary has not renewed its lease, and a person has to decide', { because: attempt.waitsFor });
      }
      this.#waitsFor = attempt.waitsFor;
      return undefined;
    } catch (error) {
      // Another service was faster.
      if (error instanceof DestinationOwned) return undefined;
      throw error;
    }
  }

  /**
   * Whether the service has its own commits, and no service has taken over since: it does not follow then, which would
   * drop them, but waits for the end of its former lease.
   */
  #hasTail({ record, isSameService }: Extract<Attempt, { kind: 'held' }>): boolean {
    if (!isSameService || record.released || this.#copy?.isFollowing === true) return false;
    return keepsTail(readCopyState(this.#options.configuration.dataDir), record.failover?.since ?? 0);
  }

  /** Asks the primary to hand over, once per term. */
  async #ask({ id, released }: FailoverRecord): Promise<void> {
    if (released || this.#askedFor === id) return;
    if (!(await this.#leases.ask())) return;
    this.#askedFor = id;
    this.#ends(id);
    this.#options.log.info('The primary was asked to hand over');
  }

  /** Checks the record more often for a while, once per term. */
  #ends(id: string): void {
    if (this.#ending === id) return;
    this.#ending = id;
    this.#endingAtMs = this.#options.clock.monotonicMs();
  }

  /** Listens as a standby, and follows. */
  async #listen(): Promise<string> {
    const { configuration, clock, log } = this.#options;
    const copy = this.#newCopy();
    this.#copy = copy;
    if (!this.#awaitsOwnLease) copy.follow();
    else log.info('The service waits for the end of the lease that it had before');
    const server = await startStandbyServer({
      ...{ configuration, clock, log, copy },
      ports: sharedOf(this.#ports),
      status: () => this.status(),
      primaryUrl: () => this.#primaryUrl(),
    });
    this.#waiting = server;
    this.#withdraw?.();
    this.#withdraw = announce(configuration, server.url, clock);
    const primary = this.#primary === undefined ? UNKNOWN : describeOwner(this.#primary);
    log.info('This service is a standby', { url: server.url, primary });
    return server.url;
  }

  /** Is the primary: resolves when it serves. */
  async #serve(taken: TakenLease): Promise<string> {
    const { log, clock, configuration } = this.#options;
    const beganMs = clock.monotonicMs();
    const term = new Term({
      ...this.#options,
      taken,
      lock: { ...this.#lock, release() {} },
      memory: this.#memory.memory,
      hasFollowed: this.#copy?.isFollowing === true,
      status: () => ({ ...term.status(), lost: this.#lost }),
      copy: () => {
        const copy = this.#copy ?? this.#newCopy();
        this.#copy = undefined;
        return copy;
      },
    });
    try {
      this.#unbegun = term.epoch;
      markUnbegun(configuration.dataDir, term.epoch);
      const running = await term.begin(sharedOf(this.#ports));
      await this.#copy?.close();
      this.#copy = undefined;
      this.#term = term;
      this.#unbegun = undefined;
      markUnbegun(configuration.dataDir, undefined);
      // It listens on the same ports and accepts new connections.
      await this.#waiting?.stop(0);
      this.#waiting = undefined;
      log.info('Commands are answered', { epoch: term.epoch, afterMs: Math.round(clock.monotonicMs() - beganMs) });
      return running.url;
    } catch (error) {
      this.#term = undefined;
      await term.end(true);
      await this.#copy?.close();
      this.#copy = undefined;
      await this.#waiting?.stop(0);
      this.#waiting = undefined;
      throw error;
    }
  }

  #newCopy(): StandbyCopy {
    return copyOf(this.#options, this.#database ?? '', (lost) => this.#hasLost(lost));
  }

  #hasLost(lost: Loss): void {
    const { log, recordEvent } = this.#options;
    this.#lost = lost;
    const { commits, withinMs } = lost;
    log[commits === 0 ? 'info' : 'error'](lossText(lost), { commits, withinMs });
    recordEvent('done', 'deposed', { lostCommits: commits ?? 'unknown', withinMs });
  }

  #primaryUrl(): string {
    return this.#primary?.failover?.url ?? UNKNOWN;
  }
}

function sharedOf(ports: ReservedPorts | undefined) {
  const { plain, tls, metrics, console } = ports ?? {};
  return { plain, tls, metrics, console };
}
