import { expect, test } from 'bun:test';
import type { PageChunk, SentQuery } from './query-protocol.ts';
import { SharedQueryState } from './shared-query-state.ts';
import { StatementQueue } from './statement-queue.ts';

const PAGE: PageChunk = { queryId: 1, columns: [], text: '', more: false, last: true, rowCount: 0 };

function start() {
  const queryState = new SharedQueryState();
  const begun: string[] = [];
  const runner = {
    settled: Promise.resolve(),
    async execute({ owner }: SentQuery) {
      begun.push(owner);
      await Bun.sleep(0);
      if (owner === 'broken') throw new Error('broken');
      return PAGE;
    },
  };
  const queue = new StatementQueue(runner, queryState, 0);
  const queryOf = (owner: string): SentQuery => ({
    kind: 'fields',
    cache: 'c',
    sql: 'SELECT 1',
    args: [],
    pageSize: 1,
    format: 'json',
    owner,
    ticket: queryState.nextTicket(),
    sentAtMs: 0,
  });
  return { queryState, begun, queue, queryOf };
}

test('statements of several users run in turn', async () => {
  const { begun, queue, queryOf } = start();
  await Promise.all(['ann', 'ann', 'ann', 'ann', 'bob', 'eve'].map((owner) => queue.execute(queryOf(owner))));
  expect(begun).toEqual(['ann', 'ann', 'bob', 'eve', 'ann', 'ann']);
});

test('a statement that another thread has claimed is skipped', async () => {
  const { begun, queue, queryOf, queryState } = start();
  const first = queue.execute(queryOf('ann'));
  const claimed = queryOf('bob');
  const second = queue.execute(claimed);
  queryState.claim(claimed.ticket);
  expect([await first, await second]).toEqual([PAGE, null]);
  expect(begun).toEqual(['ann']);
});

test('a statement that fails does not end the queue', async () => {
  const { queue, queryOf } = start();
  const failing = queue.execute(queryOf('broken'));
  const next = queue.execute(queryOf('ann'));
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe(PAGE);
});
