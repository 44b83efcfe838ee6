import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { GridError } from '../../../base/errors.ts';
import type { QueryPage } from '../../../grid/grid.ts';
import { senderOf } from '../../../grid/queries.ts';
import { CursorLost, Cursors, OpenCursors, type Row, type RowSource } from './cursors.ts';

function rows(from: number, to: number): Row[] {
  return Array.from({ length: to - from }, (_, index) => [{ type: 'integer', data: from + index }]);
}

/** A source of `total` rows in pages of `pageRows`, like a node's. */
class Numbers implements RowSource {
  readonly columns = [{ fieldName: 'N', fieldTypeName: 'java.lang.Integer', schemaName: '', typeName: '' }];
  readonly shape = 'array';
  readonly onSend = undefined;
  readonly total: number;
  readonly pageRows: number;
  overrides: number;
  pulls = 0;
  closed = 0;
  lost = false;

  constructor(total: number, pageRows: number) {
    this.total = total;
    this.pageRows = pageRows;
    this.overrides = Math.min(total, pageRows);
  }

  first(): { rows: Row[]; more: boolean } {
    return { rows: rows(0, this.overrides), more: this.overrides < this.total };
  }

  pull(): Promise<{ rows: Row[]; more: boolean }> {
    this.pulls++;
    if (this.lost) return Promise.reject(new CursorLost(undefined));
    const from = this.overrides;
    this.overrides = Math.min(this.total, from + this.pageRows);
    return Promise.resolve({ rows: rows(from, this.overrides), more: this.overrides < this.total });
  }

  close(): void {
    this.closed++;
  }
}

function service(overrides: { idleTimeoutMs?: number; openCursors?: number; tag?: number; resultBytes?: number } = {}) {
  const clock = new ManualClock();
  const { idleTimeoutMs = 60_000, openCursors = 100, tag = 0, resultBytes = 0 } = overrides;
  const all = new OpenCursors(tag);
  const settings = { clock, idleTimeoutMs, openCursors, budget: { resultBytes }, all };
  return { clock, all, settings, cursors: new Cursors(settings) };
}

function open(cursors: Cursors, source: Numbers, pageSize: number, owner = 'ann'): Promise<QueryPage> {
  return cursors.open(source, source.first(), { owner, pageSize, format: 'json' });
}

async function read(page: QueryPage): Promise<string> {
  let text = '';
  if (typeof page.rows === 'string') text = page.rows;
  else for await (const chunk of page.rows) text += chunk;
  const { last, rowCount } = page.end();
  return `${text} ${last ? 'last' : 'more'} ${rowCount}`;
}

describe('pages have the requested size', () => {
  test('regardless of the page size of the node', async () => {
    const { cursors } = service();
    const first = await open(cursors, new Numbers(10, 4), 3);
    expect(await read(first)).toBe('[0],[1],[2] more 3');
    expect(await read(await cursors.fetch(first.queryId, 5, 'ann', 'json'))).toBe('[3],[4],[5],[6],[7] more 5');
    expect(await read(await cursors.fetch(first.queryId, 5, 'ann', 'json'))).toBe('[8],[9] last 2');
    expect(cursors.fetch(first.queryId, 5, 'ann', 'json')).rejects.toMatchObject({ code: 'QUERY_NOT_FOUND' });
  });

  for (const [format, text] of [
    ['ndjson', '{"N":0}\n{"N":1}\n{"N":2}\n{"N":3}\n{"N":4}\n last 5'],
    ['csv', 'N\r\n0\r\n1\r\n2\r\n3\r\n4\r\n last 5'],
    ['objects', '[{"N":0},\n{"N":1},\n{"N":2},\n{"N":3},\n{"N":4}] last 5'],
  ] as const) {
    test(`but all rows as ${format}, which cannot name the next page`, async () => {
      const source = new Numbers(5, 2);
      const { cursors, all } = service();
      expect(await read(await cursors.open(source, source.first(), { owner: 'ann', pageSize: 2, format }))).toBe(text);
      expect([source.closed, all.size]).toEqual([1, 0]);
    });
  }

  test('a full page without further rows is the last', async () => {
    const source = new Numbers(8, 4);
    const { cursors } = service();
    const first = await open(cursors, source, 4);
    expect(await read(first)).toBe('[0],[1],[2],[3] more 4');
    expect(await read(await cursors.fetch(first.queryId, 4, 'ann', 'json'))).toBe('[4],[5],[6],[7] last 4');
    expect(source.closed).toBe(1);
  });

  test('a page of size 0 is empty and skips no rows', async () => {
    const { cursors } = service();
    const first = await open(cursors, new Numbers(1, 4), 0);
    expect(await read(first)).toBe(' more 0');
    expect(first.columns.length).toBe(1);
    const next = await cursors.fetch(first.queryId, 1, 'ann', 'json');
    expect(next.columns).toEqual([]);
    expect(await read(next)).toBe('[0] last 1');
  });

  test('a result without rows is a last page', async () => {
    const { cursors } = service();
    expect(await read(await open(cursors, new Numbers(0, 4), 0))).toBe(' last 0');
  });

  test('a large page is streamed in chunks with the same text', async () => {
    const { cursors } = service();
    const page = await open(cursors, new Numbers(3_000, 700), 100_000);
    expect(typeof page.rows).toBe('object');
    const whole = rows(0, 3_000).map(([value]) => `[${value?.type === 'integer' ? value.data : ''}]`);
    expect(await read(page)).toBe(`${whole.join(',')} last 3000`);
  });

  test('all pages together have a maximum of bytes, and the page that exceeds it fails and closes the cursor', async () => {
    const source = new Numbers(20, 4);
    const { cursors } = service({ resultBytes: 20 });
    const first = await open(cursors, source, 4);
    expect(await read(first)).toBe('[0],[1],[2],[3] more 4');
    const next = cursors.fetch(first.queryId, 4, 'ann', 'json');
    expect(next).rejects.toMatchObject({ code: 'QUERY_RESULT_BYTES' });
    await next.catch(() => {});
    expect(source.closed).toBe(1);
  });

  test('CSV has its header on the first page only', async () => {
    const { cursors } = service();
    const source = new Numbers(2, 4);
    const { queryId } = await open(cursors, source, 1, '');
    expect(await read(await cursors.fetch(queryId, 1, '', 'csv'))).toBe('1\r\n last 1');
  });
});

