/** Faults of every kind with two services: a shorter form of `npm run proof -- failover`. */
import { expect, test } from 'bun:test';
import { findGo } from '../history/checker.ts';
import { proveFailover } from './failover-proof.ts';

const { SVC_TEST_FAILOVER_FAULTS = '22', SVC_TEST_SEED = '20261' } = process.env;
const go = findGo();
const LIMIT_MS = 3_600_000;

test.skipIf(go === undefined).each(['remote', 'local'] as const)(
  `in mode %s, ${SVC_TEST_FAILOVER_FAULTS} faults lose nothing that was promised (seed ${SVC_TEST_SEED})`,
  async (mode) => {
    const lines: string[] = [];
    const wrong = await proveFailover({
      ...{ mode, seed: Number(SVC_TEST_SEED), faults: Number(SVC_TEST_FAILOVER_FAULTS), go: go ?? '' },
      ...{ pairs: 1, clients: 6, leaseMs: 3_000, reads: 'remote', maxLossMs: 1_000, thinkMs: 0, maxMs: LIMIT_MS },
      ...{ kinds: undefined, results: undefined, print: (line: string) => lines.push(line) },
    });
    expect(wrong).toEqual([]);
    expect(lines.length).toBeGreaterThan(Number(SVC_TEST_FAILOVER_FAULTS));
  },
  LIMIT_MS,
);
