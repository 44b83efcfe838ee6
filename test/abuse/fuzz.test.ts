/** The short form of the in-process fuzzers. SVC_ABUSE_SEED chooses another seed. */
import { expect, test } from 'bun:test';
import { FUZZERS } from './fuzz/fuzzers.ts';
import { chosenSeed, describeReport, runFuzzer } from './fuzz/run-fuzz.ts';

/** Inputs over all fuzzers. */
const INPUTS = 400_000;
const seed = chosenSeed(20_270);

for (const share of FUZZERS) {
  test(`${share.fuzzer.name} finds nothing with seed ${seed}`, async () => {
    const report = await runFuzzer(share, seed, 0, Math.ceil((INPUTS * share.percent) / 100));
    expect(report.finding === undefined ? '' : describeReport(report)).toBe('');
  }, 120_000);
}
