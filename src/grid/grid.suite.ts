/**
 * The conformance suite: what the comments of grid.ts promise, as tests that every engine must pass. Each engine's test
 * calls {@link runGridSuite}; its capabilities and the subject's absent members say which tests do not apply.
 */
import { afterAll, beforeAll, describe } from 'bun:test';
import { randomUuid } from '../base/clock.ts';
import { runCachesSuite } from './caches.suite.ts';
import { runClusterSuite } from './cluster.suite.ts';
import { runEntriesSuite } from './entries.suite.ts';
import type { Grid } from './grid.ts';
import { runTransferSuite } from './transfer.suite.ts';

/** An engine under test, open and empty except for its default cache. */
export interface SuiteSubject {
  /** The current grid; `restart` replaces it. */
  readonly grid: Grid;
  /** Advances the engine's clock. */
  pass(ms: number): Promise<void>;
  /** Closes the grid and opens its store again; absent if the tests cannot restart the engine. */
  readonly restart?: () => Promise<void>;
  /** A region that is not persistent, if there is one. The default region is persistent. */
  readonly temporaryRegion?: string;
  /** The tests may change the state and the default cache. */
  readonly exclusive: boolean;
  close(): Promise<void>;
}

/** What the parts of the suite share. */
export interface SuiteContext {
  subject(): SuiteSubject;
  /** Creates a cache with a new name. */
  newCache(region?: string): Promise<string>;
}

/** A part of the suite, which defines its tests. */
export type SuitePart = (context: SuiteContext) => void;

/** Runs the tests that every engine must pass. Queries and tasks have suites of their own: not all engines run them. */
export const GRID_PARTS: readonly SuitePart[] = [runEntriesSuite, runCachesSuite, runTransferSuite, runClusterSuite];

export function runGridSuite(name: string, open: () => Promise<SuiteSubject>, parts = GRID_PARTS): void {
  describe(`the grid of ${name}`, () => {
    let subject: SuiteSubject | undefined;
    let caches = 0;
    const context: SuiteContext = {
      subject() {
        if (!subject) throw new Error('the engine is not open');
        return subject;
      },
      async newCache(region) {
        const cache = `suite_${randomUuid().slice(0, 8)}_${caches++}`;
        await context.subject().grid.caches.getOrCreate(cache, region === undefined ? {} : { region });
        return cache;
      },
    };
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(async () => {
      await subject?.close();
    });
    for (const runPart of parts) runPart(context);
  });
}

/** Returns the code of the error that an action throws or rejects with, or its result. */
export async function errorOf(action: () => unknown): Promise<unknown> {
  try {
    return { answered: await action() };
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}
