/** Cursors over long rows, which are sent in parts while one thread at a time holds them, and the memory of many. */
import { expect, test } from 'bun:test';
import { systemClock as clock } from '../../base/clock.ts';
import { EMBEDDED_BOUNDS } from '../../base/limits.ts';
import type { RowFormat } from '../../grid/grid.ts';
import { UNLIMITED } from '../../grid/statement-budget.ts';
import { SharedQueryState } from './shared/shared-query-state.ts';
import type { PageChunk } from './shared/statement-protocol.ts';
import { Cursors } from './statement-process/cursors.ts';
import { FixedRows } from './statement-process/rows/row-sources.ts';
import { StatementWatch } from './statement-process/statement-watch.ts';

const TICKET = 1;
const COLUMNS = [{ fieldName: 'T', fieldTypeName: '', schemaName: '', typeName: '' }];
const ids = { queryId: 1, owner: '', ticket: TICKET };

function open(queryState = new SharedQueryState(), index = 0, residentBytes = () => 0) {
  const evicted: string[] = [];
  const cursors = new Cursors({
    clock,
    queryState,
    index: index,
    limit: 1_000,
    memoryBytes: 1_000,
    residentBytes,
    idleMs: 60_000,
    onEvicted: (owner) => void evicted.push(owner),
    evictElsewhere: () => {},
  });
  const begin = (texts: Iterable<string>, format: RowFormat, pageSize = [...texts].length, id = 1): PageChunk => {
    const rows = {
      *[Symbol.iterator]() {
        for (const data of texts) yield [{ type: 'string', data } as const];
      },
    };
    const start = { index: index, ticket: TICKET, limitMs: 60_000, waitedMs: 0, entry: undefined };
    const watch = new StatementWatch(clock, queryState, UNLIMITED, start);
    const tenant = { key: '', isAdministrator: false };
    const page = { owner: '', tenant, pageSize, maxRows: undefined, format, ticket: TICKET };
    return cursors.begin(id, new FixedRows(COLUMNS, rows), watch, page, () => {});
  };
  /** Returns the chunk and those that follow it. */
  const all = (first: PageChunk): PageChunk[] => {
    const chunks = [first];
    for (let chunk = first; chunk.more; chunks.push(chunk)) chunk = cursors.more(ids);
    return chunks;
  };
  return { cursors, begin, all, evicted };
}

const LONG = `${'é😀'.repeat(100_000)}${'a'.repeat(1_500_000)}`;

const ROWS: ReadonlyArray<readonly [format: RowFormat, read: (text: string) => unknown[]]> = [
  ['json', (text) => JSON.parse(`[${text}]`).flat()],
  ['ndjson', (text) => JSON.parse(`[${text.trim().replaceAll('\n', ',')}]`).map(({ T }: { T: string }) => T)],
  ['csv', (text) => text.trim().split(/\r?\n/).slice(1)],
];

test.each(ROWS)('the parts of a long row are the row: %s', (format, read) => {
  const { cursors, begin, all } = open();
  const chunks = all(begin(['a', LONG, 'b'], format));
  expect(chunks.length).toBeGreaterThan(1);
  expect(chunks.every(({ text }) => text.length <= 1024 * 1024 && text.isWellFormed())).toBe(true);
  expect(read(chunks.map(({ text }) => text).join(''))).toEqual(['a', LONG, 'b']);
  expect(chunks.at(-1)).toMatchObject({ more: false, last: true, rowCount: 3 });
  expect(cursors.size).toBe(0);
});

test.each(ROWS)('of two long rows, the second is read when the first has been sent: %s', (format, read) => {
  const { begin, all } = open();
  let readRows = 0;
  const texts = ['a', LONG, LONG];
  const rows = {
    *[Symbol.iterator]() {
      for (const text of texts) {
        readRows++;
        yield text;
      }
    },
  };
  const first = begin(rows, format, 100);
  expect(readRows).toBe(2);
  const chunks = all(first);
  expect(read(chunks.map(({ text }) => text).join(''))).toEqual(texts);
  expect(chunks.at(-1)).toMatchObject({ more: false, last: true, rowCount: 3 });
});

test('the next page follows the last part of a long row', () => {
  const { cursors, begin, all } = open();
  const chunks = all(begin([LONG, 'b'], 'json', 1));
  expect(chunks.at(-1)).toMatchObject({ more: false, last: false, rowCount: 1 });
  const next = cursors.fetch({ ...ids, pageSize: 1, format: 'json' });
  expect(next).toMatchObject({ text: '["b"]', more: false, last: true });
});

test('when many cursors are open and the process has grown, an idle one is closed for each that is opened', () => {
  let residentBytes = 5_000_000;
  const { cursors, begin, evicted } = open(undefined, 0, () => residentBytes);
  const most = EMBEDDED_BOUNDS.cursorsOfAnySize;
  for (let id = 1; id <= most; id++) {
    begin(['a', 'b'], 'json', 1, id);
    residentBytes += 1_024;
  }
  expect([cursors.size, evicted.length]).toEqual([most, 0]);
  begin(['a', 'b'], 'json', 1, most + 1);
  expect([cursors.size, evicted.length]).toEqual([most, 1]);
  const fetch = (queryId: number) => cursors.fetch({ ...ids, queryId, pageSize: 1, format: 'json' });
  expect(() => fetch(1)).toThrow();
  expect(fetch(most + 1).text).toBe('["b"]');
  // Without growth there may be more.
  residentBytes = 5_000_000;
  for (let id = most + 2; id < 2 * most; id++) begin(['a', 'b'], 'json', 1, id);
  expect(evicted.length).toBe(1);
});
