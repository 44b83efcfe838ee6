// Runs the tests: `node scripts/run-tests.mjs all|quick|cluster|long [TEXT]`; TEXT selects parts whose names have it.
// The last line is `N passed, N failed` (`, N skipped`). scripts/test-rings.mjs says which test is in which ring, and
// test/README.md what the rings are for. CI runs the first ring, the cluster tests and one shard of the second ring,
// which the number of the commit chooses. Each part is a separate process with a time limit; a part that crashes
// counts as failed. Parts run side by side, except those that measure.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import './install-missing.mjs';
import { alone, cluster, quick, root, SHARDS, secondRing, sideBySide, slow } from './test-rings.mjs';

const binaries = join(root, 'node_modules', '.bin');
const inCi = process.env.SVC_TEST_CI === 'true' || process.env.CI === 'true';
const mode = process.argv[2] ?? 'all';
const wanted = process.argv[3] ?? '';
if (!['all', 'quick', 'cluster', 'long'].includes(mode)) {
  process.stderr.write('usage: node scripts/run-tests.mjs all|quick|cluster|long [TEXT]\n');
  process.exit(2);
}

/** Time for a test that states none: five seconds, Bun's default, are too short on a busy machine. */
const TEST_LIMIT_MS = 60_000;
/** Tests of one file that run at the same time, where the file says that they can. */
const MOST_CONCURRENT = 4;
/** Parts that run at the same time: most of them wait three times as long as they compute. */
const LANES = 2 * availableParallelism() + 1;
/** Processes for the tests that compute. */
const CORES = availableParallelism();

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} command
 * @property {string[]} args
 * @property {number} limitSeconds
 * @property {boolean} alone Nothing else runs at the same time.
 * @property {string} [report] The file of its results.
 * @property {Record<string, string>} [env]
 */
/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** Returns the number of the commit, which chooses the shard and the seeds of the second ring. */
function commitNumber() {
  return Number(execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: root, encoding: 'utf8' }));
}

/**
 * Returns the program that test services run: the bundle that `npm start` builds starts in half the time of the
 * sources.
 */
