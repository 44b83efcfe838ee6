import { describe, expect, test } from 'bun:test';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { findCommand } from '../commands/registry.ts';
import { sqlTools } from './sql-tools.ts';
import { inexactNumber, offeredCommands, reasonAgainst, type Tool, toolOf } from './tools.ts';

const WORDS = { product: 'svc mcp', writes: '--allow-writes', tools: '--tools' };

const namesOf = (allowsWrites: boolean) => offeredCommands(allowsWrites).map(({ name }) => name);

test('without writes, only commands that read are offered', () => {
  const names = namesOf(false);
  expect(names).toEqual(expect.arrayContaining(['get', 'getall', 'metadata', 'qryfldexe', 'qryscanexe', 'size']));
  for (const name of [
    'put',
    'batch',
    'exe',
    'destcache',
    'qrykill',
    'export',
    'watch',
    'backup',
    'authenticate',
    'import',
  ]) {
    expect(names).not.toContain(name);
  }
  expect(offeredCommands(false).filter(({ access }) => access !== 'read')).toEqual([]);
});

test('with writes, all are offered except logins, streams, files and secrets', () => {
  expect(namesOf(true)).toEqual(expect.arrayContaining(['put', 'batch', 'exe', 'destcache']));
  for (const name of ['export', 'watch', 'backup', 'authenticate', 'import', 'apikeyadd']) {
    expect(namesOf(true)).not.toContain(name);
  }
});

const allTools = (allowsWrites: boolean): readonly Tool[] => [
  ...sqlTools('svc', allowsWrites, WORDS).map(({ tool }) => tool),
  ...offeredCommands(allowsWrites).map((command) => toolOf(command, 'svc', allowsWrites)),
];

test('no two tools have the same name', () => {
  const names = allTools(true).map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names).toEqual(expect.arrayContaining(['tables', 'describe', 'query']));
});

test('query has plain names, and returns 100 rows by default', () => {
  const query = allTools(false).find(({ name }) => name === 'query');
  expect(query?.inputSchema).toMatchObject({
    required: ['sql'],
    properties: {
      sql: { type: 'string' },
      args: { type: 'array' },
      pageSize: { description: expect.stringContaining('Default: 100.') },
    },
  });
  expect(query?.annotations.readOnlyHint).toBe(true);
});

for (const allowsWrites of [false, true]) {
  test(`the schemas accept the examples, writes: ${allowsWrites}`, () => {
    const ajv = new Ajv({ strict: false });
    addFormats(ajv);
    for (const { name, description, inputSchema } of allTools(allowsWrites)) {
      const example = JSON.parse(/Example of the arguments: (.*)$/s.exec(description)?.[1] ?? '');
      expect([name, ajv.validate(inputSchema, example), ajv.errors]).toEqual([name, true, null]);
    }
  });
}

test('hints say what changes data', () => {
  const hints = (name: string, allowsWrites: boolean) => {
    const command = findCommand(name);
    return command && toolOf(command, 'svc', allowsWrites).annotations.readOnlyHint;
  };
  expect([hints('get', true), hints('put', true)]).toEqual([true, false]);
  expect([hints('qryfldexe', false), hints('qryfldexe', true)]).toEqual([true, false]);
});

describe('statements that only read', () => {
  const cases: ReadonlyArray<readonly [statement: string, reads: boolean]> = [
    ['SELECT 1', true],
    ['with t as (select 1) select * from t', true],
    ['VALUES (1)', true],
    ['EXPLAIN SELECT 1', true],
    ["SELECT 'delete from t'", true],
    ['DELETE FROM t', false],
    ['EXPLAIN DELETE FROM t', false],
    ['SELECT 1; DELETE FROM t', false],
    ['/* SELECT */ DROP TABLE t', false],
    ['CREATE TABLE t (id INT PRIMARY KEY, a INT)', false],
    ["ALTER USER svc SET PASSWORD 'a'", false],
    ['KILL QUERY 1', false],
    ['SELEC 1', false],
    ['', false],
  ];
  test.each(cases)('%s', (statement, reads) => expect(reasonAgainst(statement, WORDS) === undefined).toBe(reads));
});

test('numbers that JSON has rounded are found', () => {
  for (const value of [1, 1.5, -7, '9007199254740993', true, null, [1], { a: { b: [2 ** 53 - 1] } }]) {
    expect(inexactNumber(value)).toBeUndefined();
  }
  for (const value of [2 ** 53, { keys: [1, -(2 ** 60)] }]) expect(inexactNumber(value)).toContain('as strings');
});
