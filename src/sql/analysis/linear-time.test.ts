/** Tests that the longest text of every shape is parsed in a short time, and that none overflows the stack. */

import { describe, expect, test } from 'bun:test';
import { DEFAULT_LIMITS } from '../../base/limits.ts';
import { SqlFailure } from '../../base/sql-failure.ts';
import { parseStatement } from '../syntax/parser.ts';
import { analyze } from './analysis.ts';

/** Name, the text with this many repetitions. */
const SHAPES: ReadonlyArray<readonly [string, (count: number) => string]> = [
  ['block comments that open', (count) => `x${'/* '.repeat(count)}`],
  ['block comments', (count) => `select ${'/* */ '.repeat(count)}1`],
  ['line comments', (count) => `${'-- \n'.repeat(count)}select 1`],
  ['dashes', (count) => `select ${'--'.repeat(count)}`],
  ['slashes', (count) => `select ${'//'.repeat(count)}`],
  ['single quotes', (count) => `select ${"'".repeat(count | 1)}`],
  ['double quotes', (count) => `select ${'"'.repeat(count | 1)}`],
  ['back quotes', (count) => `select ${'`'.repeat(count | 1)}`],
  ['dollars', (count) => `select ${'$$ '.repeat(count | 1)}`],
  ['one text', (count) => `select '${'x'.repeat(count)}'`],
  ['digits', (count) => `select ${'1'.repeat(count)}`],
  ['hexadecimal digits', (count) => `select 0x${'f'.repeat(count)}`],
  ['points', (count) => `select ${'1.'.repeat(count)}`],
  ['letters', (count) => `select ${'x'.repeat(count)}`],
  ['foreign letters', (count) => `select ${'é'.repeat(count)}`],
  ['parentheses', (count) => `select ${'('.repeat(count)}1`],
  ['parentheses that close', (count) => `select ${'('.repeat(count)}1${')'.repeat(count)}`],
  ['parentheses before a query', (count) => `${'('.repeat(count)}select 1${')'.repeat(count)}`],
  ['parentheses behind FROM', (count) => `select * from ${'('.repeat(count)}select 1${')'.repeat(count)} a`],
  ['NOT', (count) => `select ${'NOT '.repeat(count)}1`],
  ['signs', (count) => `select ${'- '.repeat(count)}1`],
  ['CASE', (count) => `select ${'case when 1=1 then '.repeat(count)}1`],
  ['calls', (count) => `select ${'abs('.repeat(count)}1`],
  ['arrays', (count) => `select ${'array['.repeat(count)}1`],
  ['casts', (count) => `select 1${'::int'.repeat(count)}`],
  ['indexes of arrays', (count) => `select a${'[1]'.repeat(count)}`],
  ['sums', (count) => `select 1${'+1'.repeat(count)}`],
  ['OR', (count) => `select * from t where a=1${' or a=1'.repeat(count)}`],
  ['names', (count) => `select * from a${'.b'.repeat(count)}`],
  ['joins', (count) => `select * from a${' join b'.repeat(count)}`],
  ['INTERSECT', (count) => `select 1${' intersect select 1'.repeat(count)}`],
  ['UNION', (count) => `select 1${' union select 1'.repeat(count)}`],
  ['an IN list', (count) => `select * from t where a in (${'1,'.repeat(count)}1)`],
  ['parameters', (count) => `select * from t where a in (${'?,'.repeat(count)}?)`],
  ['rows', (count) => `insert into t values ${"(1,'x'),".repeat(count)}(1,'x')`],
  ['columns of an index', (count) => `create index i on t(${numbered(count)})`],
  ['columns of a key', (count) => `create table t(id int, primary key(${numbered(count)}))`],
  ['semicolons', (count) => `select 1${';'.repeat(count)}`],
  ['common tables', (count) => `with ${numbered(count, ' as (select 1)')} select 1`],
];

function numbered(count: number, suffix = ''): string {
  return Array.from({ length: count }, (_, at) => `c${at}${suffix}`).join(',');
}

function parsed(sql: string): void {
  try {
    parseStatement(sql);
  } catch (error) {
    // Any other error, such as a stack overflow, is a bug.
    if (!(error instanceof SqlFailure)) throw error;
  }
}

/** Milliseconds of CPU time that no one notices, on a slow machine. Quadratic time is longer. */
const MAX_MS = 1_000;

/** Returns a text of about the longest statement. */
function longest(text: (count: number) => string): string {
  const sample = 1_000;
  const each = (text(sample).length - text(0).length) / sample;
  // A flat copy: the runtime would flatten a concatenated string during the run.
  return Buffer.from(text(Math.floor(DEFAULT_LIMITS.statementCharacters / each))).toString();
}

describe('the longest text is parsed and analyzed in a short time', () => {
  for (const [name, text] of SHAPES) {
    test(name, () => {
      for (const run of [parsed, analyze]) {
        const sql = longest(text);
        const begun = process.cpuUsage();
        run(sql);
        const { user, system } = process.cpuUsage(begun);
        expect((user + system) / 1_000).toBeLessThan(MAX_MS);
      }
    });
  }
});

describe('deep nesting is rejected', () => {
  const deep: ReadonlyArray<readonly [string, string]> = [
    ['parentheses', `select ${'('.repeat(5_000)}1${')'.repeat(5_000)}`],
    ['NOT', `select ${'not '.repeat(5_000)}true`],
    ['signs', `select ${'- '.repeat(5_000)}1`],
    ['CASE', `select ${'case when true then '.repeat(5_000)}1${' end'.repeat(5_000)}`],
    ['calls', `select ${'abs('.repeat(5_000)}1${')'.repeat(5_000)}`],
    ['casts', `select 1${'::int'.repeat(5_000)}`],
    ['sums', `select 1${'+1'.repeat(5_000)}`],
    ['subqueries', `select ${'(select '.repeat(5_000)}1${')'.repeat(5_000)}`],
    ['derived tables', `${'select * from ('.repeat(5_000)}select 1${')'.repeat(5_000)}`],
    ['joins without ON', `select * from a${' join b'.repeat(5_000)}`],
    ['INTERSECT', `select 1${' intersect select 1'.repeat(5_000)}`],
  ];
  test.each(deep)('%s', (_, sql) => {
    expect(() => parseStatement(sql)).toThrow('The statement is too complex: it is nested too deeply');
  });

  test('nested derived tables with joins do not take exponential time', () => {
    let sql = 'select 1';
    for (let level = 0; level < 60; level += 1) sql = `select * from ((${sql}) a cross join t)`;
    expect(parseStatement(sql).statement.kind).toBe('query');
  });
});
