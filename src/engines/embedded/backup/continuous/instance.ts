/**
 * Identifies a service to its continuous backup's destination. Host and folder do not: machines from one image have the
 * same. The id is a random one in a file of the data folder, which is neither shipped nor backed up nor restored. If a
 * folder is copied together with that file, the machine, its start or the file's location differ.
 */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { randomUuid } from '../../../../base/clock.ts';
import { INSTANCE_FILE } from '../../storage/private-files.ts';
import { syncFolder } from '../private-output.ts';

export interface Instance {
  readonly id: string;
  /** A hash of the machine's identity. */
  readonly machine: string;
  /** A hash of the system's start time, and of the file's location; different each time if unknown. */
  readonly boot: string;
}

const UUID = /^[0-9a-f-]{36}$/;

/** Returns the identity of the service with this data folder, creating it if necessary. Throws the system's errors. */
export function instanceOf(folder: string): Instance {
  const path = join(folder, INSTANCE_FILE);
  let id = textOf(path);
  if (id === undefined || !UUID.test(id)) {
    id = randomUuid();
    writeFileSync(`${path}.new`, `${id}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
    syncFolder(folder);
  }
  const { dev, ino } = statSync(path, { bigint: true });
  const boot = textOf('/proc/sys/kernel/random/boot_id') ?? randomUuid();
  const machine = textOf('/etc/machine-id') ?? hostname();
  // A machine's id must not be shown to others.
  return { id, machine: hashOf(`svc ${machine}`), boot: hashOf(`svc ${machine} ${boot} ${dev}:${ino}`) };
}

/** Returns a file's text, or undefined if it does not exist or is empty. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16);
}
