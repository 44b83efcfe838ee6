import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../base/clock.ts';
import { openEmbeddedGrid } from '../../embedded-grid.ts';
import { touch } from '../../storage/databases.ts';
import { ImportConnection } from './import-connection.ts';

test('a transaction that changes nothing writes to the log, so that a durable one syncs it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-touch-'));
  const grid = await openEmbeddedGrid({ dataDir, clock: systemClock, version: '1.0.0' });
  const connection = new ImportConnection(grid.thread.reads, 0, 0, grid.thread.shared, async () => ({
    frames: 0,
    isWrittenBack: true,
  }));
  const logBytes = (): number => statSync(join(dataDir, 'svc.db-wal')).size;
  const before = logBytes();
  connection.transact(() => touch(connection.database), true);
  expect(logBytes()).toBeGreaterThan(before);
  connection.close();
  await grid.close();
  rmSync(dataDir, { recursive: true });
});
