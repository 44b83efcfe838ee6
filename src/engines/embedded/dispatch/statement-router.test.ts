/** The time limit of a statement whose process reacts late or not at all. */
import { expect, test } from 'bun:test';
import { MessageChannel } from 'node:worker_threads';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { GridError } from '../../../base/errors.ts';
import { RpcChannel } from '../../../base/rpc-channel.ts';
import type { FieldsQuery } from '../../../grid/grid.ts';
import { SharedQueryState, WRITING_PROCESS } from '../shared/shared-query-state.ts';
import {
  type PageChunk,
  PROCESSES_PER_ID,
  type StatementChannel,
  type StatementMethods,
} from '../shared/statement-protocol.ts';
import { StatementKills } from './statement-kills.ts';
import { ProcessEnded, StatementRouter } from './statement-router.ts';
import { type ProcessKind, StatementSlots } from './statement-slots.ts';

const LIMIT_MS = 60;
/** Much more than a statement has after its limit. */
const AFTERWARDS_MS = 60_000;
const PAGE: PageChunk = { queryId: PROCESSES_PER_ID, columns: [], text: '', more: false, last: false, rowCount: 1 };
const QUERY: FieldsQuery = {
  kind: 'fields',
  cache: 'c',
  sql: 'select 1',
  args: [],
  pageSize: 1,
  format: 'json',
  asIgnite: false,
  owner: '',
};

/** A process's treatment of a statement; its response is sent when the promise resolves. */
type Thread = (queryState: SharedQueryState, ticket: number) => Promise<PageChunk | null>;

/**
 * Opens a router whose processes are channels of this process. Also returns the ids of the queries that it closed, and
 * a function that ends the process, while it runs a statement.
 */
function openPool(place: ProcessKind, index: Thread) {
  const clock = new ManualClock();
  const queryState = new SharedQueryState();
  const closed: number[] = [];
  const connect = (): StatementChannel => {
    const { port1, port2 } = new MessageChannel();
    const server = new RpcChannel<Record<string, never>, StatementMethods>(port2, clock);
    server.serve('execute', ({ ticket }) => index(queryState, ticket));
    server.serve('close', ({ queryId }) => {
      closed.push(queryId);
      return null;
    });
    return new RpcChannel(port1, clock);
  };
  let channel = connect();
  const end = (running?: number): void => {
    const ended = channel;
    channel = connect();
    ended.close(new ProcessEnded('its process ended', undefined, running));
  };
  const processes = {
    channel: async (index: number) => {
      if (!queryState.isStarted(index)) queryState.started(index);
      return channel;
    },
  };
  const router = new StatementRouter({
    processes,
    queryState,
    clock,
    kills: new StatementKills({ queryState, processes, clock, nodeId: '' }),
    readers: 1,
    slots: new StatementSlots({ clock, queryState, readers: 1, maxWaiting: 100, targetMs: 1_000 }),
    budget: { timeMs: LIMIT_MS, maxTimeMs: 0 },
    loadLocal: async () => () => place,
  });
  return { router, queryState, closed, end, pass: (timeMs: number) => clock.advance(timeMs) };
}

/** Runs the statement; returns the code and text of its error, or undefined. */
async function failureOf(router: StatementRouter): Promise<string | undefined> {
  try {
    await router.execute(QUERY);
    return undefined;
  } catch (error) {
    return error instanceof GridError ? `${error.code} ${error.message}` : String(error);
  }
}

const never = () => new Promise<never>(() => {});

for (const place of ['reading', 'writing'] as const) {
  test(`a ${place} statement is answered although its thread never ends it`, async () => {
    let claimed = 0;
    const { router, queryState, pass } = openPool(place, (state, ticket) => {
      claimed = ticket;
      state.claim(ticket, place === 'reading' ? 0 : WRITING_PROCESS);
      pass(AFTERWARDS_MS);
      return never();
    });
    expect(await failureOf(router)).toContain('QUERY_TIMEOUT The query was cancelled');
    expect([queryState.isCancelled(claimed), queryState.isAbandoned(claimed)]).toEqual([true, true]);
  });
}

test('a statement that no process has begun within its limit is rejected, and never begins', async () => {
  for (const [place, code] of [
    ['reading', 'QUERIES_BUSY'],
    ['writing', 'QUERY_TIMEOUT'],
  ] as const) {
    let sent: number | undefined;
    const { router, queryState, pass } = openPool(place, (_, ticket) => {
      sent = ticket;
      pass(AFTERWARDS_MS);
      return never();
    });
    expect(await failureOf(router)).toContain(code);
    expect(queryState.claim(sent ?? 0, 0)).toBe(false);
  }
});

test('the cursor of a page that comes too late is closed', async () => {
  const { router, closed, pass } = openPool('reading', async (state, ticket) => {
    state.claim(ticket, 0);
    pass(AFTERWARDS_MS);
    return PAGE;
  });
  expect(await failureOf(router)).toContain('QUERY_TIMEOUT');
  while (closed.length === 0) await new Promise(setImmediate);
  expect(closed).toEqual([PAGE.queryId]);
});

test('a change that is committing at its limit is waited for', async () => {
  const { router, pass } = openPool('writing', async (state, ticket) => {
    state.claim(ticket, WRITING_PROCESS);
    expect(state.beginCommit(ticket, WRITING_PROCESS)).toBe(true);
    pass(AFTERWARDS_MS);
    return { ...PAGE, last: true };
  });
  expect(await failureOf(router)).toBeUndefined();
});

test('the outcome of a change is unknown when its process ends while it commits', async () => {
  const { router, end } = openPool('writing', (state, ticket) => {
    state.claim(ticket, WRITING_PROCESS);
    state.beginCommit(ticket, WRITING_PROCESS);
    end(ticket);
    return never();
  });
  expect(await failureOf(router)).toContain('OUTCOME_UNKNOWN');
});

test('a change that its process ran, and did not commit, has changed nothing when that ends', async () => {
  const { router, end } = openPool('writing', (state, ticket) => {
    state.claim(ticket, WRITING_PROCESS);
    end(ticket);
    return never();
  });
  expect(await failureOf(router)).toContain('QUERY_LOST');
});

test('a change that waited for another one in a process that ends runs in the next process', async () => {
  let sent = 0;
  const waiting = openPool('writing', (state, ticket) => {
    expect(state.claim(ticket, WRITING_PROCESS)).toBe(true);
    if (++sent > 1) return Promise.resolve({ ...PAGE, last: true });
    waiting.end(ticket + 1);
    return never();
  });
  const failure = failureOf(waiting.router);
  while (sent < 1) await new Promise(setImmediate);
  await new Promise(setImmediate);
  waiting.pass(LIMIT_MS - 1);
  while (sent < 2) await new Promise(setImmediate);
  expect(await failure).toBeUndefined();
});
