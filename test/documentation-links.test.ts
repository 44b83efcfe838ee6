/** Checks every link of the documents: files and headings exist. No request leaves the machine. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { anchorsOf, linksOf } from '../scripts/document-links.ts';

const root = join(import.meta.dir, '..');
const documents = ['*.md', 'docs/**/*.md', 'bench/**/*.md', 'test/**/*.md', 'src/**/*.md', 'examples/**/*.md']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
  .filter((path) => !path.includes('node_modules'))
  .sort();

/** Hosts that documents may name: of programs to install, specifications, and the machine itself. */
const EXTERNAL = /^(?:https:\/\/[\w.-]+\.[a-z]{2,}(?:\/|$)|http:\/\/localhost:8080\/|mailto:)/;

const anchors = new Map<string, Set<string>>();

function anchorsIn(path: string): Set<string> {
  const known = anchors.get(path) ?? anchorsOf(readFileSync(join(root, path), 'utf8'));
  anchors.set(path, known);
  return known;
}

/** Returns the problem with a link of a document, or undefined if it is correct. */
function complaint(path: string, target: string): string | undefined {
  if (/^[a-z]+:/.test(target)) return EXTERNAL.test(target) ? undefined : `unexpected address ${target}`;
  const [file = '', anchor] = target.split('#');
  const found = file === '' ? path : relative(root, join(root, dirname(path), decodeURIComponent(file)));
  if (found.startsWith('..')) return `${target} leads out of the repository`;
  if (!existsSync(join(root, found))) return `there is no file ${found}`;
  if (anchor === undefined) return undefined;
  if (!found.endsWith('.md') || statSync(join(root, found)).isDirectory()) return `${found} has no headings`;
  return anchorsIn(found).has(anchor) ? undefined : `${found} has no heading #${anchor}`;
}

describe('links lead to files and headings', () => {
  for (const path of documents) {
    test(path, () => {
      const found = linksOf(readFileSync(join(root, path), 'utf8')).flatMap(({ line, target }) => {
        const wrong = complaint(path, target);
        return wrong === undefined ? [] : [`${path}:${line}: ${wrong}`];
      });
      expect(found.join('\n')).toBe('');
    });
  }
  test('there are some', () => {
    const count = documents.flatMap((path) => linksOf(readFileSync(join(root, path), 'utf8'))).length;
    expect(count).toBeGreaterThan(1000);
  });
});

test('every page of docs can be reached from the index', () => {
  const reached = new Set<string>(['docs/README.md']);
  for (const path of reached) {
    for (const { target } of linksOf(readFileSync(join(root, path), 'utf8'))) {
      const [file = ''] = target.split('#');
      if (file === '' || /^[a-z]+:/.test(target)) continue;
      const found = relative(root, join(root, dirname(path), decodeURIComponent(file)));
      if (found.endsWith('.md') && found.startsWith('docs/')) reached.add(found);
    }
  }
  expect(documents.filter((path) => path.startsWith('docs/') && !reached.has(path))).toEqual([]);
});

describe('complaint reports', () => {
  const cases: ReadonlyArray<readonly [string, string, string | undefined]> = [
    ['nothing for a file', 'docs/limits.md', undefined],
    ['nothing for a heading', 'ARCHITECTURE.md#modules', undefined],
    ['nothing for a heading of the page', '#rules', undefined],
    ['a file that is missing', 'docs/limit.md', 'there is no file docs/limit.md'],
    ['a heading that is missing', 'ARCHITECTURE.md#module', 'ARCHITECTURE.md has no heading #module'],
    ['a path out of the repository', '../x.md', '../x.md leads out of the repository'],
    ['another protocol', 'ftp://example.org/', 'unexpected address ftp://example.org/'],
  ];
  test.each(cases)('%s', (_, target, expected) => expect(complaint('CONTRIBUTING.md', target)).toBe(expected));
});

describe('linksOf and anchorsOf', () => {
  test('skip code', () => {
    expect(linksOf('[a](b.md) `[c](d.md)`\n```text\n[e](f.md)\n```\n[`g`](h.md#i)')).toEqual([
      { line: 1, target: 'b.md' },
      { line: 5, target: 'h.md#i' },
    ]);
  });
  test('number headings that repeat', () => {
    expect([...anchorsOf('# A b\n## `C_d`: e!\n```sh\n# no\n```\n## A b')]).toEqual(['a-b', 'c_d-e', 'a-b-1']);
  });
});
