/** Starts the victim's process and reads its reports. */
import { join } from 'node:path';

export interface LaneReport {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The first requests that were not answered with 200. */
  readonly failures: readonly string[];
}

export interface VictimReport {
  readonly gets: LaneReport;
  readonly live: LaneReport;
  readonly bare: LaneReport;
}

export interface Victim extends Disposable {
  /** Returns the measurements since the last call. */
  report(): Promise<VictimReport>;
}

const bun = join(import.meta.dir, '../../../node_modules/.bin/bun');
/** The longest time, in milliseconds, that the victim's own process takes to answer. */
const REPORT_LIMIT_MS = 60_000;

export function startVictim(servicePort: number, barePort: number): Victim {
  let answer = Promise.withResolvers<VictimReport>();
  const child = Bun.spawn([bun, join(import.meta.dir, 'victim-process.ts'), String(servicePort), String(barePort)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (message: VictimReport) => answer.resolve(message),
  });
  return {
    async report() {
      answer = Promise.withResolvers();
      const timer = setTimeout(() => answer.reject(new Error('The victim does not answer.')), REPORT_LIMIT_MS);
      child.send('report');
      try {
        return await answer.promise;
      } finally {
        clearTimeout(timer);
      }
    },
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  };
}

/** Starts the bare server that the service is compared with; returns its port, and ends it when disposed. */
export async function startBareServer(): Promise<{ readonly port: number; readonly [Symbol.dispose]: () => void }> {
  const child = Bun.spawn([bun, join(import.meta.dir, '../../../bench/bare-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const chunk of child.stdout) {
    const port = /:(\d+)\/svc/.exec(new TextDecoder().decode(chunk))?.[1];
    if (port !== undefined) return { port: Number(port), [Symbol.dispose]: () => child.kill('SIGKILL') };
  }
  throw new Error('The bare server did not start.');
}
