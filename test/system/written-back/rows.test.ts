/** Rows of tables of the embedded engine can be written back. */
import type { Exception } from './law.ts';
import { runRowsSuite } from './rows.suite.ts';

const EXCEPTIONS: readonly Exception[] = [
  {
    types: ['TIME'],
    values: ['"10:11:12.5"', '"23:59:59.999"'],
    read: ['select with dates as texts', 'watch'],
    reason: 'as in Ignite, the usual form of a TIME has no fraction; dates=iso has it',
  },
  {
    types: ['BINARY'],
    values: ['"AQI="', '"true"', '"1234"', '"++//"'],
    write: ['insert of arguments', 'insert of arguments as texts', 'a batch of inserts'],
    reason: 'as in Ignite, a text becomes BINARY by its hexadecimal digits; arg1Type=[B reads Base64',
  },
  {
    types: ['REAL', 'DOUBLE'],
    values: ['-0.0'],
    write: ['insert of literals'],
    reason: 'as in Ignite, a number with a fraction is a decimal in a statement, which has no negative zero',
  },
];

runRowsSuite({ isCluster: false, limitMs: 60_000, environment: () => ({}) }, EXCEPTIONS);
