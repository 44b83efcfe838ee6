import { expect, test } from 'bun:test';
import { MessageChannel } from 'node:worker_threads';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { systemClock } from '../../../base/clock.ts';
import { GridError } from '../../../base/errors.ts';
import { RpcChannel } from '../../../base/rpc-channel.ts';
import type { Tenant } from '../../../base/shares.ts';
import {
  LONG_STATEMENT_MS,
  READING_PROCESSES,
  SharedQueryState,
  USUAL_READING_PROCESSES,
  WRITING_PROCESS,
} from '../shared/shared-query-state.ts';
import {
  type ProcessKind,
  RESERVED_PROCESSES,
  remoteStatementSlots,
  type StatementSlot,
  type StatementSlotMethods,
  StatementSlots,
  serveStatementSlots,
} from './statement-slots.ts';

const READERS = 6;
const tenantOf = (key: string): Tenant => ({ key, isAdministrator: key === 'admin' });

interface Statement {
  readonly ticket: number;
  slot: StatementSlot | undefined;
  failure: string | undefined;
}

function open(readers = READERS) {
  const clock = new ManualClock(1_000);
  const queryState = new SharedQueryState();
  const started: number[] = [];
  const slots = new StatementSlots({
    clock,
    queryState,
    readers,
    maxWaiting: 100,
    targetMs: 1_000,
    start: (index) => {
      started.push(index);
      queryState.started(index);
    },
  });
  const acquire = (key: string, place: ProcessKind = 'reading', limitMs = Number.POSITIVE_INFINITY): Statement => {
    const statement: Statement = { ticket: queryState.nextTicket(), slot: undefined, failure: undefined };
    const slot = slots.acquire({ place, ticket: statement.ticket, tenant: tenantOf(key), limitMs, bytes: 1 });
    const begin = (found: StatementSlot): void => {
      statement.slot = found;
      if (place === 'writing') return;
      const work = { id: statement.ticket, owner: '', ticket: statement.ticket, tenant: tenantOf(key) };
      if (!queryState.isStarted(found.index)) queryState.started(found.index);
      queryState.beginWork(found.index, work, clock.nowMs());
    };
    if (!(slot instanceof Promise)) begin(slot);
    else
      slot.then(begin, (error: unknown) => {
        statement.failure = error instanceof GridError ? error.code : String(error);
      });
    return statement;
  };
  const end = ({ slot }: Statement): void => {
    if (slot === undefined) throw new Error('the statement does not run');
    queryState.endWork(slot.index);
    slot.release();
  };
  /** Lets time pass, and the statements that it affects settle. */
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await Bun.sleep(0);
  };
  return { clock, queryState, slots, acquire, end, pass, started };
}

const threadsOf = (statements: readonly Statement[]) => statements.map(({ slot }) => slot?.index);

test('short statements share the usual processes, each of which runs one', async () => {
  const { acquire, end, pass } = open();
  const statements = Array.from({ length: USUAL_READING_PROCESSES + 2 }, () => acquire('ann'));
  expect(threadsOf(statements)).toEqual([0, 1, 2, 3, undefined, undefined]);
  const [first] = statements;
  if (first !== undefined) end(first);
  await pass(0);
  expect(threadsOf(statements)).toEqual([0, 1, 2, 3, 0, undefined]);
});

test('each long statement makes room for one more, up to the limit', async () => {
  const { acquire, pass } = open();
  const statements = Array.from({ length: READERS + 2 }, () => acquire('ann'));
  await pass(LONG_STATEMENT_MS + 100);
  expect(threadsOf(statements)).toEqual([0, 1, 2, 3, 4, 5, undefined, undefined]);
});

