/** Runs attacks as tests: other clients must not notice them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { GROUPS } from './attacks.ts';
import { type Battlefield, describeAttack, openBattlefield, runAttack } from './run-attack.ts';
import { attacksOn, type Variant } from './variants.ts';

/** For three runs of an attack, each of which may take a minute until everything is back to normal. */
const LIMIT_MS = 400_000;

export function runAttacks(group: keyof typeof GROUPS, variant: Variant): void {
  describe(`others notice nothing on a service with ${variant.name}`, () => {
    let field: Battlefield;
    beforeAll(async () => {
      field = await openBattlefield(variant);
    }, LIMIT_MS);
    afterAll(() => field[Symbol.asyncDispose]());

    for (const attack of attacksOn(GROUPS[group], variant)) {
      test(
        attack.title,
        async () => {
          const report = await runAttack(field, attack);
          if (report.harms.length > 0) process.stdout.write(`${describeAttack(report)}\n`);
          expect(report.isHarmful ? describeAttack(report) : '').toBe('');
        },
        LIMIT_MS,
      );
    }
  });
}
