/** Rows that are longer than a chunk: they are sent in parts, and one thread at a time holds them. */
import { expect, test } from 'bun:test';
import { systemClock as clock, sleep } from '../../base/clock.ts';
import type { RowFormat } from '../../grid/grid.ts';
import { UNLIMITED } from '../../grid/statement-budget.ts';
import { Cursors } from './queries/cursors.ts';
import type { PageChunk } from './queries/query-protocol.ts';
import { FixedRows } from './queries/row-sources.ts';
import { SharedQueryState } from './queries/shared-query-state.ts';
import { StatementWatch } from './queries/statement-watch.ts';
import { LargeValues } from './thread/large-values.ts';

const TICKET = 1;
const COLUMNS = [{ fieldName: 'T', fieldTypeName: '', schemaName: '', typeName: '' }];
const ids = { queryId: 1, owner: '', ticket: TICKET };

function open(queryState = new SharedQueryState(), index = 0) {
  const large = new LargeValues({ clock, queryState, index, trim: () => {} });
  const cursors = new Cursors({
    clock,
    queryState,
    thread: index,
    limit: 10,
    idleMs: 60_000,
    onEvicted: () => {},
    evictElsewhere: () => {},
    large,
  });
  const begin = (texts: readonly string[], format: RowFormat, pageSize = texts.length): PageChunk => {
    const rows = texts.map((data) => [{ type: 'string', data } as const]);
    const start = { thread: index, ticket: TICKET, limitMs: 60_000, waitedMs: 0, entry: undefined };
    const watch = new StatementWatch(clock, queryState, UNLIMITED, start);
    const claimant = { key: '', isAdministrator: false };
    const page = { owner: '', claimant, pageSize, maxRows: undefined, format, ticket: TICKET };
    return cursors.begin(1, new FixedRows(COLUMNS, rows), watch, page, () => {});
  };
  /** Returns the chunk and those that follow it. */
  const all = (first: PageChunk): PageChunk[] => {
    const chunks = [first];
    for (let chunk = first; chunk.more; chunks.push(chunk)) chunk = cursors.more(ids);
    return chunks;
  };
  return { cursors, large, begin, all };
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

test('the next page follows the last part of a long row', () => {
  const { cursors, begin, all } = open();
  const chunks = all(begin([LONG, 'b'], 'json', 1));
  expect(chunks.at(-1)).toMatchObject({ more: false, last: false, rowCount: 1 });
  const next = cursors.fetch({ ...ids, pageSize: 1, format: 'json' });
  expect(next).toMatchObject({ text: '["b"]', more: false, last: true });
});

test('a thread holds a long row until its last part is sent, or its client has left', async () => {
  const queryState = new SharedQueryState();
  const [one, other] = [open(queryState), open(queryState, 1)];
  const waits = (): boolean => {
    try {
      other.large.begin(() => {
        throw new Error('it would have waited');
      });
      return false;
    } catch {
      return true;
    }
  };
  const first = one.begin([LONG], 'json');
  await sleep(clock, 5);
  expect(waits()).toBe(true);
  one.all(first);
  await sleep(clock, 5);
  expect(waits()).toBe(false);
  await sleep(clock, 5);
  one.begin([LONG], 'json');
  await sleep(clock, 5);
  expect(waits()).toBe(true);
  one.cursors.close(1, '');
  await sleep(clock, 5);
  expect(waits()).toBe(false);
});