test('a process without cursors is preferred, and one that reads a long page is not counted', async () => {
  const { clock, queryState, acquire } = open();
  queryState.started(0);
  queryState.setCursors(0, 3);
  const first = acquire('ann');
  expect(first.slot?.index).toBe(1);
  queryState.beginWork(0, { id: 9, owner: '', ticket: queryState.nextTicket(), tenant: tenantOf('bob') }, 0);
  clock.advance(LONG_STATEMENT_MS);
  const others = Array.from({ length: READERS }, () => acquire('ann'));
  expect(threadsOf(others)).toEqual([2, 3, 4, undefined, undefined, undefined]);
});

test('another process takes the place of one that drains, of which cursors alone keep the number', () => {
  const { queryState, acquire, end } = open();
  const first = acquire('ann');
  queryState.ready(0);
  queryState.setCursors(0, 1);
  queryState.drain(0);
  const others = Array.from({ length: USUAL_READING_PROCESSES - 1 }, () => acquire('ann'));
  expect(threadsOf(others)).toEqual([1, 2, 3]);
  end(first);
  expect(threadsOf([acquire('ann')])).toEqual([4]);
  queryState.setCursors(0, 0);
  expect(queryState.tryRetire(0)).toBe(true);
});

test('with one process, another number takes the place of one that drains', () => {
  const { queryState, acquire, end } = open(1);
  const first = acquire('ann');
  queryState.ready(0);
  queryState.drain(0);
  end(first);
  const next = [acquire('ann'), acquire('admin')];
  expect(threadsOf(next)).toEqual([1, 2]);
  for (const statement of next) end(statement);
  queryState.ended(0, false);
  expect(threadsOf([acquire('ann')])).toEqual([0]);
});

test('a slot of a process that is being ended counts no request to it', () => {
  const { queryState, slots } = open(1);
  for (let index = 0; index < READING_PROCESSES; index++) {
    queryState.started(index);
    expect(queryState.tryRetire(index)).toBe(true);
  }
  const slot = slots.acquire({
    place: 'reading',
    ticket: queryState.nextTicket(),
    tenant: tenantOf('ann'),
    limitMs: Number.POSITIVE_INFINITY,
    bytes: 1,
  });
  if (slot instanceof Promise) throw new Error('it waits');
  queryState.ended(slot.index, false);
  queryState.started(slot.index);
  queryState.requestSent(slot.index);
  slot.release();
  expect(queryState.isIdle(slot.index)).toBe(false);
  queryState.requestEnded(slot.index);
  expect(queryState.isIdle(slot.index)).toBe(true);
});

test('administrators use a reserve while others occupy all processes', async () => {
  const { acquire, end, pass } = open();
  for (let n = 0; n < READERS + 1; n++) acquire('ann');
  await pass(LONG_STATEMENT_MS + 100);
  const ofAdministrator = Array.from({ length: RESERVED_PROCESSES + 1 }, () => acquire('admin'));
  expect(threadsOf(ofAdministrator)).toEqual([READERS, READERS + 1, undefined]);
  const [first] = ofAdministrator;
  if (first !== undefined) end(first);
  await pass(0);
  expect(threadsOf(ofAdministrator).at(-1)).toBe(READERS);
});

test('a process of the reserve runs while long statements occupy all others', async () => {
  const { queryState, acquire, end, pass, started } = open();
  const statements = Array.from({ length: READERS + 1 }, () => acquire('ann'));
  await pass(LONG_STATEMENT_MS + 100);
  expect(started).toEqual([]);
  await pass(LONG_STATEMENT_MS + 100);
  expect([started, queryState.isSpare(READERS)]).toEqual([[READERS], false]);
  for (const statement of statements.slice(0, 2)) end(statement);
  expect(queryState.isSpare(READERS)).toBe(true);
});

