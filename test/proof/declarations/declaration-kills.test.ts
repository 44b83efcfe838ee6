/** The short form of `npm run proof -- declarations`. */
import { expect, test } from 'bun:test';
import { shimMissing } from '../crash/shim.ts';
import { runDeclarationKills } from './declaration-kills.ts';

const seed = Number(process.env.PROOF_SEED ?? 20_270);
const missing = shimMissing();
if (missing !== undefined) process.stderr.write(`${missing}\n`);

test.skipIf(missing !== undefined)(
  `a service that is killed while it declares over objects has declared all or nothing (seed ${seed})`,
  async () => {
    const result = await runDeclarationKills({ seed, kills: 5, objects: 2_000 });
    expect(result.wrong).toEqual([]);
  },
  180_000,
);
