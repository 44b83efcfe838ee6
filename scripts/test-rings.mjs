// Which test is in which ring; test/README.md describes them. The first ring has every test file except those named
// `*.long.test.ts` (second ring) and `*.cluster.test.ts` (Apache Ignite nodes: CI and `npm run test:cluster`).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Tests that start server processes, Node, or programs; each file is a process of its own. */
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
  'test/simulation.test.ts',
];

/** What waits for the real clock; files that do are not quick either. */
const SLEEP = /\bBun\.sleep\((?!0\))|\bsetTimeout\(/;

/** Tests that measure response times: nothing else runs beside them. */
const MEASURING = [
  'test/system/limits/availability.test.ts',
  'test/system/limits/beside-changes.test.ts',
  'test/system/limits/overload.test.ts',
  'test/system/limits/shares.test.ts',
  'test/system/signals.test.ts',
  'test/system/stopping.test.ts',
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
  // What counts branches is run by `npm run abuse:coverage`.
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

/** CI runs one of so many shards of the second ring at each commit. */
export const SHARDS = 10;

/**
 * The shards of the files of the second ring. The comment has seconds on two cores. Files that are missing here take
 * the shards in order.
 */
const FILES_BY_SHARD = [
  // 108 + 59 + 26 + 24
  [
    'test/system/limits/memory-afterwards.long.test.ts',
    'test/console/console-in-front.long.test.ts',
    'test/console/frame.long.test.ts',
    'test/console/overview.long.test.ts',
  ],
  // 88 + 56 + 70
  [
    'test/system/guides/transcripts.long.test.ts',
    'test/console/console.long.test.ts',
    'test/abuse/attacks/pages.long.test.ts',
  ],
  // 74 + 51 + 25 + 20 + 17 + 41
  [
    'test/system/deploy/packages.long.test.ts',
    'test/console/errors.long.test.ts',
    'test/system/documents/documentation-site.long.test.ts',
    'test/console/rows.long.test.ts',
    'test/console/definitions.long.test.ts',
    'test/console/administration.long.test.ts',
  ],
  // 70 + 77 + 60
  [
    'test/system/recorded-modes.long.test.ts',
    'test/console/large-results.long.test.ts',
    'test/system/deploy/helm.long.test.ts',
  ],
  // 100 + 9 + 6 + 11 + 13 + 90
  [
    'test/cluster/failover.long.test.ts',
    'test/console/few-rights.long.test.ts',
    'test/console/first-chart.long.test.ts',
    'test/console/keyboard.long.test.ts',
    'test/console/roles.long.test.ts',
    'test/abuse/attacks/commands.long.test.ts',
  ],
  // 90 + 27 + 6 + 80 + 60
  [
    'test/proof/faults/cluster-faults.long.test.ts',
    'test/console/query.long.test.ts',
    'test/browser/docs.long.test.ts',
    'test/browser/client.long.test.ts',
    'test/abuse/attacks/bodies.long.test.ts',
  ],
  // 58 + 44 + 210
  [
    'test/generators/openapi-generator.long.test.ts',
    'test/generators/schemathesis.long.test.ts',
    'test/console/screens.long.test.ts',
  ],
  // 57 + 34 + 11 + 80 + 120
  [
    'test/asf/unsigned.long.test.ts',
    'test/generators/generators.long.test.ts',
    'test/console/pictures.long.test.ts',
    'test/system/deploy/release.long.test.ts',
    'test/abuse/attacks/credentials.long.test.ts',
  ],
  // 27 + 19 + 30 + 6 + 110 + 110
  [
    'test/cluster/idempotency-faults.long.test.ts',
    'test/cluster/lost-answers.long.test.ts',
    'test/proof/history/cluster-history.long.test.ts',
    'test/client/deno.long.test.ts',
    'test/abuse/attacks/expressions.long.test.ts',
    'test/cluster/one-node.long.test.ts',
  ],
  // 14 + 16 + 13 + 3 + 6 + 140 + 30
  [
    'test/cluster/leaving-ignite.long.test.ts',
    'test/cluster/migrate.long.test.ts',
    'test/clients/clients.long.test.ts',
    'test/clients/examples.long.test.ts',
    'test/clients/introspection.long.test.ts',
    'test/abuse/attacks/statements.long.test.ts',
    'test/system/limits/statement-memory.long.test.ts',
  ],
];

/** Variables of files that take less time in a shard of CI. */
const ENV_IN_SHARD = { 'test/proof/processes/kills.long.test.ts': { PROOF_KILLS: '40' } };

const others = long.filter((path) => !FILES_BY_SHARD.flat().includes(path));

/**
 * Programs of the second ring: the long proofs and fuzzers. `ci` and `env`: the arguments and variables in a shard of
 * CI, for at most two minutes; absent: the program takes too long, or judges what a busy machine breaks.
 */
const PROGRAMS = [
  { shard: 0, name: 'proof simulation', ci: ['--steps', '600000'] },
  { shard: 1, name: 'proof import', ci: ['--rows', '200000', '--kills', '8'] },
  { shard: 2, name: 'proof feed', ci: ['--crashes', '20'] },
  { shard: 3, name: 'proof power', ci: ['--crashes', '40'] },
  { shard: 4, name: 'proof io-errors', ci: ['--every', '8', '--error', 'ENOSPC'] },
  { shard: 5, name: 'proof history', ci: ['--operations', '100000', '--kills', '4'] },
  { shard: 6, name: 'proof crash', ci: ['--crashes', '20', '--entries', '100000'] },
  { shard: 7, name: 'abuse fuzz', ci: [], env: { SVC_ABUSE_INPUTS: '1500000' } },
  { shard: 8, name: 'proof faults' },
  { shard: 9, name: 'proof soak' },
  { shard: 9, name: 'proof cluster-history' },
  { shard: 9, name: 'proof cluster-faults' },
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
  const shards = FILES_BY_SHARD.map((files, shard) => [...files, ...others.filter((_, at) => at % SHARDS === shard)]);
  const ofFiles = shards.flatMap((files, shard) => {
    // Others may have removed a file of the table.
    return files
      .filter((file) => long.includes(file))
      .map((file) => ({ name: file, shard, file, env: isShard ? (ENV_IN_SHARD[file] ?? {}) : {} }));
  });
  const ofModes = withModes.map((file, at) => {
    return { name: `${file}, one HTTP thread`, shard: at % SHARDS, file, env: { SVC_TEST_MODES: 'one' } };
  });
  const programs = PROGRAMS.filter(({ ci }) => !isShard || ci !== undefined).map(
    ({ shard, name, ci = [], env = {} }) => {
      const [folder, subject] = name.split(' ');
      const program = [`test/${folder}/main.ts`, subject, ...(isShard ? ci : [])];
      return { name, shard, program, env: isShard ? env : {} };
    },
  );
  return [...ofFiles, ...ofModes, ...programs];
}
