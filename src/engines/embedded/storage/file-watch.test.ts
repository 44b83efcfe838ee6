/** Files of the store that are removed, moved or replaced while the engine runs. */

import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { text } from '../../../values/value.ts';
import { openEmbeddedGrid } from '../embedded-grid.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-file-watch-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CASES: ReadonlyArray<readonly [string, (path: string, away: string) => void]> = [
  ['moved', (path, away) => renameSync(path, away)],
  [
    'replaced',
    (path, away) => {
      renameSync(path, away);
      copyFileSync(away, path);
    },
  ],
];

/** Returns the number of stored entries, expired ones included. */
function storedIn(dataDir: string): number {
  using database = new Database(join(dataDir, 'svc.db'), { readonly: true });
  return Number(database.query<{ n: number }, []>('SELECT sum(entries) AS n FROM entry_counts').get()?.n);
}

test('entries that expire meanwhile are removed when the file is back', async () => {
  const clock = new ManualClock();
  const dataDir = join(folder, 'expiring');
  const grid = await openEmbeddedGrid({ dataDir, clock, version: '1.0.0' });
  await entriesOf(grid).put('default', text('a'), text('1'), 200n);
  const [path, away] = [join(dataDir, 'svc.db'), join(folder, 'expiring-away')];
  renameSync(path, away);
  clock.advance(5_000);
  await grid.sweep();
  renameSync(away, path);
  clock.advance(200);
  expect(storedIn(dataDir)).toBe(1);
  await grid.sweep();
  expect(storedIn(dataDir)).toBe(0);
  await grid.close();
});

for (const name of ['svc.db', 'svc.db-wal', 'svc.db-shm', 'lock.db', 'processes.db']) {
  for (const [title, remove] of CASES) {
    test(`changes are rejected while ${name} is ${title}, and succeed when it is back`, async () => {
      const clock = new ManualClock();
      const dataDir = join(folder, `${name}-${title}`);
      const logged: string[] = [];
      const log = (level: string, line: string): void => void logged.push(`${level} ${line}`);
      const grid = await openEmbeddedGrid({ dataDir, clock, version: '1.0.0', log });
      await entriesOf(grid).put('default', text('a'), text('1'));
      const [path, away] = [join(dataDir, name), join(folder, `${name}-${title}-away`)];
      remove(path, away);
      clock.advance(1_000);
      const rejected = { code: 'STORAGE_FAILED', message: expect.stringContaining('removed, moved or replaced') };
      await expect(Promise.resolve(entriesOf(grid).put('default', text('a'), text('2')))).rejects.toMatchObject(
        rejected,
      );
      await expect(grid.writer.withWriteLock(async () => [])).rejects.toMatchObject(rejected);
      expect(await entriesOf(grid).get('default', text('a'))).toEqual(text('1'));
      renameSync(away, path);
      clock.advance(1_000);
      await entriesOf(grid).put('default', text('a'), text('3'));
      expect(await entriesOf(grid).get('default', text('a'))).toEqual(text('3'));
      expect(logged.filter((line) => /file of the store (?:was|is back)/.test(line))).toEqual([
        expect.stringMatching(/^error A file of the store was removed/),
        expect.stringMatching(/^info The file of the store is back/),
      ]);
      await grid.close();
    });
  }
}

test('changes are rejected while the files of a region in memory are removed', async () => {
  const clock = new ManualClock();
  const dataDir = join(folder, 'region');
  const regions = [{ name: 'memory', persistent: false }];
  const grid = await openEmbeddedGrid({ dataDir, clock, version: '1.0.0', regions });
  const put = () => Promise.resolve(entriesOf(grid).put('default', text('a'), text('1')));
  await put();
  clock.advance(1_000);
  const database = new Database(join(dataDir, 'svc.db'), { readonly: true });
  const { value } = database
    .query<{ value: string }, []>("SELECT value FROM settings WHERE name = 'temporaryDir'")
    .get() ?? { value: '' };
  database.close();
  renameSync(value, `${value}-away`);
  clock.advance(1_000);
  await expect(put()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  renameSync(`${value}-away`, value);
  clock.advance(1_000);
  await put();
  // Other files, which the next activation creates.
  for (const state of ['INACTIVE', 'ACTIVE'] as const) {
    await grid.cluster.setState(state, true);
    clock.advance(1_000);
  }
  await put();
  await grid.close();
});
