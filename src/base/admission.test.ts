import { expect, test } from 'bun:test';
import { ManualClock } from '../../test/fixtures/base/manual-clock.ts';
import { Random } from '../../test/simulation/random.ts';
import { type AcquireOptions, Admission, type AdmissionOptions, type Slot } from './admission.ts';
import type { Tenant } from './shares.ts';

const tenantOf = (key: string): Tenant => ({ key, isAdministrator: key.startsWith('admin') });

/** Opens an admission; `acquire` returns the slot, the reason of a rejection, or undefined while the request waits. */
function open(options: Partial<AdmissionOptions> = {}) {
  const clock = new ManualClock(0);
  const admission = new Admission({
    clock,
    slots: 1,
    reserved: 0,
    maxWaiting: 1_000,
    maxWaitingBytes: 1_000,
    targetMs: 500,
    failure: (reason, waiting) => new Error(`${reason} ${waiting}`),
    ...options,
  });
  interface Request {
    slot: Slot | undefined;
    failure: string | undefined;
  }
  const acquire = (key: string, more: AcquireOptions = {}): Request => {
    const request: Request = { slot: undefined, failure: undefined };
    const failed = (error: unknown): void => {
      request.failure = error instanceof Error ? error.message : String(error);
    };
    try {
      const found = admission.acquire(tenantOf(key), more);
      if (!(found instanceof Promise)) request.slot = found;
      else
        found.then((slot) => {
          request.slot = slot;
        }, failed);
    } catch (error) {
      failed(error);
    }
    return request;
  };
  return { clock, admission, acquire };
}

/** Lets promises settle. */
const settle = () => Bun.sleep(0);

test('free slots are granted at once, and each is released once', () => {
  const { admission, acquire } = open({ slots: 2 });
  const [first, second, third] = ['ann', 'ann', 'ann'].map((key) => acquire(key));
  expect([first?.slot !== undefined, second?.slot !== undefined, third?.slot]).toEqual([true, true, undefined]);
  expect([admission.inUse, admission.waiting, admission.runningOf('ann')]).toEqual([2, 1, 2]);
  first?.slot?.release();
  first?.slot?.release();
  expect([admission.inUse, admission.waiting]).toEqual([2, 0]);
});

for (const { title, slots = 1, reserved = 0, running, waiting, order } of [
  { title: 'one tenant in the order of arrival', running: ['a'], waiting: ['a', 'a'], order: [0, 1] },
  { title: 'tenants in turn', running: ['a'], waiting: ['a', 'a', 'b', 'c'], order: [0, 2, 3, 1] },
  { title: 'the tenant with the fewest slots', slots: 3, running: ['b', 'b', 'a'], waiting: ['b', 'a'], order: [1, 0] },
  { title: 'administrators first', running: ['a'], waiting: ['b', 'admin'], order: [1, 0] },
  { title: 'the reserve to administrators alone', reserved: 1, running: ['a'], waiting: ['b'], order: [0] },
]) {
  test(`slots go to ${title}`, async () => {
    const { acquire } = open({ slots, reserved });
    const held = running.map((key) => acquire(key));
    const requests = waiting.map((key) => acquire(key));
    await settle();
    const granted: number[] = [];
    for (let free = held.pop(); free !== undefined && granted.length < order.length; ) {
      expect(requests.filter(({ slot }, at) => slot !== undefined && !granted.includes(at))).toEqual([]);
      free.slot?.release();
      await settle();
      const next = requests.findIndex(({ slot }, at) => slot !== undefined && !granted.includes(at));
      granted.push(next);
      free = requests[next];
    }
    expect(granted).toEqual(order);
  });
}

test('an administrator uses the reserve while others occupy all slots', () => {
  const { admission, acquire } = open({ slots: 2, reserved: 1 });
  for (const key of ['a', 'a', 'b']) acquire(key);
  const administrator = acquire('admin');
  expect([administrator.slot !== undefined, admission.inUse, admission.waiting]).toEqual([true, 3, 1]);
  // A reserved slot does not become available to everyone.
  administrator.slot?.release();
  expect([admission.inUse, admission.waiting]).toEqual([2, 1]);
});

