/** Imports in batches into the model engine; test/cluster/bulk.cluster.test.ts tests those into tables on a cluster. */

import { describe, expect, test } from 'bun:test';
import { entriesOf, withCalls } from '../../../test/grid/entry-methods.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { systemClock } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import { DEFAULT_LIMITS } from '../../base/limits.ts';
import type { ImportReport, ImportRequest } from '../../grid/bulk.ts';
import type { CallKind, CallTable } from '../../grid/calls.ts';
import { text } from '../../values/value.ts';
import { BatchedBulk } from './batched-bulk.ts';

function open(changes: Partial<CallTable<CallKind>> = {}) {
  const model = openModelGrid({ clock: systemClock, limits: DEFAULT_LIMITS });
  const grid = withCalls(model, changes);
  const parts = { clock: systemClock, limits: DEFAULT_LIMITS, serviceName: 'svc', onReceive: undefined };
  return { grid, bulk: new BatchedBulk({ ...parts, grid, records: model.records }) };
}

const request = (options: Partial<ImportRequest> = {}): ImportRequest => ({
  target: { kind: 'cache', cache: 'default', keyType: undefined, valueType: undefined },
  owner: 'ann',
  tenant: { key: 'user ann', isAdministrator: false },
  format: 'csv',
  id: undefined,
  header: true,
  columns: undefined,
  delimiter: ',',
  nullText: '',
  rowNumber: undefined,
  onDuplicate: 'replace',
  onError: 'stop',
  isAtomic: false,
  offset: 0,
  isLast: true,
  ...options,
});

function sourceOf(data: string, size = 1_000) {
  let at = 0;
  return {
    async read() {
      const part = new Uint8Array(Buffer.from(data.slice(at, at + size)));
      at += size;
      return part.length === 0 ? undefined : part;
    },
  };
}

async function outcome(imported: Promise<ImportReport>): Promise<ImportReport & { error?: string }> {
  try {
    return await imported;
  } catch (error) {
    const { report, message } = error as { report?: ImportReport; message: string };
    if (report === undefined) throw error;
    return { ...report, error: message };
  }
}

const lines = (from: number, to: number) =>
  `key,value\n${Array.from({ length: to - from }, (_, at) => `k${from + at},v${from + at}\n`).join('')}`;

test('stores all entries, the last of those with the same key, and deadlines', async () => {
  const { grid, bulk } = open();
  expect(await bulk.importRows(request(), sourceOf(lines(0, 2_000)))).toMatchObject({ state: 'done', rows: 2_000 });
  const soon = Date.now() + 60_000;
  const more = `key,value,expires\nk1,a,\nk1,b,\nx,y,${soon}\nz,old,1\n`;
  expect(await bulk.importRows(request(), sourceOf(more))).toMatchObject({ rows: 3, skipped: 1 });
  expect(await entriesOf(grid).get('default', text('k1'))).toEqual(text('b'));
  expect(await entriesOf(grid).timeToLive('default', text('x'))).toBeGreaterThan(50_000n);
  expect(await entriesOf(grid).size('default')).toBe(2_001);
});

describe('keys that exist', () => {
  for (const [onDuplicate, rows, skipped, error] of [
    ['skip', 2, 1, undefined],
    ['error', 1, 0, 'Line 3 was rejected: The key already exists: k1'],
  ] as const) {
    test(onDuplicate, async () => {
      const { grid, bulk } = open();
      await entriesOf(grid).put('default', text('k1'), text('first'));
      const report = await outcome(bulk.importRows(request({ onDuplicate }), sourceOf(lines(0, 3))));
      expect(report).toMatchObject({ rows, skipped });
      expect(report.error).toBe(error as string);
      expect(await entriesOf(grid).get('default', text('k1'))).toEqual(text('first'));
    });
  }
});

