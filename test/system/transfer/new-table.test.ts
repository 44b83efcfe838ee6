/** Imports that infer their columns and create the table, over real sockets. */
import { runNewTableSuite } from './new-table.suite.ts';

runNewTableSuite(() => ({}), 60_000);
