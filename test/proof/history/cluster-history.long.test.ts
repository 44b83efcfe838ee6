/** Short form of `npm run proof -- cluster-history`: three nodes; one is killed, and one stands still. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { missingForNodes } from '../../cluster/ignite-node.ts';
import { newFolder } from '../../system/service-process.ts';
import { buildChecker, checkHistories, findGo } from './checker.ts';
import { recordClusterHistory } from './record.ts';

const SEED = Number(process.env.PROOF_SEED ?? 20_265);
/** A slow machine records fewer operations. */
const MAX_SECONDS = 30;
/** Includes building the checker, and the start of nodes on a slow machine. */
const LIMIT_MS = 600_000;

const missing = missingForNodes() ?? (findGo() === undefined ? 'skipped: there is no Go (go)' : undefined);

describe('histories in front of three nodes', () => {
  if (missing !== undefined) {
    test.skip(missing, () => {});
    return;
  }
  const folder = newFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test(
    `every key is linearizable while a node is killed and another stands still, seed ${SEED}`,
    async () => {
      const program = await buildChecker(findGo() ?? 'go');
      const path = join(folder, 'history.tsv');
      const result = await recordClusterHistory({
        seed: SEED,
        path,
        operations: 5_000,
        clients: 16,
        maxSeconds: MAX_SECONDS,
        minFaults: 2,
        faultIntervalMs: 2_000,
      });
      const pages = join(folder, 'pages');
      mkdirSync(pages);
      const verdict = await checkHistories(program, [path], pages);
      expect(verdict.rejected).toEqual([]);
      expect(verdict.operations).toBe(result.operations);
      expect(result.nodeKills).toBeGreaterThan(0);
      expect(result.operations).toBeGreaterThan(100);
    },
    LIMIT_MS,
  );
});
