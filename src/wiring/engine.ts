/** Which engine is plugged in, by the configuration. */
import type { Clock } from '../base/clock.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { PRODUCT_VERSION } from '../configuration/version.ts';
import { openEmbeddedGrid, type WriterEnd } from '../engines/embedded/embedded-grid.ts';
import type { EmbeddedSettings, QueriesFactory } from '../engines/embedded/embedded-options.ts';
import type { ThreadSetup } from '../engines/embedded/engine-thread.ts';
import { openGuardLibrary } from '../engines/embedded/native/guard-library.ts';
import { localQueries } from '../engines/embedded/queries/local-queries.ts';
import { QueryBoard } from '../engines/embedded/queries/query-board.ts';
import { QueryPool, type QueryThreads } from '../engines/embedded/queries/query-pool.ts';
import type { ServiceFacts } from '../engines/embedded/queries/system-views/service-facts.ts';
import type { Grid } from '../grid/grid.ts';
import type { Log } from '../service/log.ts';
import { AskedQueryThreads, type OnThreadEnd, QueryThreadOwner } from './query-threads.ts';
import { systemTables } from './system-tables.ts';

/** An open engine, as the main thread has it. */
export interface OpenEngine {
  readonly grid: Grid;
  /** Part of the ids of this process's cursors; undefined where there is only one process. */
  readonly cursorTag?: number;
  /** What other threads share; undefined where each opens an engine of its own. */
  readonly shares: EngineShares | undefined;
  openCursors(): number;
  /** Cancels all statements that run, for good. */
  cancel(): void;
  close(): Promise<void>;
}

/** What the main thread gives to threads that take part in its engine. */
export interface EngineShares {
  /** Memory of the board of queries. */
  readonly board: SharedArrayBuffer;
  connect(link: WriterEnd): ThreadSetup;
  disconnect(link: WriterEnd): void;
  addAsker(onThreadEnd: OnThreadEnd): () => void;
  queryPort(index: number): MessagePort;
  /** Says where statements over views of the service find what they show. */
  showService(facts: () => MaybePromise<ServiceFacts>): void;
}

/** Parts of threads beside those that answer requests: query threads, and threads that are started again. */
const FURTHER_THREADS = 24;

/** Opens the engine; `argv` starts further threads the same way. */
export async function openEngine(
  configuration: Configuration,
  argv: readonly string[],
  clock: Clock,
  log: Log,
): Promise<OpenEngine> {
  // Loaded when it is asked for: most services never do.
  if (configuration.engine.kind === 'cluster') {
    const { openClusterEngine } = await import('./cluster-engine.ts');
    return openClusterEngine(configuration, clock);
  }
  const asked = new AskedQueryThreads(clock, (index) => owner.port(index));
  const board = new QueryBoard();
  const library = await openGuardLibrary(`${process.platform}-${process.arch}`);
  if (library.path === undefined) log.warn('Statements are interrupted by polling', { reason: library.reason });
  const grid = await openEmbeddedGrid({
    ...embeddedSettings(configuration),
    clock,
    log: (level, text) => log[level](text),
    threads: configuration.workers + FURTHER_THREADS,
    queries: queriesOf(configuration, clock, asked, board),
  });
  const owner = new QueryThreadOwner({ grid, configuration, argv, clock, log, board, library });
  owner.addAsker((index) => asked.ended(index));
  return {
    grid,
    shares: {
      board: board.memory,
      connect: (link) => grid.connect(link),
      disconnect: (link) => grid.disconnect(link),
      addAsker: (onThreadEnd) => owner.addAsker(onThreadEnd),
      queryPort: (index) => owner.port(index),
      showService(facts) {
        owner.serviceFacts = facts;
      },
    },
    openCursors: () => board.openCursors(),
    cancel: () => board.stop(),
    async close() {
      await owner.stop();
      await grid.close();
      library.release();
    },
  };
}

/** The queries of a thread that answers requests. */
export function queriesOf(
  { interceptor, query }: Configuration,
  clock: Clock,
  threads: QueryThreads,
  board: QueryBoard,
): QueriesFactory {
  const onSend = interceptor?.onSend?.bind(interceptor);
  return (thread, changes) =>
    new QueryPool({
      threads,
      board,
      clock,
      readers: query.threads,
      local: localQueries({
        thread,
        clock,
        changes,
        virtualTables: systemTables,
        onSend,
        statisticsVersion: () => board.statisticsVersion(),
      }),
    });
}

/** What of the configuration the embedded engine takes. */
export function embeddedSettings(configuration: Configuration): EmbeddedSettings {
  const { dataDir, serviceName, defaultCache, regions, templates, caches, classes, limits } = configuration;
  return {
    dataDir,
    version: PRODUCT_VERSION,
    nodeName: serviceName,
    defaultCache,
    regions,
    templates,
    caches,
    classes,
    limits,
  };
}
