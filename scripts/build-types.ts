/**
 * Writes the type declarations of the npm package in `types`, for each entry of `exports` in package.json that has a
 * source in `src`. Programs that use the package are checked against them, not against the sources.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reachableFrom } from './declaration-files.ts';

/** An entry of `exports`: its declarations, `./types/NAME.d.ts`, are those of `./src/NAME.ts`. */
interface Entry {
  readonly types: string;
}

const root = join(import.meta.dir, '..');
const TYPES = join(root, 'types');

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | Entry>>;
};
const entries = Object.entries(exports).map(([name, entry]): Entry => {
  if (typeof entry === 'string') throw new Error(`package.json: the entry ${name} of exports names no types`);
  return entry;
});

rmSync(TYPES, { recursive: true, force: true });
const project = join(root, 'tsconfig.types.json');
writeFileSync(
  project,
  JSON.stringify({
    extends: './tsconfig.json',
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: './src',
      outDir: './types',
    },
    files: entries.map(({ types }) => types.replace(/^\.\/types\/(.*)\.d\.ts$/, './src/$1.ts')),
    include: ['src/**/*.d.ts'],
  }),
);
try {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { exitCode, stdout, stderr } = Bun.spawnSync([tsc, '-p', project], { cwd: root });
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}`);
} finally {
  rmSync(project, { force: true });
}
removeUnused(new Set(entries.flatMap(({ types }) => [...reachableFrom(join(root, types))])));

for (const { types } of entries) {
  const path = join(root, types);
  if (!existsSync(path)) throw new Error(`package.json: ${types} was not written`);
  // For programs whose target is older: the compiler knows `Disposable` only from this library.
  writeFileSync(path, `/// <reference lib="esnext.disposable" />\n${readFileSync(path, 'utf8')}`);
}

/** Removes the declarations of modules that only the implementation imports. */
function removeUnused(used: ReadonlySet<string>): void {
  for (const name of new Bun.Glob('**/*.d.ts').scanSync(TYPES)) {
    const path = join(TYPES, name);
    if (!used.has(path)) rmSync(path);
  }
}

process.stdout.write(`types: ${entries.length} entries\n`);