test('the longest statement of the user with the most ends when a user without any has waited', async () => {
  const { queryState, acquire, end, pass } = open();
  const ofAnn = Array.from({ length: 2 }, () => acquire('ann'));
  await pass(10);
  const ofBob = Array.from({ length: 4 }, () => acquire('bob'));
  await pass(LONG_STATEMENT_MS + 100);
  const ofCid = acquire('cid');
  const later = acquire('cid');
  await pass(450);
  const preempted = () => [...ofAnn, ...ofBob].map(({ ticket }) => queryState.isPreempted(ticket));
  expect(preempted()).toEqual([false, false, false, false, false, false]);
  await pass(100);
  expect(preempted()).toEqual([false, false, true, false, false, false]);
  // It has not ended yet: no other one is ended for the same user.
  await pass(200);
  expect(preempted().filter((each) => each)).toHaveLength(1);
  const [victim] = ofBob;
  queryState.endWork(victim?.slot?.index ?? 0);
  await pass(200);
  expect(preempted().filter((each) => each)).toHaveLength(1);
  if (victim !== undefined) end(victim);
  await pass(0);
  expect(ofCid.slot?.index).toBe(victim?.slot?.index ?? -1);
  // A user with one running statement waits for its next one, as all others do.
  await pass(5_000);
  expect([later.slot, preempted().filter((each) => each).length]).toEqual([undefined, 1]);
});

test('statements of users with one each, and those of administrators, are not ended for others', async () => {
  const { queryState, acquire, pass } = open();
  const running = ['admin', 'admin', 'admin', 'ann', 'bob', 'cid'].map((key) => acquire(key));
  await pass(LONG_STATEMENT_MS + 100);
  const waiting = acquire('dan');
  await pass(3_000);
  expect(running.map(({ ticket }) => queryState.isPreempted(ticket))).not.toContain(true);
  expect([waiting.slot, waiting.failure]).toEqual([undefined, undefined]);
});

for (const { place, code } of [
  { place: 'reading', code: 'QUERIES_BUSY' },
  { place: 'writing', code: 'QUERY_TIMEOUT' },
] as const) {
  test(`a ${place} statement waits as long as its time limit, and until it is cancelled`, async () => {
    const { queryState, slots, acquire, pass } = open();
    for (let n = 0; n < 10; n++) acquire('ann', place);
    await pass(LONG_STATEMENT_MS + 100);
    const [limited, cancelled] = [acquire('ann', place, 30_000), acquire('ann', place)];
    queryState.cancel(cancelled.ticket);
    await pass(100);
    expect([limited.failure, cancelled.failure]).toEqual([undefined, 'QUERY_CANCELLED']);
    await pass(30_000);
    expect([limited.failure, slots.statistics().rejected]).toEqual([code, 1]);
  });
}

test('statements that write share one process, and wait for each other when there are many', async () => {
  const { acquire, pass } = open();
  const statements = Array.from({ length: 9 }, () => acquire('ann', 'writing'));
  expect(threadsOf(statements)).toEqual([...Array.from({ length: 8 }, () => WRITING_PROCESS), undefined]);
  statements[0]?.slot?.release();
  await pass(0);
  expect(threadsOf(statements).at(-1)).toBe(WRITING_PROCESS);
});

test('another thread gets its slots over a channel, and loses them when it ends', async () => {
  const queryState = new SharedQueryState();
  const slots = new StatementSlots({
    clock: systemClock,
    queryState,
    readers: 1,
    maxWaiting: 100,
    targetMs: 1_000,
  });
  const { port1, port2 } = new MessageChannel();
  const server = new RpcChannel<Record<string, never>, StatementSlotMethods>(port1, systemClock);
  const end = serveStatementSlots(server, slots);
  const remote = remoteStatementSlots(new RpcChannel<StatementSlotMethods, Record<string, never>>(port2, systemClock));
  const request = { place: 'reading', tenant: tenantOf('ann'), limitMs: Number.POSITIVE_INFINITY, bytes: 1 } as const;
  const first = await remote.acquire({ ...request, ticket: queryState.nextTicket() });
  expect(first.index).toBe(0);
  const second = remote.acquire({ ...request, ticket: queryState.nextTicket() });
  first.release();
  expect((await second).index).toBe(0);
  end();
  expect(await slots.acquire({ ...request, ticket: queryState.nextTicket() })).toMatchObject({ index: 0 });
  port1.close();
});
