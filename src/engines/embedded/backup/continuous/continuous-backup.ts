/** Runs the shipping process, restarts it, and makes it release the log. Runs in the main thread. */
import { sleep, type Timer } from '../../../../base/clock.ts';
import { isoTime } from '../../../../base/iso-time.ts';
import { SHIPPING_BOUNDS } from '../../../../base/limits.ts';
import type { SharedArea } from '../../../../base/shared-areas.ts';
import type { ContinuousStatus } from '../../../../grid/backup.ts';
import { KEPT_LOG_BYTES } from '../../storage/databases.ts';
import type { Log } from '../../storage/log.ts';
import { BackupProcess, type ProcessCommand } from '../child-process.ts';
import { ShippingStopped } from './destination.ts';
import type {
  FailoverKept,
  ReportedStatus,
  SealOutcome,
  ShippingAction,
  ShippingMethods,
  ShippingReports,
  ShippingRequest,
} from './shipping-messages.ts';

export type ShippingChild = BackupProcess<ShippingMethods, ShippingReports>;

/** Starts the process that ships or follows. */
export function startShippingProcess(
  options: ProcessCommand & { readonly log: Log },
  onExit: (how: string) => void,
): ShippingChild {
  const child: ShippingChild = new BackupProcess(options, { onExit });
  child.serve('log', ({ level, text }) => {
    options.log(level, text);
    return null;
  });
  return child;
}

export interface ContinuousBackupOptions extends ProcessCommand {
  readonly request: ShippingRequest;
  /** Limit of the log: it is emptied before it is this long, even if not all of it has been shipped. */
  readonly maxLogBytes: number;
  readonly log: Log;
  /** The term of a primary that others may follow, or undefined for none. */
  readonly term?: ShippingTerm | undefined;
  /** A process that has followed and should ship first; if undefined, one is started. */
  readonly process?: ShippingChild | undefined;
}

/** The functions of a primary that the shipping process calls. */
export interface ShippingTerm {
  /** Called with the outcome of the first object of the term, each time the process has begun. */
  onSealed(outcome: SealOutcome, position: string): void;
  /** Called when more commits are in the destination. */
  onShipped(): void;
  /** Called when all commits are in the destination, and no more will be made: another service may take over. */
  onComplete(): void;
  /** Records that no service relies on names of level 0 before a position; see `ShippingReports`. */
  raiseBase(position: string): Promise<FailoverKept | null>;
}

/** Returns the failure of a term in which nothing more can be shipped. */
export function shippingStopped(reason: string | null): ShippingStopped {
  return new ShippingStopped(reason ?? 'nothing can be shipped any more');
}

const NOTHING_SHIPPED: ReportedStatus = {
  state: 'starting',
  reason: null,
  takenFrom: null,
  position: null,
  lastObjectMs: 0,
  behindSinceMs: 0,
  behindBytes: 0,
  objects: 0,
  bytes: 0,
  failures: 0,
  snapshots: 0,
};

type Counts = Pick<ContinuousStatus, 'objects' | 'bytes' | 'failures' | 'snapshots'>;

/** Disk space of a log that may have to be emptied. */
export interface LogNeed {
  readonly logBytes: number;
  /** Whether so little is left that removals need its space. */
  readonly isDiskShort: boolean;
}

/** Pause after an attempt to ship the rest. */
const FINISH_PAUSE_MS = 50;

/** How often the age of the status is checked. */
const LOOK_MS = 1_000;

/** A log is given up at this fraction of its limit: writes continue while it is checkpointed. */
const GIVEN_UP_SHARE = 0.9;

export class ContinuousBackup {
  readonly #options: ContinuousBackupOptions;
  #child: ShippingChild | undefined;
  #status = NOTHING_SHIPPED;
  /** How much of the log was in use when the process last reported. */
  #usedLogBytes = 0;
  /** Counts of processes that have ended. */
  #ended: Counts = NOTHING_SHIPPED;
  #restart: Timer | undefined;
  /** Where commits are counted. */
  #counts: SharedArea | undefined;
  /** Whether everything had been shipped at the end. */
  #isComplete = false;
  readonly #looks: Timer;
  /** When the process last reported, or was started: by the monotonic clock, and in ms since 1970. */
  #reported = { monotonicMs: 0, atMs: 0 };
  /** Whether the process's silence has been logged. */
  #isSilenceLogged = false;
  #ends = 0;
  /** Whether the log has grown too long, and no more of it will be shipped. */
  #isGivenUp = false;
  #isStopped = false;
  #isStarted = false;

  constructor(options: ContinuousBackupOptions) {
    this.#options = options;
    this.#start();
    this.#looks = options.clock.every(LOOK_MS, () => this.#look());
  }

