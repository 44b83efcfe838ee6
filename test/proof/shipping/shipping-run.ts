/**
 * Ends a service with a continuous backup under load, and restores from the destination alone: only the last commits
 * are missing, no commit is torn, and the next start continues. `kill`: SIGKILL. `power`: the destination's disk has
 * the synced data, and a random part of the rest.
 */
import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { restoreContinuous } from '../../../src/engines/embedded/backup/continuous/restore-continuous.ts';
import { Random } from '../../simulation/random.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../../system/service-process.ts';
import { until } from '../../system/until.ts';
import type { CutCounts } from '../crash/disk.ts';
import { cutDestination, type Disks, writeRecorder } from './cut-destination.ts';
import { PROCESS_FILE } from './file-recorder.ts';

/** Restored data is only read: it needs no disk. */
const MEMORY = '/dev/shm';
/** By then a service that continues ships again. */
const SHORTEST_MS = 1_000;

export interface ShippingOptions {
  readonly kind: 'kill' | 'power';
  readonly seed: number;
  readonly kills: number;
  readonly clients: number;
  /** Longest time under load before a kill, in ms. */
  readonly longestMs: number;
  /** Ends after this time, even if there were fewer kills. */
  readonly maxMs?: number;
  /** Whether syncs of the destination have no effect: a power cut must be noticed then. */
  readonly ignoresSyncs?: boolean;
  /** Called after each kill with the time before it whose commits are lost, and the time under load before it. */
  readonly onKill?: (missingMs: number, loadMs: number) => void;
  readonly onViolation?: (violation: string) => void;
}

export interface ShippingResult {
  /** The time before each kill whose commits are lost, in ms; sorted. */
  readonly missingMs: readonly number[];
  readonly changes: number;
  readonly cut: Readonly<CutCounts>;
  readonly wrong: readonly string[];
}

/** A change of a client: both entries of its pair get its number. */
interface Change {
  readonly sentMs: number;
  /** Infinity: it was not acknowledged. */
  acknowledgedMs: number;
}

export async function runShipping(options: ShippingOptions): Promise<ShippingResult> {
  const root = newFolder();
  const memory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'svc-shipping-'));
  try {
    return await new ShippingRun(options, root, memory).run();
  } finally {
    for (const folder of [root, memory]) rmSync(folder, { recursive: true, force: true });
  }
}

class ShippingRun {
  readonly #options: ShippingOptions;
  readonly #root: string;
  readonly #memory: string;
  readonly #destination: string;
  readonly #random: Random;
  /** The changes of each client, by their number minus one. */
  readonly #changes: readonly Change[][];
  readonly #cut: CutCounts = { unsynced: 0, dropped: 0, torn: 0, reordered: 0 };
  readonly #wrong: string[] = [];
  #disks: Disks = new Map();
  /** How long no service was running: nothing can be shipped meanwhile. */
  #pausedMs = 0;

