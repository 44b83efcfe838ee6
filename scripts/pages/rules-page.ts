/**
 * Generates docs/spec/rules.md from the titles of tests that end in the numbers of the contract's rules, such as
 * `[2.3.1-2.3.7, 4.3.8]`: what is before the numbers says what the test proves.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocks, GENERATED, link, table } from './markdown.ts';

export const RULES_PAGE = 'docs/spec/rules.md';
const CONTRACT = 'docs/spec/contract.md';
/** Sections of docs/spec/extensions.md by the first part of the numbers of their rules. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  '10': '10. Batches',
  '11': '1. Time to live',
  '12': '2. Numbers and dates',
  '13': '3. Idempotency keys',
  '14': '4. A path for each command',
  '15': '11. Dry runs',
  '16': '12. Errors',
  '17': '13. JSON requests',
};

/** Has titles with numbers as examples. */
const OWN_TEST = 'test/contract-rules.test.ts';

const root = join(import.meta.dir, '../..');
const LITERAL = /'((?:[^'\\\n]|\\.)+)'|`((?:[^`\\\n]|\\.)+)`/g;
const NUMBERED = /^(.+) \[(\d+[\da-z]*(?:\.\d+[a-z]?)+(?:(?:-|, )\d+[\da-z]*(?:\.\d+[a-z]?)+)*)\]$/;

/** A rule of the contract with a test that proves it. */
export interface ProvenRule {
  readonly number: string;
  readonly title: string;
  readonly file: string;
}

/** Returns the rules that titles of tests name, by section and number. */
export function provenRules(): readonly ProvenRule[] {
  const files = ['src/**/*.test.ts', 'test/**/*.test.ts', 'test/**/*.suite.ts'].flatMap((pattern) => [
    ...new Bun.Glob(pattern).scanSync({ cwd: root }),
  ]);
  return files
    .filter((file) => file !== OWN_TEST)
    .flatMap((file) => rulesIn(readFileSync(join(root, file), 'utf8')).map((rule) => ({ ...rule, file })))
    .sort((left, right) => left.number.localeCompare(right.number, 'en', { numeric: true }));
}

/** Returns the numbered titles in the text of a test. */
export function rulesIn(source: string): ReadonlyArray<Omit<ProvenRule, 'file'>> {
  return [...source.matchAll(LITERAL)].flatMap(([, plain, template]) => {
    const [, title = '', numbers = ''] = NUMBERED.exec(plain ?? template ?? '') ?? [];
    return numbers === ''
      ? []
      : numbers
          .split(', ')
          .flatMap(numbersOf)
          .map((number) => ({ number, title }));
  });
}

/** Returns the numbers from the first to the last of `2.3.1-2.3.7`. */
function numbersOf(range: string): readonly string[] {
  const [first = '', last = first] = range.split('-');
  const section = sectionOf(first);
  const [from, to] = [first, last].map((each) => Number.parseInt(each.slice(section.length + 1), 10));
  if (first === last || from === undefined || to === undefined) return [first];
  return Array.from({ length: to - from + 1 }, (_, at) => `${section}.${from + at}`);
}

/** Returns the number without its last part. */
export function sectionOf(number: string): string {
  return number.slice(0, number.lastIndexOf('.'));
}

/** Returns the headings of the contract that have numbers, by their numbers. */
export function contractSections(): ReadonlyMap<string, string> {
  const found = readFileSync(join(root, CONTRACT), 'utf8').matchAll(/^#+ ((\d[\da.]*?)\.? .+)$/gm);
  return new Map([...found].map(([, heading = '', number = '']) => [number, heading]));
}

/** Returns the page. */
export function rulesPage(): string {
  const rules = provenRules();
  const contract = contractSections();
  const sections = [...new Set(rules.map(({ number }) => sectionOf(number)))];
  return `${blocks(
    '# Rules of the contract',
    GENERATED,
    'The rules of [the contract](contract.md) and of [the extensions](extensions.md), each with a test that proves it. The ' +
      'numbers stand at the end of the titles of the tests. A title with a name in braces is that of a test for each value.',
    ...sections.flatMap((section) => {
      const extension = EXTENSIONS[section];
      const [heading = section, page] =
        extension === undefined ? [contract.get(section), 'contract.md'] : [extension, 'extensions.md'];
      return [
        `## ${section}${heading.replace(/^[\da.]+/, '')}`,
        `See ${link(heading, page)}.`,
        table(
          ['rule', 'what the test proves', 'file'],
          rules
            .filter(({ number }) => sectionOf(number) === section)
            .map(({ number, title, file }) => [number, title.replaceAll('$', '\\$'), `\`${file}\``]),
        ),
      ];
    }),
  )}\n`;
}
