// Generates the pages of docs that follow from the declarations, and docs/openapi.json.
// With --check, writes nothing and fails if a file is out of date.
import { join } from 'node:path';
import { OPTION_ROWS } from '../src/configuration/options.ts';
import { generatedFiles } from '../src/documentation/generated-files.ts';
import { ERRORS_PAGE, errorsPage } from './errors-page.ts';
import { LIMITS_PAGE, limitsPage } from './limits-page.ts';
import { METRICS_PAGE, metricsPage } from './metrics-page.ts';
import { PERFORMANCE_PAGE, performancePage } from './performance-page.ts';
import { SQL_PAGE, sqlPage } from './sql-page.ts';

const root = join(import.meta.dir, '..');
const check = process.argv.includes('--check');
let stale = 0;
for (const [path, text] of Object.entries({
  ...generatedFiles(OPTION_ROWS),
  [SQL_PAGE]: sqlPage(),
  [ERRORS_PAGE]: errorsPage(),
  [LIMITS_PAGE]: limitsPage(),
  [METRICS_PAGE]: metricsPage(),
  [PERFORMANCE_PAGE]: performancePage(),
})) {
  const file = Bun.file(join(root, path));
  if ((await file.exists()) && (await file.text()) === text) continue;
  if (check) {
    stale += 1;
    process.stdout.write(`${path} is out of date: run npm run generate\n`);
  } else {
    await Bun.write(file, text);
    process.stdout.write(`${path} written\n`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;
