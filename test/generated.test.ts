/** Checks that the generated files in the repository are up to date; `npm run generate` writes them. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from '../scripts/pages/generated-files.ts';
import { goFieldsFile } from '../scripts/pages/go-client.ts';

const files = Object.entries({ ...generatedFiles(), 'src/samples/go-fields.ts': goFieldsFile() });

test('there are generated files', () => expect(files.length).toBeGreaterThan(1));

test('every error has its page, and no other page is left', () => {
  const pages = [...new Bun.Glob('docs/errors/*').scanSync({ cwd: join(import.meta.dir, '..') })];
  const wanted = files.map(([path]) => path).filter((path) => path.startsWith('docs/errors/'));
  expect(pages.sort()).toEqual(wanted.sort());
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
  const checkedIn = readFileSync(join(import.meta.dir, '..', path), 'utf8');
  // The first difference is easier to read than two long texts.
  const lines = checkedIn.split('\n');
  const wanted = text.split('\n');
  const at = wanted.findIndex((line, index) => line !== lines[index]);
  const difference = at < 0 ? undefined : `${path}:${at + 1}: ${lines[at]} -> ${wanted[at]}; run npm run generate`;
  expect(difference).toBeUndefined();
  expect(checkedIn.length).toBe(text.length);
});
