/**
 * The query threads of the process: started when something is first asked of one, started again when one dies. A thread
 * that answers requests is an asker: it gets a port to a query thread when it first needs it.
 */
import type { Clock } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { ThreadLink } from '../base/thread-link.ts';
import { threadUrl } from '../base/thread-url.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { EmbeddedGrid } from '../engines/embedded/embedded-grid.ts';
import type { QueryLink, QueryThreads } from '../engines/embedded/queries/query-pool.ts';
import type { Tickets } from '../engines/embedded/queries/query-protocol.ts';
import type { OwnedServices, OwnerServices, QueryThreadStart } from '../engines/embedded/queries/query-thread.ts';
import type { Log } from '../service/log.ts';
import { portOf } from './thread-port.ts';

/** What a query thread's entry is sent: its start, then a port for each asker. */
export type QueryThreadMessage =
  | {
      readonly say: 'start';
      readonly start: QueryThreadStart;
      readonly argv: readonly string[];
      readonly port: MessagePort;
    }
  | { readonly say: 'asker'; readonly port: MessagePort };

/** Is told when a query thread has died: its port leads nowhere. */
export type OnThreadEnd = (index: number) => void;

const MOST_THREADS = 4;
/** A busy writer lets the log grow while a cursor keeps its snapshot; looked at so often. */
const LOG_CHECK_MS = 1_000;
const LOG_MARK_BYTES = 64 * 1024 * 1024;

interface Running {
  readonly worker: Worker;
  readonly link: ThreadLink<OwnedServices, OwnerServices>;
  /** Ends a lease that the thread left behind. */
  abandon(): void;
}

/** What makes the threads; in the main thread. */
export class QueryThreadOwner {
  readonly count = MOST_THREADS;
  /** Shared by all who start and cancel statements. */
  readonly tickets: Tickets;
  readonly #grid: EmbeddedGrid;
  readonly #configuration: Configuration;
  readonly #argv: readonly string[];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #cursorCounts = new SharedArrayBuffer(MOST_THREADS * Int32Array.BYTES_PER_ELEMENT);
  readonly #running = new Map<number, Running>();
  readonly #askers = new Set<OnThreadEnd>();
  #stopping = false;

  constructor(
    grid: EmbeddedGrid,
    configuration: Configuration,
    argv: readonly string[],
    clock: Clock,
    log: Log,
    tickets: Tickets,
  ) {
    this.#grid = grid;
    this.tickets = tickets;
    this.#configuration = configuration;
    this.#argv = argv;
    this.#clock = clock;
    this.#log = log;
    clock.every(LOG_CHECK_MS, () => this.#relieveLog());
  }

  /** Takes part of an asker; gives what ends it. */
  addAsker(onThreadEnd: OnThreadEnd): () => void {
    this.#askers.add(onThreadEnd);
    return () => this.#askers.delete(onThreadEnd);
  }

  /** A new port to the thread, which is started if it does not run. */
  port(index: number): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const message: QueryThreadMessage = { say: 'asker', port: port1 };
    (this.#running.get(index) ?? this.#start(index)).worker.postMessage(message, [port1]);
    return port2;
  }

  openCursors(): number {
    return new Int32Array(this.#cursorCounts).reduce((sum, each) => sum + each, 0);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.allSettled([...this.#running.values()].map(({ link }) => link.call('stop', null)));
    for (const { worker, link } of this.#running.values()) {
      link.close();
      worker.terminate();
    }
  }

  #start(index: number): Running {
    const worker = new Worker(threadUrl('query-thread.ts'));
    const { port1, port2 } = new MessageChannel();
    const link = new ThreadLink<OwnedServices, OwnerServices>(portOf(port1), this.#clock);
    const setup = this.#grid.connect(link);
    const { limits, queryIdleTimeoutMs, queryTimeoutMs } = this.#configuration;
    const start: QueryThreadStart = {
      setup,
      index,
      tickets: this.tickets.memory,
      cursorCounts: this.#cursorCounts,
      maxCursors: Math.max(1, Math.ceil(limits.openCursors / this.count)),
      idleMs: queryIdleTimeoutMs,
      timeoutMs: queryTimeoutMs,
    };
    const message: QueryThreadMessage = { say: 'start', argv: this.#argv, port: port2, start };
    worker.postMessage(message, [port2]);
    worker.addEventListener('error', (event) => {
      this.#log.error('A query thread failed', { thread: index, detail: String(event.message ?? event) });
    });
    worker.addEventListener('close', () => this.#ended(index));
    const running: Running = { worker, link, abandon: serveLease(link, this.#grid) };
    this.#running.set(index, running);
    return running;
  }

  #ended(index: number): void {
    const running = this.#running.get(index);
    if (running === undefined || this.#stopping) return;
    this.#log.warn('A query thread ended; it is started again when it is needed', { thread: index });
    this.#running.delete(index);
    Atomics.store(new Int32Array(this.#cursorCounts), index, 0);
    running.abandon();
    this.#grid.disconnect(running.link);
    running.link.close();
    for (const tell of this.#askers) tell(index);
  }

  #relieveLog(): void {
    if (this.openCursors() === 0 || this.#grid.logBytes() < LOG_MARK_BYTES) return;
    for (const { link } of this.#running.values()) link.call('detachCursors', null).catch(() => {});
  }
}

/** Answers beginLease and endLease; gives what ends a lease whose thread has died. */
function serveLease(link: ThreadLink<OwnedServices, OwnerServices>, grid: EmbeddedGrid): () => void {
  let end: ((databases: readonly number[]) => void) | undefined;
  link.serve('beginLease', () => {
    const granted = Promise.withResolvers<null>();
    const lease = grid.writer.withLease(() => {
      const done = Promise.withResolvers<readonly number[]>();
      end = done.resolve;
      granted.resolve(null);
      return done.promise;
    });
    lease.catch(granted.reject);
    return granted.promise;
  });
  link.serve('endLease', (databases) => {
    end?.(databases);
    end = undefined;
    return null;
  });
  return () => end?.([]);
}

/** The query threads as an asker sees them. */
export class AskedQueryThreads implements QueryThreads {
  readonly count = MOST_THREADS;
  readonly #clock: Clock;
  readonly #port: (index: number) => MessagePort | Promise<MessagePort>;
  readonly #links = new Map<number, Promise<QueryLink>>();

  /** `port` gives a new port to a query thread. */
  constructor(clock: Clock, port: (index: number) => MessagePort | Promise<MessagePort>) {
    this.#clock = clock;
    this.#port = port;
  }

  link(index: number): Promise<QueryLink> {
    let link = this.#links.get(index);
    if (link === undefined) {
      link = this.#open(index);
      this.#links.set(index, link);
      link.catch(() => this.#links.delete(index));
    }
    return link;
  }

  /** Everything asked of the thread fails; the next question starts it again. */
  ended(index: number): void {
    const link = this.#links.get(index);
    this.#links.delete(index);
    link?.then((each) => each.close(fail('QUERY_CANCELLED', 'its thread ended')));
  }

  async #open(index: number): Promise<QueryLink> {
    return new ThreadLink(portOf(await this.#port(index)), this.#clock);
  }
}
