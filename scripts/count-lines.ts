/**
 * Counts the lines of production code: `npm run count`. Production code is TypeScript, C and CSS in `src`, without
 * tests, declarations of foreign types and what is generated. Prints the lines of each folder, the longest files, and
 * the files that import the most others.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MAX_FILE_LINES = 600;
/** Above it, a file is listed as one to watch. */
const LONG_FILE_LINES = 400;
export const MAX_IMPORTS = 20;

const GENERATED: ReadonlySet<string> = new Set([
  'src/cli/command-loaders.ts',
  'src/client/commands.ts',
  'src/samples/go-fields.ts',
]);
const NOT_PRODUCTION = /\.(?:test|d)\.tsx?$/;
const RELATIVE_IMPORT = /^(?:import|export|\}) ?(?:[^'"\n]* from )?'(\.{1,2}\/[^']+)'/gm;

export interface ProductionFile {
  readonly path: string;
  readonly lines: number;
  /** Files of the repository that it imports. */
  readonly imports: number;
}

/** Returns all files of production code below a folder with the sources in `src`, sorted by path. */
export function productionFiles(root: string): ProductionFile[] {
  return [...new Bun.Glob('src/**/*.{ts,tsx,c,css}').scanSync({ cwd: root })]
    .filter((path) => !NOT_PRODUCTION.test(path) && !GENERATED.has(path))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const targets = new Set([...text.matchAll(RELATIVE_IMPORT)].map(([, target]) => target));
      return { path, lines: text.split('\n').length - 1, imports: targets.size };
    });
}

if (import.meta.main) print(productionFiles(join(import.meta.dir, '..')));

function print(files: readonly ProductionFile[]): void {
  const folders = new Map<string, { files: number; lines: number }>();
  for (const { path, lines } of files) {
    const folder = dirname(path).split('/').slice(0, 4).join('/');
    const counted = folders.get(folder) ?? { files: 0, lines: 0 };
    folders.set(folder, { files: counted.files + 1, lines: counted.lines + lines });
  }
  const rows = [...folders].sort(([left], [right]) => left.localeCompare(right));
  const total = files.reduce((sum, { lines }) => sum + lines, 0);
  show(rows.map(([folder, counted]) => `${column(counted.lines)} ${column(counted.files)}  ${folder}`));
  show([`${column(total)} ${column(files.length)}  all`]);
  const long = files.filter(({ lines }) => lines > LONG_FILE_LINES).sort((left, right) => right.lines - left.lines);
  const many = files.filter(({ imports }) => imports > MAX_IMPORTS).sort((left, right) => right.imports - left.imports);
  const tooLong = long.filter(({ lines }) => lines > MAX_FILE_LINES).length;
  show(['', `${long.length} files have more than ${LONG_FILE_LINES} lines, ${tooLong} more than ${MAX_FILE_LINES}:`]);
  show(long.map(({ path, lines }) => `${column(lines)}  ${path}`));
  show(['', `${many.length} files import more than ${MAX_IMPORTS} others:`]);
  show(many.map(({ path, imports }) => `${column(imports)}  ${path}`));
}

function column(count: number): string {
  return String(count).padStart(7);
}

function show(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
