/** Every rule of the contract has a test: the numbers in titles of tests leave out no section and no number. */
import { describe, expect, test } from 'bun:test';
import { contractSections, provenRules, rulesIn, sectionOf } from '../scripts/pages/rules-page.ts';

/** How many rules the contract and its extensions have; those of sections that others contain count once. */
const RULES = 299;

const numbers = [...new Set(provenRules().map(({ number }) => number))];

describe('the rules of the contract', () => {
  test('are all there', () => expect(numbers.length).toBeGreaterThanOrEqual(RULES));

  test('leave out no number', () => {
    const before = (number: string) => {
      const [, section = '', last = '', further] = /^(.+)\.(\d+)([a-z])?$/.exec(number) ?? [];
      return further === undefined ? `${section}.${Number(last) - 1}` : `${section}.${last}`;
    };
    const gaps = numbers.filter((number) => !numbers.includes(before(number)) && !before(number).endsWith('.0'));
    expect(gaps).toEqual([]);
  });

  test('leave out no section', () => {
    const sections = new Set(numbers.map(sectionOf));
    const wanted = [...contractSections().keys()];
    const isParent = (section: string) => wanted.some((each) => each.startsWith(`${section}.`));
    expect(wanted.filter((section) => !sections.has(section) && !isParent(section))).toEqual([]);
  });
});

describe('rulesIn finds', () => {
  const cases: ReadonlyArray<readonly [string, string, readonly string[]]> = [
    ['one number', "test('is so [1.4]', () => {})", ['1.4 is so']],
    ['several numbers', "['is so [2.4a.1, 3.3.1]', 1]", ['2.4a.1 is so', '3.3.1 is so']],
    ['a range in a template', '`it is so [2.3.1-2.3.3]`', ['2.3.1 it is so', '2.3.2 it is so', '2.3.3 it is so']],
    ['nothing in other brackets', "test('an index [1]')\nconst sql = 'select a[1.5] from t'", []],
  ];
  test.each(cases)('%s', (_, source, expected) => {
    expect(rulesIn(source).map(({ number, title }) => `${number} ${title}`)).toEqual([...expected]);
  });
});
