/**
 * The conformance suite: the promises in the comments of grid.ts as tests that every engine must pass. Each engine's
 * test calls {@link runGridSuite}; the subject's traits and absent members say which tests do not apply.
 */
import { afterAll, beforeAll, describe } from 'bun:test';
import { randomUuid } from '../../src/base/clock.ts';
import { runCachesSuite } from './caches.suite.ts';
import { runClusterSuite } from './cluster.suite.ts';
import { runEntriesSuite } from './entries.suite.ts';
import type { SuiteContext, SuiteSubject } from './suite-context.ts';
import { runTransferSuite } from './transfer.suite.ts';

/** A part of the suite, which defines its tests. */
export type SuitePart = (context: SuiteContext) => void;

/** Runs the tests that every engine must pass. Queries and tasks have their own suites: not all engines run them. */
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
