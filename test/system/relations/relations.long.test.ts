/**
 * Random histories as in relations.test.ts, many of them; `SVC_HISTORIES=100000 SVC_SEED=1` sets how many and the first
 * one. The seeds are printed.
 */
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { newFolder } from '../service-process.ts';
import { runHistories } from './run.ts';

const HISTORIES = Number(process.env.SVC_HISTORIES ?? 400);
const FIRST_SEED = Number(process.env.SVC_SEED ?? 1);
const TOGETHER = 200;
/** For one history on a busy machine. */
const LIMIT_MS = 3_000;

const folder = process.env.SVC_TEST_FOLDER ?? newFolder();
mkdirSync(folder, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  `${HISTORIES} histories from seed ${FIRST_SEED}`,
  async () => {
    const violations = await runHistories({
      ...{ firstSeed: FIRST_SEED, histories: HISTORIES, together: TOGETHER, folder },
      forms: ['ways', 'ways', 'order', 'configuration'],
      onProgress: (done) => process.stderr.write(`seeds ${FIRST_SEED} to ${FIRST_SEED + done - 1}\n`),
    });
    expect(violations).toEqual([]);
  },
  HISTORIES * LIMIT_MS + 120_000,
);
