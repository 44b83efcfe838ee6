/** Handovers under load: no request fails for clients that know both services, and no acknowledged change is lost. */
import { expect, test } from 'bun:test';
import { SvcClient } from '../../src/client/client.ts';
import { type Name, otherOf, Pair } from '../proof/failover/failover-pair.ts';
import { ScriptedObjectStore } from '../scripted-object-store.ts';
import { runSvcProcess } from '../system/cli/cli-process.ts';
import { allowedMs } from '../system/machine.ts';

const { SVC_TEST_HAND_OVERS = '50', SVC_TEST_HAND_OVER_MS = '1000' } = process.env;
const HAND_OVERS = Number(SVC_TEST_HAND_OVERS);
const REQUESTS = 10_000;
const CLIENTS = 16;
/** The median time within which writes must be answered again, on a machine without other work. */
const GOAL_MS = Number(SVC_TEST_HAND_OVER_MS);
const LIMIT_MS = 3_600_000;

function quantileOf(numbers: readonly number[], part: number): number | undefined {
  return numbers.toSorted((x, y) => x - y)[Math.ceil(part * numbers.length) - 1];
}

test(
  `no request fails in ${HAND_OVERS} hand-overs`,
  async () => {
    using store = new ScriptedObjectStore();
    const env = { AWS_ACCESS_KEY_ID: 'svc-test', AWS_SECRET_ACCESS_KEY: 'svc-test-key' };
    await using pair = new Pair({ url: store.bucketUrl('svc'), env });
    const a = await pair.startPrimary('a');
    const b = await pair.startStandby('b');
    const client = new SvcClient({ url: `${a.url},${b.url}` });
    const failures: string[] = [];
    const gaps: number[] = [];
    /** The parts of the allowed times that the pauses took. */
    const parts: number[] = [];
    let primary: Name = 'a';
    for (let round = 0; round < HAND_OVERS; round++) {
      const heir = otherOf(primary);
      let [sent, lastMs, longestMs] = [0, performance.now(), 0];
      let isOver = false;
      const load = Array.from({ length: CLIENTS }, async (_, at) => {
        // Continues until the handover is over, even if the requests are answered sooner.
        while (sent < REQUESTS || !isOver) {
          sent++;
          try {
            await client.put({ key: `k${at}`, val: `${round}-${sent}` });
          } catch (error) {
            failures.push(String(error));
          }
          const nowMs = performance.now();
          longestMs = Math.max(longestMs, nowMs - lastMs);
          lastMs = nowMs;
        }
      });
      await Bun.sleep(500);
      const { dataDir } = pair.service(heir);
      const promoted = await runSvcProcess(['promote', '--data-dir', dataDir], { cwd: dataDir });
      isOver = true;
      await Promise.all(load);
      expect(promoted).toMatchObject({ exitCode: 0, errors: '' });
      expect(failures).toEqual([]);
      gaps.push(Math.round(longestMs));
      parts.push(longestMs / allowedMs(GOAL_MS));
      await client.put({ key: 'round', val: `${round}` });
      await pair.untilFollowing(primary);
      primary = heir;
      expect(await pair.service(primary).command('cmd=get&key=round')).toBe(`${round}`);
    }
    const [median, p90, longest] = [0.5, 0.9, 1].map((part) => quantileOf(gaps, part));
    process.stdout.write(`longest pause of writes: median ${median} ms, p90 ${p90} ms, at most ${longest} ms\n`);
    expect(quantileOf(parts, 0.5)).toBeLessThan(1);
  },
  LIMIT_MS,
);
