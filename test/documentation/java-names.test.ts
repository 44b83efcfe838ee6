import { expect, test } from 'bun:test';
import { COMMANDS, findCommand } from '../../src/commands/registry.ts';
import { javaNames } from './java-names.ts';

const rows = javaNames();
const PARAMETERS = new Set(COMMANDS.flatMap(({ params }) => Object.values(params).map(({ name }) => name)));

test('names of commands and parameters exist', () => {
  expect(rows.length).toBeGreaterThan(15);
  const words = rows.flatMap(([, svc]) => svc).map((word) => word.replace(/=.*/, ''));
  expect(words.filter((word) => findCommand(word) === undefined && !PARAMETERS.has(word))).toEqual([]);
});

test('every command on entries of Ignite has a method of Java', () => {
  const named = new Set(rows.flatMap(([, svc]) => svc));
  // Commands that only svc or Ignite's HTTP interface has.
  const others = new Set(['append', 'prepend', 'updatettl', 'ttl', 'persist']);
  const missing = COMMANDS.filter(({ group }) => group === 'entry' || group === 'bulk').filter(
    ({ name }) => !named.has(name) && !others.has(name),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});
