/**
 * Checks that the generated files in the repository are up to date; `npm run generate` writes them. Files that only the
 * built site has are checked as they are generated.
 */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { anchorsOf, linksOf } from '../scripts/document-links.ts';
import { pathOfErrorPage } from '../scripts/pages/errors-page.ts';
import { builtFiles, generatedFiles } from '../scripts/pages/generated-files.ts';
import { goFieldsFile } from '../scripts/pages/go-client.ts';
import { describedErrors } from '../src/documentation/error-guide.ts';

const root = join(import.meta.dir, '..');
const files = Object.entries({ ...generatedFiles(), 'src/samples/go-fields.ts': goFieldsFile() });

test('there are generated files', () => expect(files.length).toBeGreaterThan(1));

describe('what only the built site has', () => {
  const built = builtFiles();

  test('is a page for each error, and the OpenAPI document', () => {
    const pages = describedErrors().map(({ code }) => pathOfErrorPage(code));
    expect(Object.keys(built).sort()).toEqual([...pages, 'docs/errors.md', 'docs/openapi.json'].sort());
  });

  test('is not in the repository', () => {
    const inBoth = Object.keys(built).filter((path) => path !== 'docs/errors.md' && existsSync(join(root, path)));
    expect(inBoth).toEqual([]);
  });

  test('links to files and headings', () => {
    const wrong = Object.entries(built).flatMap(([path, text]) =>
      (path.endsWith('.md') ? linksOf(text) : []).flatMap(({ line, target }) => {
        const [name = '', anchor] = target.split('#');
        const file = relative(root, join(root, dirname(path), name));
        const found =
          built[file] ?? (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined);
        const isError = file === 'docs/errors.md' && pathOfErrorPage(anchor ?? '') in built;
        if (found === undefined) return [`${path}:${line}: there is no ${file}`];
        return anchor === undefined || isError || anchorsOf(found).has(anchor) ? [] : [`${path}:${line}: ${target}`];
      }),
    );
    expect(wrong).toEqual([]);
  });
});

test('what generates the file that samples load does not load it', async () => {
  const loaded: string[] = [];
  await Bun.build({
    entrypoints: [join(import.meta.dir, '../scripts/pages/go-client.ts')],
    target: 'bun',
    plugins: [
      {
        name: 'loaded',
        setup: (build) => void build.onResolve({ filter: /^\./ }, ({ path }) => void loaded.push(path)),
      },
    ],
  });
  expect(loaded).toContain('./client-model.ts');
  expect(loaded.filter((path) => path.includes('go-fields'))).toEqual([]);
});

test.each(files)('%s is up to date', (path, text) => {
  const checkedIn = readFileSync(join(root, path), 'utf8');
  // The first difference is easier to read than two long texts.
  const lines = checkedIn.split('\n');
  const wanted = text.split('\n');
  const at = wanted.findIndex((line, index) => line !== lines[index]);
  const difference = at < 0 ? undefined : `${path}:${at + 1}: ${lines[at]} -> ${wanted[at]}; run npm run generate`;
  expect(difference).toBeUndefined();
  expect(checkedIn.length).toBe(text.length);
});
