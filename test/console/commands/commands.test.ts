/** The list of commands, the Markdown of the reference, and the values that are kept. */
import { expect, test } from 'bun:test';
import { openApiDocument } from '../../../scripts/pages/generated-files.ts';
import { groupsOf, type Listed } from '../../../src/console/commands/groups.ts';
import { type LastValues, withValues } from '../../../src/console/commands/last-values.ts';
import { paragraphsOf, spansOf } from '../../../src/console/elements/markdown.ts';

const DESCRIPTIONS: Readonly<Record<string, string>> = { cacheName: 'Name of the cache.', delta: 'What to add.' };
const listed = (name: string, groupTitle: string, summary: string, ...names: string[]): Listed => {
  const parameters = names.map((each) => ({ name: each, description: DESCRIPTIONS[each] ?? '' }));
  return { name, group: groupTitle, groupTitle, summary, parameters };
};
const COMMANDS = [
  listed('get', 'Single entries', 'Returns the value of a key.', 'cacheName', 'key'),
  listed('put', 'Single entries', 'Stores a value.', 'cacheName', 'key', 'val'),
  listed('incr', 'Counters', 'Adds to a counter.', 'delta'),
];

test.each([
  ['', [], 'Single entries: get put; Counters: incr'],
  ['', ['incr', 'put'], 'Favourites: put incr; Single entries: get'],
  ['VALUE', [], 'Single entries: get put'],
  ['value stores', [], 'Single entries: put'],
  ['delta', [], 'Counters: incr'],
  ['counters', ['incr'], 'Favourites: incr'],
  ['absent', ['incr'], ''],
  ['the CACHE.', [], 'By the description of a parameter: get put'],
  ['ADD', [], 'Counters: incr'],
  ['what name', [], ''],
] as const)('the search %j with the favourites %j', (search, favourites, expected) => {
  const groups = groupsOf(COMMANDS, search, favourites);
  const text = groups.map(({ title, commands }) => `${title}: ${commands.map(({ name }) => name).join(' ')}`);
  expect(text.join('; ')).toBe(expected);
});

test('code and strong words are marked, and everything else is text', () => {
  expect(spansOf('Use `a<b>` and **not** <script>, * or ` alone.')).toEqual([
    { kind: 'text', text: 'Use ' },
    { kind: 'code', text: 'a<b>' },
    { kind: 'text', text: ' and ' },
    { kind: 'strong', text: 'not' },
    { kind: 'text', text: ' <script>, * or ` alone.' },
  ]);
  expect(paragraphsOf('One\nline.\n\n\nTwo `x`.\n')).toEqual([
    [{ kind: 'text', text: 'One line.' }],
    [
      { kind: 'text', text: 'Two ' },
      { kind: 'code', text: 'x' },
      { kind: 'text', text: '.' },
    ],
  ]);
});

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
}

test('what the reference says of the commands needs no other Markdown', () => {
  const document: OpenApi = JSON.parse(openApiDocument());
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const texts = operations.flatMap(({ summary = '', description = '', responses }) => [
    summary,
    description.split('\n\nExample:')[0] ?? '',
    responses?.['200']?.description ?? '',
  ]);
  const plain = texts.flatMap(paragraphsOf).flatMap((spans) => spans.filter(({ kind }) => kind === 'text'));
  expect(plain.length).toBeGreaterThan(200);
  expect(plain.filter(({ text }) => /`|\*\*|\]\(|^\s*[-#]\s/.test(text)).map(({ text }) => text)).toEqual([]);
});

test('the values that were sent last come first, without secrets, empty and long ones', () => {
  const kept = withValues([], 'put', { key: 'a', val: '', password: 'x', secretKey: 'y', big: 'z'.repeat(3_000) });
  expect(kept).toEqual([['put', { key: 'a' }]]);
  const both = withValues(kept, 'get', { key: 'b' });
  expect(both.map(([name]) => name)).toEqual(['get', 'put']);
  expect(withValues(both, 'put', { key: 'c' })).toEqual([
    ['put', { key: 'c' }],
    ['get', { key: 'b' }],
  ]);
  expect(withValues(both, 'put', { key: '' })).toEqual([['get', { key: 'b' }]]);
  const many = Array.from({ length: 40 }, (_, at) => `command${at}`).reduce<LastValues>(
    (values, name) => withValues(values, name, { key: name }),
    [],
  );
  expect(many).toHaveLength(30);
  expect(many[0]?.[0]).toBe('command39');
});
