/** The shared part of the tests of the conformance suite. */
import type { Grid } from '../../src/grid/grid.ts';

/** How an engine differs from the others; the tests that do not apply end at once. */
export interface EngineTraits {
  /** False: it runs no statements. */
  readonly sql?: false;
  /** False: a custom value has the fields that its type had before. */
  readonly freeFields?: false;
  /** False: a cache name may be rejected for its characters, because files of a persistent region contain it. */
  readonly anyCacheName?: false;
  /** False: nodes count metrics for each copy and each part of an operation separately. */
  readonly exactMetrics?: false;
  /** False: an instant (java.util.Date) and a timestamp of the same millisecond may be the same key. */
  readonly distinctTimeKeys?: false;
  /** False: a text with a lone surrogate is rejected. */
  readonly loneSurrogates?: false;
  /** True: transactions are of entries of transactional caches; counters and statements are rejected. */
  readonly onlyEntriesInTransactions?: true;
}

/** An engine under test, open and empty except for its default cache. */
export interface SuiteSubject {
  readonly traits?: EngineTraits;
  /** The current grid; `restart` replaces it. */
  readonly grid: Grid;
  /** Advances the engine's clock. */
  pass(ms: number): Promise<void>;
  /** The factor by which the tests' times to live are longer: 1 with an engine's own clock, more with the system's. */
  readonly timeFactor: number;
  /** Closes the grid and opens its store again; absent if the tests cannot restart the engine. */
  readonly restart?: () => Promise<void>;
  /** A region that is not persistent, if there is one. The default region is persistent. */
  readonly temporaryRegion?: string;
  /** Creates a cache for transactions; absent if every cache takes part in them. */
  readonly newTransactionalCache?: () => Promise<string>;
  /** The tests may change the state and the default cache. */
  readonly exclusive: boolean;
  close(): Promise<void>;
}

/** The shared state of the parts of the suite. */
export interface SuiteContext {
  subject(): SuiteSubject;
  /** Creates a cache with a new name. */
  newCache(region?: string): Promise<string>;
}

/** Returns the code of the error that an action throws or rejects with, or its result. */
export async function errorOf(action: () => unknown): Promise<unknown> {
  try {
    return { answered: await action() };
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}
