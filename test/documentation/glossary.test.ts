/** The glossary defines each term once, in order, and the drawing of the concepts is accessible. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const textOf = (name: string) => readFileSync(join(import.meta.dir, '../../docs', name), 'utf8');
const terms = [...textOf('glossary.md').matchAll(/^\| ([^|]+?) \| /gm)]
  .flatMap(([, term = '']) => (term === 'term' ? [] : [term]))
  .filter((term) => !term.startsWith('---'));

test('every term is defined once, in alphabetical order', () => {
  expect(terms.length).toBeGreaterThan(30);
  expect(terms).toEqual(terms.toSorted((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), 'en')));
  expect(new Set(terms).size).toBe(terms.length);
});

test('the drawing has a text alternative and colours for dark pages', () => {
  const drawing = textOf('images/concepts.svg');
  for (const part of ['<title id=', '<desc id=', '(prefers-color-scheme: dark)']) expect(drawing).toContain(part);
  expect(textOf('concepts.md')).toMatch(/!\[[^\]]{100,}\]\(images\/concepts\.svg\)/);
});
