/**
 * The conformance suite: what the comments of grid.ts promise, as tests that every engine must pass. Each engine's test
 * calls {@link runGridSuite}; what an engine cannot do it says by its capabilities and by the subject's absent members.
 */
import { afterAll, beforeAll, describe } from 'bun:test';
import { randomUuid } from '../base/clock.ts';
import { runCachesSuite } from './caches.suite.ts';
import { runClusterSuite } from './cluster.suite.ts';
import { runEntriesSuite } from './entries.suite.ts';
import type { Grid } from './grid.ts';
import { runTransferSuite } from './transfer.suite.ts';

/** An engine under test, opened and empty but for its default cache. */
export interface SuiteSubject {
  /** The grid; another one after a restart. */
  readonly grid: Grid;
  /** Lets time pass for the engine's clock. */
  pass(ms: number): Promise<void>;
  /** Closes and opens again what is stored; absent where the engine's store is not ours to stop. */
  readonly restart?: () => Promise<void>;
  /** A region whose entries do not survive; absent where there is none. The default region persists. */
  readonly temporaryRegion?: string;
  /** True when state and default cache are ours to change. */
  readonly exclusive: boolean;
  close(): Promise<void>;
}

/** What the parts of the suite work with. */
export interface SuiteContext {
  subject(): SuiteSubject;
  /** A new cache with a name that was never used. */
  newCache(region?: string): Promise<string>;
}

/** A part of the suite: defines its tests over the context. */
export type SuitePart = (context: SuiteContext) => void;

/** What every engine must pass. Queries and tasks are parts of their own: not every engine runs them by itself. */
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

/** The code of the refusal, or what came instead. Takes refusals that are thrown and those that are promised. */
export async function refusal(action: () => unknown): Promise<unknown> {
  try {
    return { answered: await action() };
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}
