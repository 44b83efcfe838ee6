/**
 * `npm run bench:webdis [-- --pairs 10] [--duration 1500]`: measures getall and putall of 100 keys against Webdis in
 * front of Redis (Debian packages `redis-server` and `webdis`), which answers MGET and MSET over HTTP, in interleaved
 * pairs. Prints the ratio of CPU time per request, that of both processes for Webdis, and exits with 1 when a median
 * is above `--limit` (default 1.5). Neither waits for a disk: svc uses a region that does not persist, Redis memory.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoadPlan, runLoad } from './load.ts';
import { type BenchRequest, createRequests } from './requests.ts';
import { fill, freePort, startSvc } from './servers.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '10' },
    duration: { type: 'string', default: '1500' },
    limit: { type: 'string', default: '1.5' },
  },
});
const ENTRIES = 1_000;
const OPERATIONS = ['getall', 'putall'] as const;
const START_LIMIT_MS = 20_000;

const [redis, webdis] = ['redis-server', 'webdis'].map((name) =>
  Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` }),
);
if (!redis || !webdis) throw new Error('needs the Debian packages redis-server and webdis');
const folder = mkdtempSync(join(tmpdir(), 'svc-webdis-'));
const [redisPort, webdisPort] = [freePort(), freePort()];
const file = join(folder, 'webdis.json');
writeFileSync(
  file,
  JSON.stringify({
    redis_host: '127.0.0.1',
    redis_port: redisPort,
    http_host: '127.0.0.1',
    http_port: webdisPort,
    threads: 1,
    pool_size: 8,
    daemonize: false,
    websockets: false,
    database: 0,
    verbosity: 0,
    logfile: join(folder, 'webdis.log'),
  }),
);
const options = { cwd: folder, stdout: 'ignore', stderr: 'inherit' } as const;
const redisProcess = Bun.spawn([redis, '--port', String(redisPort), '--save', '', '--bind', '127.0.0.1'], options);
const webdisUrl = `http://127.0.0.1:${webdisPort}`;
let webdisProcess: Bun.Subprocess | undefined;
try {
  await until(async () => (await Bun.connect({ hostname: '127.0.0.1', port: redisPort, socket: { data() {} } })).end());
  webdisProcess = Bun.spawn([webdis, file], options);
  await until(() => fetch(`${webdisUrl}/PING`).then((answer) => answer.text()));
  process.exitCode = (await compare(webdisProcess.pid)) ? 0 : 1;
} finally {
  webdisProcess?.kill();
  redisProcess.kill();
  rmSync(folder, { recursive: true, force: true });
}

/** Repeats an action until it succeeds. */
async function until(action: () => Promise<unknown>): Promise<void> {
  const endMs = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      await action();
      return;
    } catch (error) {
      if (performance.now() > endMs) throw error;
      await Bun.sleep(20);
    }
  }
}

/** Returns the request of Webdis for a request of svc: MGET or MSET with the same keys and values. */
function toWebdis({ body }: BenchRequest, operation: (typeof OPERATIONS)[number]): BenchRequest {
  const parameters = [...new URLSearchParams(body)].map(([, value]) => value);
  const command = operation === 'getall' ? 'MGET' : 'MSET';
  return { method: 'POST', path: '/', body: [command, ...parameters].join('/') };
}

/** Measures both in turns. Returns whether every median is within the limit. */
async function compare(webdisPid: number): Promise<boolean> {
  await using svc = await startSvc(1);
  await fill(svc, 'memory', 0, ENTRIES);
  const all = Array.from({ length: ENTRIES }, (_, index) => `${index}/value-${index}`);
  await (await fetch(webdisUrl, { method: 'POST', body: `MSET/${all.join('/')}` })).text();
  const plan = { kind: 'sockets', connections: 64, warmUpMs: 300, durationMs: Number(values.duration) } as const;
  const svcPlan: LoadPlan = { ...plan, port: svc.port, serverPid: svc.pid };
  let isMet = true;
  for (const operation of OPERATIONS) {
    const requests = createRequests(svc.path, operation, 'memory', ENTRIES);
    const others = requests.map((request) => toWebdis(request, operation));
    const success = operation === 'getall' ? '{"MGET":["' : '{"MSET":[true,"OK"]}';
    const webdisPlan: LoadPlan = {
      ...plan,
      port: webdisPort,
      serverPid: webdisPid,
      furtherPid: redisProcess.pid,
      success,
    };
    const measure = { svc: () => runLoad(svcPlan, requests), webdis: () => runLoad(webdisPlan, others) };
    await measure.svc();
    await measure.webdis();
    const ratios: number[] = [];
    const shown: string[] = [];
    for (let pair = 0; pair < Number(values.pairs); pair++) {
      // The order alternates, so that a drift of the machine's speed favours neither.
      const first = pair % 2 === 0 ? await measure.svc() : await measure.webdis();
      const second = pair % 2 === 0 ? await measure.webdis() : await measure.svc();
      const [own, other] = pair % 2 === 0 ? [first, second] : [second, first];
      ratios.push(own.cpuMicros / other.cpuMicros);
      shown.push(`${own.cpuMicros.toFixed(0)}/${other.cpuMicros.toFixed(0)}`);
    }
    ratios.sort((left, right) => left - right);
    const median = ratios[ratios.length >> 1] ?? Number.NaN;
    const verdict = median <= Number(values.limit) ? 'met' : 'missed';
    isMet &&= verdict === 'met';
    process.stdout.write(
      `${operation}: CPU time per request in us, svc/Webdis with Redis: ${shown.join(' ')}; median ratio ` +
        `${median.toFixed(3)}, at most ${values.limit}: ${verdict}\n`,
    );
  }
  return isMet;
}
