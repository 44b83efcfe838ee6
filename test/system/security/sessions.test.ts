/** Sessions with a long idle time and a lifetime, over sockets and a restart. */
import { expect, test } from 'bun:test';
import { newFolder, startService } from '../service-process.ts';

test('a session ends after its lifetime, also after a restart, and one without lives on', async () => {
  const dataDir = newFolder();
  const env = { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'pw', SVC_REST_SESSION_TIMEOUT: '86400' };
  const beginMs = performance.now();
  await using unlimited = await startService({ env });
  // On a busy machine, the restart takes seconds of it.
  const lifetimeS = Math.max(3, Math.ceil((4 * (performance.now() - beginMs)) / 1_000));
  const limited = { ...env, SVC_REST_SESSION_LIFETIME: String(lifetimeS) };
  const login = 'cmd=authenticate&svc.login=svc&svc.password=pw';
  const first = await startService({ dataDir, env: limited });
  const { sessionToken } = await first.send(login);
  const startMs = performance.now();
  const use = `cmd=noop&sessionToken=${sessionToken}`;
  expect((await first.send(use)).successStatus).toBe(0);
  await first.stop();
  await using second = await startService({ dataDir, env: limited });
  expect((await second.send(use)).successStatus).toBe(0);
  while (performance.now() - startMs < 1_000 * lifetimeS + 300) {
    await second.send(use);
    await Bun.sleep(100);
  }
  expect((await second.send(use)).error).toContain('unknown session token');
  const other = await unlimited.send(login);
  await Bun.sleep(200);
  expect((await unlimited.send(`cmd=noop&sessionToken=${other.sessionToken}`)).successStatus).toBe(0);
}, 60_000);
