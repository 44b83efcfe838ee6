/** A scan predicate that never returns: its statement process is replaced, and the statements of others continue. */
import { expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowedMs } from '../machine.ts';
import { WORKERS } from '../modes.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';

const LIMIT_MS = 60_000;
const CLIENTS = 8;
const SCAN = { cmd: 'qryscanexe', pageSize: 10, className: 'Stuck' };

const CONFIGURATION = `export default {
  scanPredicates: {
    Stuck() {
      for (;;);
    },
  },
};
`;

/** Runs the action while clients run statements; returns how many succeeded, and the errors of the others. */
async function besideStatements(service: ServiceProcess, action: () => Promise<void>) {
  let running = true;
  let succeeded = 0;
  const errors: string[] = [];
  const query = queryOf({ cmd: 'qryfldexe', pageSize: 10, qry: 'SELECT SUM(x) FROM SYSTEM_RANGE(1, 20000)' });
  // The first statements start the statement processes.
  await Promise.all(Array.from({ length: CLIENTS }, () => service.command(query)));
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (running) {
      const { error } = await service.send(query);
      if (error === null) succeeded++;
      else errors.push(error);
    }
  });
  try {
    await action();
  } finally {
    running = false;
    await Promise.all(clients);
  }
  return { succeeded, errors };
}

async function withService(env: Record<string, string>, action: (service: ServiceProcess) => Promise<void>) {
  const folder = newFolder();
  try {
    const config = join(folder, 'svc.config.ts');
    writeFileSync(config, CONFIGURATION);
    const settings = { SVC_CONFIG: config, ...env };
    await using service = await startService({ dataDir: join(folder, 'data'), env: settings });
    await service.command('cmd=put&key=a&val=1');
    await action(service);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Takes seconds; more on a busy machine. */
const REPLACED_WITHIN_MS = 45_000;

async function replacedThreads({ origin }: ServiceProcess): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^svc_statement_processes_replaced_total (\d+)$/m.exec(metrics)?.[1]);
}

async function untilReplaced(service: ServiceProcess): Promise<void> {
  const endMs = performance.now() + REPLACED_WITHIN_MS;
  while (performance.now() < endMs && (await replacedThreads(service)) === 0) await Bun.sleep(200);
  expect(await replacedThreads(service)).toBe(1);
}

for (const workers of WORKERS) {
  test(
    `a statement that does not end fails with the time limit, others go on, workers=${workers}`,
    () =>
      withService({ SVC_WORKERS: String(workers) }, async (service) => {
        const { succeeded, errors } = await besideStatements(service, async () => {
          const begunMs = performance.now();
          const { error } = await service.send(queryOf({ ...SCAN, timeout: 2_000 }));
          expect(error).toContain('the time limit is over');
          expect(performance.now() - begunMs).toBeLessThan(allowedMs(8_000));
        });
        expect(errors).toEqual([]);
        expect(succeeded).toBeGreaterThan(CLIENTS);
        // The statement is answered first.
        await untilReplaced(service);
        expect(await service.command('cmd=get&key=a')).toBe('1');
      }),
    LIMIT_MS,
  );
}

test(
  'a statement that does not end is removed when its client leaves',
  () =>
    withService({ SVC_QUERY_TIMEOUT: '0' }, async (service) => {
      // The scan begins at once in the process of this statement.
      await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 9)' }));
      const client = new AbortController();
      const answer = service.send(queryOf(SCAN), { signal: client.signal }).catch(() => 'left');
      await Bun.sleep(1_000);
      client.abort();
      expect(await answer).toBe('left');
      await untilReplaced(service);
      const { errors } = await besideStatements(service, () => Bun.sleep(200));
      expect(errors).toEqual([]);
    }),
  LIMIT_MS,
);
