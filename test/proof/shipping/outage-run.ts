/**
 * Removes the destination of a continuous backup under load, and brings it back: no request fails, the log stays within
 * its bound, the missing commits are shipped, and a restore afterwards yields the store.
 */
import { Database } from 'bun:sqlite';
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { restoreContinuous } from '../../../src/engines/embedded/backup/continuous/restore-continuous.ts';
import { Random } from '../../simulation/random.ts';
import { openConnection } from '../../system/http-connection.ts';
import { newFolder, type ServiceProcess, startService } from '../../system/service-process.ts';
import { until } from '../../system/until.ts';
import { digestOf } from './digest.ts';

const KEYS = 100_000;
const VALUE_BYTES = 100;
/** Time under load before the destination disappears, in ms. */
const BEFORE_MS = 3_000;
const SAMPLE_MS = 100;
const CATCH_UP_LIMIT_MS = 600_000;

export interface OutageOptions {
  readonly seed: number;
  readonly awayMs: number;
  /** Puts per second. */
  readonly rate: number;
  readonly clients: number;
  /** `backup.maxLogBytes`. */
  readonly maxLogBytes: number;
  readonly onPhase?: (text: string) => void;
}

export interface OutageResult {
  readonly puts: number;
  /** Puts per second while the destination was away. */
  readonly perSecond: number;
  readonly longestPutMs: number;
  readonly longestLogBytes: number;
  /** Time under load from the return of the destination until everything was shipped, in ms. */
  readonly caughtUpMs: number;
  /** Snapshots that were shipped: one, unless the log has passed its bound. */
  readonly snapshots: number;
  readonly wrong: readonly string[];
}

export async function runOutage(options: OutageOptions): Promise<OutageResult> {
  const root = newFolder();
  try {
    return await new OutageRun(options, root).run();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Continuous {
  readonly state: string;
  readonly behindMs: number;
}

class OutageRun {
  readonly #options: OutageOptions;
  readonly #root: string;
  readonly #dataDir: string;
  readonly #destination: string;
  readonly #url: string;
  readonly #wrong: string[] = [];
  #isEnded = false;
  #puts = 0;
  #longestPutMs = 0;
  #longestLogBytes = 0;

  constructor(options: OutageOptions, root: string) {
    this.#options = options;
    this.#root = root;
    this.#dataDir = join(root, 'data');
    this.#destination = join(root, 'destination');
    this.#url = `file://${this.#destination}`;
  }

  async run(): Promise<OutageResult> {
    const { clients, awayMs, maxLogBytes, onPhase } = this.#options;
    const service = await startService({
      dataDir: this.#dataDir,
      env: {
        SVC_BACKUP_CONTINUOUS_URL: this.#url,
        SVC_BACKUP_MAX_LOG_BYTES: String(maxLogBytes),
        SVC_WORKERS: '1',
      },
    });
    try {
      await until('it ships', async () => (await continuousOf(service)).state === 'shipping');
      const load = [...Array(clients).keys()].map((client) => this.#load(service, client));
      const sampling = this.#sample();
      await Bun.sleep(BEFORE_MS);
      const away = `${this.#destination}.away`;
      renameSync(this.#destination, away);
      // Nothing must create the folder meanwhile.
      writeFileSync(this.#destination, '');
      const [awayAtMs, putsBefore] = [performance.now(), this.#puts];
      await until('it waits', async () => (await continuousOf(service)).state === 'waiting');
      onPhase?.('the destination is away');
      await Bun.sleep(awayMs);
      const perSecond = ((this.#puts - putsBefore) * 1_000) / (performance.now() - awayAtMs);
      rmSync(this.#destination);
      renameSync(away, this.#destination);
      const backAtMs = performance.now();
      onPhase?.(`the destination is back; the log has ${this.#longestLogBytes} bytes`);
      await until('it has caught up', () => this.#hasCaughtUp(service), CATCH_UP_LIMIT_MS);
      const caughtUpMs = performance.now() - backAtMs;
      onPhase?.(`caught up after ${Math.round(caughtUpMs)} ms`);
      this.#isEnded = true;
      await Promise.all([...load, sampling]);
      if ((await service.stop()) !== 0) this.#wrong.push('the service did not end cleanly');
      await this.#compare();
      const snapshots = readdirSync(join(this.#destination, 'ltx/9')).length;
      const [puts, longestPutMs, longestLogBytes] = [this.#puts, this.#longestPutMs, this.#longestLogBytes];
      return { puts, perSecond, longestPutMs, longestLogBytes, caughtUpMs, snapshots, wrong: this.#wrong };
    } finally {
      this.#isEnded = true;
      await service.kill();
    }
  }

  /** Sends puts at its part of the rate. One that is late is followed by the next at once. */
  async #load(service: ServiceProcess, client: number): Promise<void> {
    const { seed, rate, clients } = this.#options;
    const random = new Random(seed * 1_009 + client);
    const connection = await openConnection(service.port);
    const stepMs = (1_000 * clients) / rate;
    try {
      for (let dueMs = performance.now() + random.below(1_000); !this.#isEnded; dueMs += stepMs) {
        const nowMs = performance.now();
        if (dueMs > nowMs) await Bun.sleep(dueMs - nowMs);
        // After a pause of the machine, missed puts are not made up for.
        else if (nowMs - dueMs > 1_000) dueMs = nowMs;
        const startMs = performance.now();
        const value = `${this.#puts}-${'x'.repeat(VALUE_BYTES)}`.slice(0, VALUE_BYTES);
        const answer = await connection.sendCommand(`cmd=put&key=${random.below(KEYS)}&val=${value}`);
        this.#longestPutMs = Math.max(this.#longestPutMs, performance.now() - startMs);
        this.#puts++;
        if (answer.successStatus !== 0) this.#wrong.push(`a put fails: ${answer.error}`);
      }
    } catch (error) {
      this.#wrong.push(`a client fails: ${error}`);
    } finally {
      connection.close();
    }
  }

  async #sample(): Promise<void> {
    while (!this.#isEnded) {
      const bytes = statSync(join(this.#dataDir, 'svc.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
      this.#longestLogBytes = Math.max(this.#longestLogBytes, bytes);
      await Bun.sleep(SAMPLE_MS);
    }
  }

  /** Whether everything is shipped except commits within the last interval or two. */
  async #hasCaughtUp(service: ServiceProcess): Promise<boolean> {
    const { state, behindMs } = await continuousOf(service);
    return state === 'shipping' && behindMs < 3_000;
  }

  /** Restores the newest state, which must be that of the stopped service. */
  async #compare(): Promise<void> {
    const folder = join(this.#root, 'restored');
    const { found, checksums } = await restoreContinuous({
      url: this.#url,
      target: {},
      folder,
      replace: true,
      program: 'proof',
      log: () => {},
      onProgress: () => {},
      clock: systemClock,
      environment: {},
    });
    this.#wrong.push(...found.violations);
    if (!checksums) this.#wrong.push('the restored data has no checksum');
    const digests = [this.#dataDir, folder].map((each) => {
      const database = new Database(join(each, 'svc.db'));
      const digest = digestOf(database);
      database.close();
      return digest;
    });
    if (digests[0] !== digests[1]) this.#wrong.push('the restored store is not the one that was stopped');
  }
}

async function continuousOf(service: ServiceProcess): Promise<Continuous> {
  return ((await service.command('cmd=backups')) as { readonly continuous: Continuous }).continuous;
}
