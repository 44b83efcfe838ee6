/** The fuzzers in the process of the test, so that the branches that they reach are counted. */
import { expect, test } from 'bun:test';
import { FUZZERS } from '../fuzz/fuzzers.ts';

const INPUTS = 20_000;
const SEED = 1;

for (const { fuzzer, percent } of FUZZERS) {
  if (fuzzer.name === 'typed-values') continue;
  test(`${fuzzer.name} finds nothing`, async () => {
    const count = percent < 5 ? INPUTS / 4 : INPUTS;
    expect(await fuzzer.run(SEED, 0, count)).toBeUndefined();
  }, 300_000);
}
