/** Tests of the model of the disk: synced data survives, other data may be lost in part. */
import { expect, test } from 'bun:test';
import { Random } from '../../simulation/random.ts';
import { type CutCounts, type Disk, JournaledFolder } from './disk.ts';
import { encodeRecord } from './journal.ts';

function record(kind: string, file: number, offset: number, data = ''): Buffer {
  return encodeRecord(kind, file, offset, Buffer.from(data));
}

const synced = (file: number, number: number): Buffer[] => [record('S', file, number), record('E', file, number)];
const CREATED = [record('C', 1, 0, 'a'), ...synced(0, 1)];
const page = (text: string): string => text.repeat(4096);

/** Returns the disks after many power cuts and the total effects of the cuts. */
function cuts(records: readonly Buffer[], base: Disk = new Map()): { disks: Disk[]; counts: CutCounts } {
  const counts: CutCounts = { unsynced: 0, dropped: 0, torn: 0, reordered: 0 };
  const folder = new JournaledFolder(base, Buffer.concat(records));
  const random = new Random(11);
  return { disks: Array.from({ length: 200 }, () => folder.cut(random, counts)), counts };
}

/** Returns the distinct contents of a file after the cuts. */
function contents(disks: readonly Disk[], name = 'a'): Set<string> {
  return new Set(disks.map((disk) => disk.get(name)?.toString() ?? '(none)'));
}

test('synced data survives every power cut', () => {
  const { disks } = cuts([...CREATED, record('W', 1, 0, 'one'), ...synced(1, 2)]);
  expect(contents(disks)).toEqual(new Set(['one']));
});

test('data that was not synced may survive or be lost', () => {
  const { disks } = cuts([...CREATED, record('W', 1, 0, 'one'), ...synced(1, 2), record('W', 1, 3, 'two')]);
  expect(contents(disks)).toEqual(new Set(['one', 'onetwo']));
});

test('a sync covers writes before its start, not concurrent ones', () => {
  const during = [record('S', 1, 2), record('W', 1, 0, 'two'), record('E', 1, 2)];
  const { disks } = cuts([...CREATED, record('W', 1, 0, 'one'), ...during]);
  expect(contents(disks)).toEqual(new Set(['one', 'two']));
});

test('an unfinished sync guarantees nothing', () => {
  const { disks } = cuts([...CREATED, record('W', 1, 0, 'one'), record('S', 1, 2)]);
  expect(contents(disks)).toEqual(new Set(['', 'one']));
});

test('writes are torn at sectors and may survive while earlier ones are lost', () => {
  const writes = ['x', 'y', 'z'].map((text, index) => record('W', 1, index * 4096, page(text)));
  const { disks, counts } = cuts([...CREATED, ...writes]);
  const torn = disks.filter((disk) => {
    const first = disk.get('a')?.subarray(0, 4096).toString('latin1') ?? '';
    return first.includes('x') && first.includes('\0');
  });
  expect(torn.length).toBeGreaterThan(0);
  expect(counts.torn).toBeGreaterThan(10);
  expect(counts.reordered).toBeGreaterThan(10);
  expect(counts.dropped).toBeGreaterThan(10);
});

test('a lost truncation loses all later operations', () => {
  const base = [...CREATED, record('W', 1, 0, 'long text'), ...synced(1, 2)];
  const { disks } = cuts([...base, record('T', 1, 0), record('W', 1, 0, 'new')]);
  expect(contents(disks)).toEqual(new Set(['long text', '', 'new']));
});

test('a name is durable once the folder is synced', () => {
  const written = [record('W', 1, 0, 'one'), ...synced(1, 2)];
  expect(contents(cuts([record('C', 1, 0, 'a'), ...written]).disks)).toEqual(new Set(['(none)', 'one']));
  expect(contents(cuts([record('C', 1, 0, 'a'), ...written, ...synced(0, 3)]).disks)).toEqual(new Set(['one']));
  const removed = [...CREATED, ...written, record('U', 0, 0, 'a')];
  expect(contents(cuts(removed).disks)).toEqual(new Set(['(none)', 'one']));
  expect(contents(cuts([...removed, ...synced(0, 3)]).disks)).toEqual(new Set(['(none)']));
});

test('a file with a second name is durable under it once the folder is synced', () => {
  const linked = [
    ...CREATED,
    record('W', 1, 0, 'one'),
    ...synced(1, 2),
    record('L', 1, 0, 'b'),
    record('U', 0, 0, 'a'),
  ];
  expect(contents(cuts(linked).disks, 'b')).toEqual(new Set(['(none)', 'one']));
  const { disks } = cuts([...linked, ...synced(0, 3)]);
  expect([contents(disks), contents(disks, 'b')]).toEqual([new Set(['(none)']), new Set(['one'])]);
});

test('existing files keep their contents', () => {
  const base = new Map([
    ['a', Buffer.from('old')],
    ['other', Buffer.from('same')],
  ]);
  const { disks } = cuts([record('O', 1, 0, 'a'), record('W', 1, 0, 'new')], base);
  expect(contents(disks)).toEqual(new Set(['old', 'new']));
  expect(contents(disks, 'other')).toEqual(new Set(['same']));
});

test('a file that the runtime created is as durable as one that SQLite created', () => {
  const opened = [record('O', 1, 0, 'a'), record('W', 1, 0, 'one'), ...synced(1, 1)];
  expect(contents(cuts(opened).disks)).toEqual(new Set(['(none)', 'one']));
  expect(contents(cuts([...opened, ...synced(0, 2)]).disks)).toEqual(new Set(['one']));
});

test('an incomplete record at the end of the journal is ignored', () => {
  const whole = Buffer.concat([...CREATED, record('W', 1, 0, 'one'), ...synced(1, 2)]);
  const { disks } = cuts([whole, record('W', 1, 0, 'two').subarray(0, 25)]);
  expect(contents(disks)).toEqual(new Set(['one']));
});
