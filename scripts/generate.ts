// Generates the files of the repository that follow from the declarations.
// With --check, writes nothing and fails if a file is out of date.
import { join } from 'node:path';
import { goFieldsFile } from './pages/go-client.ts';

const root = join(import.meta.dir, '..');
const check = process.argv.includes('--check');
let stale = 0;

async function update(path: string, text: string): Promise<void> {
  const file = Bun.file(join(root, path));
  if ((await file.exists()) && (await file.text()) === text) return;
  if (check) {
    stale += 1;
    process.stdout.write(`${path} is out of date: run npm run generate\n`);
  } else {
    await Bun.write(file, text);
    process.stdout.write(`${path} written\n`);
  }
}

// The pages contain samples, which need this file when they are loaded.
await update('src/samples/go-fields.ts', goFieldsFile());
const { generatedFiles } = await import('./pages/generated-files.ts');
for (const [path, text] of Object.entries(generatedFiles())) await update(path, text);
process.exitCode = stale > 0 ? 1 : 0;
