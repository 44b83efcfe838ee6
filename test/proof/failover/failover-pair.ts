/** Two services with one destination, and clients that find the primary; for the tests of takeovers. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, type ServiceProcess, startService } from '../../system/service-process.ts';
import { until } from '../../system/until.ts';

export interface PairOptions {
  /** Undefined: a folder. */
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
}

type Name = 'a' | 'b';

/** Lets a suspended process go on; one that has ended is none. */
export function resume(processId: number): void {
  try {
    process.kill(processId, 'SIGCONT');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

export class Pair implements AsyncDisposable {
  readonly root = newFolder();
  readonly url: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #services = new Map<Name, ServiceProcess>();

  constructor({ url, env = {} }: PairOptions = {}) {
    this.url = url ?? `file://${join(this.root, 'destination')}`;
    this.#env = env;
  }

  async start(name: Name, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
    const service = await startService({
      dataDir: join(this.root, name),
      env: {
        SVC_BACKUP_CONTINUOUS_URL: this.url,
        SVC_BACKUP_CONTINUOUS_FAILOVER: 'true',
        SVC_BACKUP_CONTINUOUS_LEASE_MS: '2000',
        SVC_BACKUP_CONTINUOUS_ADVERTISED_URL: `http://${name}.example:8080`,
        SVC_WORKERS: '1',
        ...this.#env,
        ...env,
      },
    });
    this.#services.set(name, service);
    return service;
  }

  service(name: Name): ServiceProcess {
    const service = this.#services.get(name);
    if (service === undefined) throw new Error(`${name} has not been started`);
    return service;
  }

  get services(): readonly ServiceProcess[] {
    return [...this.#services.values()];
  }

  /** Returns a metric of a service; undefined: it has none. */
  async metric(name: Name, metric: string): Promise<number | undefined> {
    const text = await (await fetch(`${this.service(name).origin}/metrics`)).text();
    const value = new RegExp(`^${metric} (.*)$`, 'm').exec(text)?.[1];
    return value === undefined ? undefined : Number(value);
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
    await until(`${name} follows`, async () => {
      try {
        const position = (await this.metric(name, 'svc_standby_position')) ?? 0;
        const behind = (await this.metric(name, 'svc_standby_behind_seconds')) ?? Number.POSITIVE_INFINITY;
        return position > 0 && behind < 2;
      } catch {
        // A deposed primary listens anew.
        return false;
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of this.services) {
      resume(service.pid);
      await service.kill();
    }
    rmSync(this.root, { recursive: true, force: true });
  }
}
