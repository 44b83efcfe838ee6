/** Two services with one destination, and clients that find the primary; for the tests of takeovers. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../simulation/random.ts';
import { newFolder, type ServiceProcess, startService } from '../../system/service-process.ts';
import { until } from '../../system/until.ts';
import type { CutCounts } from '../crash/disk.ts';
import { isUsed, memoryFolder } from '../crash/open-files.ts';
import type { SyncMode } from '../crash/shim.ts';
import { Side } from './network.ts';
import { RecordedDisk } from './recorded-disk.ts';

export interface PairOptions {
  /** Undefined: a folder. Called with the host at which the service reaches this machine. */
  readonly url?: string | ((host: string) => string);
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the services run in separate network namespaces. */
  readonly hasNetworks?: boolean;
  /** Program and its first arguments; default: that of all tests. */
  readonly program?: readonly string[];
  /** Records the file operations in the data folders, for {@link Pair.losePower}; undefined if it does not. */
  readonly records?: SyncMode;
}

export type Name = 'a' | 'b';
export const NAMES: readonly Name[] = ['a', 'b'];
export const otherOf = (name: Name): Name => (name === 'a' ? 'b' : 'a');

const PORT = 8080;
const METRIC_MS = 2_000;
/** Time within which the processes of a service end after it, on a busy machine. */
const ENDED_MS = 30_000;

