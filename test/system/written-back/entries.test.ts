/** Keys and values of entries of the embedded engine can be written back. */
import { runEntriesSuite } from './entries.suite.ts';

runEntriesSuite({ isCluster: false, limitMs: 180_000, environment: () => ({}) });
