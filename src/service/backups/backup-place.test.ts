import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderPlace } from './backup-place.ts';

test('a folder has the files of backups alone, and says what it cannot remove', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-place-'));
  writeFileSync(join(folder, 'a.svcbackup'), '');
  writeFileSync(join(folder, 'other'), '');
  const place = folderPlace(folder);
  expect((await place.list()).map(({ name }) => name)).toEqual(['a.svcbackup']);
  const partial = join(folder, 'b.svcbackup.partial');
  mkdirSync(partial);
  utimesSync(partial, 0, 0);
  await expect(place.prepare(Date.now())).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
  rmSync(folder, { recursive: true });
});
