/** Memory that threads and processes share. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AREA_ALIGNMENT, createThreadArea, openArea, openPart, SharedFile } from './shared-areas.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-areas-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CREATE = { threads: createThreadArea, processes: new SharedFile(join(folder, 'areas')).create };

for (const [name, create] of Object.entries(CREATE)) {
  test(`an area for ${name} is zeros, and all who open it see the same`, () => {
    const area = create(2 * AREA_ALIGNMENT + 100);
    const other = create(8);
    const [one, two] = [new Int32Array(openArea(area)), new Int32Array(openArea(area))];
    expect(one.length).toBe((2 * AREA_ALIGNMENT + 100) / 4);
    expect(one.every((each) => each === 0)).toBe(true);
    Atomics.add(one, 0, 7);
    Atomics.store(one, AREA_ALIGNMENT / 4 + 3, 9);
    expect(Atomics.load(two, 0)).toBe(7);
    const part = openPart(area, AREA_ALIGNMENT, 16);
    expect(new Int32Array(part.buffer, part.byteOffset, 4)[3]).toBe(9);
    expect(new Int32Array(openArea(other)).every((each) => each === 0)).toBe(true);
    expect(openArea(create(0)).byteLength).toBe(0);
  });
}

test('the file is private, and another process counts in it', async () => {
  const area = CREATE.processes(64);
  if (area instanceof SharedArrayBuffer) throw new Error('not a file');
  expect(statSync(area.path).mode & 0o777).toBe(0o600);
  const numbers = new Int32Array(openArea(area));
  const code = `import { openArea } from ${JSON.stringify(join(import.meta.dir, 'shared-areas.ts'))};
    const numbers = new Int32Array(openArea(JSON.parse(process.argv[1])));
    for (let index = 0; index < 100_000; index++) Atomics.add(numbers, 3, 1);`;
  const child = Bun.spawn([process.execPath, '-e', code, JSON.stringify(area)], {
    stdout: 'inherit',
    stderr: 'inherit',
  });
  for (let index = 0; index < 100_000; index++) Atomics.add(numbers, 3, 1);
  expect(await child.exited).toBe(0);
  expect(numbers[3]).toBe(200_000);
});
