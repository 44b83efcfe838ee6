/** Rows of tables of the embedded engine can be written back. */
import { runRowsSuite } from './rows.suite.ts';

runRowsSuite({ isCluster: false, limitMs: 180_000, environment: () => ({}) }, [
  {
    types: ['REAL', 'DOUBLE'],
    values: ['-0.0'],
    write: ['insert of literals'],
    reason: 'as in Ignite, a number with a fraction is a decimal in a statement, which has no negative zero',
  },
  {
    types: ['REAL', 'DOUBLE'],
    values: ['-0.0'],
    read: ['query of the TypeScript client'],
    write: ['insert of arguments', 'a batch of inserts'],
    reason: 'the client writes -0, since a whole number takes no fraction; arg1Type=double reads the sign',
  },
]);
