/** Tests that every text is parsed in linear time, and that none overflows the stack. */

import { describe, expect, test } from 'bun:test';
import { parseStatement } from '../syntax/parser.ts';
import { SqlFailure } from '../types/sql-failure.ts';
import { analyze } from './analysis.ts';

/** Name, number of repetitions in the smaller text, the text with that many repetitions. */
const SHAPES: ReadonlyArray<readonly [string, number, (count: number) => string]> = [
  ['block comments that open', 4_000, (count) => `x${'/* '.repeat(count)}`],
  ['block comments', 2_000, (count) => `select ${'/* */ '.repeat(count)}1`],
  ['line comments', 2_000, (count) => `${'-- \n'.repeat(count)}select 1`],
  ['dashes', 6_000, (count) => `select ${'--'.repeat(count)}`],
  ['slashes', 6_000, (count) => `select ${'//'.repeat(count)}`],
  ['single quotes', 4_000, (count) => `select ${"'".repeat(count | 1)}`],
  ['double quotes', 4_000, (count) => `select ${'"'.repeat(count | 1)}`],
  ['back quotes', 4_000, (count) => `select ${'`'.repeat(count | 1)}`],
  ['dollars', 4_000, (count) => `select ${'$$ '.repeat(count | 1)}`],
  ['one text', 20_000, (count) => `select '${'x'.repeat(count)}'`],
  ['digits', 10_000, (count) => `select ${'1'.repeat(count)}`],
  ['hexadecimal digits', 10_000, (count) => `select 0x${'f'.repeat(count)}`],
  ['points', 2_000, (count) => `select ${'1.'.repeat(count)}`],
  ['letters', 10_000, (count) => `select ${'x'.repeat(count)}`],
  ['foreign letters', 5_000, (count) => `select ${'é'.repeat(count)}`],
  ['parentheses', 4_000, (count) => `select ${'('.repeat(count)}1`],
  ['parentheses that close', 4_000, (count) => `select ${'('.repeat(count)}1${')'.repeat(count)}`],
  ['parentheses before a query', 2_000, (count) => `${'('.repeat(count)}select 1${')'.repeat(count)}`],
  ['parentheses behind FROM', 2_000, (count) => `select * from ${'('.repeat(count)}select 1${')'.repeat(count)} a`],
  ['NOT', 2_000, (count) => `select ${'NOT '.repeat(count)}1`],
  ['signs', 2_000, (count) => `select ${'- '.repeat(count)}1`],
  ['CASE', 1_000, (count) => `select ${'case when 1=1 then '.repeat(count)}1`],
  ['calls', 1_000, (count) => `select ${'abs('.repeat(count)}1`],
  ['arrays', 1_000, (count) => `select ${'array['.repeat(count)}1`],
  ['casts', 1_000, (count) => `select 1${'::int'.repeat(count)}`],
  ['indexes of arrays', 1_000, (count) => `select a${'[1]'.repeat(count)}`],
  ['sums', 1_000, (count) => `select 1${'+1'.repeat(count)}`],
  ['OR', 1_000, (count) => `select * from t where a=1${' or a=1'.repeat(count)}`],
  ['names', 1_000, (count) => `select * from a${'.b'.repeat(count)}`],
  ['joins', 500, (count) => `select * from a${' join b'.repeat(count)}`],
  ['INTERSECT', 500, (count) => `select 1${' intersect select 1'.repeat(count)}`],
  ['UNION', 500, (count) => `select 1${' union select 1'.repeat(count)}`],
  ['an IN list', 2_500, (count) => `select * from t where a in (${'1,'.repeat(count)}1)`],
  ['parameters', 2_500, (count) => `select * from t where a in (${'?,'.repeat(count)}?)`],
  ['rows', 2_500, (count) => `insert into t values ${"(1,'x'),".repeat(count)}(1,'x')`],
  ['columns of an index', 1_000, (count) => `create index i on t(${numbered(count)})`],
  ['columns of a key', 1_000, (count) => `create table t(id int, primary key(${numbered(count)}))`],
  ['semicolons', 4_000, (count) => `select 1${';'.repeat(count)}`],
  ['common tables', 200, (count) => `with ${numbered(count, ' as (select 1)')} select 1`],
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

/**
 * Returns the least CPU time of several runs in ms, which varies little on a busy machine. Each run gets its own text,
 * so that no cache has it.
 */
function bestOf(run: (sql: string) => void, text: (count: number) => string, count: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    // A flat copy: the runtime would flatten a concatenated string during the run.
    const sql = Buffer.from(`${text(count)} ${' '.repeat(round)}`).toString();
    const begun = process.cpuUsage();
    run(sql);
    const { user, system } = process.cpuUsage(begun);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

describe('a text sixteen times as long takes about sixteen times as long', () => {
  for (const [name, count, text] of SHAPES) {
    test(name, () => {
      for (const run of [parsed, analyze]) {
        const small = bestOf(run, text, count);
        const large = bestOf(run, text, count * 16);
        // Quadratic time would be 256 times as long. The 10 ms are for noise.
        expect(large).toBeLessThan(small * 64 + 10);
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
