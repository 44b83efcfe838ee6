import { testKills } from './kills.suite.ts';

testKills({
  seed: Number(process.env.PROOF_SEED ?? 32),
  // A shard of CI makes fewer.
  kills: Number(process.env.PROOF_KILLS ?? 200),
  limitMs: 1_800_000,
});
