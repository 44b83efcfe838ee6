/**
 * Builds the service as one executable file, dist/svc (`--outfile FILE`: elsewhere), for this platform, or for the one
 * that `--target` names, whose runtime Bun downloads. scripts/build-release.ts builds a release.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildExecutable, reportFile, TARGETS, usage } from './executable.ts';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    outfile: { type: 'string', default: join(import.meta.dir, '..', 'dist', 'svc') },
    target: { type: 'string' },
  },
});
const target = TARGETS.find((each) => each === values.target);
if (values.target !== undefined && target === undefined)
  usage(`--target: ${values.target} is unknown; choose one of ${TARGETS.join(', ')}`);
const outfile = resolve(values.outfile);
const problem = await buildExecutable(outfile, target);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else reportFile(outfile);
