/**
 * Compares svc's answers to statements about which SQLite is lenient with the recorded answers of an Ignite node. Each
 * statement with another answer has its reason, and one that no longer differs also fails.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { outcomeText } from './difference.ts';
import { DIFFERENT_ANSWERS, LENIENCIES } from './leniencies.ts';
import { differingAnswer, isOrdered, outcomesOf, readLeniencies } from './recorded-leniencies.ts';
import { type Outcome, openEmbeddedTarget, type Target, TEXT_OF_SQLITE } from './targets.ts';

const recorded = readLeniencies();
let svc: Target;
let outcomes: ReadonlyMap<string, Outcome>;

beforeAll(async () => {
  svc = await openEmbeddedTarget();
  outcomes = await outcomesOf(svc);
});

afterAll(() => svc.close());

for (const [topic, statements] of Object.entries(LENIENCIES)) {
  describe(topic, () => {
    test.each([...statements])('%s', (sql) => {
      const [ours, known] = [outcomes.get(sql), recorded.get(sql)];
      if (ours === undefined || known === undefined) throw new Error(`no recorded answer to ${sql}`);
      const differing = differingAnswer(sql, ours, known.ignite);
      if (known.svc === undefined) expect(differing ?? '').toBe('');
      else expect(outcomeText(ours, isOrdered(sql))).toBe(known.svc);
      expect(differing).toBe(known.svc);
    });
  });
}

describe('each different answer has a reason', () => {
  const differing = [...recorded.values()].filter((each) => each.svc !== undefined).map(({ sql }) => sql);

  test.each(differing)('%s', (sql) => {
    expect(DIFFERENT_ANSWERS.filter(([, statements]) => statements.test(sql))).not.toBeEmpty();
  });

  test.each([...DIFFERENT_ANSWERS])('%s', (_, statements) => {
    expect(differing.filter((sql) => statements.test(sql))).not.toBeEmpty();
  });
});

test('no answer has a text of SQLite', () => {
  const texts = [...outcomes.values()].flatMap((outcome) => (outcome.kind === 'rejected' ? [outcome.text] : []));
  expect(texts.filter((text) => text.startsWith(TEXT_OF_SQLITE))).toEqual([]);
});