for (const { title, act, expected } of [
  {
    title: 'until its deadline',
    act: ({ clock }: ReturnType<typeof open>) => clock.advance(100),
    expected: 'deadline 0',
  },
  {
    title: 'until it is cancelled',
    act: (_: ReturnType<typeof open>, controller: AbortController) => controller.abort(),
    expected: 'cancelled 0',
  },
]) {
  test(`a request waits ${title}`, async () => {
    const opened = open();
    const { clock, admission, acquire } = opened;
    const held = acquire('a');
    const controller = new AbortController();
    const request = acquire('a', { deadlineMs: 100, signal: controller.signal });
    clock.advance(99);
    await settle();
    expect([request.failure, admission.waiting]).toEqual([undefined, 1]);
    act(opened, controller);
    await settle();
    expect([request.failure, admission.waiting]).toEqual([expected, 0]);
    held.slot?.release();
    expect(admission.inUse).toBe(0);
  });
}

test('a slot that is granted while its request is cancelled goes to the next one', async () => {
  const { admission, acquire } = open();
  const held = acquire('a');
  const controller = new AbortController();
  const cancelled = acquire('a', { signal: controller.signal });
  const next = acquire('a');
  held.slot?.release();
  controller.abort();
  await settle();
  expect([cancelled.failure, next.slot !== undefined, admission.inUse]).toEqual(['cancelled 0', true, 1]);
});

test('a tenant has no more slots than it may, whether or not others are free', async () => {
  const { admission, acquire } = open({ slots: 2, reserved: 1, maxPerTenant: 1 });
  const held = acquire('a');
  const [further, ofB, administrator] = [acquire('a'), acquire('b'), acquire('admin')];
  expect([further.slot, admission.inUse, admission.waiting]).toEqual([undefined, 3, 1]);
  ofB.slot?.release();
  administrator.slot?.release();
  expect([admission.inUse, admission.waiting]).toEqual([1, 1]);
  held.slot?.release();
  await settle();
  expect(further.slot).toBeDefined();
});

test('a request that is cancelled already is not admitted', () => {
  const { admission, acquire } = open();
  expect([acquire('a', { signal: AbortSignal.abort() }).failure, admission.inUse]).toEqual(['cancelled 0', 0]);
});

test('when too many wait, the tenant with the most gives way to those with fewer', async () => {
  const { admission, acquire } = open({ maxWaiting: 4 });
  acquire('a');
  const ofA = Array.from({ length: 4 }, () => acquire('a'));
  expect(acquire('a').failure).toBe('full 4');
  const ofB = [acquire('b'), acquire('b'), acquire('b')];
  await settle();
  expect(ofA.map(({ failure }) => failure)).toEqual([undefined, undefined, 'full 3', 'full 3']);
  expect(ofB.map(({ failure }) => failure)).toEqual([undefined, undefined, 'full 4']);
  expect([admission.waiting, admission.statistics().rejected]).toEqual([4, 4]);
});

test('waiting requests hold a bounded number of bytes', async () => {
  const { admission, acquire } = open({ maxWaitingBytes: 100 });
  acquire('a');
  const [first, second] = [acquire('a', { bytes: 60 }), acquire('a', { bytes: 41 })];
  expect([first.failure, second.failure]).toEqual([undefined, 'full 1']);
  acquire('a', { bytes: 40 });
  expect(acquire('b', { bytes: 40 }).failure).toBeUndefined();
  expect(admission.waiting).toBe(2);
});

test('more slots admit waiting requests, and fewer take none back', () => {
  const { admission, acquire } = open();
  for (let n = 0; n < 5; n++) acquire('a');
  admission.resize(3);
  expect([admission.inUse, admission.waiting]).toEqual([3, 2]);
  admission.resize(1);
  expect([admission.inUse, admission.waiting]).toEqual([3, 2]);
});

test('the tenants that wait are known, with their slots and the time of their oldest request', () => {
  const { clock, admission, acquire } = open();
  acquire('a');
  clock.advance(5);
  for (const key of ['b', 'b', 'a']) {
    acquire(key);
    clock.advance(1);
  }
  expect(admission.waitingTenants()).toEqual([
    { tenant: tenantOf('b'), running: 0, sinceMs: 5 },
    { tenant: tenantOf('a'), running: 1, sinceMs: 7 },
  ]);
});

