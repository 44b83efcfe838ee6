import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../test/fixtures/base/manual-clock.ts';
import { LARGE_REQUEST_BOUNDS } from '../base/limits.ts';
import { type LargePlace, LargeRequests } from './large-requests.ts';

const MIB = 1024 * 1024;
const CLAIMANT = { key: 'user ann', isAdministrator: false };

describe('large requests', () => {
  function setup() {
    const clock = new ManualClock();
    let collections = 0;
    const requests = new LargeRequests(clock, 32 * MIB, () => {
      collections++;
    });
    const begun: LargePlace[] = [];
    const failed: string[] = [];
    const enter = (signal = new AbortController().signal) =>
      requests.enter(CLAIMANT, signal).then(
        (place) => void begun.push(place),
        (error) => void failed.push(error.code),
      );
    return { clock, enter, begun, failed, collections: () => collections };
  }
  const placeOf = (place: LargePlace | undefined): LargePlace => place ?? expect.unreachable();

  test('read their values one after another', async () => {
    const { enter, begun } = setup();
    const all = [enter(), enter(), enter()];
    await all[0];
    expect(begun).toHaveLength(1);
    for (const [at, entered] of all.entries()) {
      await entered;
      expect(begun).toHaveLength(at + 1);
      placeOf(begun[at]).end();
    }
  });

  test.each([
    { title: 'wait for the client that reads a long response', characters: 30 * MIB, places: 1 },
    { title: 'do not wait for one that reads a short response', characters: 2 * MIB, places: 2 },
  ])('$title', async ({ characters, places }) => {
    const { clock, enter, begun } = setup();
    const all = [enter(), enter()];
    await all[0];
    const response = placeOf(begun[0]).send(['a', 'b'], characters, clock);
    expect(await response.next()).toEqual({ done: false, value: 'a' });
    await Promise.resolve();
    await Promise.resolve();
    expect(begun).toHaveLength(places);
    expect(await response.next()).toEqual({ done: false, value: 'b' });
    expect((await response.next()).done).toBe(true);
    clock.advance(1);
    await all[1];
    expect(begun).toHaveLength(2);
  });

  test('end the response of a client that reads slowly while others wait, and only then', async () => {
    const { clock, enter, begun } = setup();
    await enter();
    const response = placeOf(begun[0]).send(['a', 'b', 'c'], 30 * MIB, clock);
    expect((await response.next()).value).toBe('a');
    clock.advance(60_000);
    const second = response.next();
    clock.advance(1);
    expect((await second).value).toBe('b');
    const waiting = enter();
    clock.advance(LARGE_REQUEST_BOUNDS.watchMs);
    clock.advance(1);
    await waiting;
    expect(begun).toHaveLength(2);
    await expect(response.next()).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  });

  function* abc(): Generator<string> {
    yield* ['a', 'b', 'c'];
  }

  test('fail when they are ended between two slices, instead of ending early', async () => {
    const { clock, enter, begun } = setup();
    await enter();
    const response = placeOf(begun[0]).send(abc(), 30 * MIB, clock);
    expect((await response.next()).value).toBe('a');
    clock.advance(60_000);
    const afterPause = response.next();
    await Promise.resolve();
    placeOf(begun[0]).end();
    clock.advance(1);
    await expect(afterPause).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  });

  test('fail when they wait for too long, or their client leaves', async () => {
    const { clock, enter, begun, failed } = setup();
    await enter();
    const client = new AbortController();
    const all = [enter(), enter(client.signal)];
    client.abort();
    clock.advance(LARGE_REQUEST_BOUNDS.waitMs);
    await Promise.all(all);
    expect(failed.toSorted()).toEqual(['OVERLOADED', 'REQUEST_TIMEOUT']);
    expect(begun).toHaveLength(1);
  });

  test('fail when too many wait', async () => {
    const { clock, enter, failed } = setup();
    await enter();
    const all = Array.from({ length: LARGE_REQUEST_BOUNDS.waiting + 1 }, () => enter());
    await Promise.race(all);
    expect(failed).toEqual(['OVERLOADED']);
    clock.advance(LARGE_REQUEST_BOUNDS.waitMs);
    await Promise.all(all);
  });

  test('leave no garbage', async () => {
    const { clock, enter, begun, collections } = setup();
    for (let at = 0; at < 4; at++) {
      await enter();
      for await (const _ of placeOf(begun[at]).send(['a'], 10 * MIB, clock));
      clock.advance(1);
    }
    expect(collections()).toBe(2);
  });
});
