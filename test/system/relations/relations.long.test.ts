/**
 * Random histories as in relations.test.ts, many of them. `SVC_HISTORIES=100000 SVC_SEED=1` sets how many and the first
 * one, and `SVC_MINUTES=9` after how long no further ones begin: the report names the seed with which the next part
 * continues. `SVC_RESTARTED=1` makes all histories continue after a restart.
 */
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { newFolder } from '../service-process.ts';
import { runHistories } from './run.ts';

const HISTORIES = Number(process.env.SVC_HISTORIES ?? 400);
const FIRST_SEED = Number(process.env.SVC_SEED ?? 1);
const MINUTES = Number(process.env.SVC_MINUTES ?? Number.POSITIVE_INFINITY);
const TOGETHER = 600;
/** One history in this many continues after a restart; these keep their tables, and every table slows definitions. */
const RESTARTED = Number(process.env.SVC_RESTARTED ?? 6);
/** For one history on a busy machine. */
const LIMIT_MS = 3_000;

const folder = process.env.SVC_TEST_FOLDER ?? newFolder();
mkdirSync(folder, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  `${HISTORIES} histories from seed ${FIRST_SEED}`,
  async () => {
    const endMs = performance.now() + MINUTES * 60_000;
    const { histories, requests, violations } = await runHistories({
      ...{ firstSeed: FIRST_SEED, histories: HISTORIES, together: TOGETHER, restarted: RESTARTED, folder },
      isOver: () => performance.now() > endMs,
      forms: ['ways', 'ways', 'ways', 'ways', 'order', 'order', 'configuration'],
      onProgress: (done) => process.stderr.write(`seeds ${FIRST_SEED} to ${FIRST_SEED + done - 1}\n`),
    });
    process.stderr.write(
      `${histories} histories from seed ${FIRST_SEED}, ${requests} requests, ${violations.length} violations; ` +
        `next seed ${FIRST_SEED + histories}\n`,
    );
    expect(violations).toEqual([]);
  },
  HISTORIES * LIMIT_MS + 120_000,
);
