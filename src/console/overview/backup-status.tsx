/** The backups: the last one, the progress of the continuous one, and when a restore was verified. */

import type { BackupsResult } from '../../client/commands.ts';
import { linkTo } from '../elements/address.ts';
import { type BackupAges, backupLines } from '../elements/backup-lines.ts';
import { Tiles } from '../elements/elements.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import type { Loaded } from '../requests/polling.ts';

export interface BackupStatusProps {
  /** Undefined if not known, or not to this user. */
  readonly backups: BackupsResult | undefined;
  /** Says why they are not known; undefined if that is already shown. */
  readonly of: Pick<Loaded<unknown>, 'error' | 'isDenied'> | undefined;
  readonly ages: BackupAges;
}

export function BackupStatus({ backups, of, ages }: BackupStatusProps) {
  const lines = backupLines(backups, ages, Date.now());
  return (
    <section id="backups" tabIndex={-1} aria-labelledby="backups-title">
      <h2 id="backups-title">Backups</h2>
      {of !== undefined && <ReadProblem of={of} what="the backups" />}
      {lines.length === 0 && backups !== undefined && (
        <p class="hint">
          No backups are configured. Set <code>backup.folder</code> for backups as files, or{' '}
          <code>backup.continuous.url</code> for one that can restore any second.
        </p>
      )}
      {lines.length > 0 && <Tiles tiles={lines} />}
      {backups !== undefined && lines.length > 0 && (
        <p>
          <a href={linkTo('administration', { part: 'backups' })}>Create and verify backups</a>
        </p>
      )}
    </section>
  );
}
