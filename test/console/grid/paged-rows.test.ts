/** Rows of the console that are read while they change. */
import { expect, test } from 'bun:test';
import { type FetchedPage, PagedRows } from '../../../src/console/rows/paged-rows.ts';

/** Rows whose reads are answered when the test says so. */
class AnsweredRows extends PagedRows {
  readonly reads: Array<(values: readonly string[]) => void> = [];
  readonly counts: Array<(count: number) => void> = [];

  constructor() {
    super(10, 1_000_000);
  }

  protected fetchPage(): Promise<FetchedPage> {
    const { promise, resolve } = Promise.withResolvers<FetchedPage>();
    this.reads.push((values) => resolve({ rows: values.map((value) => [value]), characters: 1, total: values.length }));
    return promise;
  }

  protected countRows(): Promise<number> {
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
