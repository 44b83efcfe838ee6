/** The conformance suite over one node; `three-nodes.long.test.ts` runs it over three. */
import { runClusterGridSuite } from './cluster-grid.suite.ts';

runClusterGridSuite('a cluster of one node', 1, 0);