  constructor(options: ShippingOptions, root: string, memory: string) {
    this.#options = options;
    this.#root = root;
    this.#memory = memory;
    this.#destination = join(root, 'destination');
    this.#random = new Random(options.seed);
    this.#changes = Array.from({ length: options.clients }, () => []);
    mkdirSync(this.#destination);
  }

  async run(): Promise<ShippingResult> {
    const { kills, longestMs, maxMs = Number.POSITIVE_INFINITY, onKill } = this.#options;
    const missingMs: number[] = [];
    const endMs = performance.now() + maxMs;
    for (let kill = 1; kill <= kills && performance.now() < endMs; kill++) {
      const loadMs = SHORTEST_MS + this.#random.below(longestMs - SHORTEST_MS);
      const killedMs = await this.#kill(loadMs);
      const downMs = performance.now();
      const violations: string[] = [];
      const lostMs = this.#compare(await this.#restored(violations), killedMs, violations);
      missingMs.push(lostMs);
      onKill?.(lostMs, loadMs);
      for (const text of violations) {
        this.#wrong.push(`kill ${kill}: ${text}`);
        this.#options.onViolation?.(`kill ${kill}: ${text}`);
      }
      // The next round continues with the contents of the data folder: all that was acknowledged.
      for (const own of this.#changes) while (own.at(-1)?.acknowledgedMs === Number.POSITIVE_INFINITY) own.pop();
      this.#pausedMs += performance.now() - downMs;
    }
    return {
      missingMs: missingMs.sort((a, b) => a - b),
      changes: this.#changes.reduce((sum, own) => sum + own.length, 0),
      cut: this.#cut,
      wrong: this.#wrong,
    };
  }

  /** The time during which a service was running, in ms. */
  #nowMs(): number {
    return performance.now() - this.#pausedMs;
  }

  /** Starts a service under load, and ends it after a time. Returns when. */
  async #kill(afterMs: number): Promise<number> {
    const { kind, ignoresSyncs = false } = this.#options;
    const journals = join(this.#root, 'journals');
    if (kind === 'power') writeRecorder(this.#root, { folder: this.#destination, journals, ignoresSyncs });
    const startMs = performance.now();
    const service = await startService({
      dataDir: join(this.#root, 'data'),
      env: { SVC_BACKUP_CONTINUOUS_URL: `file://${this.#destination}`, SVC_WORKERS: '1' },
      cwd: this.#root,
    });
    this.#pausedMs += performance.now() - startMs;
    const load = Promise.all(this.#changes.map((own, client) => this.#change(service, client, own)));
    // Before its first object nothing can be restored.
    if (this.#changes[0]?.length === 1) await untilShipping(service);
    await Bun.sleep(afterMs);
    const killedMs = this.#nowMs();
    await service.kill();
    await load;
    if (kind === 'power') {
      await untilGone(journals);
      this.#disks = cutDestination(this.#destination, journals, this.#disks, this.#random, this.#cut);
    }
    return killedMs;
  }

  async #change(service: ServiceProcess, client: number, own: Change[]): Promise<void> {
    for (;;) {
      const number = own.length + 1;
      const change = { sentMs: this.#nowMs(), acknowledgedMs: Number.POSITIVE_INFINITY };
      own.push(change);
      try {
        const pair = { k1: `a${client}`, v1: number, k2: `b${client}`, v2: number };
        await service.command(queryOf({ cmd: 'putall', ...pair }));
      } catch {
        return;
      }
      change.acknowledgedMs = this.#nowMs();
    }
  }

  /** Restores, and returns the last number of each client. */
  async #restored(violations: string[]): Promise<readonly number[]> {
    const folder = join(this.#memory, 'restored');
    try {
      const { found, checksums } = await restoreContinuous({
        url: `file://${this.#destination}`,
        target: {},
        folder,
        replace: true,
        program: 'proof',
        log: () => {},
        onProgress: () => {},
        clock: systemClock,
        environment: {},
      });
      violations.push(...found.violations);
      if (!checksums) violations.push('the data has no checksum');
    } catch (error) {
      violations.push(`it does not restore: ${error}`);
      return [];
    }
    const entries = entriesOf(folder);
    return this.#changes.map((_, client) => {
      const [a, b] = [entries.get(`a${client}`) ?? '0', entries.get(`b${client}`) ?? '0'];
      if (a !== b) violations.push(`client ${client}: torn commit, ${a} and ${b}`);
      return Number(a);
    });
  }

  /**
   * Compares the restored data with the acknowledged data: it must be the state committed at some instant. Returns the
   * time from that to the kill, in ms.
   */
  #compare(numbers: readonly number[], killedMs: number, violations: string[]): number {
    let firstMissingMs = killedMs;
    let lastPresentMs = 0;
    for (const [client, own] of this.#changes.entries()) {
      const number = numbers[client] ?? 0;
      if (number > own.length) violations.push(`client ${client}: ${number} was never sent`);
      firstMissingMs = Math.min(firstMissingMs, own[number]?.acknowledgedMs ?? killedMs);
      lastPresentMs = Math.max(lastPresentMs, own[number - 1]?.sentMs ?? 0);
    }
    if (lastPresentMs > firstMissingMs) violations.push('something is there that was sent after what is missing');
    return killedMs - firstMissingMs;
  }
}

interface Backups {
  readonly continuous: { readonly position: string | null };
}

async function untilShipping(service: ServiceProcess): Promise<void> {
  await until('the first object is there', async () => {
    const { continuous } = (await service.command('cmd=backups')) as Backups;
    return continuous.position !== null;
  });
}

/** Waits for the end of the process that writes the journals, which the kernel ends with the service. */
async function untilGone(journals: string): Promise<void> {
  const file = join(journals, PROCESS_FILE);
  if (!existsSync(file)) return;
  const folder = `/proc/${readFileSync(file, 'utf8')}`;
  await until('the process that ships is gone', () => !existsSync(folder));
}

/** Returns the entries of the default cache. */
function entriesOf(folder: string): ReadonlyMap<string, string> {
  const database = new Database(join(folder, 'svc.db'), { readonly: true });
  const rows = database.query<{ k: string; v: string }, []>('SELECT k, v FROM e1').all();
  database.close();
  return new Map(rows.map(({ k, v }) => [k, v]));
}
