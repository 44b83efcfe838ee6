/** The short form of the attacks: a victim of a service under attack notices nothing, and the service can be ended. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ATTACKS } from './attacks/attacks.ts';
import {
  type Battlefield,
  describeAttack,
  openBattlefield,
  runAttack,
  stopDuringAttack,
} from './attacks/run-attack.ts';

const SHORT = ATTACKS.filter(({ short }) => short);
const TEST_LIMIT_MS = 90_000;
/** Attacks during which a service is asked to end: one for each way to keep a thread busy. */
const STOPPED = ['20 MB of 0xFF in a form', 'select length(array_agg', 'update T set n =', "like '%a%a"];

for (const workers of ['1', '2']) {
  // The attacks of the second variant differ in where they run, not in what they do: a third of them is enough.
  const attacks = workers === '1' ? SHORT : SHORT.filter((_, at) => at % 3 === 0);
  describe(`a service with SVC_WORKERS=${workers} and a client that uses it`, () => {
    let field: Battlefield;
    beforeAll(async () => {
      field = await openBattlefield({ env: { SVC_WORKERS: workers } });
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
      if (attack !== undefined) expect(await stopDuringAttack(attack)).toBeUndefined();
    },
    TEST_LIMIT_MS,
  );
}
