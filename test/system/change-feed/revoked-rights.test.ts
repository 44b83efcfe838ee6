/** Revoking a right ends the user's open change streams, and no one else's. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';
import { changeEvents, type StreamEvent } from './change-stream.fixture.ts';

setDefaultTimeout(60_000);

const PASSWORD = 'a password of the test';
const ADMIN = { 'svc.login': 'svc', 'svc.password': PASSWORD };

let service: ServiceProcess;
beforeAll(async () => {
  const env = { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD, SVC_WORKERS: '2' };
  service = await startService({ env });
  await admin({ cmd: 'getorcreate', cacheName: 'c', changeFeed: 'true' });
}, 60_000);
afterAll(async () => {
  await service.stop();
}, 60_000);

const admin = (request: Readonly<Record<string, string>>): Promise<unknown> =>
  service.command(queryOf({ ...request, ...ADMIN }));

interface Consumer {
  readonly headers: Readonly<Record<string, string>>;
  readonly revoke: () => Promise<unknown>;
}

/** Adds a user with a stored role that may read the cache, and returns the headers of the user's requests. */
async function readerWith(user: string, role: string): Promise<Consumer['headers']> {
  await admin({ cmd: 'adduser', user, password: PASSWORD, roles: 'user' });
  await admin({ cmd: 'roleadd', name: role, rights: '{"commands":["watch"],"caches":{"c":"read"}}' });
  await admin({ cmd: 'roleassign', user, roles: role });
  return { Authorization: `Basic ${Buffer.from(`${user}:${PASSWORD}`).toString('base64')}` };
}

const CASES: ReadonlyArray<readonly [title: string, open: () => Promise<Consumer>]> = [
  [
    'an API key that is removed',
    async () => {
      const scope = JSON.stringify({ commands: ['watch'], caches: { c: 'read' } });
      const added = (await admin({ cmd: 'apikeyadd', name: 'removed', scope })) as { id: string; key: string };
      return {
        headers: { Authorization: `Bearer ${added.key}` },
        revoke: () => admin({ cmd: 'apikeyrmv', id: added.id }),
      };
    },
  ],
  [
    'an API key whose secret is replaced',
    async () => {
      const added = (await admin({ cmd: 'apikeyadd', name: 'rotated' })) as { id: string; key: string };
      return {
        headers: { Authorization: `Bearer ${added.key}` },
        revoke: () => admin({ cmd: 'apikeyrotate', id: added.id, overlapMs: '0' }),
      };
    },
  ],
  [
    'an API key that expires',
    async () => {
      const added = (await admin({ cmd: 'apikeyadd', name: 'brief', ttlMs: '3000' })) as { key: string };
      return { headers: { Authorization: `Bearer ${added.key}` }, revoke: () => Promise.resolve() };
    },
  ],
  [
    'a user who is removed',
    async () => {
      await admin({ cmd: 'adduser', user: 'ann', password: 'secret of ann', roles: 'user' });
      const basic = Buffer.from('ann:secret of ann').toString('base64');
      return {
        headers: { Authorization: `Basic ${basic}` },
        revoke: () => admin({ cmd: 'removeuser', user: 'ann' }),
      };
    },
  ],
  [
    'a role that the user loses',
    async () => {
      const headers = await readerWith('bea', 'losing');
      await admin({ cmd: 'roleadd', name: 'nothing', rights: '{}' });
      return { headers, revoke: () => admin({ cmd: 'roleassign', user: 'bea', roles: 'nothing' }) };
    },
  ],
  [
    'a role that loses a right',
    async () => {
      const headers = await readerWith('cleo', 'lost');
      return { headers, revoke: () => admin({ cmd: 'roleupdate', name: 'lost', rights: '{"caches":{"d":"read"}}' }) };
    },
  ],
];

describe('a stream ends with', () => {
  test.each(CASES)('%s', async (_, open) => {
    const { headers, revoke } = await open();
    const events: StreamEvent[] = [];
    const follow = async (): Promise<void> => {
      for await (const event of changeEvents(service.url, { cacheName: 'c' }, { headers })) events.push(event);
    };
    const following = follow();
    await until('the stream has begun', () => events.length > 0);
    await admin({ cmd: 'put', cacheName: 'c', key: 'a', val: 'before' });
    await until('a change is delivered', () => events.some(({ event }) => event === 'change'));
    await revoke();
    await following;
    expect(events.at(-1)).toMatchObject({ event: 'end', reason: 'denied' });
    const delivered = events.length;
    await admin({ cmd: 'put', cacheName: 'c', key: 'a', val: 'after' });
    expect(events).toHaveLength(delivered);
  });
});
