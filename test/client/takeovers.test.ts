/** Clients with the addresses of two services continue after a kill and a handover. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { SvcClient } from '../../src/client/client.ts';
import { outputOf } from '../ended-program.ts';
import { type Name, Pair } from '../proof/failover/failover-pair.ts';
import { runSvcProcess } from '../system/cli/cli-process.ts';
import { BUN, MAIN } from '../system/program.ts';
import { mistakesIn, survive, surviveWatching } from './survivors.ts';

setDefaultTimeout(180_000);
const CACHE = 'survived';

test('no change is lost or repeated in a takeover, by the TypeScript client and svc watch', async () => {
  await using pair = new Pair();
  const a = await pair.startPrimary('a');
  await a.command(`cmd=getorcreate&cacheName=${CACHE}&changeFeed=true`);
  const b = await pair.startStandby('b');
  const url = `${b.url},${a.url}`;
  const names = ['typescript', 'other'];
  const readers = names.map((name) => survive(url, CACHE, name, names));
  const opened = Promise.withResolvers<void>();
  const command = [BUN, MAIN, 'watch', CACHE, '--events', '--from', 'start', '--url', url];
  const watch = surviveWatching(command, names, opened.resolve);
  await opened.promise;
  await Bun.sleep(1_000);
  await a.kill();
  await pair.untilPrimary('b');
  await Bun.sleep(1_000);
  await pair.startStandby('a');
  // A handover, in which no request fails.
  const client = new SvcClient({ url });
  const scans: bigint[] = [];
  const stopped = b.stop();
  for (let at = 0; at < 20; at++) scans.push(await client.size({ cacheName: CACHE }));
  expect(await stopped).toBe(0);
  await pair.untilPrimary('a');
  await Bun.sleep(1_000);
  const svc = (...args: readonly string[]) => outputOf([BUN, MAIN, ...args, '--url', url]);
  await svc('put', `cacheName=${CACHE}`, 'key=stop', 'val=1');
  const { changes } = await watch;
  for (const seen of [...(await Promise.all(readers)), changes]) expect(mistakesIn(seen, names)).toEqual([]);
  expect(scans).toEqual(scans.toSorted((x, y) => Number(x - y)));
});

test('no request of three clients fails while both services are replaced, one after the other', async () => {
  await using pair = new Pair();
  const a = await pair.startPrimary('a');
  const b = await pair.startStandby('b');
  const written = new Map<string, string>();
  const failures: string[] = [];
  let isOver = false;
  const load = ['x', 'y', 'z'].map(async (key) => {
    const client = new SvcClient({ url: `${a.url},${b.url}` });
    for (let count = 1; !isOver; count++) {
      try {
        await client.put({ key, val: `${count}` });
        written.set(key, `${count}`);
      } catch (error) {
        failures.push(String(error));
      }
    }
  });
  const replace = async (name: Name): Promise<void> => {
    expect(await pair.service(name).stop()).toBe(0);
    await pair.startStandby(name);
  };
  // In the order of docs/high-availability.md: the standby first, then the former primary.
  await replace('b');
  const before = written.get('x');
  const { dataDir } = pair.service('b');
  expect(await runSvcProcess(['promote', '--data-dir', dataDir], { cwd: dataDir })).toMatchObject({ exitCode: 0 });
  await pair.untilPrimary('b');
  await pair.untilFollowing('a');
  await replace('a');
  isOver = true;
  await Promise.all(load);
  expect(failures).toEqual([]);
  expect(Number(written.get('x'))).toBeGreaterThan(Number(before));
  for (const [key, value] of written) expect(await pair.service('b').command(`cmd=get&key=${key}`)).toBe(value);
});

test('a takeover that nobody makes ends with the reason', async () => {
  await using pair = new Pair();
  const a = await pair.startPrimary('a');
  const b = await pair.startStandby('b');
  process.kill(a.pid, 'SIGSTOP');
  const client = new SvcClient({ url: `${a.url},${b.url}`, retryMs: 2_000, timeoutMs: 500 });
  // A folder's lease is not taken from a suspended owner.
  await expect(client.size()).rejects.toThrow(/No answer from|is a standby/);
  process.kill(a.pid, 'SIGCONT');
});
