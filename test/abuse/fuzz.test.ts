/** The short form of the in-process fuzzers. The seed is new for each run; SVC_ABUSE_SEED replays one. */
import { expect, test } from 'bun:test';
import { FUZZERS } from './fuzz/fuzzers.ts';
import { chosenSeed, describeReport, runFuzzer } from './fuzz/run-fuzz.ts';

/** Inputs over all fuzzers. */
const INPUTS = 400_000;
const seed = chosenSeed();

for (const share of FUZZERS) {
  test(`${share.fuzzer.name} finds nothing with seed ${seed}`, async () => {
    const report = await runFuzzer(share, seed, 0, Math.ceil((INPUTS * share.percent) / 100));
    expect(report.finding === undefined ? '' : describeReport(report)).toBe('');
  }, 120_000);
}
