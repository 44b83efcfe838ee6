/** The conformance suite over one node. */
import { runClusterGridSuite } from './cluster-grid.suite.ts';

runClusterGridSuite('a cluster of one node', 1, 0);
