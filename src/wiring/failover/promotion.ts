/** The file in a data folder with which a person makes a standby take over. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textIfThere } from '../../base/missing-files.ts';
import { PROMOTE_FILE } from '../../engines/embedded/storage/private-files.ts';

/** A person's request: that the primary hands over or, with `force`, is replaced if it does not renew its lease. */
export type Promotion = 'hand-over' | 'force';

/** Returns the request in a data folder's file, or undefined if there is none. */
export function promotionIn(folder: string): Promotion | undefined {
  const text = textIfThere(join(folder, PROMOTE_FILE));
  if (text === undefined) return undefined;
  return text.trim() === 'hand-over' ? 'hand-over' : 'force';
}

/** Asks a data folder's standby to take over; undefined withdraws the request. */
export function promote(folder: string, promotion: Promotion | undefined): void {
  const path = join(folder, PROMOTE_FILE);
  if (promotion === undefined) rmSync(path, { force: true });
  else writeFileSync(path, `${promotion}\n`, { mode: 0o600 });
}
