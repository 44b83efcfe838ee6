/** The short form of the attacks: the victim notices nothing, and the service ends on SIGTERM. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startService } from '../system/service-process.ts';
import { FORM, post } from './attacks/attack.ts';
import { ATTACKS } from './attacks/attacks.ts';
import { send } from './attacks/http-client.ts';
import {
  type Battlefield,
  describeAttack,
  openBattlefield,
  runAttack,
  stopDuringAttack,
} from './attacks/run-attack.ts';
import { attacksOn, VARIANTS } from './attacks/variants.ts';

const SHORT = ATTACKS.filter(({ short }) => short);
const TEST_LIMIT_MS = 90_000;
/** Attacks during which SIGTERM is sent: one for each way to keep a thread busy. */
const STOPPED = ['20 MB of 0xFF in a form', 'select length(array_agg', 'update T set n =', "like '%a%a"];

/** Each variant runs every n-th attack. Variants differ in the thread that an attack occupies, so a part is enough. */
const EACH = [1, 3, 3, 3];

for (const [number, variant] of VARIANTS.entries()) {
  const attacks = attacksOn(SHORT, variant).filter((_, at) => at % (EACH[number] ?? 1) === 0);
  describe(`a client of a service with ${variant.name} notices nothing of`, () => {
    let field: Battlefield;
    beforeAll(async () => {
      field = await openBattlefield(variant);
    });
    afterAll(() => field[Symbol.asyncDispose]());

    for (const attack of attacks) {
      test(
        attack.title,
        async () => {
          const report = await runAttack(field, attack, false);
          expect(report.harms.length === 0 ? '' : describeAttack(report)).toBe('');
        },
        TEST_LIMIT_MS,
      );
    }
  });
}

for (const part of STOPPED) {
  const attack = SHORT.find(({ title }) => title.includes(part));
  test(
    `a service ends within 5 s of SIGTERM during: ${part}`,
    async () => {
      expect(attack).toBeDefined();
      if (attack !== undefined) expect((await stopDuringAttack(attack)).harm).toBeUndefined();
    },
    TEST_LIMIT_MS,
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
  TEST_LIMIT_MS,
);
