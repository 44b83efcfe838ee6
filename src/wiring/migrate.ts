/** `svc migrate`: copies a grid from the embedded store to a cluster, or back. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { ConfigurationError } from '../configuration/option.ts';
import { migrateHelpText } from '../documentation/help.ts';
import { openEmbeddedGrid } from '../engines/embedded/embedded-grid.ts';
import { DATA_FILE } from '../engines/embedded/storage/data-folder.ts';
import type { Grid } from '../grid/grid.ts';
import { embeddedSettings } from './engine.ts';
import { loadOwnConfiguration } from './launch.ts';
import { Interrupted } from './migration/copy-entries.ts';
import { migrateGrid } from './migration/migrate-grid.ts';
import {
  endpointText,
  type MigrationArguments,
  type MigrationEndpoint,
  readMigrationArguments,
} from './migration/migration-arguments.ts';
import { Progress } from './migration/progress.ts';
import { printResult } from './standard-output.ts';

const EXIT_SAME = 0;
const EXIT_DIFFERENT = 1;
/** The exit code that shells use for a program ended by SIGINT. */
const EXIT_INTERRUPTED = 130;

/**
 * Runs the command and returns the exit code; aborting `signal` stops it after the current batch. Throws
 * ConfigurationError and errors of the grids.
 */
export async function runMigration(argv: readonly string[], clock: Clock, signal: AbortSignal): Promise<number> {
  const migration = readMigrationArguments(argv, process.cwd());
  if (!migration) {
    await printResult(migrateHelpText());
    return EXIT_SAME;
  }
  const { from, to } = migration;
  if (from.kind === 'embedded' && !existsSync(join(from.dataDir, DATA_FILE))) {
    throw new ConfigurationError(`--from: there is no store in ${from.dataDir}`);
  }
  const progressFile = migration.progress ?? progressFileOf(migration);
  // The running batch may take longer than an interrupted process has left.
  signal.addEventListener('abort', () =>
    report(`interrupted; run the same command again to resume (progress: ${progressFile})`),
  );
  const source = await openEndpoint(from, migration.rest, clock);
  try {
    const target = await openEndpoint(to, migration.rest, clock);
    try {
      const progress = new Progress(progressFile, endpointText(from), endpointText(to));
      const settings = { ...migration, source, target, clock, progress, signal, report };
      const { same, different, skipped } = await migrateGrid(settings);
      if (different > 0) {
        report(`DIFFERENT: ${different} of ${same + different} caches and counters differ, see above`);
        return EXIT_DIFFERENT;
      }
      progress.remove();
      if (skipped > 0) {
        report(
          `INCOMPLETE: ${same} caches and counters are the same in both, ${skipped} views or expiring counters are not copied, see above`,
        );
        return EXIT_DIFFERENT;
      }
      report(`done: ${same} caches and counters are the same in ${endpointText(from)} and ${endpointText(to)}`);
      return EXIT_SAME;
    } finally {
      await target.close();
    }
  } catch (error) {
    if (error instanceof Interrupted) return EXIT_INTERRUPTED;
    throw error;
  } finally {
    await source.close();
  }
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns a file in the data folder whose name depends on both grids, so that migrations do not mix. */
function progressFileOf({ from, to }: MigrationArguments): string {
  const id = createHash('sha256')
    .update(`${endpointText(from)}\n${endpointText(to)}`)
    .digest('hex')
    .slice(0, 12);
  const folder = to.kind === 'embedded' ? to.dataDir : from.kind === 'embedded' ? from.dataDir : process.cwd();
  return join(folder, `migration-${id}.json`);
}

async function openEndpoint(place: MigrationEndpoint, rest: readonly string[], clock: Clock): Promise<Grid> {
  if (place.kind === 'embedded') {
    const configuration = await configurationFor([...rest, '--engine', 'embedded', '--data-dir', place.dataDir]);
    const log = (level: string, text: string) => process.stderr.write(`${level}: ${text}\n`);
    return openEmbeddedGrid({ ...embeddedSettings(configuration), processId: process.pid, clock, log });
  }
  const configuration = await configurationFor([...rest, '--engine', 'cluster', '--endpoints', place.endpoints]);
  const { openClusterEngine } = await import('./cluster-engine.ts');
  return (await openClusterEngine(configuration, clock)).grid;
}

/** Loads regions, classes and credentials. Omits declared caches, so that only copied ones are created. */
async function configurationFor(argv: readonly string[]): Promise<Configuration> {
  const loaded = await loadOwnConfiguration(argv);
  if (loaded.kind === 'print') throw new ConfigurationError(`--version: is not an option of migrate`);
  return { ...loaded.configuration, caches: [] };
}
