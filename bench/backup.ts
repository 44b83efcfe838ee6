/**
 * `npm run bench:backup [-- --pairs 30 --phase 1500 --entries 1000000 --rate BYTES --stream]`: measures puts while a
 * backup is made and while none is, in short turns, because other work on the machine changes slowly. Prints throughput
 * and latency of both and the medians of the ratios. Exits with 1 when the 99th percentile is more than twice as long.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { medianOf } from './load.ts';
import { measurePuts, PutClients, type PutPhase, shownPuts } from './put-clients.ts';
import { type MeasuredServer, startSvc } from './servers.ts';
import { fill, oneWorkload, oneWorkloadOptions, shownWorkload } from './workload.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '30' },
    phase: { type: 'string', default: '1500' },
    ...oneWorkloadOptions,
    connections: { type: 'string', default: '16' },
    rate: { type: 'string' },
    stream: { type: 'boolean', default: false },
  },
});
const workload = oneWorkload(values);
const phaseMs = Number(values.phase);
const MAX_LATENCY = 2;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function post(server: MeasuredServer, params: Readonly<Record<string, string>>, signal?: AbortSignal) {
  const url = `http://127.0.0.1:${server.port}${server.path}`;
  return fetch(url, { method: 'POST', body: new URLSearchParams(params), ...(signal && { signal }) });
}

/** Makes backups until the returned function is called. */
function repeatBackups(server: MeasuredServer, folder: string): () => Promise<void> {
  const leaving = new AbortController();
  const done = (async () => {
    while (!leaving.signal.aborted) {
      const answer = await post(server, { cmd: 'backup', stream: String(values.stream) }, leaving.signal);
      for await (const _ of answer.body ?? []);
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
    }
  })().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  return async () => {
    leaving.abort();
    await done;
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-backup-'));
const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-data-'));
const pairs: Array<{ readonly idle: PutPhase; readonly busy: PutPhase }> = [];
let largestLog = 0;
try {
  await using server = await startSvc(1, '', {
    SVC_DATA_DIR: dataDir,
    SVC_BACKUP_FOLDER: folder,
    ...(values.rate !== undefined && { SVC_BACKUP_BYTES_PER_SECOND: values.rate }),
  });
  await fill(server, 'durable', workload);
  say(
    `${shownWorkload(workload)}, ${megabytes(statSync(join(dataDir, 'svc.db')).size)}, ` +
      `${values.connections} connections`,
  );
  const puts = new PutClients(workload);
  await puts.start(server, Number(values.connections));
  await measurePuts(puts, phaseMs);
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const idle = await measurePuts(puts, phaseMs);
    const stop = repeatBackups(server, folder);
    const busy = await measurePuts(puts, phaseMs);
    largestLog = Math.max(largestLog, statSync(join(dataDir, 'svc.db-wal')).size);
    await stop();
    pairs.push({ idle, busy });
  }
  puts.stop();
} finally {
  for (const each of [folder, dataDir]) rmSync(each, { recursive: true, force: true });
}
const ratio = (value: (phase: PutPhase) => number) =>
  medianOf(pairs.map(({ idle, busy }) => value(busy) / value(idle)));
const p99 = ratio((phase) => phase.p99Ms);
say(
  shownPuts(
    'without a backup:',
    pairs.map(({ idle }) => idle),
  ),
);
say(
  shownPuts(
    'with a backup:   ',
    pairs.map(({ busy }) => busy),
  ),
);
say(
  `medians of the ratios of ${pairs.length} pairs: throughput ${ratio((phase) => phase.perSecond).toFixed(2)}, ` +
    `p50 ${ratio((phase) => phase.p50Ms).toFixed(2)}, p99 ${p99.toFixed(2)}; the log grew to ${megabytes(largestLog)}`,
);
process.exit(p99 > MAX_LATENCY ? 1 : 0);
