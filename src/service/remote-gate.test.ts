/** Which responses wait until the destination has the commits that they depend on, and for how long. */
import { expect, test } from 'bun:test';
import { createFailoverArea, FailoverState } from '../base/failover-state.ts';
import { createThreadArea } from '../base/shared-areas.ts';
import { signalMemory, ThreadSignal } from '../base/thread-signal.ts';
import { RemoteGate, type RemoteGateOptions } from './remote-gate.ts';
import type { CommandService, Outcome, RawRequest } from './request.ts';

const SUCCESS: Outcome = {
  successStatus: 0,
  http: 200,
  error: null,
  response: '1',
  affinityNodeId: undefined,
  sessionToken: null,
  securitySubjectId: null,
};

interface Given extends Partial<Pick<RemoteGateOptions, 'waitsFor' | 'gatesReads'>> {
  readonly commits?: number;
  readonly shipped?: number;
  /** Milliseconds since everything was shipped. */
  readonly agoMs?: number;
}

function open({ waitsFor = 'all', gatesReads = false, commits = 5, shipped = 4, agoMs = 10_000 }: Given) {
  const state = new FailoverState(createFailoverArea(createThreadArea), () => 100_000);
  state.allowUntil(200_000);
  state.shipped(shipped, 100_000 - agoMs);
  const failureForm = { httpStatus: false, errorObjects: false };
  const [shippedSignal, wanted] = [new ThreadSignal(signalMemory()), new ThreadSignal(signalMemory())];
  const gate = new RemoteGate({
    ...{ state, commits: () => commits, shipped: shippedSignal, wanted, waitsFor, gatesReads, failureForm },
  });
  const outcomes = new Map<string, Outcome>();
  const service: CommandService = {
    tenantOf: () => ({ key: 't', isAdministrator: false, isConnection: false }),
    execute: ({ cmd = '' }) => outcomes.get(cmd) ?? SUCCESS,
  };
  return { state, gated: gate.wrap(service), outcomes, shippedSignal, wanted };
}

function requestOf(cmd: string, qry = '', headers: Readonly<Record<string, string>> = {}): RawRequest {
  return {
    cmd,
    params: new Map([['qry', qry]]),
    header: (name) => headers[name] ?? null,
    peerAddress: () => '127.0.0.1',
    peerNetwork: () => ({ name: '127.0.0.1', isConnection: false }),
    method: 'GET',
    signal: () => new AbortController().signal,
    end: () => {},
  };
}

test.each<readonly [string, Given, RawRequest, boolean]>([
  ['a change', {}, requestOf('put'), true],
  ['a change that everything is shipped of', { shipped: 5 }, requestOf('put'), false],
  [
    'a change when the count has wrapped around',
    { commits: -2_147_483_648, shipped: 2_147_483_647 },
    requestOf('put'),
    true,
  ],
  ['a read', {}, requestOf('get'), false],
  ['a read where reads wait', { gatesReads: true }, requestOf('get'), true],
  ['a read after a position', {}, requestOf('get', '', { 'wait-for-position': 'p' }), true],
  ['a statement that changes', {}, requestOf('qryfldexe', 'UPDATE t SET a = 1'), true],
  ['a statement that reads', {}, requestOf('qryfldexe', 'SELECT 1'), false],
  ['a change with a bound, soon after', { waitsFor: 2_000, agoMs: 1_000 }, requestOf('put'), false],
  ['a change with a bound, later', { waitsFor: 2_000, agoMs: 3_000 }, requestOf('put'), true],
  ['an unknown command', {}, requestOf('none'), false],
])('%s', async (_, given, request, waits) => {
  const { gated, state } = open(given);
  const outcome = gated.execute(request);
  expect(outcome instanceof Promise).toBe(waits);
  state.shipped(given.commits ?? 5, 100_000);
  expect(await outcome).toBe(SUCCESS);
});

test('the change feed delivers only what is shipped', async () => {
  const { gated, state, outcomes } = open({});
  async function* parts(): AsyncGenerator<string> {
    yield 'change';
  }
  outcomes.set('watch', { ...SUCCESS, response: parts(), stop: () => {} });
  const { response } = await gated.execute(requestOf('watch'));
  if (typeof response === 'string') throw new Error('it is not a stream');
  const next = response[Symbol.asyncIterator]().next();
  expect(await Promise.race([next, Bun.sleep(20).then(() => 'waits')])).toBe('waits');
  state.shipped(5, 100_000);
  expect(await next).toEqual({ done: false, value: 'change' });
});

test.each([
  [true, 'DEPOSED'],
  [false, undefined],
])('the change feed of a service that is deposed (%p) ends with an error', async (isDeposed, code) => {
  const { gated, state, outcomes } = open({ shipped: 5 });
  const stopped = Promise.withResolvers<void>();
  async function* parts(): AsyncGenerator<string> {
    yield 'change';
    await stopped.promise;
  }
  outcomes.set('watch', { ...SUCCESS, response: parts(), stop: stopped.resolve });
  const { response, stop } = await gated.execute(requestOf('watch'));
  if (typeof response === 'string') throw new Error('it is not a stream');
  const changes = response[Symbol.asyncIterator]();
  expect(await changes.next()).toEqual({ done: false, value: 'change' });
  if (isDeposed) state.close();
  stop?.();
  const failure: unknown = await changes.next().then(
    () => ({}),
    (error: unknown) => error,
  );
  expect(Object(failure).code).toBe(code);
});

test.each(['stops', 'client is gone'])('the change feed does not wait for the lease if its %s', async (why) => {
  const { gated, state, outcomes } = open({ shipped: 5 });
  state.allowUntil(0);
  async function* parts(): AsyncGenerator<string> {
    yield 'change';
  }
  const client = new AbortController();
  outcomes.set('watch', { ...SUCCESS, response: parts(), stop: () => {} });
  const { response, stop } = await gated.execute({ ...requestOf('watch'), signal: () => client.signal });
  if (typeof response === 'string') throw new Error('it is not a stream');
  const next = response[Symbol.asyncIterator]().next();
  expect(await Promise.race([next, Bun.sleep(50)])).toBeUndefined();
  if (why === 'stops') stop?.();
  else client.abort();
  await expect(next).rejects.toMatchObject({ code: 'DEPOSED' });
});

test('an answer that waits when the service is deposed is an error', async () => {
  const { gated, state } = open({});
  const outcome = gated.execute(requestOf('put'));
  state.close();
  expect((await outcome).failure?.code).toBe('DEPOSED');
});

test('an answer that waits wakes what ships, where it waits', async () => {
  const { gated, state, shippedSignal, wanted } = open({});
  const first = gated.execute(requestOf('put'));
  expect(wanted.count).toBe(0);
  state.idleUntil(state.waits + 1);
  const second = gated.execute(requestOf('put'));
  expect(wanted.count).toBe(1);
  state.shipped(5, 100_000);
  shippedSignal.send();
  expect(await Promise.all([first, second])).toEqual([SUCCESS, SUCCESS]);
});

test('what ships is woken once as many answers wait as it wants to ship together', () => {
  const { gated, state, wanted } = open({});
  state.idleUntil(state.waits + 3);
  const sent = Array.from({ length: 4 }, () => {
    gated.execute(requestOf('put'));
    return wanted.count;
  });
  expect(sent).toEqual([0, 0, 1, 2]);
  state.idleUntil(undefined);
  gated.execute(requestOf('put'));
  expect(wanted.count).toBe(2);
});
