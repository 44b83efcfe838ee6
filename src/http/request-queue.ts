/**
 * A thread's requests that have been read, in order of arrival. Those of one tick are handled together for up to one
 * slice. The others wait for the next slice, between which the event loop reads more requests: of these, pages are
 * answered immediately, and commands are declined while the queue keeps growing. The thread is never idle while a
 * request waits here, so this is the order in which it works, not a queue for a resource.
 */
import type { QueueStatistics } from '../base/admission.ts';
import type { Clock } from '../base/clock.ts';
import { CoDel } from '../base/codel.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { IncomingRequest, RequestHandler, Served } from './incoming-request.ts';
import type { Reply } from './reply.ts';

/** Requests are handled for this long before others are read. A tick of typical commands takes less. */
const ROUND_MS = 25;
/** Number of requests handled between readings of the clock. */
const UNTIMED = 4;
/** Pipelined requests are handled for this long before other sockets are read. */
const PIPELINED_MS = 2;
/** This many requests may wait, however slow they are: a few clients with large requests are not an overload. */
const ALWAYS_ADMITTED = 64;

/** Sends a request's response. */
export interface ReplyReceiver {
  /** Sends the response now or, if it is a promise, as soon as it resolves. */
  answer(request: IncomingRequest, reply: MaybePromise<Reply>): void;
}

interface Entry {
  readonly request: IncomingRequest;
  readonly receiver: ReplyReceiver;
  /** When it began to wait for a slice. */
  sinceMs: number;
  /** Set once it has been handled. */
  reply: MaybePromise<Reply> | undefined;
}

export class RequestQueue {
  readonly #clock: Clock;
  readonly #codel: CoDel;
  readonly #handler: Pick<RequestHandler, 'handle' | 'decline'>;
  readonly #serves: Served;
  #rejected = 0;
  #waits = 0;
  #waitedMs = 0;
  /** Requests that arrived in this tick. */
  #batch: Entry[] = [];
  /** Pipelined requests for the next tick. */
  #pipelined: Entry[] = [];
  #pipelinedUntilMs = 0;
  /** Requests left over by a slice, from {@link #first} on. */
  #waiting: Entry[] = [];
  #first = 0;

  constructor(clock: Clock, targetMs: number, handler: Pick<RequestHandler, 'handle' | 'decline'>, serves: Served) {
    this.#clock = clock;
    this.#codel = new CoDel(clock, targetMs);
    this.#handler = handler;
    this.#serves = serves;
  }

  /** The number of requests waiting to be handled. */
  get waiting(): number {
    return this.#waiting.length - this.#first;
  }

  /** Returns the statistics of requests that had to wait to be handled. */
  statistics(): QueueStatistics {
    return { rejected: this.#rejected, waits: this.#waits, waitedMs: this.#waitedMs };
  }

  /** Handles a request, or declines it, after all requests of this tick have been read. */
  add(request: IncomingRequest, receiver: ReplyReceiver): void {
    this.#addToBatch({ request, receiver, sinceMs: 0, reply: undefined });
  }

  /**
   * Adds a request that had arrived before the preceding one was answered. Otherwise they would all be handled in one
   * tick, one by one, however many there are.
   */
  addPipelined(request: IncomingRequest, receiver: ReplyReceiver): void {
    if (this.#clock.monotonicMs() < this.#pipelinedUntilMs) {
      this.add(request, receiver);
      return;
    }
    this.#pipelined.push({ request, receiver, sinceMs: 0, reply: undefined });
    if (this.#pipelined.length === 1) this.#clock.nextTick(() => this.#continuePipelined());
  }

  #addToBatch(entry: Entry): void {
    if (this.#batch.push(entry) === 1) this.#clock.endOfTick(() => this.#endBatch());
  }

  #continuePipelined(): void {
    this.#pipelinedUntilMs = this.#clock.monotonicMs() + PIPELINED_MS;
    const entries = this.#pipelined;
    this.#pipelined = [];
    for (const entry of entries) this.#addToBatch(entry);
  }

  /**
   * Reading all requests of a tick, then handling them, then writing all responses is faster than one by one: the code
   * of each step stays in the processor's caches, and clients wake up only once.
   */
  #endBatch(): void {
    const batch = this.#batch;
    this.#batch = [];
    if (this.waiting > 0) {
      for (const entry of batch) this.#wait(entry);
      return;
    }
    const endMs = this.#clock.monotonicMs() + ROUND_MS;
    let done = 0;
    for (const entry of batch) {
      this.#handle(entry);
      if (++done % UNTIMED === 0 && this.#clock.monotonicMs() >= endMs) break;
    }
    const left = batch.splice(done);
    for (const entry of batch) answer(entry);
    if (left.length === 0) return;
    for (const entry of left) this.#wait(entry);
    this.#schedule();
  }

  #handle(entry: Entry): void {
    entry.reply = this.#handler.handle(entry.request, this.#serves);
  }

  /** Queues the request, answers it immediately if it asks for a page, or declines it. */
  #wait(entry: Entry): void {
    if (asksForPage(entry.request)) this.#handle(entry);
    else if (this.waiting < ALWAYS_ADMITTED || !this.#codel.isOverloaded()) {
      entry.sinceMs = this.#clock.monotonicMs();
      this.#waiting.push(entry);
      return;
    } else {
      this.#rejected++;
      entry.reply = this.#handler.decline(entry.request, this.waiting);
    }
    answer(entry);
  }

  #schedule(): void {
    // A timer lets the event loop read sockets; the end of the tick would not.
    this.#clock.after(0, () => this.#continue());
  }

  /** Handles waiting requests for one slice. */
  #continue(): void {
    const startMs = this.#clock.monotonicMs();
    const handled: Entry[] = [];
    let nowMs = startMs;
    while (nowMs < startMs + ROUND_MS) {
      const entry = this.#waiting[this.#first];
      if (entry === undefined) break;
      this.#first++;
      this.#handle(entry);
      handled.push(entry);
      const waitedMs = nowMs - entry.sinceMs;
      this.#waits++;
      this.#waitedMs += waitedMs;
      this.#codel.left(waitedMs);
      nowMs = this.#clock.monotonicMs();
    }
    for (const entry of handled) answer(entry);
    if (this.#first * 2 > this.#waiting.length) {
      this.#waiting.splice(0, this.#first);
      this.#first = 0;
    }
    if (this.waiting > 0) this.#schedule();
  }
}

function answer({ request, receiver, reply }: Entry): void {
  if (reply !== undefined) receiver.answer(request, reply);
}

/** Returns whether a request is for a monitoring page, which even an overloaded service answers. */
function asksForPage({ line: { target } }: IncomingRequest): boolean {
  return target.startsWith('/health/') || target.startsWith('/metrics');
}
