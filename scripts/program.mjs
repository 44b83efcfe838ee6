// Prints the file that `npm start` runs: the bundle in dist/program, which it builds when it is absent or when a source
// has changed, or the sources when the bundle cannot be built. The bundle starts in half the time.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bundle = join(root, 'dist', 'program');
/** The files from which the bundle is built, and those that determine how. */
const SOURCES = ['src', 'scripts', 'package.json', 'node_modules/.package-lock.json'];
/** In the bundle: the state of the sources from which it was built. */
const STATE = 'sources.sha256';

/** Returns a hash of names, sizes and times of all sources. */
function stateOfSources() {
  const hash = createHash('sha256');
  for (const name of SOURCES) {
    const path = join(root, name);
    if (!existsSync(path)) continue;
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !/\.test\.ts$/.test(entry.name))
          .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
          .sort()
      : [path];
    for (const file of files) {
      const { size, mtimeMs } = statSync(file);
      hash.update(`${file}\0${size}\0${mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

/** Whether there is a bundle of the sources as they are. */
function isCurrent(state) {
  const file = join(bundle, STATE);
  return existsSync(file) && readFileSync(file, 'utf8') === state;
}

/** Builds the bundle next to its destination and moves it there, so that no process loads half of it. */
function build(state) {
  const runtime = join(dirname(createRequire(import.meta.url).resolve('bun/package.json')), 'bin', 'bun.exe');
  mkdirSync(join(root, 'dist'), { recursive: true });
  const [built, former] = ['build-', 'former-'].map((prefix) => mkdtempSync(join(root, 'dist', prefix)));
  try {
    execFileSync(runtime, [join(root, 'scripts', 'build-service.ts'), built, '--program'], { stdio: 'pipe' });
    writeFileSync(join(built, STATE), state);
    if (existsSync(bundle)) renameSync(bundle, join(former, 'program'));
    renameSync(built, bundle);
  } finally {
    for (const folder of [built, former]) rmSync(folder, { recursive: true, force: true });
  }
}

function main() {
  const state = stateOfSources();
  if (!isCurrent(state)) {
    process.stderr.write('building the program (once for each version)\n');
    try {
      build(state);
    } catch (error) {
      // Another `npm start` may have built it meanwhile.
      const [reason] = String(error.stderr || error.message)
        .trim()
        .split('\n')
        .slice(-1);
      if (!isCurrent(state)) process.stderr.write(`running the sources: the program could not be built: ${reason}\n`);
    }
  }
  process.stdout.write(isCurrent(state) ? join(bundle, 'main.js') : join(root, 'src', 'main.ts'));
}

main();
