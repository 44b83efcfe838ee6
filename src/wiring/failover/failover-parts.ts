/** Creates the parts of a service with failover from its configuration. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openBootClock } from '../../base/boot-clock.ts';
import { objectStoreEnvironment } from '../../base/child-environment.ts';
import { fail } from '../../base/errors.ts';
import { SharedFile } from '../../base/shared-areas.ts';
import { ConfigurationError } from '../../configuration/option.ts';
import { PRODUCT_VERSION } from '../../configuration/version.ts';
import type { Leases } from '../../engines/embedded/backup/continuous/failover/leases.ts';
import { openLeases } from '../../engines/embedded/backup/continuous/failover/open-leases.ts';
import type { FailoverRecord, FailoverTerms } from '../../engines/embedded/backup/continuous/failover/record.ts';
import { StandbyCopy } from '../../engines/embedded/backup/continuous/failover/standby-copy.ts';
import { SHIPPING_PROCESS_ARGUMENT } from '../../engines/embedded/backup/continuous/shipping-messages.ts';
import { FAILOVER_FILE } from '../../engines/embedded/storage/private-files.ts';
import { SCHEMA_VERSION } from '../../engines/embedded/storage/schema.ts';
import { ownCommand } from '../launch.ts';
import { declarationsHash } from './declarations-hash.ts';
import type { FailoverStart } from './failover-options.ts';

/** Time between two looks at the record, and for the next object. */
export const POLL_MS = 300;

export function leasesOf({ configuration, continuous, failover }: FailoverStart): Leases {
  return openLeases(
    {
      url: continuous.url,
      folder: configuration.dataDir,
      leaseMs: failover.leaseMs,
      bootMs: openBootClock(),
      processId: process.pid,
    },
    { environment: objectStoreEnvironment(process.env) },
  );
}

export function termsOf({ configuration, failover }: FailoverStart): FailoverTerms {
  return {
    leaseMs: failover.leaseMs,
    url: failover.advertisedUrl ?? null,
    schemaVersion: SCHEMA_VERSION,
    declarations: declarationsHash(configuration),
    isAutomatic: failover.acknowledge === 'remote' || failover.maxLossMs !== undefined,
  };
}

/** Creates what follows the objects of a database. */
export function copyOf(
  { configuration, continuous, failover, clock, log }: FailoverStart,
  database: string,
): StandbyCopy {
  return new StandbyCopy({
    command: ownCommand(SHIPPING_PROCESS_ARGUMENT),
    environment: objectStoreEnvironment(process.env),
    clock,
    log: (level, text) => log[level](text),
    request: {
      database,
      url: continuous.url,
      folder: configuration.dataDir,
      keyFile: configuration.backup.keyFile,
      leaseMs: failover.leaseMs,
      processId: process.pid,
      pollMs: POLL_MS,
      program: PRODUCT_VERSION,
    },
  });
}

/** Creates the memory of terms, and what removes it. On Linux the file has no name. */
export function termMemory(folder: string): { readonly memory: SharedFile; readonly remove: () => void } {
  const path = join(folder, `${FAILOVER_FILE}.memory`);
  rmSync(path, { force: true });
  const memory = new SharedFile(path);
  return {
    memory,
    remove() {
      memory.close();
      rmSync(path, { force: true });
    },
  };
}

/** Throws if the primary has a newer schema, or other declarations. */
export function checkPrimary({ failover }: FailoverRecord, terms: FailoverTerms, folder: string): void {
  if (failover === undefined) return;
  if (failover.schemaVersion > SCHEMA_VERSION) {
    throw fail('SCHEMA_NEWER', folder, failover.schemaVersion, 'unknown', PRODUCT_VERSION, SCHEMA_VERSION);
  }
  if (failover.declarations === terms.declarations) return;
  throw new ConfigurationError(
    'backup.continuous.failover: the primary has other regions, caches, templates or classes: give all services ' +
      'the same configuration',
  );
}
