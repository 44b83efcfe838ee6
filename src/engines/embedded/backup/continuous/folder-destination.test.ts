/** A folder to which several processes write, and the identification of its owner. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderDestination } from './folder-destination.ts';
import { instanceOf } from './instance.ts';

const OWNER = { database: 'one', host: 'h', processId: 1, folder: '/data' };
const NAME = { level: 0, first: 2n, last: 2n };

let folder = '';
let target = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-folder-destination-'));
  target = join(folder, 'target');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Yields the parts of an object; each one waits until it may. */
async function* parts(fill: number, count: number, next: () => Promise<void>): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at++) {
    yield new Uint8Array(1_000).fill(fill);
    await next();
  }
}

const soon = (): Promise<void> => Bun.sleep(1);

test('an object that has no room leaves nothing', async () => {
  let written = 0;
  const destination = new FolderDestination(target, () => {
    if (++written === 3) throw new Error('full');
  });
  const created = destination.create(NAME, 1, parts(1, 5, soon));
  expect(await created.then(String, String)).toBe('Error: full');
  expect(readdirSync(join(target, 'ltx/0'))).toEqual([]);
});

describe('an object that two create at once', () => {
  test.each([
    ['both write at the same time', 5, 5],
    ['the first one ends while the second one writes', 2, 20],
    ['the second one ends while the first one writes', 20, 2],
  ])('is complete, and of one of them: %s', async (_, first, second) => {
    const results = await Promise.all([
      new FolderDestination(target).create(NAME, 1, parts(1, first, soon)),
      new FolderDestination(target).create(NAME, 1, parts(2, second, soon)),
    ]);
    expect(results.filter((bytes) => bytes !== undefined)).toHaveLength(1);
    const [name = '', ...others] = readdirSync(join(target, 'ltx/0'));
    expect(others).toEqual([]);
    const bytes = readFileSync(join(target, 'ltx/0', name));
    const [winner] = bytes;
    expect(bytes.length).toBe((winner === 1 ? first : second) * 1_000);
    expect(results[winner === 1 ? 0 : 1]).toBe(bytes.length);
    expect(bytes.every((byte) => byte === winner)).toBe(true);
  });

  test('is of the one that goes on when the other one fails', async () => {
    const failing = async (): Promise<void> => {
      await soon();
      throw new Error('broken');
    };
    const results = await Promise.allSettled([
      new FolderDestination(target).create(NAME, 1, parts(1, 5, failing)),
      new FolderDestination(target).create(NAME, 1, parts(2, 5, soon)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    const [name = ''] = readdirSync(join(target, 'ltx/0'));
    expect(readFileSync(join(target, 'ltx/0', name)).every((byte) => byte === 2)).toBe(true);
  });
});

test('what owners that were killed have left is removed, and nothing else', async () => {
  const level = join(target, 'ltx/0');
  mkdirSync(level, { recursive: true });
  const first = await new FolderDestination(target).acquire(OWNER);
  await first.release();
  const left = ['0000000000000002-0000000000000002.ltx.tmp', '0000000000000002-0000000000000002.ltx.1-2-3.tmp'];
  for (const name of [...left, 'notes.txt']) writeFileSync(join(level, name), 'x');
  for (const name of ['owner.json.tmp', 'owner.json.1-2.tmp', 'mine.tmp']) writeFileSync(join(target, name), 'x');
  const second = await new FolderDestination(target).acquire(OWNER);
  expect(readdirSync(level)).toEqual(['notes.txt']);
  expect(readdirSync(target).sort()).toEqual(['lock.db', 'ltx', 'mine.tmp', 'owner.json']);
  await second.release();
});

test('nothing is changed after a release', async () => {
  const ownership = await new FolderDestination(target).acquire(OWNER);
  ownership.check();
  await ownership.release();
  expect(() => ownership.check()).toThrow('was released');
});

test.each(['', '{}', 'text', '{"processId":1,"host":"h"}'])(
  'a file that is no record is not replaced: %p',
  async (text) => {
    mkdirSync(target);
    writeFileSync(join(target, 'owner.json'), text);
    await expect(new FolderDestination(target).acquire(OWNER)).rejects.toThrow('is not a record of svc');
    expect(readFileSync(join(target, 'owner.json'), 'utf8')).toBe(text);
  },
);

test('a service keeps its id, and a copy of its folder is another start of it', () => {
  const data = join(folder, 'data');
  mkdirSync(data);
  const instance = instanceOf(data);
  expect(instanceOf(data)).toEqual(instance);
  const copy = join(folder, 'copy');
  cpSync(data, copy, { recursive: true });
  const copied = instanceOf(copy);
  expect([copied.id, copied.machine]).toEqual([instance.id, instance.machine]);
  expect(copied.boot).not.toBe(instance.boot);
  writeFileSync(join(copy, 'instance-id'), '');
  expect(instanceOf(copy).id).not.toBe(instance.id);
  expect(readdirSync(copy)).toEqual(['instance-id']);
});
