/**
 * Tests that the statements of the recorded cases (test/reference/cluster.jsonl) return the recorded rows. Steps of
 * other commands and pages are omitted; the engine's tests cover them.
 */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';
import { describeFailure, SqlFailure } from '../../../base/sql-failure.ts';
import type { QueryEntity } from '../../../grid/grid.ts';

interface Step {
  readonly q: Readonly<Record<string, string>>;
  readonly expect: { readonly status: number; readonly response?: unknown; readonly error?: unknown };
}

interface Case {
  readonly id: string;
  readonly differs?: string;
  readonly steps: readonly Step[];
}

const FILE = new URL('../../../../test/reference/cluster.jsonl', import.meta.url);
const CASES: readonly Case[] = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case)
  .filter((each) => /^(?:sql|qryexe|fixture)\./.test(each.id) && each.differs === undefined)
  // Data commands between statements are tested with the engine.
  .filter((each) => !each.steps.some(({ q }) => q.cmd === 'rmv' || q.cmd === 'put'));

const PERSON: QueryEntity = {
  keyType: 'integer',
  valueType: 'RefNode$Person',
  tableName: 'Person',
  fields: [
    { name: 'id', type: { kind: 'scalar', type: 'integer' } },
    { name: 'name', type: { kind: 'scalar', type: 'string' } },
    { name: 'salary', type: { kind: 'scalar', type: 'double' } },
  ],
};
const EMPLOYEE: QueryEntity = {
  keyType: 'integer',
  valueType: 'Employee',
  fields: [
    { name: 'id', type: { kind: 'scalar', type: 'integer' } },
    { name: 'name', type: { kind: 'scalar', type: 'string' } },
    { name: 'timestamp', type: { kind: 'scalar', type: 'timestamp' } },
    { name: 'longs', type: { kind: 'array', element: 'long' } },
    { name: 'igniteUuid', type: { kind: 'scalar', type: 'gridUuid' } },
  ],
};

function fixtureStore(): SqlStore {
  const store = new SqlStore();
  store.define(PERSON, 'person', 'person');
  store.define(EMPLOYEE, 'employee', 'employee');
  ['Ann', 'Bob', 'Cy', 'Di'].forEach((name, at) => {
    const fields = [
      { name: 'id', value: { type: 'integer', data: at + 1 } as const },
      { name: 'name', value: { type: 'string', data: name } as const },
      { name: 'salary', value: { type: 'double', data: (at + 1) * 1000 } as const },
    ];
    store.put(
      'PERSON',
      { type: 'integer', data: at + 1 },
      { type: 'object', typeName: 'RefNode$Person', fields },
      { schema: 'person' },
    );
  });
  return store;
}

/** Reports whether a value matches a recorded pattern. */
function matches(actual: unknown, pattern: unknown): boolean {
  if (pattern === '<any>') return true;
  if (pattern === '<nonempty>') return actual !== '' && actual !== null;
  if (Array.isArray(pattern)) {
    return (
      Array.isArray(actual) &&
      actual.length === pattern.length &&
      pattern.every((each, at) => matches(actual[at], each))
    );
  }
  if (typeof pattern !== 'object' || pattern === null) return actual === pattern;
  if ('<oneOf>' in pattern && Array.isArray(pattern['<oneOf>']))
    return pattern['<oneOf>'].some((each) => matches(actual, each));
  if ('<num>' in pattern) return Number(actual) === Number(pattern['<num>']);
  if ('<regex>' in pattern) return new RegExp(String(pattern['<regex>'])).test(String(actual));
  if ('<len>' in pattern) return Array.isArray(actual) && actual.length === pattern['<len>'];
  if ('<unordered>' in pattern && Array.isArray(pattern['<unordered>']) && Array.isArray(actual)) {
    const rest = [...actual];
    for (const each of pattern['<unordered>']) {
      const at = rest.findIndex((row) => matches(row, each));
      if (at < 0) return false;
      rest.splice(at, 1);
    }
    return rest.length === 0;
  }
  if (typeof actual !== 'object' || actual === null) return false;
  const members = actual as Readonly<Record<string, unknown>>;
  return Object.entries(pattern).every(([name, each]) => matches(members[name], each));
}

function fill(text: string): string {
  return text.replaceAll(/\$\{(rnd|cache)\}/g, (_, name) => (name === 'rnd' ? 'R1' : 'cache1'));
}

function schemaOf(cacheName: string | undefined): string {
  return cacheName === 'person' || cacheName === 'employee' ? cacheName : 'PUBLIC';
}

function runStep(store: SqlStore, { q, expect: expected }: Step): void {
  const text = fill(q.qry ?? '');
  const args: string[] = [];
  while (q[`arg${args.length + 1}`] !== undefined) args.push(q[`arg${args.length + 1}`] ?? '');
  const schema = schemaOf(q.cacheName);
  const isType = q.cmd === 'qryexe';
  let answer: { readonly rows: string; readonly columns: unknown };
  try {
    if (isType) {
      const table = store.tableOfType(fill(q.type ?? ''), schema);
      if (table === undefined) return;
      answer = store.runType(text, table, args);
    } else {
      answer = store.run(text, args, schema);
    }
  } catch (failure) {
    if (!(failure instanceof SqlFailure)) throw failure;
    if (expected.status === 0) throw new Error(`${text}: ${describeFailure(failure, text)}`);
    const message = expected.error as { contains?: string } | string;
    if (typeof message === 'object' && message.contains !== undefined) {
      expect(describeFailure(failure, text)).toContain(fill(message.contains));
    }
    return;
  }
  if (expected.status !== 0) throw new Error(`${text} was not rejected`);
  const response = JSON.parse(fill(JSON.stringify(expected.response))) as {
    items: unknown;
    last: unknown;
    fieldsMetadata: unknown;
  };
  if (response.last !== true) return;
  const rows = JSON.parse(answer.rows) as unknown[][];
  const items = isType ? rows.map(([key, value]) => ({ key, value })) : rows;
  if (!matches(items, response.items)) {
    throw new Error(`${text} returned ${JSON.stringify(items)}, not ${JSON.stringify(response.items)}`);
  }
  if (!isType && !matches(answer.columns, response.fieldsMetadata)) {
    throw new Error(`${text} has ${JSON.stringify(answer.columns)}, not ${JSON.stringify(response.fieldsMetadata)}`);
  }
}

for (const { id, steps } of CASES) {
  test(id, () => {
    const store = fixtureStore();
    for (const step of steps) {
      const isStatement = (step.q.cmd === 'qryfldexe' || step.q.cmd === 'qryexe') && step.q.qry !== undefined;
      // Only the engine checks these: whether caches exist, and the errors of executing DDL.
      const ofEngine =
        /already exists|doesn't exist|Cannot drop|at least one|mandatory|For input string|cache|Failed to find/i;
      const error = JSON.stringify(step.expect.error ?? null);
      if (!isStatement || (step.expect.status !== 0 && ofEngine.test(error) && !error.includes('keys because')))
        continue;
      runStep(store, step);
    }
    expect(steps.length).toBeGreaterThan(0);
  });
}
