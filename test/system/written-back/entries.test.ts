/** Keys and values of entries of the embedded engine can be written back. */
import { runEntriesSuite } from './entries.suite.ts';
import type { Exception } from './law.ts';

const NUMBERS_IN_LISTS: Exception = {
  types: ['list'],
  values: ['[0.12345678901234567890]', '[9007199254740993]'],
  read: ['qryscanexe with numbers as strings', 'get with numbers as strings'],
  reason: 'a string in a list has no type that says that it was a number',
};

runEntriesSuite(
  { isCluster: false, limitMs: 60_000, environment: () => ({}) },
  { values: [NUMBERS_IN_LISTS], keys: [NUMBERS_IN_LISTS] },
);