  /**
   * Returns the state, and counts since startup. The process's report is valid for a while: if it stops reporting, the
   * backup is waiting, and has been behind since then.
   */
  status(): ContinuousStatus {
    const { objects, bytes, failures, snapshots, behindSinceMs } = this.#status;
    const ended = this.#ended;
    const { atMs } = this.#reported;
    return {
      ...this.#status,
      ...(this.#isSilent() && {
        state: 'waiting',
        reason: `its process has not reported since ${isoTime(atMs)}: it hangs, or its destination does`,
        behindSinceMs: behindSinceMs === 0 ? atMs : behindSinceMs,
      }),
      reportAgeMs: this.#reportAgeMs(),
      objects: ended.objects + objects,
      bytes: ended.bytes + bytes,
      failures: ended.failures + failures,
      snapshots: ended.snapshots + snapshots,
    };
  }

  /**
   * Whether the log may be checkpointed: because the process keeps unshipped frames, or the log has been given up.
   */
  get permitsWriteBack(): boolean {
    return this.#isGivenUp || this.#isKeeping();
  }

  get #givenUpBytes(): number {
    // No service could follow a chain that starts over: changes are refused if the disk is full.
    if (this.#options.term !== undefined) return Number.POSITIVE_INFINITY;
    return GIVEN_UP_SHARE * this.#options.maxLogBytes;
  }

  #isKeeping(): boolean {
    const { state } = this.#status;
    return this.#child !== undefined && !this.#isSilent() && (state === 'shipping' || state === 'stopped');
  }

  /** Returns how much of the log is in use, or undefined if that is unknown, and may be all of the file. */
  usedLogBytes(): number | undefined {
    return this.#isKeeping() ? this.#usedLogBytes : undefined;
  }

  /** Whether a log that starts over keeps its length: truncating it takes time proportional to its length. */
  keepsLength(logBytes: number): boolean {
    return logBytes <= Math.min(KEPT_LOG_BYTES, this.#givenUpBytes);
  }

  /** Whether the log may be emptied: it has been shipped, or is to be given up. */
  canRelease(need: LogNeed): boolean {
    return this.#isKeeping() || this.#givesUp(need) !== undefined;
  }

  /** Returns why a log is given up, or undefined if it is not. */
  #givesUp({ logBytes, isDiskShort }: LogNeed): string | undefined {
    const { maxLogBytes, term } = this.#options;
    if (logBytes > this.#givenUpBytes) return `The log is about to pass backup.maxLogBytes (${maxLogBytes})`;
    // Nothing else is left on the disk for the log of removals.
    const isNeeded = isDiskShort && term === undefined && !this.#isKeeping();
    return isNeeded ? 'The disk is full but for what the log takes' : undefined;
  }

  /**
   * Ships all commits while others write, so that {@link release} has little to do. Returns false if the destination
   * does not respond: writes need not wait for it. A log that has grown too long, or whose space removals need, is
   * given up instead: it can be written back from here on, and shipping starts over with {@link keep}.
   */
  async prepareRelease(need: LogNeed): Promise<boolean> {
    if (this.#isGivenUp) return true;
    const because = this.#givesUp(need);
    if (because === undefined) return this.#ask('ship', SHIPPING_BOUNDS.shipMs);
    this.#options.log('error', `${because}: continuous backup starts anew with a snapshot`);
    this.#isGivenUp = true;
    await this.#kill();
    // Even if the log is never emptied.
    if (!this.#isStopped) this.#startAfter(SHIPPING_BOUNDS.maxRestartMs);
    return true;
  }

  /**
   * Ships everything, and releases the log until {@link keep}, while nothing is written. Returns whether the log can be
   * emptied, which includes that it was given up.
   */
  async release(): Promise<boolean> {
    return this.#isGivenUp || this.#ask('release', SHIPPING_BOUNDS.releaseMs);
  }

  /** Keeps the log again, after {@link release}. */
  async keep(): Promise<void> {
    if (!this.#isGivenUp) {
      await this.#ask('keep', SHIPPING_BOUNDS.releaseMs);
      return;
    }
    if (!this.#isStopped) this.#startAfter(SHIPPING_BOUNDS.restartMs);
  }

  /**
   * Ships the rest. Returns whether everything is in the destination. The process continues. If another service waits
   * for that, a failed request is repeated as long as there is time: it takes over with the shipped objects.
   */
  async finish(): Promise<boolean> {
    const { clock, term } = this.#options;
    this.#isStopped = true;
    this.#restart?.cancel();
    const endMs = clock.monotonicMs() + SHIPPING_BOUNDS.finishMs;
    do {
      this.#isComplete = await this.#ask('finish', Math.max(0, endMs - clock.monotonicMs()));
      const isOver = this.#isComplete || term === undefined || this.#child === undefined;
      if (isOver || this.#status.state === 'stopped') break;
      await sleep(clock, FINISH_PAUSE_MS);
    } while (clock.monotonicMs() < endMs);
    if (this.#isComplete) term?.onComplete();
    return this.#isComplete;
  }

  /** Whether everything committed is in the destination, after {@link finish}. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Sets where the engine, which is now open, counts commits. */
  countIn(area: SharedArea): void {
    this.#counts = area;
    this.#child?.call('counts', area).catch(() => {});
  }

  /** Wakes the process to ship commits that it has not noticed, because a response waits for them. */
  wake(): void {
    this.#child?.call('wake', null).catch(() => {});
  }

  /**
   * Ends the process, and resolves when it has exited, or soon if it cannot be killed because its destination hangs.
   */
  async end(): Promise<void> {
    this.#isStopped = true;
    this.#looks.cancel();
    await Promise.race([this.#kill(), sleep(this.#options.clock, SHIPPING_BOUNDS.endMs)]);
  }

  #start(): void {
    const { request, log } = this.#options;
    this.#isGivenUp = false;
    const child = this.#process();
    this.#child = child;
    this.#heard();
    child.serve('status', ({ status, logBytes }) => {
      this.#status = status;
      this.#usedLogBytes = logBytes;
      this.#ends = 0;
      this.#heard();
      if (this.#isSilenceLogged) log('info', 'The process of the continuous backup reports again');
      this.#isSilenceLogged = false;
      return null;
    });
    const { term } = this.#options;
    child.serve('sealed', ({ outcome, position }) => {
      term?.onSealed(outcome, position);
      return null;
    });
    child.serve('shipped', () => {
      term?.onShipped();
      return null;
    });
    child.serve('base', (position) => term?.raiseBase(position) ?? null);
    if (this.#counts !== undefined) child.call('counts', this.#counts).catch(() => {});
    // What is known about the file is valid until something is written.
    child
      .call('ship', this.#isStarted ? { ...request, pageHashes: undefined, position: undefined } : request)
      .catch(() => {});
    this.#isStarted = true;
  }

  #process(): ShippingChild {
    const onExit = (how: string): void => this.#exited(how);
    const { process } = this.#options;
    if (process !== undefined && !this.#isStarted && process.handOver(onExit)) return process;
    return startShippingProcess(this.#options, onExit);
  }

  #heard(): void {
    const { clock } = this.#options;
    this.#reported = { monotonicMs: clock.monotonicMs(), atMs: clock.nowMs() };
  }

  #reportAgeMs(): number {
    return Math.round(this.#options.clock.monotonicMs() - this.#reported.monotonicMs);
  }

  /** Whether the process is running without reporting. A stopped one reports no other state. */
  #isSilent(): boolean {
    if (this.#child === undefined || this.#isStopped || this.#status.state === 'stopped') return false;
    return this.#reportAgeMs() > SHIPPING_BOUNDS.silentMs;
  }

  #look(): void {
    if (this.#isSilenceLogged || !this.#isSilent()) return;
    this.#isSilenceLogged = true;
    this.#ended = { ...this.#ended, failures: this.#ended.failures + 1 };
    this.#options.log('error', `Continuous backup waits: ${this.status().reason}`);
  }

  /** Keeps the counts of a process that has ended. */
  #gone(reason: string): void {
    // One that has not reported for long was already behind.
    const { objects, bytes, failures, snapshots, behindSinceMs } = this.status();
    this.#child = undefined;
    this.#ended = { objects, bytes, failures: failures + 1, snapshots };
    const sinceMs = behindSinceMs === 0 ? this.#options.clock.nowMs() : behindSinceMs;
    this.#status = { ...this.#status, ...NO_COUNTS, state: 'waiting', reason, behindSinceMs: sinceMs };
    this.#isSilenceLogged = false;
  }

  #exited(reason: string): void {
    this.#gone(reason);
    if (this.#isStopped) return;
    const { log } = this.#options;
    log('error', `The process of the continuous backup ended: ${reason}`);
    this.#startAfter(Math.min(SHIPPING_BOUNDS.restartMs * 2 ** this.#ends++, SHIPPING_BOUNDS.maxRestartMs));
  }

  #startAfter(delayMs: number): void {
    this.#restart?.cancel();
    this.#restart = this.#options.clock.after(delayMs, () => this.#start());
  }

  /**
   * Sends the process a request and waits for its response. Resolves with false if there is none in time, or the
   * process hangs.
   */
  async #ask(action: ShippingAction, limitMs: number): Promise<boolean> {
    const child = this.#child;
    if (child === undefined) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const { clock } = this.#options;
    const limit = clock.after(limitMs, () => resolve(false));
    const looks = clock.every(LOOK_MS, () => {
      if (this.#isSilent()) resolve(false);
    });
    child.call('act', action).then(resolve, () => resolve(false));
    return promise.finally(() => {
      limit.cancel();
      looks.cancel();
    });
  }

  async #kill(): Promise<void> {
    this.#restart?.cancel();
    const child = this.#child;
    this.#gone('it was ended');
    await child?.close();
  }
}

const NO_COUNTS: Counts = { objects: 0, bytes: 0, failures: 0, snapshots: 0 };
