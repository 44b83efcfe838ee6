import { expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { PageQueue } from '../statement-process/page-queue.ts';

/** Creates a queue, and functions that request a page and that resolve in a later tick. */
function start() {
  const clock = new ManualClock();
  const written: string[] = [];
  const queue = new PageQueue(clock);
  const request = (tenant: string, page: string) =>
    queue.write(tenant, () => {
      if (page === 'broken') throw new Error('broken');
      written.push(page);
      return page;
    });
  const tick = () => new Promise<void>((resolve) => clock.nextTick(resolve));
  return { written, request, tick };
}

test('the first page of a tick is written at once, and each further one in a tick of its own', async () => {
  const { written, request, tick } = start();
  expect(request('ann', 'a1')).toBe('a1');
  const further = [request('ann', 'a2'), request('ann', 'a3')];
  expect(written).toEqual(['a1']);
  await tick();
  expect(written).toEqual(['a1', 'a2']);
  expect(await Promise.all(further)).toEqual(['a2', 'a3']);
  await tick();
  expect(request('ann', 'a4')).toBe('a4');
});

test('pages of several tenants are written in turn', async () => {
  const { written, request } = start();
  await Promise.all(['a1', 'a2', 'a3', 'b1', 'c1'].map((page) => request(page.charAt(0), page)));
  expect(written).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
});

test('a page that fails does not end the queue', async () => {
  const { request } = start();
  expect(() => request('ann', 'broken')).toThrow('broken');
  const failing = request('ann', 'broken');
  const next = request('ann', 'a1');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('a1');
});
