/**
 * Preloaded by `npm run abuse:coverage`: counts the branches of the readers and parsers while tests run, which Bun does
 * not do itself, and writes the counts at the end of the process.
 */

import { afterAll } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plugin } from 'bun';
import { createInstrumenter } from 'istanbul-lib-instrument';
import { isMeasured } from './groups.ts';

const root = join(import.meta.dir, '../../..');
const folder = process.env.SVC_COVERAGE_DIR ?? '';
const instrumenter = createInstrumenter({ esModules: true, compact: false, coverageVariable: '__svcCoverage' });
const transpiler = new Bun.Transpiler({ loader: 'ts', target: 'bun' });

plugin({
  name: 'branch counts',
  setup(build) {
    build.onLoad({ filter: /\/src\/(?:base|http|sql|engines\/cluster)\/.*(?<!\.test)\.ts$/ }, async (args) => {
      const source = await Bun.file(args.path).text();
      const path = args.path.slice(root.length + 1);
      if (!isMeasured(path)) return { contents: source, loader: 'ts' };
      return { contents: instrumenter.instrumentSync(transpiler.transformSync(source), path), loader: 'js' };
    });
  },
});

afterAll(() => {
  const counts: unknown = Reflect.get(globalThis, '__svcCoverage');
  if (counts === undefined || folder === '') return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(counts));
});
