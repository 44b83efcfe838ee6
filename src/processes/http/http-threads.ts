/**
 * Starts the HTTP threads other than the main thread and restarts those that die. Each calls the main thread over an
 * RPC channel.
 */
import { SHARE_ENV } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { RpcChannel } from '../../base/rpc-channel.ts';
import { threadUrl } from '../../base/thread-url.ts';
import { type StatementSlotMethods, serveStatementSlots } from '../../engines/embedded/dispatch/statement-slots.ts';
import type { QueryAreas } from '../../engines/embedded/shared/shared-query-state.ts';
import type { ReaderMethods } from '../../engines/embedded/thread/embedded-reader.ts';
import type { ThreadSetup } from '../../engines/embedded/thread/engine-thread.ts';
import type { SentChanges } from '../../engines/embedded/writer/change-messages.ts';
import type { SharedPorts } from '../../http/server.ts';
import type { ClientConnection } from '../../http/socket-server.ts';
import type { Log } from '../../service/monitoring/log.ts';
import type { SharedMemories } from '../../wiring/http-part.ts';
import type { OpenEngine } from '../../wiring/open-engine.ts';
import { portOf } from '../../wiring/thread-port.ts';
import type { ProcessEnd } from '../statement/statement-process-client.ts';
import { type MainServices, registerServices, type ServiceMethods } from './service-channel.ts';

/** The first message to a thread. */
export interface ThreadStart {
  readonly argv: readonly string[];
  /** If undefined, the thread opens its own engine. */
  readonly setup: ThreadSetup | undefined;
  /** The shared query state, present with `setup`. */
  readonly queryState: QueryAreas | undefined;
  readonly guardLibrary: string | undefined;
  readonly thread: number;
  readonly memories: SharedMemories;
  readonly ports: SharedPorts;
}

/** Methods of the main thread. */
export type MainThreadMethods = SentChanges & ServiceMethods & ThreadReports;
export type ThreadReports = StatementSlotMethods & {
  /** Returns the path of a statement process's socket. */
  readonly processAddress: { readonly request: number; readonly response: string };
  /** Reports that the thread serves requests. */
  readonly listening: { readonly request: null; readonly response: undefined };
};
/** Methods of an HTTP thread. */
export type ThreadMethods = ReaderMethods & {
  /** Reports that a statement process has ended. */
  readonly statementProcessEnded: { readonly request: ProcessEnd; readonly response: undefined };
  readonly stop: { readonly request: null; readonly response: undefined };
  readonly clients: { readonly request: null; readonly response: readonly ClientConnection[] };
};

export interface HttpThreads {
  /** Returns the client connections by thread; ids are unique within a thread. */
  clients(): Promise<ReadonlyArray<readonly ClientConnection[]>>;
  stop(): Promise<void>;
}

export interface HttpThreadsOptions {
  readonly count: number;
  readonly argv: readonly string[];
  readonly engine: OpenEngine;
  readonly services: MainServices;
  readonly memories: SharedMemories;
  readonly ports: SharedPorts;
  readonly clock: Clock;
  readonly log: Log;
  /** Reports that a thread has started (1) or ended (-1). */
  readonly onCount: (change: 1 | -1, thread: number) => void;
}

/** A thread that fails immediately must not occupy a processor with its restarts. */
const RESTART_MS = 200;

/** Starts the threads; resolves when all listen. */
export async function startHttpThreads(options: HttpThreadsOptions): Promise<HttpThreads> {
  const { count, argv, engine, services, memories, ports, clock, log, onCount } = options;
  const channels = new Map<number, RpcChannel<ThreadMethods, MainThreadMethods>>();
  let stopping = false;

  function start(thread: number): Promise<void> {
    // Otherwise it would get the environment with which the process started, without variables from files.
    const worker = new Worker(threadUrl('processes/http/http-thread.ts'), { env: SHARE_ENV });
    onCount(1, thread);
    const { port1, port2 } = new MessageChannel();
    const channel = new RpcChannel<ThreadMethods, MainThreadMethods>(portOf(port1), clock);
    channels.set(thread, channel);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    registerServices(channel, services);
    channel.serve('listening', () => {
      resolve();
      return undefined;
    });
    const { shares } = engine;
    const setup = shares?.connect(channel);
    const removeClient = shares?.addClient((end) => void channel.call('statementProcessEnded', end).catch(() => {}));
    const releaseSlots = shares === undefined ? undefined : serveStatementSlots(channel, shares.slots);
    if (shares !== undefined) channel.serve('processAddress', (index) => shares.processAddress(index));
    worker.addEventListener('error', (event) => {
      const detail = event instanceof ErrorEvent ? event.message : String(event);
      log.error('An HTTP thread failed', { thread, detail });
      reject(new Error(detail));
    });
    worker.addEventListener('close', () => {
      onCount(-1, thread);
      shares?.disconnect(channel);
      removeClient?.();
      releaseSlots?.();
      channel.close();
      if (stopping) return;
      reject(new Error('a thread ended while it was starting'));
      log.warn('An HTTP thread ended and is restarted', { thread });
      clock.after(RESTART_MS, () => void start(thread).catch(() => {}));
    });
    const message: ThreadStart = {
      argv,
      setup,
      queryState: shares?.queryState,
      guardLibrary: shares?.guardLibrary,
      thread,
      memories,
      ports,
    };
    worker.postMessage({ ...message, port: port2 }, [port2]);
    return promise;
  }

  // Index 0 is the main thread.
  await Promise.all(Array.from({ length: count }, (_, index) => start(index + 1)));
  return {
    async clients() {
      const results = await Promise.allSettled([...channels.values()].map((channel) => channel.call('clients', null)));
      return results.map((result) => (result.status === 'fulfilled' ? result.value : []));
    },
    async stop() {
      stopping = true;
      await Promise.allSettled([...channels.values()].map((channel) => channel.call('stop', null)));
      for (const channel of channels.values()) channel.close();
    },
  };
}
