/** The settings of one cache, as the system views say. */
import { readRows } from '../requests/statement.ts';
import { type Expiry, expiryOf } from './expiry.ts';

export interface CacheSettings {
  readonly group: string;
  readonly atomicity: string;
  readonly writeSynchronization: string;
  /** Undefined if entries stay until they are removed, unless a write says otherwise. */
  readonly expiry: Expiry | undefined;
  /** The policy as the engine names it; empty if none. */
  readonly policy: string;
  readonly hasDeadlines: boolean;
}

const SETTINGS =
  'SELECT cache_group_name, atomicity_mode, write_synchronization_mode, expiry_policy_factory, has_expiring_entries ' +
  'FROM sys.caches WHERE cache_name = ?';

/** Reads the settings of a cache; undefined if the view has none. Throws SvcError. */
export async function readSettings(cacheName: string, signal: AbortSignal): Promise<CacheSettings | undefined> {
  const [row] = await readRows(SETTINGS, 1, signal, [cacheName]);
  if (row === undefined) return undefined;
  const [group, atomicity, writeSynchronization, expiry, hasDeadlines] = row;
  return {
    group: String(group),
    atomicity: String(atomicity),
    writeSynchronization: String(writeSynchronization),
    expiry: expiryOf(String(expiry)),
    policy: expiry === null ? '' : String(expiry),
    hasDeadlines: hasDeadlines === 'Yes',
  };
}
