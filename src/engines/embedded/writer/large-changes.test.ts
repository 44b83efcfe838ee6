/**
 * Changes of many keys of a cache with large values: other requests are answered meanwhile, and a kill leaves nothing
 * of them.
 */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { systemClock as clock } from '../../../base/clock.ts';
import { text } from '../../../values/value.ts';
import { openEmbeddedGrid } from '../embedded-grid.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-large-changes-'));
afterAll(() => rmSync(root, { recursive: true }));

const CACHES = [{ name: 'large' }, { name: 'small' }];
/** SQLite compares a key with those of the large values, which it reads to the end. */
const LARGE = Array.from({ length: 8 }, (_, at) => ({ key: text(`long${at}`), value: text('v'.repeat(4_194_304)) }));
const MANY = Array.from({ length: 2_048 }, (_, at) => ({ key: text(`a${at}`), value: text('1') }));

const open = (dataDir: string) => openEmbeddedGrid({ dataDir, clock, version: '1.0.0', caches: CACHES });

test('answers gets while it runs', async () => {
  const grid = await open(mkdtempSync(join(root, 'gets-')));
  await entriesOf(grid).put('small', text('a'), text('1'));
  await entriesOf(grid).putAll('large', LARGE);
  const keys = MANY.map(({ key }) => key);
  for (const change of [() => entriesOf(grid).putAll('large', MANY), () => entriesOf(grid).removeAll('large', keys)]) {
    let isOver = false;
    // In processor time: on a busy machine other requests wait longer, but not for more of the change.
    const waitsMs: number[] = [];
    const changed = Promise.resolve(change()).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const startMs = clock.threadCpuMs();
      await new Promise<void>((resolve) => clock.nextTick(resolve));
      expect(entriesOf(grid).get('small', text('a'))).toEqual(text('1'));
      waitsMs.push(clock.threadCpuMs() - startMs);
    }
    await changed;
    waitsMs.sort((one, other) => one - other);
    expect(waitsMs.length).toBeGreaterThanOrEqual(4);
    expect(waitsMs[Math.floor(waitsMs.length * 0.9)]).toBeLessThan(100);
  }
  expect(await entriesOf(grid).size('large')).toBe(LARGE.length);
  await grid.close();
});

test('is undone by a kill in a pause', async () => {
  const folder = mkdtempSync(join(root, 'kill-'));
  const grid = await open(folder);
  await entriesOf(grid).putAll('large', LARGE);
  await grid.close();
  const script = `import { openEmbeddedGrid } from '${join(import.meta.dir, '../embedded-grid.ts')}';
    import { systemClock as clock } from '${join(import.meta.dir, '../../../base/clock.ts')}';
    const grid = await openEmbeddedGrid({ dataDir: process.argv[1], clock, version: '1.0.0' });
    const text = (data) => ({ type: 'string', data });
    const entries = Array.from({ length: 2048 }, (_, at) => ({ key: text('a' + at), value: text('1') }));
    let ticks = 0;
    const tick = () => (ticks++ === 4 ? process.kill(process.pid, 'SIGKILL') : setImmediate(tick));
    setImmediate(tick);
    await grid.port.call({ kind: 'putAll', cache: 'large', entries }, {});
    console.log('stored');`;
  const child = Bun.spawn([process.execPath, '-e', script, folder], { stdout: 'pipe' });
  expect(await new Response(child.stdout).text()).toBe('');
  await child.exited;
  expect(child.signalCode).toBe('SIGKILL');
  const again = await open(folder);
  expect(await entriesOf(again).size('large')).toBe(LARGE.length);
  expect(entriesOf(again).get('large', text('a0'))).toBeUndefined();
  await again.close();
});
