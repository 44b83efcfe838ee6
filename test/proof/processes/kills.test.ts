/** The short form of `kills.long.test.ts`. */
import { testKills } from './kills.suite.ts';

testKills({ seed: 32, kills: 4, limitMs: 120_000 });