describe('a cursor', () => {
  test('belongs to its owner', async () => {
    const source = new Numbers(10, 4);
    const { cursors } = service();
    const { queryId } = await open(cursors, source, 1);
    expect(cursors.fetch(queryId, 1, 'bob', 'json')).rejects.toMatchObject({ code: 'QUERY_NOT_FOUND' });
    cursors.close(queryId, 'bob');
    expect(source.closed).toBe(0);
    cursors.close(queryId, 'ann');
    expect(source.closed).toBe(1);
    expect(cursors.fetch(queryId, 1, 'ann', 'json')).rejects.toMatchObject({ code: 'QUERY_NOT_FOUND' });
  });

  test('that is not fetched is closed after the idle timeout', async () => {
    const source = new Numbers(10, 4);
    const { clock, cursors } = service({ idleTimeoutMs: 5_000 });
    const { queryId } = await open(cursors, source, 1);
    clock.advance(4_000);
    await cursors.fetch(queryId, 1, 'ann', 'json');
    clock.advance(4_000);
    expect(source.closed).toBe(0);
    clock.advance(3_000);
    expect(source.closed).toBe(1);
  });

  test('is closed when its owner is removed, in whatever grid it was opened', async () => {
    const { cursors, settings, all } = service();
    const sources = ['ann', 'ann#key', 'bob'].map((owner) => ({ owner, source: new Numbers(9, 2) }));
    for (const { owner, source } of sources) await open(new Cursors(settings), source, 1, owner);
    const { queryId } = await open(cursors, new Numbers(9, 2), 1, 'ann');
    all.closeOf((owner) => owner.startsWith('ann'));
    expect(sources.map(({ source }) => source.closed)).toEqual([1, 1, 0]);
    expect(all.size).toBe(1);
    await expect(cursors.fetch(queryId, 1, 'ann', 'json')).rejects.toMatchObject({ code: 'QUERY_NOT_FOUND' });
  });

  test('whose node was lost is not found', async () => {
    const source = new Numbers(10, 4);
    const { cursors } = service();
    const { queryId } = await open(cursors, source, 4);
    source.lost = true;
    expect(cursors.fetch(queryId, 1, 'ann', 'json')).rejects.toMatchObject({ code: 'QUERY_NOT_FOUND' });
  });

  test('returns pages one after another to concurrent callers', async () => {
    const { cursors } = service();
    const { queryId } = await open(cursors, new Numbers(9, 2), 0);
    const pages = await Promise.all([1, 2, 3].map(() => cursors.fetch(queryId, 3, 'ann', 'json')));
    expect(await Promise.all(pages.map(read))).toEqual([
      '[0],[1],[2] more 3',
      '[3],[4],[5] more 3',
      '[6],[7],[8] last 3',
    ]);
  });

  test('has an id that identifies its service and fits a double', async () => {
    const { cursors } = service({ tag: 2 ** 21 - 1 });
    const { queryId } = await open(cursors, new Numbers(9, 2), 0);
    expect(Number.isSafeInteger(queryId)).toBe(true);
    expect(Math.floor(queryId / 2 ** 32)).toBe(2 ** 21 - 1);
  });

  test('is rejected beyond the limit', async () => {
    const { cursors } = service({ openCursors: 1 });
    const ann = { key: 'ann', isAdministrator: false };
    cursors.checkLimit(ann);
    await open(cursors, new Numbers(9, 2), 0);
    expect(() => cursors.checkLimit(ann)).toThrow('Too many open cursors');
  });
});

