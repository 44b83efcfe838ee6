/** Writers and readers with default settings survive restarts and kills of the service. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { freePort } from '../free-port.ts';
import { BUN, MAIN } from '../system/program.ts';
import { newFolder, startService } from '../system/service-process.ts';
import { mistakesIn, survive, surviveWatching } from './survivors.ts';

setDefaultTimeout(120_000);
const RESTARTS = 3;
const CACHE = 'survived';

test('no change is lost or repeated when the service restarts, by the TypeScript client and svc watch', async () => {
  const at = { dataDir: newFolder(), port: freePort(), env: { SVC_WORKERS: '1' } };
  let service = await startService(at);
  await service.command(`cmd=getorcreate&cacheName=${CACHE}&changeFeed=true`);
  const { url } = service;
  const names = ['typescript', 'other'];
  const readers = names.map((name) => survive(url, CACHE, name, names));
  const opened = Promise.withResolvers<void>();
  const command = [BUN, MAIN, 'watch', CACHE, '--events', '--from', 'start', '--url', url];
  const watch = surviveWatching(command, names, opened.resolve);
  await opened.promise;
  for (let restart = 0; restart < RESTARTS; restart++) {
    await Bun.sleep(500);
    await (restart % 2 === 0 ? service.stop() : service.kill());
    await Bun.sleep(restart * 500);
    service = await startService(at);
  }
  await using _ = service;
  await Bun.sleep(500);
  await service.command(`cmd=put&cacheName=${CACHE}&key=stop&val=1`);
  const { changes, messages } = await watch;
  for (const seen of [...(await Promise.all(readers)), changes]) expect(mistakesIn(seen, names)).toEqual([]);
  // Once, however often it retries, even for two restarts if it had not reconnected in between.
  const told = messages.match(/the connection ended; resuming/g)?.length ?? 0;
  expect(told).toBeGreaterThan(0);
  expect(told).toBeLessThanOrEqual(RESTARTS);
});