test('entries have the time to live of the request, unless their record says when they expire', async () => {
  const { grid, bulk } = open();
  const target = {
    kind: 'cache',
    cache: 'default',
    keyType: undefined,
    valueType: undefined,
    ttlMs: 3_600_000n,
  } as const;
  const hour = 3_600_000n;
  for (const onDuplicate of ['replace', 'skip'] as const) {
    const isWithinHour = async (name: string) => {
      const left = (await entriesOf(grid).timeToLive('default', text(`${onDuplicate} ${name}`))) ?? 0n;
      return left > hour / 2n && left <= hour;
    };
    await bulk.importRows(request({ target, onDuplicate }), sourceOf(`key,value\n${onDuplicate} a,1\n`));
    expect(await isWithinHour('a')).toBe(true);
    const source = `key,value,expires\n${onDuplicate} b,1,\n${onDuplicate} c,1,${4_000_000_000_000}\n${onDuplicate} n,1,0\n`;
    await bulk.importRows(request({ target, onDuplicate }), sourceOf(source));
    expect(await isWithinHour('b')).toBe(true);
    expect(await isWithinHour('c')).toBe(false);
    expect(await entriesOf(grid).timeToLive('default', text(`${onDuplicate} n`))).toBeNull();
  }
});

test('a rejected record ends the import behind those before it, or is listed', async () => {
  const source = 'key,value,valueType\na,1,int\nb,x,int\nc,3,int\n';
  const { grid, bulk } = open();
  const stopped = await outcome(bulk.importRows(request(), sourceOf(source)));
  expect(stopped).toMatchObject({ state: 'open', rows: 1, line: 2 });
  expect(stopped.error).toContain('Line 3 was rejected');
  expect(await entriesOf(grid).size('default')).toBe(1);
  const report = await bulk.importRows(request({ onError: 'skip' }), sourceOf(source));
  expect(report).toMatchObject({ rows: 2, rejected: 1, errors: [{ line: 3 }] });
});

test('goes on behind what an interrupted request has stored', async () => {
  const failing = { left: 2 };
  const { grid, bulk } = open({
    async putAll({ cache, entries }) {
      if (failing.left-- === 0) throw gridError('CLUSTER_UNREACHABLE', 'a');
      for (const { key, value } of entries) await entriesOf(grid).put(cache, key, value);
    },
  });
  const source = lines(0, 3_000);
  const cut = await outcome(bulk.importRows(request({ id: 'i' }), sourceOf(source, 20_000)));
  expect(cut.state).toBe('open');
  expect(cut.rows).toBeGreaterThan(0);
  const { error: _, ...stored } = cut;
  expect(await bulk.importState('i', 'ann')).toEqual(stored);
  expect(bulk.importState('i', 'bob')).rejects.toThrow('no import with this id');
  const rest = request({ id: 'i', offset: cut.offset });
  const report = await bulk.importRows(rest, sourceOf(source.slice(cut.offset)));
  expect(report).toMatchObject({ state: 'done', rows: 3_000, offset: source.length, line: 3_001 });
  expect(await entriesOf(grid).size('default')).toBe(3_000);
  expect(await bulk.importRows(request({ id: 'i' }), sourceOf(source))).toEqual(report);
  expect(bulk.importRows(request({ id: 'i', onError: 'skip' }), sourceOf(source))).rejects.toThrow(
    'a different value of onError',
  );
  await bulk.discardImport('i', 'ann');
  expect(bulk.discardImport('i', 'ann')).rejects.toThrow('no import with this id');
});

test('reads the header again when no record behind it was stored', async () => {
  const { grid, bulk } = open();
  const wrong = await outcome(bulk.importRows(request({ id: 'i' }), sourceOf('key,value\na\n')));
  expect(wrong).toMatchObject({ state: 'open', rows: 0, offset: 0 });
  const report = await bulk.importRows(request({ id: 'i' }), sourceOf('key,value\na,1\n'));
  expect(report).toMatchObject({ state: 'done', rows: 1 });
  expect(await entriesOf(grid).size('default')).toBe(1);
});

describe('is rejected', () => {
  const CASES: ReadonlyArray<readonly [title: string, options: Partial<ImportRequest>, error: string]> = [
    ['atomic', { isAtomic: true }, 'Not supported by this engine: atomic imports'],
    ['an id with onDuplicate=error', { id: 'a', onDuplicate: 'error' }, 'needs onDuplicate=replace or skip'],
    [
      'an unknown cache',
      { target: { kind: 'cache', cache: 'none', keyType: undefined, valueType: undefined } },
      'Failed to find cache',
    ],
    ['an unknown table', { target: { kind: 'table', name: 'none', cache: 'default' } }, 'There is no table none'],
    ['a body after the position', { id: 'a', offset: 5 }, 'begins after the stored position'],
  ];
  for (const [title, options, error] of CASES) {
    test(title, () => {
      const { bulk } = open();
      expect(bulk.importRows(request(options), sourceOf(lines(0, 1)))).rejects.toThrow(error);
    });
  }
});
