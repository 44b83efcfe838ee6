import { describe, expect, test } from 'bun:test';
import type { Clock } from '../../base/clock.ts';
import { systemClock } from '../../base/clock.ts';
import { SQL_BOUNDS } from '../../base/limits.ts';
import { SLICE_MS } from '../../base/slices.ts';
import { AT_ONCE_CHARACTERS, analysisAtHand, analyze } from './analysis.ts';
import { isLongStatement, LongStatements } from './long-statements.ts';
import { OutlineScan, STEP_CHARACTERS } from './outline.ts';

const NEVER = new AbortController().signal;

/** Statements of about so many characters. */
const SHAPES: ReadonlyArray<readonly [string, (characters: number) => string]> = [
  ['parentheses', (length) => `x${'('.repeat(length)}`],
  ['parameters', (length) => `x${' ?'.repeat(length / 2)}`],
  ['words', (length) => `x${' select'.repeat(length / 7)}`],
  ['commas', (length) => `x${','.repeat(length)}`],
  ['points', (length) => `x${'.'.repeat(length)}`],
  ['one word', (length) => `x${'é'.repeat(length)}`],
  ['digits of a parameter', (length) => `select ?${'1'.repeat(length)}`],
  ['blanks', (length) => `select 1${'\n'.repeat(length)}`],
  ['line comments', (length) => `${'-- \n'.repeat(length / 4)}delete from t`],
  ['one line comment', (length) => `update t set a = 1 --${' '.repeat(length)}`],
  ['block comments', (length) => `insert ${'/**/'.repeat(length / 4)}into t values (1)`],
  ['one block comment', (length) => `select 1 /*${' '.repeat(length)}*/`],
  ['doubled quotes', (length) => `select '${"''".repeat(length / 2)}'`],
  ['doubled quotes that do not end', (length) => `select '${"''".repeat(length / 2)}`],
  ['rows', (length) => `insert into t values ${"(1,'x'),".repeat(length / 8)}(1,'x')`],
  ['one value', (length) => `insert into t values (1, '${'x'.repeat(length)}')`],
  ['a definition', (length) => `create table t(id int primary key, v varchar default '${'x'.repeat(length)}')`],
  ['a password', (length) => `create user ann with password '${'x'.repeat(length)}'`],
  ['a statement with an error', (length) => `select from where '${'x'.repeat(length)}'`],
  ['two statements', (length) => `select '${'x'.repeat(length)}'; drop table t`],
];
const CHARACTERS = [20_000, SQL_BOUNDS.parsedCharacters - 1_000, 400_000];

describe('an analysis in slices equals one at once', () => {
  test.each(SHAPES)('%s', async (_, shape) => {
    for (const characters of CHARACTERS) {
      const sql = shape(characters);
      const atOnce = analyze(sql);
      const inSlices = await new LongStatements(systemClock).analyzed(sql, NEVER, () => analyze(sql));
      expect(inSlices).toEqual(atOnce);
    }
  });
});

describe('a step reads a bounded number of characters', () => {
  // Except by native searches, so that a text with many quotes may take fewer steps, but never more characters each.
  test.each(SHAPES.filter(([name]) => !name.includes('value') && !/definition|password|statement/.test(name)))(
    '%s',
    (_, shape) => {
      const sql = shape(400_000);
      const scan = new OutlineScan(sql);
      let steps = 1;
      while (scan.step()) steps += 1;
      expect(steps).toBeGreaterThanOrEqual(Math.floor(sql.length / (STEP_CHARACTERS + 2)));
    },
  );
});

/** A clock on which every look takes a quarter of a slice, and which counts the ticks between slices. */
class SteppingClock implements Clock {
  ticks = 0;
  #nowMs = 0;
  nowMs = (): number => this.#nowMs;
  monotonicMs(): number {
    this.#nowMs += SLICE_MS / 4;
    return this.#nowMs;
  }
  threadCpuMs(): never {
    throw new Error('unused');
  }
  after(_delayMs: number, action: () => void) {
    this.ticks += 1;
    const timer = setTimeout(action, 0);
    return { cancel: () => clearTimeout(timer) };
  }
  every(): never {
    throw new Error('unused');
  }
  endOfTick(): never {
    throw new Error('unused');
  }
  nextTick(): never {
    throw new Error('unused');
  }
}

test('a thread answers others between the slices of many statements, of which one is scanned at a time', async () => {
  const clock = new SteppingClock();
  const statements = new LongStatements(clock);
  let others = 0;
  const other = setInterval(() => others++, 0);
  const ended: number[] = [];
  const texts = Array.from({ length: 8 }, (_, index) => `x${'('.repeat(400_000 + index)}`);
  await Promise.all(texts.map((sql, index) => statements.analyzed(sql, NEVER, () => ended.push(index))));
  clearInterval(other);
  expect(ended).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  // At most four steps fit into a slice.
  const steps = texts.length * Math.floor(400_000 / STEP_CHARACTERS);
  expect(clock.ticks).toBeGreaterThanOrEqual(Math.floor(steps / 4) - texts.length);
  expect(others).toBeGreaterThan(clock.ticks / 10);
});

test('a closed connection abandons its scan, and the next one begins', async () => {
  const clock = new SteppingClock();
  const statements = new LongStatements(clock);
  const client = new AbortController();
  const endless = `x${'('.repeat(4_000_000)}`;
  const abandoned = statements.analyzed(endless, client.signal, () => 'used');
  const next = `x${')'.repeat(20_000)}`;
  const following = statements.analyzed(next, NEVER, () => analysisAtHand(next)?.kind);
  setTimeout(() => client.abort(), 5);
  await expect(abandoned).rejects.toThrow();
  expect(await following).toBe('unknown');
  expect(clock.ticks).toBeLessThan(4_000_000 / STEP_CHARACTERS / 4);
  expect(analysisAtHand(endless)).toBeUndefined();
});

describe('the analysis of a long statement is held while its request is in progress', () => {
  const lengths: ReadonlyArray<readonly [string, number]> = [
    ['analysed at once', SQL_BOUNDS.keptCharacters + 1],
    ['scanned in slices', AT_ONCE_CHARACTERS + 1],
  ];
  for (const [title, length] of lengths) {
    test(title, async () => {
      const sql = `create user ann with password '${'x'.repeat(length)}'`;
      expect(isLongStatement(sql)).toBe(true);
      const statements = new LongStatements(systemClock);
      const seen = await statements.analyzed(sql, NEVER, async () => {
        const first = analyze(sql);
        await statements.analyzed(sql, NEVER, () => expect(analyze(sql)).toBe(first));
        expect(analysisAtHand(sql)).toBe(first);
        expect(analyze(sql)).toBe(first);
        return first;
      });
      expect(analyze(sql)).not.toBe(seen);
      expect(seen.userStatement).toMatchObject({ kind: 'createUser', user: 'ANN' });
    });
  }

  test('a request that fails releases it', async () => {
    const sql = `x${'('.repeat(AT_ONCE_CHARACTERS)}`;
    const failing = new LongStatements(systemClock).analyzed(sql, NEVER, () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(analysisAtHand(sql)).toBeUndefined();
  });
});

test('a short statement is not long', () => {
  expect(isLongStatement('x'.repeat(SQL_BOUNDS.keptCharacters))).toBe(false);
});
