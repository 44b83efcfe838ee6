/** Follows a primary's objects, in the process that ships when this service is the primary. */

import { openBootClock } from '../../../../../base/boot-clock.ts';
import { type Clock, sleep } from '../../../../../base/clock.ts';
import { errorText } from '../../../../../base/errors.ts';
import type { RpcChannel } from '../../../../../base/rpc-channel.ts';
import { readKeys } from '../../backup-keys.ts';
import { type DestinationContext, openDestination } from '../open-destination.ts';
import type { CaughtUp, FollowRequest, ShippingMethods, ShippingReports } from '../shipping-messages.ts';
import { Follower } from './follower.ts';
import { failoverLimits, openLeases } from './open-leases.ts';

/** Longest pause after consecutive failures. */
const MAX_PAUSE_MS = 10_000;
/** How often the objects are listed while none with the next name arrives: it may have been merged and removed. */
const LIST_MS = 30_000;
const REPORT_MS = 500;

export class StandbyProcess {
  readonly #context: DestinationContext;
  readonly #clock: Clock;
  readonly #service: Pick<RpcChannel<ShippingReports, ShippingMethods>, 'call'>;
  #follower: Follower | undefined;
  #following: Promise<void> | undefined;
  readonly #stopped = Promise.withResolvers<void>();
  #isStopped = false;
  #currentAtMs = 0;
  #reason: string | null = null;

  constructor(context: DestinationContext, service: Pick<RpcChannel<ShippingReports, ShippingMethods>, 'call'>) {
    this.#context = context;
    this.#clock = context.clock;
    this.#service = service;
  }

  follow(request: FollowRequest): Promise<void> {
    this.#following ??= this.#run(request);
    return this.#following;
  }

  async catchUp(request: FollowRequest): Promise<CaughtUp> {
    this.#isStopped = true;
    this.#stopped.resolve();
    await this.#following;
    const follower = this.#open(request);
    const position = await follower.catchUp();
    const { pageHashes, isLast } = follower;
    follower.close();
    return { position, pageHashes, isLast };
  }

  /** Never rejects. */
  async #run(request: FollowRequest): Promise<void> {
    const reports = this.#clock.every(REPORT_MS, () => this.#report());
    let failures = 0;
    let listedMs = Number.NEGATIVE_INFINITY;
    while (!this.#isStopped) {
      let pauseMs = request.pollMs;
      try {
        const follower = this.#open(request);
        const atMs = this.#clock.nowMs();
        if (await follower.step()) {
          pauseMs = 0;
          if (follower.hasAll) this.#currentAtMs = atMs;
        } else if (this.#clock.monotonicMs() - listedMs > LIST_MS) {
          listedMs = this.#clock.monotonicMs();
          await follower.applyMerged();
        } else this.#currentAtMs = atMs;
        if (failures > 0) this.#log('info', 'The copy follows again');
        failures = 0;
        this.#reason = null;
      } catch (error) {
        pauseMs = Math.min(MAX_PAUSE_MS, request.pollMs * 2 ** Math.min(failures++, 10));
        const text = errorText(error);
        if (text !== this.#reason) this.#log('warn', `The copy does not follow: ${text}`);
        this.#reason = text;
      }
      if (pauseMs > 0) await Promise.race([sleep(this.#clock, pauseMs), this.#stopped.promise]);
    }
    reports.cancel();
  }

  #open({ url, folder, processId, keyFile, leaseMs, program, database }: FollowRequest): Follower {
    if (this.#follower !== undefined) return this.#follower;
    const keys = keyFile === undefined ? undefined : readKeys(keyFile);
    const context = { ...this.#context, limits: failoverLimits(leaseMs) };
    this.#follower = new Follower({
      destination: openDestination(url, context, { keys }),
      leases: openLeases({ url, folder, leaseMs, bootMs: openBootClock(), processId }, context),
      ...{ folder, database, program, clock: this.#clock },
      log: (level, text) => this.#log(level, text),
      onLost: (lost) => void this.#service.call('lost', lost).catch(() => {}),
    });
    return this.#follower;
  }

  #report(): void {
    const follower = this.#follower;
    const status = {
      position: follower?.position ?? null,
      lastObjectMs: follower?.lastObjectMs ?? 0,
      currentAtMs: this.#currentAtMs,
      ...(follower?.counts ?? { objects: 0, copies: 0 }),
      reason: this.#reason,
    };
    this.#service.call('copy', status).catch(() => {});
  }

  #log(level: 'info' | 'warn' | 'error', text: string): void {
    this.#service.call('log', { level, text }).catch(() => {});
  }
}
