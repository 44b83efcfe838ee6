// Generates the pages of docs that follow from the declarations, and docs/openapi.json.
// With --check, writes nothing and fails if a file is out of date.
import { join } from 'node:path';
import { generatedFiles } from './pages/generated-files.ts';

const root = join(import.meta.dir, '..');
const check = process.argv.includes('--check');
let stale = 0;
for (const [path, text] of Object.entries(generatedFiles())) {
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
