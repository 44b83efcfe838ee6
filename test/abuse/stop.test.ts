/** A service under attack ends on SIGTERM, and survives more connections than it has descriptors. */
import { expect, test } from 'bun:test';
import { startService } from '../system/service-process.ts';
import { FORM, post } from './attacks/attack.ts';
import { ATTACKS } from './attacks/attacks.ts';
import { send } from './attacks/http-client.ts';
import { stopDuringAttack } from './attacks/run-attack.ts';

const LIMIT_MS = 90_000;
/** One attack for each way to keep a thread busy. */
const STOPPED = ['60 MB of 0xFF in a form', 'select length(array_agg', 'update T set n =', "like '%a%a"];

for (const part of STOPPED) {
  const attack = ATTACKS.find(({ title }) => title.includes(part));
  test(
    `a service ends within 5 s of SIGTERM during: ${part}`,
    async () => {
      expect(attack).toBeDefined();
      if (attack !== undefined) expect((await stopDuringAttack(attack)).harm).toBeUndefined();
    },
    LIMIT_MS,
  );
}

test(
  'a service with 1,024 descriptors survives 1,100 idle connections and a scan',
  async () => {
    await using service = await startService({
      env: { SVC_WORKERS: '1' },
      under: ['sh', '-c', 'ulimit -n 1024; exec "$@"', 'sh'],
    });
    await service.command('cmd=getorcreate&cacheName=c');
    const sockets = await Promise.all(
      Array.from({ length: 1_100 }, () =>
        Bun.connect({ hostname: '127.0.0.1', port: service.port, socket: { data() {} } }).catch(() => undefined),
      ),
    );
    await Bun.sleep(500);
    const scan = send(service.port, post(FORM, 'cmd=qryscanexe&cacheName=c&pageSize=10'), { leaveAfterMs: 5_000 });
    await scan;
    for (const socket of sockets) socket?.terminate();
    await Bun.sleep(500);
    expect((await service.send('cmd=qryscanexe&cacheName=c&pageSize=10')).successStatus).toBe(0);
  },
  LIMIT_MS,
);
