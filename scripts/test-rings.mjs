// Which test is in which ring; test/README.md describes them. The first ring has every test file except those named
// `*.long.test.ts` (second ring) and `*.cluster.test.ts` (Apache Ignite nodes: CI and `npm run test:cluster`).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Tests that start server processes, Node, or programs; each file is a separate process. */
const SERVERS = ['test/system', 'test/proof', 'test/abuse'];

/** Files without a server that start programs or compute for seconds: not part of `quick`. */
const SLOW = [
  'src/bulk/readers.test.ts',
  'src/engines/cluster/connections/connection-fuzz.test.ts',
  'src/engines/cluster/connections/wire-fuzz.test.ts',
  'src/service/security/authentication.test.ts',
  'src/service/security/users.test.ts',
  'src/sql/functions/hostile-arguments.test.ts',
  'src/wiring/engine.test.ts',
  'src/wiring/migration/migrate-grid.test.ts',
  'src/wiring/tasks.test.ts',
  'test/architecture',
  'test/architecture.test.ts',
  'test/client',
  'test/clients',
  'test/differential',
  'test/model/standby',
  'test/simulation.test.ts',
];

/** Matches waits for the real clock; files with such waits are not quick either. */
const SLEEP = /\bBun\.sleep\((?!0\))|\bsetTimeout\(/;

/** Tests that measure response times: nothing else runs alongside them. */
const MEASURING = [
  'test/system/limits/availability.test.ts',
  'test/system/limits/beside-changes.test.ts',
  'test/system/limits/overload.test.ts',
  'test/system/limits/shares.test.ts',
  'test/system/watchdog.test.ts',
];

/** Parts that take longest come first, so that nothing waits for them at the end. */
const LONGEST_FIRST = [
  'test/proof/faults/faults.test.ts',
  'test/system/cli/interruption.test.ts',
  'test/proof/crash/crash.test.ts',
  'test/system/recorded-cases.test.ts',
  'test/system/limits/statement-bounds.test.ts',
  'test/system/backup/backup.test.ts',
  'test/system/kill.test.ts',
  'test/system/time-to-live.test.ts',
  'test/system/queries.test.ts',
];

const isAt = (path, places) => places.some((place) => path === place || path.startsWith(`${place}/`));

const textOf = (path) => readFileSync(join(root, path), 'utf8');

function testFiles(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules'))
    .sort();
}

const files = ['src', 'test', 'bench', 'scripts'].flatMap(testFiles);
const first = files.filter((path) => !path.includes('.long.') && !path.includes('.cluster.'));
const rank = (path) => (LONGEST_FIRST.includes(path) ? LONGEST_FIRST.indexOf(path) : LONGEST_FIRST.length);
const servers = first
  // `npm run abuse:coverage` runs the tests that count branches.
  .filter((path) => isAt(path, SERVERS) && !path.includes('/coverage/'))
  .sort((a, b) => rank(a) - rank(b));

/** Files of the first ring without a server: they run in few processes. */
export const inProcess = first.filter((path) => !isAt(path, SERVERS));
const isSlow = (path) => isAt(path, SLOW) || SLEEP.test(textOf(path));
export const quick = inProcess.filter((path) => !isSlow(path));
export const slow = inProcess.filter(isSlow);
/** Files of the first ring that start servers, and may run side by side. */
export const sideBySide = servers.filter((path) => !isAt(path, MEASURING));
/** Files of the first ring that measure. */
export const alone = servers.filter((path) => isAt(path, MEASURING));
export const cluster = files.filter((path) => path.includes('.cluster.'));
export const long = files.filter((path) => path.includes('.long.'));

/** Files of the first ring that the second one runs again with one HTTP thread instead of two. */
const withModes = servers.filter((path) => textOf(path).includes('/modes.ts'));

/** CI runs one of this many shards of the second ring at each commit. */
export const SHARDS = 10;

/** Seconds on two cores of files of the second ring; {@link USUAL_SECONDS} where none are named. */
const SECONDS = {
  'test/abuse/attacks/bodies.long.test.ts': 60,
  'test/abuse/attacks/commands.long.test.ts': 90,
  'test/abuse/attacks/credentials.long.test.ts': 120,
  'test/abuse/attacks/expressions.long.test.ts': 110,
  'test/abuse/attacks/pages.long.test.ts': 70,
  'test/abuse/attacks/statements.long.test.ts': 140,
  'test/asf/unsigned.long.test.ts': 57,
  'test/browser/client.long.test.ts': 80,
  'test/browser/docs.long.test.ts': 6,
  'test/client/deno.long.test.ts': 6,
  'test/client/restarts.long.test.ts': 120,
  'test/clients/clients.long.test.ts': 13,
  'test/clients/examples.long.test.ts': 3,
  'test/clients/introspection.long.test.ts': 6,
  'test/clients/test-services.long.test.ts': 50,
  'test/cluster/failover.long.test.ts': 100,
  'test/cluster/idempotency-faults.long.test.ts': 27,
  'test/cluster/leaving-ignite.long.test.ts': 14,
  'test/cluster/lost-answers.long.test.ts': 19,
  'test/cluster/migrate.long.test.ts': 16,
  'test/cluster/three-nodes.long.test.ts': 250,
  'test/console/administration/administration.long.test.ts': 41,
  'test/console/administration/few-rights.long.test.ts': 9,
  'test/console/administration/roles.long.test.ts': 13,
  'test/console/commands/commands.long.test.ts': 31,
  'test/console/commands/programs.long.test.ts': 40,
  'test/console/console-in-front.long.test.ts': 59,
  'test/console/console.long.test.ts': 56,
  'test/console/definitions.long.test.ts': 17,
  'test/console/errors.long.test.ts': 51,
  'test/console/first-chart.long.test.ts': 6,
  'test/console/first-minute.long.test.ts': 40,
  'test/console/frame.long.test.ts': 32,
  'test/console/grid/editing.long.test.ts': 40,
  'test/console/grid/entries.long.test.ts': 50,
  'test/console/grid/layout.long.test.ts': 40,
  'test/console/grid/million-rows.long.test.ts': 80,
  'test/console/grid/rows.long.test.ts': 25,
  'test/console/keyboard.long.test.ts': 11,
  'test/console/overview/overview.long.test.ts': 24,
  'test/console/pictures.long.test.ts': 11,
  'test/console/queries/large-results.long.test.ts': 77,
  'test/console/queries/query.long.test.ts': 27,
  'test/console/screens/screens.long.test.ts': 480,
  'test/console/sharing/concurrent-changes.long.test.ts': 15,
  'test/console/sharing/users-of-a-browser.long.test.ts': 10,
  'test/generators/generators.long.test.ts': 34,
  'test/generators/openapi-generator.long.test.ts': 180,
  'test/generators/schemathesis.long.test.ts': 44,
  'test/grants/leaks.long.test.ts': 90,
  'test/proof/faults/cluster-faults.long.test.ts': 90,
  'test/proof/history/cluster-history.long.test.ts': 30,
  'test/system/deploy/helm.long.test.ts': 60,
  'test/system/deploy/packages.long.test.ts': 74,
  'test/system/deploy/release.long.test.ts': 80,
  'test/system/documents/documentation-site.long.test.ts': 25,
  'test/system/full-disk.long.test.ts': 50,
  'test/system/guides/transcripts.long.test.ts': 88,
  'test/system/limits/memory-afterwards.long.test.ts': 108,
  'test/system/limits/statement-memory.long.test.ts': 30,
  'test/system/limits/suspended-processes.long.test.ts': 80,
  'test/system/proxies/proxies.long.test.ts': 300,
  'test/system/recorded-modes.long.test.ts': 70,
  'test/system/relations/relations.long.test.ts': 90,
  'test/system/written-back/clients.long.test.ts': 30,
};
/** A file that has not been measured yet counts as a long one. */
const USUAL_SECONDS = 60;
/** A file of the first ring that runs again with one HTTP thread. */
const MODE_SECONDS = 15;
/** The form of a program for CI. */
const PROGRAM_SECONDS = 110;

/** Variables that shorten files in a shard of CI. */
const ENV_IN_SHARD = { 'test/proof/processes/kills.long.test.ts': { PROOF_KILLS: '40' } };

/**
 * Programs of the second ring: the long proofs and fuzzers. `ci` and `env`: the arguments and variables in a shard of
 * CI, for at most two minutes; absent if the program takes too long, or would fail on a busy machine.
 */
const PROGRAMS = [
  { name: 'proof simulation', ci: ['--steps', '600000'] },
  { name: 'proof import', ci: ['--rows', '200000', '--kills', '8'] },
  { name: 'proof feed', ci: ['--crashes', '20'] },
  { name: 'proof power', ci: ['--crashes', '40'] },
  { name: 'proof io-errors', ci: ['--every', '8', '--error', 'ENOSPC'] },
  { name: 'proof history', ci: ['--operations', '100000', '--kills', '4'] },
  { name: 'proof crash', ci: ['--crashes', '20', '--entries', '100000'] },
  { name: 'abuse fuzz', ci: [], env: { SVC_ABUSE_INPUTS: '1500000' } },
  { name: 'proof faults' },
  { name: 'proof soak' },
  { name: 'proof cluster-history' },
  { name: 'proof cluster-faults' },
];

/**
 * @typedef {object} LongPart A part of the second ring: a test file, or a program with its arguments.
 * @property {string} name
 * @property {number} shard
 * @property {string} [file]
 * @property {Record<string, string>} [env]
 * @property {string[]} [program] The arguments of Bun.
 */

/** @returns {LongPart[]} the parts of the second ring, whole or in their form for a shard in CI. */
export function secondRing(isShard) {
  const ofFiles = long.map((file) => {
    const env = isShard ? (ENV_IN_SHARD[file] ?? {}) : {};
    return { name: file, seconds: SECONDS[file] ?? USUAL_SECONDS, file, env };
  });
  const ofModes = withModes.map((file) => {
    return { name: `${file}, one HTTP thread`, seconds: MODE_SECONDS, file, env: { SVC_TEST_MODES: 'one' } };
  });
  const programs = PROGRAMS.filter(({ ci }) => !isShard || ci !== undefined).map(({ name, ci = [], env = {} }) => {
    const [folder, subject] = name.split(' ');
    const program = [`test/${folder}/main.ts`, subject, ...(isShard ? ci : [])];
    return { name, seconds: PROGRAM_SECONDS, program, env: isShard ? env : {} };
  });
  return inShards([...ofFiles, ...ofModes, ...programs]);
}

/** Gives each part, the longest first, to the shard that takes the least time so far. */
function inShards(parts) {
  const seconds = Array.from({ length: SHARDS }, () => 0);
  const longestFirst = parts.toSorted((a, b) => b.seconds - a.seconds || (a.name < b.name ? -1 : 1));
  return longestFirst.map(({ seconds: taken, ...part }) => {
    const shard = seconds.indexOf(Math.min(...seconds));
    seconds[shard] += taken;
    return { ...part, shard };
  });
}
