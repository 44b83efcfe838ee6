/**
 * Counts how often the functions of each file in `src` run, in this process: imported or preloaded before them. With
 * `FUNCTION_COUNTS` in the environment the counts are written to that file, ten times a second.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plugin } from 'bun';
import { createInstrumenter } from 'istanbul-lib-instrument';

/** The number of calls of each function, by the path of its file. */
export type FunctionCounts = Readonly<Record<string, readonly number[]>>;

const WRITE_MS = 100;
const root = join(import.meta.dir, '..');
const instrumenter = createInstrumenter({ esModules: true, compact: false, coverageVariable: '__svcCoverage' });
const transpiler = new Bun.Transpiler({ loader: 'ts', target: 'bun' });

plugin({
  name: 'function counts',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const code = transpiler.transformSync(await Bun.file(path).text());
      return { contents: instrumenter.instrumentSync(code, path.slice(root.length + 1)), loader: 'js' };
    });
  },
});

/** Returns how often each function of each file has run. */
export function functionCounts(): FunctionCounts {
  const counted: Record<string, { readonly f: Readonly<Record<string, number>> }> =
    Reflect.get(globalThis, '__svcCoverage') ?? {};
  return Object.fromEntries(Object.entries(counted).map(([path, { f }]) => [path, Object.values(f)]));
}

const file = process.env.FUNCTION_COUNTS;
if (file !== undefined && process.argv.some((word) => word.endsWith('-process'))) {
  const own = `${file}.${process.pid}`;
  setInterval(() => {
    writeFileSync(`${own}.new`, JSON.stringify(functionCounts()));
    // A reader never sees half of the file.
    renameSync(`${own}.new`, own);
  }, WRITE_MS).unref();
}