function programVariables() {
  if (mode === 'quick') return {};
  const program = execFileSync('node', [join(root, 'scripts/program.mjs')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { SVC_TEST_PROGRAM: program.trim() };
}

const program = programVariables();
const reports = mkdtempSync(join(tmpdir(), 'svc-tests-'));
let partNumber = 0;

/** @returns {Part} */
function tests(name, files, limitSeconds, options = {}) {
  const { alone = false, env = {}, processes = 1 } = options;
  const report = join(reports, `${++partNumber}.xml`);
  const args = [
    'test',
    ...(processes > 1 ? [`--parallel=${processes}`, '--no-isolate'] : []),
    '--only-failures',
    `--max-concurrency=${MOST_CONCURRENT}`,
    `--timeout=${TEST_LIMIT_MS}`,
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    ...files.map((file) => `./${file}`),
  ];
  return { name, command: join(binaries, 'bun'), args, limitSeconds, alone, env, report };
}

function longParts() {
  const isShard = mode !== 'long';
  const number = commitNumber();
  const seed = String(number);
  return secondRing(isShard)
    .filter(({ shard }) => !isShard || shard === number % SHARDS)
    .map(({ name, file, env = {}, program }) => {
      // A run has different seeds from the first ring, and prints them with its findings. A service that a test starts
      // within its own process would reject a variable of this name.
      const isAbuse = name.includes('abuse');
      const all = { ...env, PROOF_SEED: seed, ...(isAbuse && { SVC_ABUSE_SEED: seed }) };
      if (file !== undefined) return tests(name, [file], 1800, { alone: true, env: all });
      const seeded = name.startsWith('proof') ? [...program, '--seed', seed] : program;
      const limitSeconds = isShard ? 600 : 4 * 3600;
      return { name, command: join(binaries, 'bun'), args: seeded, limitSeconds, alone: true, env: all };
    });
}

/** Checks of the whole source. */
const CHECKS = [
  { name: 'type check', command: join(binaries, 'tsc'), args: ['--noEmit'] },
  { name: 'type check of the console', command: join(binaries, 'tsc'), args: ['--noEmit', '-p', 'src/console'] },
  { name: 'lint', command: join(binaries, 'biome'), args: ['check', '--diagnostic-level=error', '.'] },
];

function allParts() {
  const clusterParts = cluster.map((file) => tests(file, [file], 1200, { alone: true }));
  switch (mode) {
    case 'quick':
      return [tests('quick tests', quick, 1200, { processes: CORES })];
    case 'cluster':
      return clusterParts;
    case 'long':
      return longParts();
    default:
      return [
        tests('tests that wait or compute', slow, 1200),
        tests('quick tests', quick, 1200),
        ...sideBySide.map((file) => tests(file, [file], 600)),
        ...CHECKS.map((check) => ({ ...check, limitSeconds: 600, alone: false })),
        ...alone.map((file) => tests(file, [file], 600, { alone: true })),
        ...(inCi ? [...clusterParts, ...longParts()] : []),
      ];
  }
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
  const show = (line) => {
    lines.push(line);
    if (part.alone) print(line);
  };
  return new Promise((resolve) => {
    const child = spawn(part.command, part.args, {
      cwd: root,
      // FORCE_COLOR would hide the marks that are looked for.
      env: {
        ...process.env,
        ...program,
        FORCE_COLOR: undefined,
        NO_COLOR: '1',
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
        ...part.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A separate group, so that the servers that a test has started end with it.
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
      if (!part.alone) for (const line of lines) print(line);
      const counts = count(part, timedOut ? 1 : (code ?? 1));
      if (counts.failed > 0) failedLines.push(...lines.slice(-MOST_LINES));
      resolve(counts);
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
  if (part.report === undefined) {
    if (code !== 0) failedTests.push(part.name);
    return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
  }
  const report = existsSync(part.report) ? readFileSync(part.report, 'utf8') : '';
  // The name of a skipped test says what is missing.
  for (const [, name] of report.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<skipped/g)) {
    print(`(skip) ${unescapeXml(name)}`);
  }
  for (const [, name, file] of report.matchAll(/<testcase name="([^"]*)"[^>]* file="([^"]*)"[^>]*>\s*<failure/g)) {
    failedTests.push(`${file}: ${unescapeXml(name)}`);
  }
  const head = /<testsuites [^>]*>/.exec(report)?.[0] ?? '';
  const number = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number('failures');
  const skipped = number('skipped');
  // A process that fails without a failed test has crashed, or could not load a file.
  if (failed === 0 && code !== 0) failedTests.push(`${part.name}: ended with ${code}`);
  return { passed: number('tests') - failed - skipped, failed: failed === 0 && code !== 0 ? 1 : failed, skipped };
}

/** Names in the report may have these entities. */
const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&#10;': ' ' };

function unescapeXml(xml) {
  return xml.replace(/&(?:amp|lt|gt|quot|apos|#10);/g, (entity) => ENTITIES[entity]);
}

/** Shown again at the end: a failure's output may be far above. */
const failedTests = [];
const failedLines = [];
/** Lines of each failed part that are shown again. */
const MOST_LINES = 60;
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

const parts = allParts().filter(({ name }) => name.includes(wanted));
const shared = parts.filter(({ alone }) => !alone);
await Promise.all(Array.from({ length: LANES }, () => runQueue(shared)));
await runQueue(parts.filter(({ alone }) => alone));
rmSync(reports, { recursive: true, force: true });
for (const line of failedLines) print(line);
for (const name of failedTests) print(`-- failed: ${name}`);
print(`-- ${mode}: ${((Date.now() - startMs) / 1000).toFixed(0)} s`);
print(summary(total));
process.exitCode = total.failed > 0 ? 1 : 0;

function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
