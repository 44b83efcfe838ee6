/**
 * The query threads of the process: started when something is first asked of one, started again when one dies. A thread
 * that answers requests is an asker: it gets a port to a query thread when it first needs it.
 */
import { type Clock, sleep } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { ThreadLink } from '../base/thread-link.ts';
import { threadUrl } from '../base/thread-url.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { EmbeddedGrid } from '../engines/embedded/embedded-grid.ts';
import type { GuardLibrary } from '../engines/embedded/native/guard-library.ts';
import { GuardWatch } from '../engines/embedded/native/statement-guard.ts';
import { GUARDS_OFFSET, QUERY_THREADS, type QueryBoard } from '../engines/embedded/queries/query-board.ts';
import type { QueryLink, QueryThreads } from '../engines/embedded/queries/query-pool.ts';
import type { OwnedServices, OwnerServices, QueryThreadStart } from '../engines/embedded/queries/query-thread.ts';
import type { ServiceFacts } from '../engines/embedded/queries/system-views/service-facts.ts';
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

/** A busy writer lets the log grow while a cursor keeps its snapshot; looked at so often. */
const LOG_CHECK_MS = 1_000;
const LOG_MARK_BYTES = 64 * 1024 * 1024;
/** A statement that cannot be cancelled is not waited for longer when the process stops. */
const STOP_MS = 1_500;
const SLOW_MS = 1_000;
/** A statement whose work has no loop is looked at so often. */
const GUARD_WATCH_MS = 20;

interface Running {
  readonly worker: Worker;
  readonly link: ThreadLink<OwnedServices, OwnerServices>;
  /** Ends a lease that the thread left behind. */
  abandon(): void;
}

export interface QueryThreadOwnerOptions {
  readonly grid: EmbeddedGrid;
  readonly configuration: Configuration;
  readonly argv: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly board: QueryBoard;
  /** What interrupts statements below SQL, where there is such a library. */
  readonly library: GuardLibrary;
}

/** What makes the threads; in the main thread. */
export class QueryThreadOwner {
  readonly #grid: EmbeddedGrid;
  readonly #configuration: Configuration;
  readonly #argv: readonly string[];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #board: QueryBoard;
  readonly #library: string | undefined;
  #guardWatch: GuardWatch | undefined;
  readonly #running = new Map<number, Running>();
  readonly #askers = new Set<OnThreadEnd>();
  #relieving = false;
  /** Size of the log when snapshots were freed last: without new changes nothing more can be gained. */
  #relievedBytes = 0;
  #stopping = false;
  /** What statements over views of the service are told; nothing until the service has said what. */
  serviceFacts: () => MaybePromise<ServiceFacts> = () => ({});

  constructor({ grid, configuration, argv, clock, log, board, library }: QueryThreadOwnerOptions) {
    this.#grid = grid;
    this.#board = board;
    this.#configuration = configuration;
    this.#argv = argv;
    this.#clock = clock;
    this.#log = log;
    this.#library = library.path;
    clock.every(LOG_CHECK_MS, () => void this.#relieveLog());
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

  /** Cancels what runs, and ends the threads. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#board.stop();
    const running = [...this.#running.values()];
    const stopped = Promise.allSettled(running.map(({ link }) => link.call('stop', null)));
    await Promise.race([stopped, sleep(this.#clock, STOP_MS)]);
    for (const { worker, link, abandon } of running) {
      abandon();
      link.close();
      worker.terminate();
    }
  }

  /** Looks after the statements of all query threads from now on. */
  #watchStatements(): void {
    if (this.#library === undefined || this.#guardWatch !== undefined) return;
    const watch = new GuardWatch(this.#library, this.#board.memory, GUARDS_OFFSET, QUERY_THREADS);
    this.#guardWatch = watch;
    this.#clock.every(GUARD_WATCH_MS, () => watch.look());
  }

  #start(index: number): Running {
    this.#watchStatements();
    // Many rows pass through it, and none of them stays: it collects them often instead of letting its heap grow.
    const worker = new Worker(threadUrl('query-thread.ts'), { smol: true });
    const { port1, port2 } = new MessageChannel();
    const link = new ThreadLink<OwnedServices, OwnerServices>(portOf(port1), this.#clock);
    const setup = this.#grid.connect(link);
    const { limits, queryIdleTimeoutMs, query } = this.#configuration;
    const start: QueryThreadStart = {
      setup,
      index,
      board: this.#board.memory,
      maxCursors: limits.openCursors,
      idleMs: queryIdleTimeoutMs,
      budget: query,
      guardLibrary: this.#library,
      slowMs: SLOW_MS,
    };
    const message: QueryThreadMessage = { say: 'start', argv: this.#argv, port: port2, start };
    worker.postMessage(message, [port2]);
    worker.addEventListener('error', (event) => {
      const detail = event instanceof ErrorEvent ? event.message : String(event);
      this.#log.error('A query thread failed', { thread: index, detail });
    });
    worker.addEventListener('close', () => this.#ended(index));
    link.serve('slowStatement', ({ text, user, timeMs, advice }) => {
      this.#log.warn('A statement was slow', {
        statement: text,
        timeMs: Math.round(timeMs),
        ...(user !== '' && { user }),
        ...(advice !== undefined && { advice }),
      });
      return null;
    });
    link.serve('serviceFacts', () => this.serviceFacts());
    const running: Running = { worker, link, abandon: serveLease(link, this.#grid) };
    this.#running.set(index, running);
    this.#board.started(index);
    return running;
  }

  #ended(index: number): void {
    const running = this.#running.get(index);
    if (running === undefined || this.#stopping) return;
    this.#log.warn('A query thread ended; it is started again when it is needed', { thread: index });
    this.#running.delete(index);
    this.#board.ended(index);
    running.abandon();
    this.#grid.disconnect(running.link);
    running.link.close();
    for (const tell of this.#askers) tell(index);
  }

  /** Frees the snapshots of cursors when the log has grown under them, so that it can be written back. */
  async #relieveLog(): Promise<void> {
    if (this.#relieving || this.#stopping || this.#board.openCursors() === 0) return;
    const bytes = this.#grid.logBytes();
    if (bytes < LOG_MARK_BYTES || bytes === this.#relievedBytes) return;
    this.#relieving = true;
    try {
      const running = [...this.#running.values()];
      await Promise.allSettled(running.map(({ link }) => link.call('detachCursors', null)));
      await running[0]?.link.call('checkpoint', null);
    } catch {
      // The thread has ended; the next look finds another one.
    } finally {
      this.#relievedBytes = this.#grid.logBytes();
      this.#relieving = false;
    }
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
  // What it has committed is not known: every reader begins anew.
  return () => end?.(grid.databaseNumbers());
}

/** The query threads as an asker sees them. */
export class AskedQueryThreads implements QueryThreads {
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
