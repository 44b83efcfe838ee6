/** SIGTERM: in-flight requests receive responses, and acknowledged writes survive the restart. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { openConnection } from './http-connection.ts';
import { allowedMs } from './machine.ts';
import { WORKERS } from './modes.ts';
import { newFolder, startService } from './service-process.ts';

const CONNECTIONS = 64;
/** Keys of one request that reads what was acknowledged. */
const KEYS_AT_ONCE = 100;

for (const workers of WORKERS) {
  test(`a stop under load responds to all requests sent before it, workers=${workers}`, async () => {
    const dataDir = newFolder();
    try {
      const acknowledged = new Map<string, string>();
      const service = await startService({ dataDir, env: { SVC_WORKERS: String(workers) } });
      let stopping = false;
      let unanswered = 0;
      const clients = Array.from({ length: CONNECTIONS }, async (_, id) => {
        const connection = await openConnection(service.port);
        for (let n = 0; ; n++) {
          const sentBefore = !stopping;
          try {
            const answer = await connection.sendCommand(`cmd=put&key=k${id}.${n}&val=${n}`);
            if (answer.response === true) acknowledged.set(`k${id}.${n}`, String(n));
            // Requests read after the stop began may be rejected but must receive a response.
            else if (answer.error?.includes('while stopping') !== true) unanswered += 1;
          } catch {
            if (sentBefore) unanswered += 1;
            return;
          }
        }
      });
      await Bun.sleep(500);
      const begunMs = performance.now();
      stopping = true;
      const code = await service.stop();
      await Promise.all(clients);
      expect(code).toBe(0);
      expect(unanswered).toBe(0);
      expect(performance.now() - begunMs).toBeLessThan(allowedMs(5_000));

      await using again = await startService({ dataDir });
      expect(acknowledged.size).toBeGreaterThan(CONNECTIONS);
      expect(await again.command('cmd=size')).toBeGreaterThanOrEqual(acknowledged.size);
      const keys = [...acknowledged.keys()];
      const lost: string[] = [];
      for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
        const asked = keys.slice(from, from + KEYS_AT_ONCE);
        const query = asked.map((key, at) => `k${at + 1}=${key}`).join('&');
        const found = new Map(Object.entries(Object(await again.command(`cmd=getall&${query}`))));
        lost.push(...asked.filter((key) => found.get(key) !== acknowledged.get(key)));
      }
      expect(lost).toEqual([]);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 60_000);
}

test('a restart keeps entries with their types, counters, caches and times to live', async () => {
  const dataDir = newFolder();
  try {
    const before = await startService({ dataDir });
    await before.command('cmd=put&key=text&val=red');
    await before.command('cmd=put&key=9007199254740993&val=9223372036854775807&keyType=long&valueType=long');
    await before.command('cmd=put&key=soon&val=x&exp=1500');
    await before.command('cmd=put&key=later&val=x&exp=3600000');
    await before.command('cmd=incr&key=visits&init=40&delta=2');
    await before.command('cmd=getorcreate&cacheName=orders&backups=2');
    await before.command('cmd=put&cacheName=orders&key=1&val=%7B%22total%22%3A12.5%7D&valueType=Order');
    expect(await before.stop()).toBe(0);

    await Bun.sleep(1_600);
    await using after = await startService({ dataDir });
    expect(await after.command('cmd=get&key=text')).toBe('red');
    const long = await after.send('cmd=get&key=9007199254740993&keyType=long');
    expect(long.text).toContain('"response":9223372036854775807');
    expect(await after.command('cmd=get&key=9007199254740993')).toBe(null);
    expect(await after.command('cmd=conkey&key=soon')).toBe(false);
    expect(await after.command('cmd=conkey&key=later')).toBe(true);
    expect(await after.command('cmd=incr&key=visits&delta=0')).toBe(42);
    expect(await after.command('cmd=get&cacheName=orders&key=1')).toEqual({ total: 12.5 });
    expect(await after.command('cmd=size')).toBe(3);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 30_000);

test('a service with a shutdown delay serves while it is not ready, then stops', async () => {
  const service = await startService({ env: { SVC_SHUTDOWN_DELAY_SECONDS: '2' } });
  const ready = () => fetch(`${service.origin}/health/ready`);
  expect((await ready()).status).toBe(200);
  const begunMs = performance.now();
  const stopped = service.stop();
  while ((await ready()).status === 200) await Bun.sleep(10);
  while (performance.now() - begunMs < 1_500) {
    expect(await service.command('cmd=put&key=a&val=1')).toBe(true);
    await Bun.sleep(50);
  }
  expect(await stopped).toBe(0);
  expect(performance.now() - begunMs).toBeGreaterThanOrEqual(1_990);
  expect(performance.now() - begunMs).toBeLessThan(allowedMs(7_000));
}, 30_000);

test('a second signal ends the shutdown delay at once', async () => {
  const service = await startService({ env: { SVC_SHUTDOWN_DELAY_SECONDS: '60' } });
  const begunMs = performance.now();
  const stopped = service.stop();
  await Bun.sleep(1_200);
  process.kill(service.pid, 'SIGTERM');
  expect(await stopped).toBe(1);
  expect(performance.now() - begunMs).toBeLessThan(allowedMs(5_000));
}, 30_000);
