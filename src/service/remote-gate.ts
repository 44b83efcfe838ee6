/**
 * Holds responses back until the commits that they depend on are in the destination of the continuous backup, so that
 * another service can take over without losing them. The response to a change, whatever it says, has seen the commits
 * before it: it waits for all commits that exist when it is complete. All waiting responses share the next object.
 */
import { gridError } from '../base/errors.ts';
import type { FailoverState } from '../base/failover-state.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { ThreadSignal } from '../base/thread-signal.ts';
import { findCommand } from '../commands/registry.ts';
import { WAIT_FOR_POSITION } from './change-positions.ts';
import {
  type CommandService,
  type FailureForm,
  failedOutcome,
  httpOf,
  type Outcome,
  type RawRequest,
} from './request.ts';
import { mayChange } from './request-execution.ts';

export interface RemoteGateOptions {
  readonly state: FailoverState;
  /** Returns the number of commits. */
  readonly commits: () => number;
  /** Sent when more has been shipped. */
  readonly shipped: ThreadSignal;
  /** Sent here when a response waits for shipping. */
  readonly wanted: ThreadSignal;
  /** The condition: that everything is shipped, or that unshipped commits are at most this many milliseconds old. */
  readonly waitsFor: 'all' | number;
  /** Whether reads also wait. */
  readonly gatesReads: boolean;
  readonly failureForm: FailureForm;
}

/** How often to check whether the term has ended, and whether more was shipped without an announcement. */
const LOOK_MS = 20;

interface Waiting {
  readonly commits: number;
  /** Whether it also waits for the lease: a stream would be cut without it. */
  readonly needsLease: boolean;
  /** Returns whether no client waits any longer, or undefined if one always does. */
  readonly isOver: (() => boolean) | undefined;
  readonly resolve: (isShipped: boolean) => void;
}

export class RemoteGate {
  readonly #options: RemoteGateOptions;
  #waiting: Waiting[] = [];
  #isLooking = false;

  constructor(options: RemoteGateOptions) {
    this.#options = options;
  }

  /** Returns the service with responses that wait. */
  wrap(service: CommandService): CommandService {
    const { answerOnce } = service;
    return {
      ...service,
      execute: (request, caller) => {
        const outcome = service.execute(request, caller);
        const isGated = this.#isGated(request);
        // The change feed, which contains other clients' changes: what has been delivered must not be undone.
        return chain(outcome, (known) =>
          isGated || known.stop !== undefined ? this.#released(known, request) : known,
        );
      },
      ...(answerOnce !== undefined && {
        answerOnce: async (kept) => this.#released(await answerOnce(kept), kept.request),
      }),
    };
  }

  #isGated(request: RawRequest): boolean {
    const { cmd = '', params } = request;
    const { waitsFor, gatesReads } = this.#options;
    const command = findCommand(cmd);
    if (command === undefined) return false;
    if (mayChange(command, params)) return true;
    return waitsFor === 'all' && (gatesReads || request.header(WAIT_FOR_POSITION) !== null);
  }

  #released(outcome: Outcome, request: Pick<RawRequest, 'signal'>): MaybePromise<Outcome> {
    const { response, stop } = outcome;
    if (typeof response !== 'string' && this.#options.waitsFor === 'all') {
      const { state } = this.#options;
      const signal = request.signal();
      let isStopped = false;
      const isOver = (): boolean => signal.aborted || (isStopped && !state.holds());
      const released = this.#releasedChunks(response, isOver);
      if (stop === undefined) return { ...outcome, response: released };
      return {
        ...outcome,
        response: released,
        stop() {
          isStopped = true;
          stop();
        },
      };
    }
    return chain(this.#pass(), (isShipped) => (isShipped ? outcome : this.#deposed()));
  }

  async *#releasedChunks(chunks: AsyncIterable<string>, isOver: () => boolean): AsyncGenerator<string> {
    for await (const chunk of chunks) {
      if (!(await this.#pass(true, isOver))) throw gridError('DEPOSED');
      yield chunk;
    }
    // Its source was stopped, as in an orderly shutdown.
    if (this.#options.state.isClosed) throw gridError('DEPOSED');
  }

  #deposed(): Outcome {
    const { errorObjects, httpStatus } = this.#options.failureForm;
    const failure = gridError('DEPOSED');
    return failedOutcome(failure, errorObjects, httpOf(failure.entry, httpStatus));
  }

  /** Waits for all commits so far. Resolves with false if the service has been deposed, or the wait is over. */
  #pass(needsLease = false, isOver?: () => boolean): MaybePromise<boolean> {
    const commits = this.#options.commits();
    const { state, wanted } = this.#options;
    if (this.#mayPass({ commits, needsLease })) return true;
    return new Promise((resolve) => {
      this.#waiting.push({ commits, needsLease, isOver, resolve });
      if (!state.isShipped(commits) && state.beginWait()) wanted.send();
      if (!this.#isLooking) void this.#look();
    });
  }

  #mayPass({ commits, needsLease }: Pick<Waiting, 'commits' | 'needsLease'>): boolean {
    const { state, waitsFor } = this.#options;
    if (needsLease && !state.holds()) return false;
    return state.isShipped(commits) || (waitsFor !== 'all' && state.unshippedMs() <= waitsFor);
  }

  async #look(): Promise<void> {
    const { state, shipped } = this.#options;
    this.#isLooking = true;
    for (let { count } = shipped; this.#waiting.length > 0; ) {
      await shipped.after(count, LOOK_MS);
      count = shipped.count;
      const { isClosed } = state;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const each of waiting) {
        const isShipped = this.#mayPass(each);
        if (isShipped || isClosed || each.isOver?.() === true) each.resolve(isShipped);
        else this.#waiting.push(each);
      }
    }
    this.#isLooking = false;
  }
}
