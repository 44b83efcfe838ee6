/**
 * `npm run bench:webdis [-- --pairs 10 --operations get,put,getall,putall --threads 1 --appendfsync no]`: measures svc
 * against Webdis in front of Redis (Debian packages `redis-server` and `webdis`), which answers GET, SET, MGET and MSET
 * of 100 keys over HTTP, in interleaved pairs. Prints the ratios of CPU time per request, that of both processes for
 * Webdis, and of throughput, and exits with 1 when a median of CPU time is above `--limit` (default 1.5). Neither waits
 * for a disk: svc uses a region that does not persist, Redis memory. With `--appendfsync always`, both sync each write.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoadPlan, type LoadResult, medianOf, runLoad } from './load.ts';
import { type BenchRequest, createRequests } from './requests.ts';
import { freePort, startSvc } from './servers.ts';
import { fill, valueText, type Workload, workloadOptions, workloadsOf } from './workload.ts';

const { values } = parseArgs({
  options: {
    ...workloadOptions,
    operations: { type: 'string', default: 'get,put,getall,putall' },
    threads: { type: 'string', default: '1' },
    appendfsync: { type: 'string', default: 'no' },
    pairs: { type: 'string', default: '10' },
    duration: { type: 'string', default: '1500' },
    limit: { type: 'string', default: '1.5' },
  },
});
const OPERATIONS = ['get', 'put', 'getall', 'putall'] as const;
type Asked = (typeof OPERATIONS)[number];
const names = values.operations.split(',');
const operations = OPERATIONS.filter((each) => names.includes(each));
if (operations.length !== names.length) throw new Error(`--operations are some of ${OPERATIONS.join(', ')}`);
const isSynced = values.appendfsync === 'always';
const FILL_BATCH = 500;
const SUCCESS: Readonly<Record<Asked, string>> = {
  get: '{"GET":"',
  put: '{"SET":[true,"OK"]}',
  getall: '{"MGET":["',
  putall: '{"MSET":[true,"OK"]}',
};
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
    threads: Number(values.threads),
    http_max_request_size: 128 * 1024 * 1024,
    pool_size: 8,
    daemonize: false,
    websockets: false,
    database: 0,
    verbosity: 0,
    logfile: join(folder, 'webdis.log'),
  }),
);
const options = { cwd: folder, stdout: 'ignore', stderr: 'inherit' } as const;
const synced = isSynced ? ['--appendonly', 'yes', '--appendfsync', 'always'] : [];
const redisArguments = ['--port', String(redisPort), '--save', '', '--bind', '127.0.0.1', ...synced];
const redisProcess = Bun.spawn([redis, ...redisArguments], options);
const webdisUrl = `http://127.0.0.1:${webdisPort}`;
let webdisProcess: Bun.Subprocess | undefined;
process.stdout.write(
  '| operation | entries | keys | value bytes | appendfsync | svc CPU µs | Webdis and Redis CPU µs | CPU ratio | throughput ratio |\n' +
    '|---|---|---|---|---|---|---|---|---|\n',
);
try {
  await until(async () => (await Bun.connect({ hostname: '127.0.0.1', port: redisPort, socket: { data() {} } })).end());
  webdisProcess = Bun.spawn([webdis, file], options);
  await until(() => fetch(`${webdisUrl}/PING`).then((answer) => answer.text()));
  for (const workload of workloadsOf(values)) {
    if (!(await compare(webdisProcess.pid, workload))) process.exitCode = 1;
  }
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

/** Returns the request of Webdis for a request of svc, with the same keys and values. */
function toWebdis({ path, body }: BenchRequest, operation: Asked): BenchRequest {
  if (operation.endsWith('all')) {
    const parameters = [...new URLSearchParams(body)].map(([, value]) => value);
    return { method: 'POST', path: '/', body: [operation === 'getall' ? 'MGET' : 'MSET', ...parameters].join('/') };
  }
  const parameters = new URLSearchParams(path.slice(path.indexOf('?')));
  const parts = [operation === 'get' ? 'GET' : 'SET', parameters.get('key')];
  if (operation === 'put') parts.push(parameters.get('val'));
  return { method: 'GET', path: `/${parts.join('/')}`, body: '' };
}

/** Stores the entries of a workload in Redis. */
async function fillRedis(workload: Workload): Promise<void> {
  for (let from = 0; from < workload.entries; from += FILL_BATCH) {
    const length = Math.min(FILL_BATCH, workload.entries - from);
    const all = Array.from({ length }, (_, at) => `${from + at}/${valueText(from + at, workload)}`);
    await (await fetch(webdisUrl, { method: 'POST', body: `MSET/${all.join('/')}` })).text();
  }
}

/** Measures both in turns. Returns whether every median is within the limit. */
async function compare(webdisPid: number, workload: Workload): Promise<boolean> {
  await using svc = await startSvc(Number(values.threads));
  const cache = isSynced ? 'durable' : 'memory';
  await fill(svc, cache, workload);
  await fillRedis(workload);
  const plan = { kind: 'sockets', connections: 64, warmUpMs: 300, durationMs: Number(values.duration) } as const;
  const svcPlan: LoadPlan = { ...plan, port: svc.port, serverPid: svc.pid };
  const webdisPlan: LoadPlan = { ...plan, port: webdisPort, serverPid: webdisPid, furtherPid: redisProcess.pid };
  let isMet = true;
  for (const operation of operations) {
    const requests = createRequests(svc.path, operation, cache, workload);
    const others = requests.map((request) => toWebdis(request, operation));
    const success = SUCCESS[operation];
    const measure = {
      svc: () => runLoad(svcPlan, requests),
      webdis: () => runLoad({ ...webdisPlan, success }, others),
    };
    await measure.svc();
    await measure.webdis();
    const results: Array<readonly [own: LoadResult, other: LoadResult]> = [];
    for (let pair = 0; pair < Number(values.pairs); pair++) {
      // The order alternates, so a drift in the machine's speed favours neither.
      const first = pair % 2 === 0 ? await measure.svc() : await measure.webdis();
      const second = pair % 2 === 0 ? await measure.webdis() : await measure.svc();
      results.push(pair % 2 === 0 ? [first, second] : [second, first]);
    }
    const cpu = medianOf(results.map(([own, other]) => own.cpuMicros / other.cpuMicros));
    const rate = medianOf(results.map(([own, other]) => own.perSecond / other.perSecond));
    const [own, other] = [0, 1].map((side) => medianOf(results.map((pair) => pair[side]?.cpuMicros ?? 0)).toFixed(1));
    isMet &&= cpu <= Number(values.limit);
    process.stdout.write(
      `| ${operation} | ${workload.entries} | ${workload.distribution} | ${workload.valueBytes} | ` +
        `${values.appendfsync} | ` +
        `${own} | ${other} | ${cpu.toFixed(2)} | ${rate.toFixed(2)} |\n`,
    );
  }
  return isMet;
}
