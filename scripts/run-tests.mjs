// Runs the tests: `node scripts/run-tests.mjs all|quick|cluster|long`. The last line is `N passed, N failed`
// (`, N skipped`).
// quick: tests that start no server process. all: the first ring, that is types, style and all tests that need no Java,
// except those of the second ring. long: the second ring, the files whose names contain `.long.`. CI runs the first
// ring, the cluster tests, and a tenth of the second, which changes with each commit. Each part is a process of its own
// with a time limit; a part that crashes counts as failed. A few parts run at the same time, except those that measure.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binaries = join(root, 'node_modules', '.bin');
const inCi = process.env.SVC_TEST_CI === 'true' || process.env.CI === 'true';
const mode = process.argv[2] ?? 'all';
if (!['all', 'quick', 'cluster', 'long'].includes(mode)) {
  process.stderr.write('usage: node scripts/run-tests.mjs all|quick|cluster|long\n');
  process.exit(2);
}

/** Tests that start server processes; each file is a process of its own. */
const SYSTEM = 'test/system';
/** Attacks and fuzzers: test/abuse/README.md. */
const ABUSE = 'test/abuse';
/** Short forms of the long proofs: crashes, power cuts, recorded histories. */
const PROOF = 'test/proof';
/** Tests that start cluster nodes. */
const CLUSTER = 'test/cluster';

/** Tests that measure response times or memory: nothing else runs beside them. */
const MEASURING = [
  'test/abuse',
  'test/proof',
  'test/system/limits',
  'test/system/signals.test.ts',
  'test/system/stopping.test.ts',
  'test/system/watchdog.test.ts',
];
/** Time for a test that states none: five seconds, Bun's default, are too short on a busy machine. */
const TEST_LIMIT_MS = 60_000;
/** Parts that run at the same time: most of them wait more than they compute. */
const LANES = availableParallelism() + 1;

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} command
 * @property {string[]} args
 * @property {number} limitSeconds
 * @property {boolean} alone Nothing else runs at the same time.
 * @property {string} [report] The file of its results.
 */
/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

function testFiles(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules'))
    .sort();
}

const inside = (folder) => (path) => path.startsWith(`${folder}/`);
const isLong = (path) => path.includes('.long.');
const files = ['src', 'test', 'bench', 'scripts'].flatMap(testFiles);
const long = files.filter(isLong);
const first = files.filter((path) => !isLong(path));
const system = first.filter(inside(SYSTEM));
const abuse = first.filter(inside(ABUSE));
const proof = first.filter(inside(PROOF));
const cluster = first.filter((path) => inside(CLUSTER)(path) || path.endsWith('.cluster.test.ts'));
const quick = first.filter((path) => ![system, abuse, proof, cluster].some((part) => part.includes(path)));

/** Every file of the second ring runs in CI at least once in so many commits. */
const LONG_GROUPS = 10;

/** Returns the files of the second ring whose turn it is at this commit. */
function longFilesOfCommit() {
  const commits = Number(execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: root, encoding: 'utf8' }));
  return long.filter((_, index) => index % LONG_GROUPS === commits % LONG_GROUPS);
}

const reports = mkdtempSync(join(tmpdir(), 'svc-tests-'));
let partNumber = 0;

/** @returns {Part} */
function tests(name, files, limitSeconds, alone) {
  const report = join(reports, `${++partNumber}.xml`);
  const args = [
    'test',
    '--only-failures',
    `--timeout=${TEST_LIMIT_MS}`,
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    ...files.map((file) => `./${file}`),
  ];
  return { name, command: join(binaries, 'bun'), args, limitSeconds, alone, report };
}

function allParts() {
  const quickPart = tests('tests without a server', quick, 600, false);
  const clusterParts = cluster.map((file) => tests(file, [file], 1200, true));
  if (mode === 'quick') return [quickPart];
  if (mode === 'cluster') return clusterParts;
  const longParts = (files) => files.map((file) => tests(file, [file], 1800, true));
  if (mode === 'long') return longParts(long);
  const serverParts = [
    ...system.map((file) => ({ file, limitSeconds: 600 })),
    ...proof.map((file) => ({ file, limitSeconds: 300 })),
    // What counts branches is run by `npm run abuse:coverage`.
    ...abuse.filter((file) => !file.includes('/coverage/')).map((file) => ({ file, limitSeconds: 300 })),
  ].map(({ file, limitSeconds }) => tests(file, [file], limitSeconds, isMeasuring(file)));
  return [
    { name: 'type check', command: join(binaries, 'tsc'), args: ['--noEmit'], limitSeconds: 120, alone: false },
    {
      name: 'type check of the console',
      command: join(binaries, 'tsc'),
      args: ['--noEmit', '-p', 'src/console'],
      limitSeconds: 120,
      alone: false,
    },
    {
      name: 'lint',
      command: join(binaries, 'biome'),
      args: ['check', '--diagnostic-level=error', '.'],
      limitSeconds: 60,
      alone: false,
    },
    quickPart,
    ...serverParts.filter(({ alone }) => !alone),
    ...serverParts.filter(({ alone }) => alone),
    ...(inCi ? [...clusterParts, ...longParts(longFilesOfCommit())] : []),
  ];
}

