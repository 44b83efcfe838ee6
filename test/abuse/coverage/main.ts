/**
 * Prints which branches of the readers and parsers the unit tests and the fuzzers reach: `npm run abuse:coverage`. Ends
 * with code 1 when a group is below the minimum share. A branch is what istanbul counts: each way of an `if`, `?:`,
 * `switch`, `&&`, `||`, `??` and of a default value.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GROUPS } from './groups.ts';

interface FileCounts {
  /** The number of runs of each way of each branch. */
  readonly b: Readonly<Record<string, readonly number[]>>;
  readonly s: Readonly<Record<string, number>>;
}

const LEAST_PERCENT = 80;
const root = join(import.meta.dir, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'svc-coverage-'));
const TESTS = ['src/http', 'src/sql', 'src/engines/cluster', 'src/engines/embedded/sql', 'test/abuse/coverage'];

const child = Bun.spawnSync(
  [process.execPath, 'test', '--preload', './test/abuse/coverage/instrument.ts', ...TESTS.map((path) => `./${path}`)],
  { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, SVC_COVERAGE_DIR: folder } },
);
process.stdout.write(`${child.stderr.toString().trim().split('\n').slice(-5).join('\n')}\n`);

const files = new Map<string, FileCounts>();
for (const name of readdirSync(folder)) {
  const counts: Record<string, FileCounts> = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  for (const [path, each] of Object.entries(counts)) files.set(path, each);
}
rmSync(folder, { recursive: true });

let failed = child.exitCode !== 0;
for (const [group, pattern] of Object.entries(GROUPS)) {
  const own = [...files].filter(([path]) => pattern.test(path));
  const branches = own.flatMap(([, { b }]) => Object.values(b).flat());
  const percent = share(branches);
  process.stdout.write(`${group}: ${percent.toFixed(1)} % of ${branches.length} branches\n`);
  for (const [path, { b, s }] of own) {
    const [ways, statements] = [share(Object.values(b).flat()), share(Object.values(s))];
    process.stdout.write(`    ${path}: branches ${ways.toFixed(1)} %, statements ${statements.toFixed(1)} %\n`);
  }
  if (own.length === 0 || percent < LEAST_PERCENT) failed = true;
}
process.exit(failed ? 1 : 0);

function share(counts: readonly number[]): number {
  return (100 * counts.filter((count) => count > 0).length) / Math.max(1, counts.length);
}
