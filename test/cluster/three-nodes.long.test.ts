/** The conformance suite over three nodes. */
import { runClusterGridSuite } from './cluster-grid.suite.ts';

runClusterGridSuite('a cluster of three nodes', 3, 1);
