/**
 * Kills a service with a continuous backup under load, and restores from the destination alone: what is missing is what
 * was committed last, no commit is torn, and the next start goes on.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../fixtures/values/random-values.ts';
import { runSvcProcess } from '../../system/cli/cli-process.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../../system/service-process.ts';

/** By then the first object is there, even of the first start. */
const SHORTEST_MS = 1_000;

export interface ShippingOptions {
  readonly seed: number;
  readonly kills: number;
  readonly clients: number;
  /** Longest time under load before a kill, in ms. */
  readonly longestMs: number;
}

export interface ShippingResult {
  /** What was missing after each kill, in ms before it; sorted. */
  readonly missingMs: readonly number[];
  readonly changes: number;
  readonly wrong: readonly string[];
}

/** A change of a client: both entries of its pair get its number. */
interface Change {
  readonly sentMs: number;
  /** Infinity: it was not acknowledged. */
  acknowledgedMs: number;
}

/** The changes of each client, by their number minus one. */
type Changes = readonly Change[][];

export async function runShipping(options: ShippingOptions): Promise<ShippingResult> {
  const { seed, kills, clients, longestMs } = options;
  const random = seededRandom(seed);
  const root = newFolder();
  const url = `file://${join(root, 'destination')}`;
  const changes: Changes = Array.from({ length: clients }, () => []);
  const missingMs: number[] = [];
  const wrong: string[] = [];
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const service = await startService({
        dataDir: join(root, 'data'),
        env: { SVC_BACKUP_CONTINUOUS_URL: url, SVC_WORKERS: '1' },
      });
      const ending = Bun.sleep(SHORTEST_MS + random.below(longestMs - SHORTEST_MS)).then(() => service.kill());
      await Promise.all(changes.map((own, client) => changeUntilGone(service, client, own)));
      await ending;
      const killedMs = performance.now();
      const numbers = await restoredNumbers(root, url, clients, wrong);
      const { lostMs, violations } = compare(changes, numbers, killedMs);
      missingMs.push(lostMs);
      wrong.push(...violations.map((text) => `kill ${kill}: ${text}`));
      // The next round goes on with what the data folder has, which is all that was acknowledged.
      for (const own of changes) while (own.at(-1)?.acknowledgedMs === Number.POSITIVE_INFINITY) own.pop();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return {
    missingMs: missingMs.sort((a, b) => a - b),
    changes: changes.reduce((sum, own) => sum + own.length, 0),
    wrong,
  };
}

async function changeUntilGone(service: ServiceProcess, client: number, own: Change[]): Promise<void> {
  for (;;) {
    const number = own.length + 1;
    const change = { sentMs: performance.now(), acknowledgedMs: Number.POSITIVE_INFINITY };
    own.push(change);
    try {
      const pair = { k1: `a${client}`, v1: number, k2: `b${client}`, v2: number };
      await service.command(queryOf({ cmd: 'putall', ...pair }));
    } catch {
      return;
    }
    change.acknowledgedMs = performance.now();
  }
}

/** Restores, and returns the last number of each client. */
async function restoredNumbers(
  root: string,
  url: string,
  clients: number,
  wrong: string[],
): Promise<readonly number[]> {
  const folder = join(root, 'restored');
  const restored = await runSvcProcess(['restore', '--from', url, '--to', folder, '--replace'], { cwd: root });
  if (restored.exitCode !== 0) {
    wrong.push(restored.errors);
    return [];
  }
  await using service = await startService({ dataDir: folder, env: { SVC_WORKERS: '1' } });
  const numbers: number[] = [];
  for (let client = 0; client < clients; client++) {
    const pair = await service.command(`cmd=getall&k1=a${client}&k2=b${client}`);
    const { [`a${client}`]: a = '0', [`b${client}`]: b = '0' } = pair as Readonly<Record<string, string>>;
    if (a !== b) wrong.push(`client ${client}: torn commit, ${a} and ${b}`);
    numbers.push(Number(a));
  }
  return numbers;
}

/** Compares what was restored with what was acknowledged: it must be what was committed until some instant. */
function compare(
  changes: Changes,
  numbers: readonly number[],
  killedMs: number,
): { readonly lostMs: number; readonly violations: readonly string[] } {
  const violations: string[] = [];
  let firstMissingMs = killedMs;
  let lastPresentMs = 0;
  for (const [client, own] of changes.entries()) {
    const number = numbers[client] ?? 0;
    if (number > own.length) violations.push(`client ${client}: ${number} was never sent`);
    firstMissingMs = Math.min(firstMissingMs, own[number]?.acknowledgedMs ?? killedMs);
    lastPresentMs = Math.max(lastPresentMs, own[number - 1]?.sentMs ?? 0);
  }
  if (lastPresentMs > firstMissingMs) violations.push('something is there that was sent after what is missing');
  return { lostMs: killedMs - firstMissingMs, violations };
}