/** Simulates arrivals of one tenant for a time; each slot serves a request in 10 ms. Returns the rejected ones. */
async function rejectedOf(perMs: number, durationMs: number, closed: boolean): Promise<number> {
  const { clock, admission, acquire } = open({ maxWaiting: 100_000 });
  let running: ReturnType<typeof acquire>[] = [];
  let due = closed ? 40 : 0;
  for (let ms = 0; ms < durationMs; ms++) {
    if (!closed) due += perMs;
    for (; due >= 1; due--) running.push(acquire('a'));
    if (ms % 10 === 9) {
      await Promise.resolve();
      const served = running.filter(({ slot }) => slot !== undefined);
      running = running.filter(({ slot, failure }) => slot === undefined && failure === undefined);
      for (const { slot } of served) slot?.release();
      if (closed) due += served.length;
    }
    clock.advance(1);
  }
  return admission.statistics().rejected;
}

test('a queue that keeps its length rejects nobody, one that grows without end does', async () => {
  expect(await rejectedOf(0, 5_000, true)).toBe(0);
  expect(await rejectedOf(0.09, 5_000, false)).toBe(0);
  const rejected = await rejectedOf(0.5, 5_000, false);
  // Four of five arrivals are beyond the capacity.
  expect(rejected).toBeGreaterThan(1_200);
});

test('a tenant without waiting requests is admitted to a queue that others make grow', async () => {
  const { clock, acquire } = open({ targetMs: 50 });
  let [held, ...others] = Array.from({ length: 200 }, () => acquire('a'));
  for (let n = 0; n < 100; n++) {
    clock.advance(10);
    held?.slot?.release();
    await Promise.resolve();
    [held, ...others] = others;
  }
  const patient = acquire('a', { isPatient: true });
  expect([acquire('a').failure, acquire('b').failure, patient.failure]).toEqual([
    'overloaded 100',
    undefined,
    undefined,
  ]);
});

for (const seed of [1, 2, 3, 4, 5]) {
  test(`a random history keeps its promises, seed=${seed}`, async () => {
    const random = new Random(seed);
    const slots = 1 + random.below(4);
    const reserved = random.below(3);
    const { clock, admission, acquire } = open({ slots, reserved, maxWaiting: 20, targetMs: 1e9 });
    const requests = new Set<ReturnType<typeof acquire> & { key: string; controller: AbortController }>();
    for (let step = 0; step < 2_000; step++) {
      const key = ['a', 'b', 'c', 'admin'][random.below(4)] ?? 'a';
      const action = random.below(10);
      if (action < 5) {
        const controller = new AbortController();
        const deadlineMs = clock.monotonicMs() + random.below(60);
        const { signal } = controller;
        requests.add(Object.assign(acquire(key, { deadlineMs, signal, bytes: random.below(20) }), { key, controller }));
      } else if (action < 8) [...requests][random.below(requests.size)]?.slot?.release();
      else if (action < 9) [...requests][random.below(requests.size)]?.controller.abort();
      else clock.advance(random.below(20));
      for (const request of requests) if (request.failure !== undefined) requests.delete(request);
      expect(admission.inUse).toBeLessThanOrEqual(slots + reserved);
      expect(admission.waiting).toBeLessThanOrEqual(20);
      // No request waits while a slot is free for it.
      if (admission.waiting > 0) expect(admission.inUse).toBeGreaterThanOrEqual(slots);
      const administratorsWait = admission.waitingTenants().some(({ tenant }) => tenant.isAdministrator);
      if (administratorsWait) expect(admission.inUse).toBe(slots + reserved);
      if (step % 10 === 0) await settle();
    }
    clock.advance(100);
    await settle();
    for (const { slot } of requests) slot?.release();
    await settle();
    for (const { slot } of requests) slot?.release();
    expect([admission.inUse, admission.waiting, admission.waitingTenants()]).toEqual([0, 0, []]);
  });
}