/** Sends a signal; a process that has ended gets none. */
export function signal(processId: number, name: 'SIGCONT' | 'SIGSTOP' | 'SIGKILL'): void {
  try {
    process.kill(processId, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Resumes a suspended process; ignores one that has ended. */
export const resume = (processId: number): void => signal(processId, 'SIGCONT');

export class Pair implements AsyncDisposable {
  readonly root = newFolder();
  readonly #options: PairOptions;
  readonly #services = new Map<Name, ServiceProcess>();
  readonly #sides = new Map<Name, Side>();
  readonly #disks = new Map<Name, RecordedDisk>();
  /** The operations that power cuts have undone. */
  readonly cut: CutCounts = { unsynced: 0, dropped: 0, torn: 0, reordered: 0 };

  constructor(options: PairOptions = {}) {
    this.#options = options;
    const { hasNetworks = false, records } = options;
    for (const name of records === undefined ? [] : NAMES) {
      this.#disks.set(name, new RecordedDisk(join(this.root, name), join(this.root, `records-${name}`)));
    }
    for (const name of hasNetworks ? NAMES : []) this.#sides.set(name, Side.open());
  }

  /** Starts a service, at the address that it had before; `program`: another one than that of the pair. */
  async start(
    name: Name,
    env: Readonly<Record<string, string>> = {},
    program = this.#options.program,
  ): Promise<ServiceProcess> {
    const { url, env: common, records } = this.#options;
    const recorded = records && this.#disks.get(name)?.begin(records);
    const side = this.#sides.get(name);
    const host = side?.storeHost ?? '127.0.0.1';
    const folder = `file://${join(this.root, 'destination')}`;
    const former = this.#services.get(name);
    const service = await startService({
      dataDir: join(this.root, name),
      startLimitMs: 60_000,
      ...(program !== undefined && { program }),
      ...(recorded !== undefined && { cwd: recorded.cwd }),
      ...(former !== undefined && { port: former.port }),
      ...(side !== undefined && { under: side.under, port: PORT }),
      env: {
        SVC_BACKUP_CONTINUOUS_URL: typeof url === 'function' ? url(host) : (url ?? folder),
        SVC_BACKUP_CONTINUOUS_FAILOVER: 'true',
        SVC_BACKUP_CONTINUOUS_LEASE_MS: '2000',
        SVC_BACKUP_CONTINUOUS_ADVERTISED_URL: `http://${name}.example:8080`,
        SVC_WORKERS: '1',
        SVC_LOG_DIR: this.logFolder(name),
        ...(side !== undefined && { SVC_HTTP_HOST: side.host, SVC_ALLOW_UNAUTHENTICATED: 'true' }),
        ...common,
        ...env,
        ...recorded?.env,
      },
    });
    this.#services.set(name, service);
    return service;
  }

  /** Starts a service, and waits until it is the primary. */
  async startPrimary(name: Name): Promise<ServiceProcess> {
    const service = await this.start(name);
    await this.untilPrimary(name);
    return service;
  }

  /** Starts a service, and waits until it follows the primary. */
  async startStandby(name: Name): Promise<ServiceProcess> {
    const service = await this.start(name);
    await this.untilFollowing(name);
    return service;
  }

  logFolder(name: Name): string {
    return join(this.root, `log-${name}`);
  }

  service(name: Name): ServiceProcess {
    const service = this.#services.get(name);
    if (service === undefined) throw new Error(`${name} has not been started`);
    return service;
  }

  get services(): readonly ServiceProcess[] {
    return [...this.#services.values()];
  }

  /** The network of a service that runs in a namespace. */
  side(name: Name): Side {
    const side = this.#sides.get(name);
    if (side === undefined) throw new Error(`${name} runs in no namespace`);
    return side;
  }

  /** Returns the processes that a service has started. */
  childrenOf(name: Name): readonly number[] {
    const { pid } = this.service(name);
    const { stdout } = Bun.spawnSync(['pgrep', '-P', String(pid)]);
    return stdout.toString().split('\n').filter(Boolean).map(Number);
  }

  /** Ends all processes of a service at once, and leaves on its disk the synced data and a random part of the rest. */
  async losePower(name: Name, random: Random): Promise<void> {
    const service = this.service(name);
    const memory = memoryFolder(service.pid);
    const processes = [service.pid, ...this.childrenOf(name)];
    for (const each of processes) signal(each, 'SIGSTOP');
    for (const each of processes) signal(each, 'SIGKILL');
    await service.kill();
    await this.#untilUnused(name);
    // The memory of non-persistent regions is also empty.
    if (memory !== undefined) rmSync(memory, { recursive: true, force: true });
    this.#diskOf(name).cut(random, this.cut);
  }

  /** Returns the files of an orderly stopped service that differ from the recorded operations. */
  async unrecorded(name: Name): Promise<readonly string[]> {
    const disk = this.#disks.get(name);
    if (disk === undefined) return [];
    // The last process that closes the data file, which may be that of shipping, writes the log back.
    await this.#untilUnused(name);
    return disk.unrecorded();
  }

  #untilUnused(name: Name): Promise<void> {
    return until(`no process of ${name} is there`, () => !isUsed(this.service(name).dataDir), ENDED_MS);
  }

  #diskOf(name: Name): RecordedDisk {
    const disk = this.#disks.get(name);
    if (disk === undefined) throw new Error(`the file operations of ${name} are not recorded`);
    return disk;
  }

  /** Returns a metric of a service, or undefined if it has none. */
  async metric(name: Name, metric: string): Promise<number | undefined> {
    return (await this.metrics(name)).get(metric);
  }

  async metrics(name: Name): Promise<ReadonlyMap<string, number>> {
    const signal = AbortSignal.timeout(METRIC_MS);
    const text = await (await fetch(`${this.service(name).origin}/metrics`, { signal, keepalive: false })).text();
    const found = [...text.matchAll(/^(svc_(?:failover|standby)_\w+) (.*)$/gm)];
    return new Map(found.map(([, key = '', value]) => [key, Number(value)]));
  }

  /** Waits until a service is the primary, and answers. */
  untilPrimary(name: Name, limitMs?: number): Promise<void> {
    return until(
      `${name} is the primary`,
      async () => {
        try {
          return (await this.metric(name, 'svc_failover_primary')) === 1;
        } catch {
          return false;
        }
      },
      limitMs,
    );
  }

  /** Waits until a standby has everything up to the last object. */
  async untilFollowing(name: Name): Promise<void> {
    await until(`${name} follows`, () => this.#follows(name));
  }

  async #follows(name: Name): Promise<boolean> {
    try {
      const metrics = await this.metrics(name);
      const position = metrics.get('svc_standby_position') ?? 0;
      return position > 0 && (metrics.get('svc_standby_behind_seconds') ?? Number.POSITIVE_INFINITY) < 2;
    } catch {
      // A deposed primary listens again.
      return false;
    }
  }

  /** Waits until one service is the primary and the other follows; returns the primary and its epoch. */
  async untilSettled(limitMs: number): Promise<{ readonly primary: Name; readonly epoch: number }> {
    let settled: { readonly primary: Name; readonly epoch: number } | undefined;
    await until(
      'one service is the primary, and the other one follows',
      async () => {
        for (const primary of NAMES) {
          const metrics = await this.metrics(primary).catch(() => undefined);
          if (metrics?.get('svc_failover_primary') !== 1 || !(await this.#follows(otherOf(primary)))) continue;
          settled = { primary, epoch: metrics.get('svc_failover_epoch') ?? 0 };
          return true;
        }
        return false;
      },
      limitMs,
    );
    if (settled === undefined) throw new Error('nothing has settled');
    return settled;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#services.keys()) {
      for (const child of this.childrenOf(name)) resume(child);
      resume(this.service(name).pid);
      await this.service(name).kill();
    }
    for (const side of this.#sides.values()) side[Symbol.dispose]();
    rmSync(this.root, { recursive: true, force: true });
  }
}
