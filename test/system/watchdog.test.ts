/** The watchdog: threads that really hang are logged, and a signal still ends the process in time. */
import { expect, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowedMs } from './machine.ts';
import { WORKERS } from './modes.ts';
import { newFolder, type ServiceProcess, startService } from './service-process.ts';

const LIMIT_MS = 60_000;
const LINUX = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');

/** Reading a value `block:MS` blocks its thread. */
const CONFIGURATION = `export default {
  interceptor: {
    onSend(value) {
      const ms = /^block:(.*)$/.exec(String(value?.data))?.[1];
      if (ms !== undefined) for (const endMs = performance.now() + Number(ms); performance.now() < endMs;);
      return value;
    },
  },
};
`;

interface LogLine {
  readonly message: string;
  readonly thread?: string;
  readonly command?: string;
  readonly durationMs?: number;
}

/** Runs the action with a service whose threads can be blocked. */
async function withService(
  env: Readonly<Record<string, string>>,
  action: (service: ServiceProcess, log: () => LogLine[]) => Promise<void>,
): Promise<void> {
  const folder = newFolder();
  let service: ServiceProcess | undefined;
  try {
    const config = join(folder, 'svc.config.ts');
    const dataDir = join(folder, 'data');
    writeFileSync(config, CONFIGURATION);
    service = await startService({ dataDir, env: { SVC_CONFIG: config, ...env } });
    // The watchdog starts shortly after the service.
    await Bun.sleep(1_000);
    const log = () =>
      readFileSync(join(dataDir, 'log/svc.log'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as LogLine);
    await action(service, log);
  } finally {
    // A failed test leaves it running, and SIGTERM may be the part that failed.
    await service?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const messages = (log: readonly LogLine[], message: string) => log.filter((line) => line.message === message);

for (const workers of WORKERS) {
  test(
    `a blocked thread is logged once with its command, and counted, workers=${workers}`,
    () =>
      withService({ SVC_WORKERS: String(workers) }, async (service, log) => {
        await service.command('cmd=put&key=slow&val=block:2500');
        await service.command('cmd=get&key=slow');
        await Bun.sleep(500);
        const [line, ...others] = messages(log(), 'A thread was blocked');
        expect(others).toEqual([]);
        expect(line).toMatchObject({ command: 'get' });
        expect(line?.thread).toMatch(workers === 1 ? /^main$/ : /^main$|^http 1$/);
        expect(line?.durationMs).toBeGreaterThan(2_300);
        const metrics = await (await fetch(`${service.origin}/metrics`)).text();
        expect(metrics).toContain('svc_thread_stalls_total 1\n');
        expect(Number(/^svc_thread_stall_max_seconds (\S+)/m.exec(metrics)?.[1])).toBeGreaterThan(2.3);
        expect(await service.stop()).toBe(0);
      }),
    LIMIT_MS,
  );

  test.if(LINUX)(
    `SIGTERM ends the process within 5 s while threads hang, and loses nothing, workers=${workers}`,
    () =>
      withService({ SVC_WORKERS: String(workers) }, async (service, log) => {
        await service.command('cmd=put&key=slow&val=block:Infinity');
        let acknowledged = 0;
        let writing = true;
        const writer = (async () => {
          while (writing) {
            try {
              await service.command(`cmd=put&key=n${acknowledged}&val=${acknowledged}`);
              acknowledged++;
            } catch {
              return;
            }
          }
        })();
        await Bun.sleep(300);
        // Enough connections to reach every thread.
        const hanging = Array.from({ length: 16 }, () => service.send('cmd=get&key=slow').catch(() => {}));
        await Bun.sleep(1_500);
        writing = false;
        const begunMs = performance.now();
        await service.stop();
        expect(performance.now() - begunMs).toBeLessThan(allowedMs(5_000));
        await Promise.all([writer, ...hanging]);
        const [line] = messages(log(), 'A thread was blocked when the process was killed');
        expect(line).toMatchObject({ command: 'get' });
        expect(service.output()).toContain('svc: The process did not stop after a signal');
        expect(acknowledged).toBeGreaterThan(10);
        await using again = await startService({ dataDir: service.dataDir });
        for (let n = 0; n < acknowledged; n++) expect(await again.command(`cmd=get&key=n${n}`)).toBe(String(n));
      }),
    LIMIT_MS,
  );
}

test.if(LINUX)(
  'a second signal ends a process that hangs at once',
  async () => {
    await withService({ SVC_SHUTDOWN_DELAY_SECONDS: '60' }, async (service) => {
      await service.command('cmd=put&key=slow&val=block:Infinity');
      void service.send('cmd=get&key=slow').catch(() => {});
      await Bun.sleep(500);
      const stopped = service.stop();
      await Bun.sleep(1_500);
      const begunMs = performance.now();
      process.kill(service.pid, 'SIGTERM');
      await stopped;
      expect(performance.now() - begunMs).toBeLessThan(allowedMs(2_000));
    });
  },
  60_000,
);
