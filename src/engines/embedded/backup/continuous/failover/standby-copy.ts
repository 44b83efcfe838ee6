/** Runs the process that follows a primary. Runs in the main thread of a standby. */
import type { Timer } from '../../../../../base/clock.ts';
import type { Loss } from '../../../../../base/failover-status.ts';
import { SHIPPING_BOUNDS } from '../../../../../base/limits.ts';
import type { Log } from '../../../storage/log.ts';
import type { ProcessCommand } from '../../child-process.ts';
import { type ShippingChild, startShippingProcess } from '../continuous-backup.ts';
import type { CaughtUp, CopyStatus, FollowRequest } from '../shipping-messages.ts';

export interface StandbyCopyOptions extends ProcessCommand {
  readonly request: FollowRequest;
  readonly log: Log;
  /** See {@link FollowerOptions}. */
  readonly onLost: (lost: Loss) => void;
}

/** Time without news after which a standby counts as silent: long enough for the pauses after failures. */
const SILENT_MS = 30_000;
const LOOK_MS = 1_000;
const NOTHING: CopyStatus = {
  position: null,
  lastObjectMs: 0,
  currentAtMs: 0,
  objects: 0,
  copies: 0,
  reason: null,
};

export class StandbyCopy {
  readonly #options: StandbyCopyOptions;
  #child: ShippingChild | undefined;
  #status = NOTHING;
  readonly #beganMs: number;
  #restart: Timer | undefined;
  #looks: Timer | undefined;
  #ends = 0;
  #isStopped = false;
  #isFollowing = false;
  #isSilenceLogged = false;

  constructor(options: StandbyCopyOptions) {
    this.#options = options;
    this.#beganMs = options.clock.nowMs();
  }

  status(): CopyStatus {
    return this.#status;
  }

  /** Milliseconds for which it has not been known whether the copy is complete. */
  behindMs(): number {
    const { currentAtMs } = this.#status;
    return Math.max(0, this.#options.clock.nowMs() - (currentAtMs === 0 ? this.#beganMs : currentAtMs));
  }

  /** Whether it has not followed for so long that an operator should know. */
  get isSilent(): boolean {
    return this.behindMs() > SILENT_MS;
  }

  /** Whether its process has been told to follow, and may have rewound the data. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  follow(): void {
    this.#isFollowing = true;
    this.#looks ??= this.#options.clock.every(LOOK_MS, () => this.#look());
    this.#start()
      .call('follow', this.#options.request)
      .catch(() => {});
  }

  /** Applies all objects. The process that has done so can ship, without another start. */
  async catchUp(): Promise<{ readonly caughtUp: CaughtUp; readonly process: ShippingChild }> {
    this.#isStopped = true;
    this.#restart?.cancel();
    const child = this.#child ?? this.#start();
    try {
      const caughtUp = await child.call('catchUp', this.#options.request);
      this.#child = undefined;
      return { caughtUp, process: child };
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    this.#isStopped = true;
    this.#restart?.cancel();
    this.#looks?.cancel();
    const child = this.#child;
    this.#child = undefined;
    await child?.close();
  }

  #start(): ShippingChild {
    const child = startShippingProcess(this.#options, (how) => this.#exited(how));
    this.#child = child;
    child.serve('lost', (lost) => {
      this.#options.onLost(lost);
      return null;
    });
    child.serve('copy', (status) => {
      this.#status = status;
      this.#ends = 0;
      return null;
    });
    return child;
  }

  #look(): void {
    const { isSilent } = this;
    if (isSilent === this.#isSilenceLogged) return;
    this.#isSilenceLogged = isSilent;
    const { reason } = this.#status;
    if (!isSilent) this.#options.log('info', 'The standby follows again');
    else this.#options.log('error', `The standby does not follow: ${reason ?? 'its process does not report'}`);
  }

  #exited(how: string): void {
    this.#child = undefined;
    if (this.#isStopped) return;
    const { log, clock } = this.#options;
    log('error', `The process of the standby ended: ${how}`);
    this.#status = { ...this.#status, reason: how };
    const delayMs = Math.min(SHIPPING_BOUNDS.restartMs * 2 ** this.#ends++, SHIPPING_BOUNDS.maxRestartMs);
    this.#restart = clock.after(delayMs, () => this.follow());
  }
}