function isMeasuring(file) {
  return MEASURING.some((path) => file === path || file.startsWith(`${path}/`));
}

const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of running) endGroup(child);
    process.exit(1);
  });
}

function endGroup(child) {
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Runs a part and shows its output: at once if nothing else runs, otherwise at its end. */
function run(part) {
  const lines = [];
  const show = part.alone ? print : (line) => lines.push(line);
  return new Promise((resolve) => {
    const child = spawn(part.command, part.args, {
      cwd: root,
      // FORCE_COLOR would hide the marks that are looked for.
      env: { ...process.env, FORCE_COLOR: undefined, NO_COLOR: '1', BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that the servers that a test has started end with it.
      detached: true,
    });
    running.add(child);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      endGroup(child);
    }, part.limitSeconds * 1000);
    for (const stream of [child.stdout, child.stderr]) readLines(stream, show);
    child.on('error', (error) => show(error.message));
    child.on('close', (code) => {
      clearTimeout(timer);
      running.delete(child);
      if (timedOut) show(`(fail) ${part.name}: exceeded ${part.limitSeconds} s`);
      for (const line of lines) print(line);
      resolve(count(part, timedOut ? 1 : (code ?? 1)));
    });
  });
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

/** Calls `show` with each line that is worth showing. */
function readLines(stream, show) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (isWorthShowing(line)) show(line);
  });
  stream.on('end', () => {
    if (rest !== '' && isWorthShowing(rest)) show(rest);
  });
}

/** Lines of Bun's output that need no attention: its own totals. */
const NOTHING_NEW = [
  /^\s*$/,
  /^bun test v/,
  /^\s+\d+ (?:pass|fail|skip|error)/,
  /^ \d+ expect\(\)/,
  /^Ran \d+/,
  /^\S+\.test\.ts:$/,
];

function isWorthShowing(line) {
  return !NOTHING_NEW.some((pattern) => pattern.test(line));
}

/** @returns {Counts} */
function count(part, code) {
  if (part.report === undefined) return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
  const report = existsSync(part.report) ? readFileSync(part.report, 'utf8') : '';
  // The name of a skipped test says what is missing.
  for (const [, name] of report.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<skipped/g)) {
    print(`(skip) ${unescapeXml(name)}`);
  }
  const head = /<testsuites [^>]*>/.exec(report)?.[0] ?? '';
  const number = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number('failures');
  const skipped = number('skipped');
  // A process that fails without a failed test has crashed, or could not load a file.
  return { passed: number('tests') - failed - skipped, failed: failed === 0 && code !== 0 ? 1 : failed, skipped };
}

/** Names in the report may have these entities. */
const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&#10;': ' ' };

function unescapeXml(xml) {
  return xml.replace(/&(?:amp|lt|gt|quot|apos|#10);/g, (entity) => ENTITIES[entity]);
}

const total = { passed: 0, failed: 0, skipped: 0 };
const startMs = Date.now();

/** Takes parts from the front of a queue until it is empty. */
async function runQueue(queue) {
  for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
    const partStartMs = Date.now();
    const counts = await run(part);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
    const seconds = ((Date.now() - partStartMs) / 1000).toFixed(1);
    print(`-- ${part.name}: ${summary(counts)} (${seconds} s)`);
  }
}

const parts = allParts();
const shared = parts.filter(({ alone }) => !alone);
await Promise.all(Array.from({ length: LANES }, () => runQueue(shared)));
await runQueue(parts.filter(({ alone }) => alone));
rmSync(reports, { recursive: true, force: true });
print(`-- ${mode}: ${((Date.now() - startMs) / 1000).toFixed(0)} s`);
print(summary(total));
process.exitCode = total.failed > 0 ? 1 : 0;

function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