describe('cursors are shared among users', () => {
  const claim = (cursors: Cursors, key: string, isAdministrator = false, source = new Numbers(9, 2), pageSize = 1) =>
    cursors.open(source, source.first(), {
      owner: key,
      sender: senderOf({ key, isAdministrator }),
      pageSize,
      format: 'json',
    });

  /** Opens cursors until one is rejected; returns how many were opened, and the error. */
  async function openAllFor(cursors: Cursors, key: string): Promise<readonly [number, string]> {
    for (let opened = 0; ; opened++) {
      try {
        await claim(cursors, key);
      } catch (error) {
        return [opened, error instanceof GridError ? error.code : String(error)];
      }
    }
  }

  test('one user may have all, another takes over its half, and a third its third', async () => {
    const { cursors, all } = service({ openCursors: 90 });
    expect(await openAllFor(cursors, 'ann')).toEqual([90, 'CURSOR_LIMIT']);
    expect(all.evicted).toBe(0);
    expect(await openAllFor(cursors, 'bob')).toEqual([45, 'USER_SHARE']);
    expect(await openAllFor(cursors, 'eve')).toEqual([30, 'USER_SHARE']);
    await claim(cursors, 'svc', true);
    expect([all.size, all.evicted]).toEqual([90, 76]);
  });

  test('grids of several users share the limit', async () => {
    const { cursors, settings, all } = service({ openCursors: 10 });
    const others = new Cursors(settings);
    expect(await openAllFor(cursors, 'ann')).toEqual([10, 'CURSOR_LIMIT']);
    const { queryId } = await claim(others, 'bob');
    expect(await openAllFor(others, 'bob')).toEqual([4, 'USER_SHARE']);
    expect(cursors.kill(queryId, 'ann')).toBe(false);
    expect(cursors.kill(queryId, undefined)).toBe(true);
    cursors.closeAll();
    expect([all.size, all.evicted]).toEqual([4, 5]);
    others.closeAll();
    expect(all.size).toBe(0);
  });

  test('the least recently used cursor is closed, and its next page is not found', async () => {
    const { cursors, clock } = service({ openCursors: 3 });
    const ids: number[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push((await claim(cursors, 'ann')).queryId);
      clock.advance(1);
    }
    await read(await cursors.fetch(ids[0] ?? 0, 1, 'ann', 'json'));
    await claim(cursors, 'bob');
    const fetched = await Promise.allSettled(ids.map((id) => cursors.fetch(id, 1, 'ann', 'json')));
    expect(fetched.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('a cursor whose page is being read is not closed', async () => {
    const { cursors } = service({ openCursors: 2 });
    const first = await claim(cursors, 'ann', false, new Numbers(2_000, 1_000), 1_000);
    await claim(cursors, 'ann', false, new Numbers(2_000, 1_000), 1_000);
    expect(claim(cursors, 'bob')).rejects.toMatchObject({ code: 'USER_SHARE' });
    await read(first);
    await claim(cursors, 'bob');
  });

  test('a closed cursor frees its share', async () => {
    const { cursors } = service({ openCursors: 100 });
    const { queryId } = await claim(cursors, 'ann');
    expect(await openAllFor(cursors, 'ann')).toEqual([99, 'CURSOR_LIMIT']);
    cursors.close(queryId, 'ann');
    expect(await openAllFor(cursors, 'ann')).toEqual([1, 'CURSOR_LIMIT']);
  });

  test('a rejected query closes its source; one with a single page needs no share', async () => {
    const { cursors } = service({ openCursors: 100 });
    await openAllFor(cursors, 'ann');
    const source = new Numbers(9, 2);
    expect(claim(cursors, 'ann', false, source)).rejects.toMatchObject({ code: 'CURSOR_LIMIT' });
    expect(source.closed).toBe(1);
    expect(await read(await claim(cursors, 'ann', false, new Numbers(1, 2)))).toBe('[0] last 1');
  });
});
