/** Checks that the generated files in the repository are up to date; `npm run generate` writes them. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS_PAGE, errorsPage } from '../scripts/errors-page.ts';
import { LIMITS_PAGE, limitsPage } from '../scripts/limits-page.ts';
import { METRICS_PAGE, metricsPage } from '../scripts/metrics-page.ts';
import { PERFORMANCE_PAGE, performancePage } from '../scripts/performance-page.ts';
import { SQL_PAGE, sqlPage } from '../scripts/sql-page.ts';
import { OPTION_ROWS } from '../src/configuration/options.ts';
import { generatedFiles } from '../src/documentation/generated-files.ts';

const files = Object.entries({
  ...generatedFiles(OPTION_ROWS),
  [SQL_PAGE]: sqlPage(),
  [ERRORS_PAGE]: errorsPage(),
  [LIMITS_PAGE]: limitsPage(),
  [METRICS_PAGE]: metricsPage(),
  [PERFORMANCE_PAGE]: performancePage(),
});

test('there are generated files', () => expect(files.length).toBeGreaterThan(1));

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
