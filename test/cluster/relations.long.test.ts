/**
 * Random histories as in test/system/relations, in front of two clusters of a node each. `SVC_HISTORIES=10000`,
 * `SVC_SEED=1` and `SVC_MINUTES=9` as there.
 */
import { afterAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { runHistories } from '../system/relations/run.ts';
import { newFolder } from '../system/service-process.ts';
import { missingForNodes, startCluster } from './ignite-node.ts';

const HISTORIES = Number(process.env.SVC_HISTORIES ?? 60);
const FIRST_SEED = Number(process.env.SVC_SEED ?? 1);
const MINUTES = Number(process.env.SVC_MINUTES ?? Number.POSITIVE_INFINITY);
/** Hundreds of caches are too many for a small node. */
const TOGETHER = 20;
/** One history in this many continues after a restart of the services. */
const RESTARTED = 4;
/** For one history on a busy machine. */
const LIMIT_MS = 5_000;

const missing = missingForNodes();
if (missing !== undefined) process.stderr.write(`${missing}\n`);

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(missing !== undefined)(
  `${HISTORIES} histories from seed ${FIRST_SEED}`,
  async () => {
    const endMs = performance.now() + MINUTES * 60_000;
    await using one = await startCluster(1, { empty: true });
    await using two = await startCluster(1, { empty: true });
    const { histories, requests, violations } = await runHistories({
      ...{ firstSeed: FIRST_SEED, histories: HISTORIES, together: TOGETHER, restarted: RESTARTED, folder },
      clusters: [one.endpoints.join(','), two.endpoints.join(',')],
      forms: ['cluster'],
      isOver: () => performance.now() > endMs,
      onProgress: (done) => process.stderr.write(`seeds ${FIRST_SEED} to ${FIRST_SEED + done - 1}\n`),
    });
    process.stderr.write(
      `${histories} histories from seed ${FIRST_SEED}, ${requests} requests, ${violations.length} violations; ` +
        `next seed ${FIRST_SEED + histories}\n`,
    );
    expect(violations).toEqual([]);
  },
  HISTORIES * LIMIT_MS + 300_000,
);
