/** The file in a data folder with which a person has a standby take over. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROMOTE_FILE } from '../../engines/embedded/storage/private-files.ts';

/** What a person wants: that the primary hands over, or also that one that has not renewed its lease is replaced. */
export type Promotion = 'hand-over' | 'force';

/** Returns what the file of a data folder asks for; undefined: there is none. */
export function promotionIn(folder: string): Promotion | undefined {
  try {
    const text = readFileSync(join(folder, PROMOTE_FILE), 'utf8').trim();
    return text === 'hand-over' ? 'hand-over' : 'force';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Asks the standby of a data folder to take over; undefined: not any more. */
export function promote(folder: string, promotion: Promotion | undefined): void {
  const path = join(folder, PROMOTE_FILE);
  if (promotion === undefined) rmSync(path, { force: true });
  else writeFileSync(path, `${promotion}\n`, { mode: 0o600 });
}
