/** Rows of the console that are read while they change. */
import { expect, test } from 'bun:test';
import { type FetchedPage, PagedRows } from '../../../src/console/rows/paged-rows.ts';

/** Rows whose reads are answered when the test says so. */
class AnsweredRows extends PagedRows {
  readonly reads: Array<(values: readonly string[]) => void> = [];
  readonly counts: Array<(count: number) => void> = [];

  constructor(keptBytes = 1_000_000) {
    super(10, keptBytes);
  }

  protected fetchPage(): Promise<FetchedPage> {
    const { promise, resolve } = Promise.withResolvers<FetchedPage>();
    this.reads.push((values) => resolve({ rows: values.map((value) => [value]), characters: 1, total: values.length }));
    return promise;
  }

  protected override countRows(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.counts.push(resolve);
    return promise;
  }
}

async function settled(): Promise<void> {
  for (let tick = 0; tick < 10; tick++) await Promise.resolve();
}

test('a page and a count that were asked for before a change are read again', async () => {
  const rows = new AnsweredRows();
  rows.view(0, 9);
  await settled();
  rows.refresh();
  rows.refresh();
  rows.counts[1]?.(1);
  rows.counts[0]?.(0);
  rows.reads[0]?.([]);
  await settled();
  expect([rows.rowCount.value, rows.isComplete.value]).toEqual([1, true]);
  rows.view(0, 9);
  await settled();
  rows.reads[1]?.(['new']);
  await settled();
  expect([rows.row(0), rows.rowCount.value]).toEqual([['new'], 1]);
  rows.view(0, 9);
  await settled();
  expect(rows.reads).toHaveLength(2);
});

test('rows that are held keep their places, also if a read had begun, and are read again afterwards', async () => {
  const rows = new AnsweredRows();
  rows.view(0, 9);
  await settled();
  rows.reads[0]?.(['ten', 'twenty']);
  await settled();
  rows.refresh();
  rows.view(0, 9);
  await settled();
  rows.hold(true, new Set([1]));
  rows.refresh();
  rows.reads[1]?.(['five', 'ten', 'twenty']);
  rows.counts[0]?.(3);
  await settled();
  rows.view(0, 9);
  await settled();
  expect([rows.row(1), rows.rowCount.value, rows.reads.length]).toEqual([['twenty'], 2, 2]);

  rows.hold(false, new Set());
  rows.view(0, 9);
  await settled();
  rows.reads[2]?.(['five', 'ten', 'twenty']);
  await settled();
  expect([rows.row(1), rows.rowCount.value]).toEqual([['ten'], 3]);
});

test('rows that are held are read again for a user who asks for it', async () => {
  const rows = new AnsweredRows();
  rows.view(0, 9);
  await settled();
  rows.reads[0]?.(['ten']);
  await settled();
  rows.hold(true, new Set());
  rows.readAgain();
  rows.view(0, 9);
  await settled();
  rows.reads[1]?.(['five', 'ten']);
  await settled();
  expect([rows.row(0), rows.rowCount.value]).toEqual([['five'], 2]);
});

test('rows that are held stay what they were when their page was dropped and read again', async () => {
  const rows = new AnsweredRows(1);
  rows.columns.value = [{ name: 'id', type: 'java.lang.Integer', schema: '', table: '' }];
  const read = async (page: number, first: number): Promise<void> => {
    const loaded = rows.load([page * 10 + 9]);
    await settled();
    rows.reads.at(-1)?.(Array.from({ length: 10 }, (_, at) => `${first + at}`));
    await loaded;
  };
  await read(0, 0);
  rows.hold(true, new Set([3]));
  await read(1, 10);
  await read(3, 30);
  expect([rows.row(3), rows.row(4)]).toEqual([['3'], undefined]);
  await read(0, -1);
  expect([rows.row(3), rows.row(4)]).toEqual([['3'], ['3']]);
  expect(await rows.load([3])).toEqual([{ id: '3' }]);
  rows.hold(false, new Set());
  expect(rows.row(3)).toEqual(['2']);
});

/** Rows that are found little by little. */
class FoundRows extends AnsweredRows {
  protected override async fetchPage(): Promise<FetchedPage> {
    return { ...(await super.fetchPage()), total: undefined, isPartial: true };
  }
}

test('rows that are held go on being found', async () => {
  const rows = new FoundRows();
  rows.view(0, 9);
  await settled();
  rows.reads[0]?.(['one']);
  await settled();
  rows.hold(true, new Set([0]));
  rows.view(0, 9);
  await settled();
  rows.reads[1]?.(['one', 'two']);
  await settled();
  expect(rows.row(1)).toEqual(['two']);
});
