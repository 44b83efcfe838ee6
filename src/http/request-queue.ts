/**
 * The requests of a thread that have been read, in the order of their arrival. Those of one tick are handled together
 * for as long as one slice lasts. The others wait for the next slice, between which the event loop reads further
 * requests: of these, pages are answered at once, and commands are declined while the queue grows without end. The
 * thread is never idle while a request waits here, so this is the order in which it works, and no queue for a resource.
 */
import type { QueueStatistics } from '../base/admission.ts';
import type { Clock } from '../base/clock.ts';
import { CoDel } from '../base/codel.ts';
import type { HostedConnection } from './connection-host.ts';

/** Requests are handled for so long before others are read. A tick of usual commands takes less. */
const ROUND_MS = 25;
/** Requests that are handled between two looks at the clock. */
const UNTIMED = 4;
/** Pipelined requests are handled for so long before other sockets are read. */
const PIPELINED_MS = 2;
/** So many requests may wait, however slow they are: a few clients with large requests are no overload. */
const ALWAYS_ADMITTED = 64;

interface Waiting {
  readonly connection: HostedConnection;
  readonly sinceMs: number;
}

export class RequestQueue {
  readonly #clock: Clock;
  readonly #codel: CoDel;
  #rejected = 0;
  #waits = 0;
  #waitedMs = 0;
  /** Connections with a request that arrived in this tick. */
  #batch: HostedConnection[] = [];
  /** Connections with a pipelined request for the next tick. */
  #pipelined: HostedConnection[] = [];
  #pipelinedUntilMs = 0;
  /** Requests that a slice left over, from {@link #first} on. */
  #waiting: Waiting[] = [];
  #first = 0;

  constructor(clock: Clock, targetMs: number) {
    this.#clock = clock;
    this.#codel = new CoDel(clock, targetMs);
  }

  get waiting(): number {
    return this.#waiting.length - this.#first;
  }

  /** Returns the statistics of requests that had to wait to be handled. */
  statistics(): QueueStatistics {
    return { rejected: this.#rejected, waits: this.#waits, waitedMs: this.#waitedMs };
  }

  add(connection: HostedConnection): void {
    if (this.#batch.push(connection) === 1) this.#clock.endOfTick(() => this.#endBatch());
  }

  /**
   * Adds a request that arrived with those before it. They would otherwise be handled in one tick, one by one, however
   * many there are.
   */
  addPipelined(connection: HostedConnection): void {
    if (this.#clock.monotonicMs() < this.#pipelinedUntilMs) this.add(connection);
    else if (this.#pipelined.push(connection) === 1) this.#clock.nextTick(() => this.#continuePipelined());
  }

  #continuePipelined(): void {
    this.#pipelinedUntilMs = this.#clock.monotonicMs() + PIPELINED_MS;
    const connections = this.#pipelined;
    this.#pipelined = [];
    for (const connection of connections) this.add(connection);
  }

  #endBatch(): void {
    const batch = this.#batch;
    this.#batch = [];
    if (this.waiting > 0) {
      for (const connection of batch) this.#wait(connection);
      return;
    }
    const endMs = this.#clock.monotonicMs() + ROUND_MS;
    let done = 0;
    while (done < batch.length) {
      batch[done++]?.work();
      if (done % UNTIMED === 0 && this.#clock.monotonicMs() >= endMs) break;
    }
    for (let at = 0; at < done; at++) batch[at]?.answer();
    if (done === batch.length) return;
    for (; done < batch.length; done++) {
      const connection = batch[done];
      if (connection !== undefined) this.#wait(connection);
    }
    this.#schedule();
  }

  /** Queues the request, answers it at once if it asks for a page, or declines it. */
  #wait(connection: HostedConnection): void {
    const nowMs = this.#clock.monotonicMs();
    if (connection.asksForPage) connection.work();
    else if (this.waiting < ALWAYS_ADMITTED || !this.#codel.isOverloaded()) {
      this.#waiting.push({ connection, sinceMs: nowMs });
      return;
    } else {
      this.#rejected++;
      connection.decline();
    }
    connection.answer();
  }

  #schedule(): void {
    // A timer lets the event loop read sockets; the end of the tick would not.
    this.#clock.after(0, () => this.#continue());
  }

  /** Handles waiting requests for one slice. */
  #continue(): void {
    const startMs = this.#clock.monotonicMs();
    const first = this.#first;
    let nowMs = startMs;
    while (this.waiting > 0 && nowMs < startMs + ROUND_MS) {
      const entry = this.#waiting[this.#first++];
      entry?.connection.work();
      const waitedMs = nowMs - (entry?.sinceMs ?? nowMs);
      this.#waits++;
      this.#waitedMs += waitedMs;
      this.#codel.left(waitedMs);
      nowMs = this.#clock.monotonicMs();
    }
    for (let at = first; at < this.#first; at++) this.#waiting[at]?.connection.answer();
    if (this.#first * 2 > this.#waiting.length) {
      this.#waiting.splice(0, this.#first);
      this.#first = 0;
    }
    if (this.waiting > 0) this.#schedule();
  }
}
