/** Which engine is plugged in, by the configuration. */
import type { Clock } from '../base/clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { PRODUCT_VERSION } from '../configuration/version.ts';
import { openEmbeddedGrid, type WriterEnd } from '../engines/embedded/embedded-grid.ts';
import type { EmbeddedSettings } from '../engines/embedded/embedded-options.ts';
import type { ThreadSetup } from '../engines/embedded/engine-thread.ts';
import type { Grid } from '../grid/grid.ts';
import type { Log } from '../service/log.ts';

/** An open engine, as the main thread has it. */
export interface OpenEngine {
  readonly grid: Grid;
  /** Takes part of another thread; undefined where threads open an engine of their own. */
  connect(link: WriterEnd): ThreadSetup | undefined;
  disconnect(link: WriterEnd): void;
  openCursors(): number;
  close(): Promise<void>;
}

/** Parts of threads beside those that answer requests: query threads, and threads that are started again. */
const FURTHER_THREADS = 24;

/** Opens the engine; `workers` is the number of threads that answer requests. */
export async function openEngine(
  configuration: Configuration,
  clock: Clock,
  log: Log,
  workers: number,
): Promise<OpenEngine> {
  const grid = await openEmbeddedGrid({
    ...embeddedSettings(configuration),
    clock,
    log: (level, text) => log[level](text),
    threads: workers + FURTHER_THREADS,
  });
  return {
    grid,
    connect: (link) => grid.connect(link),
    disconnect: (link) => grid.disconnect(link),
    openCursors: () => 0,
    close: () => grid.close(),
  };
}

/** What of the configuration the embedded engine takes. */
function embeddedSettings(configuration: Configuration): EmbeddedSettings {
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
