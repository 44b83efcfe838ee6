/** Kills query processes and their service while statements run, and checks what is left. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Random } from '../../simulation/random.ts';
import { type Answer, queryOf, type ServiceProcess, startService } from '../../system/service-process.ts';

export const ROWS = 20_000;
/** A child ends so long after its service at the latest, in ms. */
const GONE_MS = 2_000;

/** Returns the ids of the query processes of a service. */
export function processesOf(service: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      return words.includes('--query-process') && words.includes(String(service)) ? [Number(name)] : [];
    } catch {
      // It has ended.
      return [];
    }
  });
}

export const run = (service: ServiceProcess, qry: string, pageSize = 10): Promise<Answer> =>
  service.send(queryOf({ cmd: 'qryfldexe', pageSize, qry }));

/** Starts a service with a table of {@link ROWS} rows whose `n` is 0. */
export async function startWithRows(dataDir: string): Promise<ServiceProcess> {
  const service = await startService({ dataDir, env: { SVC_WORKERS: '2' } });
  await run(service, 'CREATE TABLE IF NOT EXISTS t(id INT PRIMARY KEY, n INT)');
  await run(service, `MERGE INTO t SELECT x, 0 FROM SYSTEM_RANGE(1, ${ROWS})`);
  return service;
}

const READS = [
  'SELECT id, n FROM t ORDER BY n, id DESC',
  'SELECT n, COUNT(*) FROM t GROUP BY n',
  'SELECT SUM(x) FROM SYSTEM_RANGE(1, 200000)',
  'SELECT MAX(n) - MIN(n) FROM t',
];

/** What a killed process may tell a client of the statement that it ran, and of the pages of its cursors. */
const ENDINGS = /The process that ran the query has ended|^null$/;

/**
 * Runs statements, kills one of the processes after a random time, and returns the errors that nobody may see. The
 * service goes on with other processes.
 */
export async function killProcess(service: ServiceProcess, random: Random): Promise<string[]> {
  const errors: string[] = [];
  const answers = Promise.all(
    Array.from({ length: 4 }, async (_, client) => {
      for (let round = 0; round < 4; round++) {
        const { error } = await run(service, READS[(client + round) % READS.length] ?? '');
        if (!ENDINGS.test(String(error))) errors.push(String(error));
      }
    }),
  );
  await Bun.sleep(random.below(300));
  const processes = processesOf(service.pid);
  const victim = processes[random.below(Math.max(1, processes.length))];
  if (victim !== undefined) process.kill(victim, 'SIGKILL');
  await answers;
  const after = await run(service, 'SELECT COUNT(*) FROM t');
  if (after.error !== null) errors.push(after.error);
  return errors;
}

/**
 * Kills the service while a change and statements run. Returns what is wrong then: half of a change, a lost
 * acknowledged put, a process that is left, or a start that fails.
 */
export async function killService(dataDir: string, random: Random): Promise<string[]> {
  const errors: string[] = [];
  const service = await startWithRows(dataDir);
  let acknowledged = 0;
  const statements = [
    run(service, 'UPDATE t SET n = n + 1'),
    ...READS.map((sql) => run(service, sql)),
    (async () => {
      for (let value = 1; ; value++) {
        await service.command(`cmd=put&key=last&val=${value}`);
        acknowledged = value;
      }
    })(),
  ].map((each) => each.catch(() => {}));
  await Bun.sleep(random.below(500));
  const processes = processesOf(service.pid);
  await service.kill();
  await Promise.all(statements);
  const untilMs = performance.now() + GONE_MS;
  const isLeft = (id: number): boolean => processesOf(service.pid).includes(id);
  while (processes.some(isLeft) && performance.now() < untilMs) await Bun.sleep(5);
  if (processes.some(isLeft)) errors.push('a process outlives its service');
  await using again = await startService({ dataDir });
  const changed = await run(again, 'SELECT COUNT(DISTINCT n) FROM t');
  const kept = await again.send('cmd=get&key=last');
  const counts = (changed.response as { items: number[][] } | null)?.items[0]?.[0];
  if (counts !== 1) errors.push(`half of a change: ${changed.error ?? counts} values`);
  if (Number(kept.response ?? 0) < acknowledged) errors.push(`lost: ${acknowledged}, kept ${String(kept.response)}`);
  return errors;
}
