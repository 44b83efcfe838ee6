/** Colours, font sizes and distances of the console are named in one file, as its design page says. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '../../src/console');
const COLOUR = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl)a?\(/i;
const LENGTH = /^\s*(?:margin|padding|gap|row-gap|column-gap|font-size|border-radius)[a-z-]*:.*\d(?:rem|em|px)/;

test('style sheets take colours, font sizes and distances from the tokens', () => {
  const sheets = [...new Bun.Glob('**/*.css').scanSync(FOLDER)].filter((path) => path !== 'styles/tokens.css');
  expect(sheets.length).toBeGreaterThan(5);
  const own = sheets.flatMap((path) =>
    readFileSync(join(FOLDER, path), 'utf8')
      .split('\n')
      .filter((line) => COLOUR.test(line) || LENGTH.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(own).toEqual([]);
});
