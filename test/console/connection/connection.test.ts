/**
 * The state of the console's connection: since when it has been broken, when it recovers, and which failures follow
 * from it.
 */
import { expect, test } from 'bun:test';
import {
  connection,
  healed,
  isOut,
  isOutage,
  markOutage,
  noteConnection,
} from '../../../src/console/requests/connection.ts';

test('a state lasts since it was first noticed, and heals when the service answers again', () => {
  noteConnection('stopped');
  const { sinceMs } = connection.value;
  const before = healed.value;
  noteConnection('stopped');
  expect([connection.value.sinceMs, isOut.value, healed.value]).toEqual([sinceMs, true, before]);
  noteConnection('starting');
  expect([isOut.value, healed.value]).toEqual([true, before]);
  noteConnection('standby', 'http://other');
  expect(connection.value.primary).toBe('http://other');
  noteConnection('diskFull');
  expect([isOut.value, healed.value]).toEqual([false, before + 1]);
  noteConnection('connected');
  expect(healed.value).toBe(before + 1);
});

test('only a failure that is marked follows from the state', () => {
  const marked = markOutage(new Error('no answer'));
  expect([isOutage(marked), isOutage(new Error('no answer')), isOutage(undefined)]).toEqual([true, false, false]);
});
