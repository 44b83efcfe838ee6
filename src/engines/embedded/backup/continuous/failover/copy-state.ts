/** A failover service's information about its data, in a file next to the data. */
import { Database } from 'bun:sqlite';
import { existsSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLoss, type Loss } from '../../../../../base/failover-status.ts';
import { textIfThere } from '../../../../../base/missing-files.ts';
import { DATA_FILE } from '../../../storage/data-folder.ts';
import { openWithoutCheckpoints } from '../../../storage/databases.ts';
import { identifyFeedFile } from '../../../storage/feed-tables.ts';
import { FAILOVER_FILE, UNBEGUN_FILE } from '../../../storage/private-files.ts';
import { readSetting } from '../../../storage/settings.ts';
import { syncFolder } from '../../private-output.ts';

export interface CopyState {
  /** The database's id, or undefined if there is none yet. */
  readonly database?: string | undefined;
  /** The last epoch that this service has sealed, or 0 if none. */
  readonly sealed: number;
  /** The state of the data file, if it is a copy that follows the objects, or undefined for a primary's file. */
  readonly copy?: CopyPoint | undefined;
  /** The commits that it had not shipped when another service last took over, or undefined if none has. */
  readonly lost?: Loss | undefined;
}

export interface CopyPoint {
  /** 16 hexadecimal digits. */
  readonly position: string;
  /** The hash of all pages, in hexadecimal. */
  readonly hash: string;
  readonly timestampMs: number;
  /**
   * Pages of objects up to this position may already be in the file: 16 hexadecimal digits. If undefined, of
   * the next object.
   */
  readonly ahead?: string | undefined;
}

export function readCopyState(folder: string): CopyState {
  const text = textIfThere(join(folder, FAILOVER_FILE));
  if (text === undefined) return { sealed: 0 };
  try {
    return stateIn(JSON.parse(text));
  } catch (error) {
    // The data is then compared with the objects.
    if (error instanceof SyntaxError) return { sealed: 0 };
    throw error;
  }
}

function stateIn(value: unknown): CopyState {
  if (typeof value !== 'object' || value === null) return { sealed: 0 };
  const { database, sealed, copy, lost } = value as Partial<Record<keyof CopyState, unknown>>;
  return {
    database: typeof database === 'string' ? database : undefined,
    sealed: typeof sealed === 'number' ? sealed : 0,
    copy: isPoint(copy) ? copy : undefined,
    lost: isLoss(lost) ? lost : undefined,
  };
}

function isPoint(value: unknown): value is CopyPoint {
  if (typeof value !== 'object' || value === null) return false;
  const { position, hash, timestampMs, ahead } = value as Partial<Record<keyof CopyPoint, unknown>>;
  const isAheadKnown = ahead === undefined || typeof ahead === 'string';
  return isAheadKnown && typeof position === 'string' && typeof hash === 'string' && typeof timestampMs === 'number';
}

/**
 * Reports whether the data may have commits that no other service has and that must still be shipped: it is the data of
 * a primary that has sealed since the lease was last taken from another service, at the epoch `since`.
 */
export function keepsTail({ copy, sealed }: CopyState, since: number): boolean {
  return copy === undefined && sealed >= since;
}

/**
 * Remembers when everything was in the destination: lost commits were made after that. It is the file's time, which
 * survives a killed process and costs no sync.
 */
export function markShipped(folder: string, atMs: number): void {
  try {
    utimesSync(join(folder, FAILOVER_FILE), atMs / 1000, atMs / 1000);
  } catch {
    // The loss then seems to cover a longer time.
  }
}

/** Returns when everything was in the destination, as far as is known, or 0 if unknown. */
export function shippedAtMs(folder: string): number {
  return statSync(join(folder, FAILOVER_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Writes the state durably. */
export function writeCopyState(folder: string, state: CopyState): void {
  const path = join(folder, FAILOVER_FILE);
  writeFileSync(`${path}.new`, `${JSON.stringify(state)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  syncFolder(folder);
}

/** Returns the epoch of the last term, if it ended before the service served, or undefined if it served. */
export function unbegunIn(folder: string): number | undefined {
  const text = textIfThere(join(folder, UNBEGUN_FILE))?.trim();
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** Records a term that is about to begin; undefined when it has begun. */
export function markUnbegun(folder: string, epoch: number | undefined): void {
  const path = join(folder, UNBEGUN_FILE);
  if (epoch === undefined) rmSync(path, { force: true });
  else writeFileSync(path, `${epoch}\n`, { mode: 0o600 });
}

/** Returns the id of a folder's database, or undefined if there is none. Leaves its log unchanged. */
export function databaseIdIn(folder: string): string | undefined {
  const path = join(folder, DATA_FILE);
  if (!existsSync(path)) return undefined;
  const { database: known } = readCopyState(folder);
  if (known !== undefined) return known;
  // A connection that cannot write does not checkpoint the log when it is closed, either.
  const database = new Database(path, { readonly: true, strict: true, safeIntegers: true });
  try {
    return readSetting(database, 'consistentId');
  } finally {
    database.close(true);
  }
}

/** Begins a new epoch of the change feed: positions of lost changes must not be reused. */
export function renewFeed(folder: string): void {
  const database = openWithoutCheckpoints(join(folder, DATA_FILE), true);
  try {
    identifyFeedFile(database, true);
  } finally {
    database.close(true);
  }
}
