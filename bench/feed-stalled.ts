/**
 * `npm run bench:feed-stalled [-- --pairs 10 --consumers 10]`: measures durable puts to a cache with a change feed,
 * without consumers and with ones that have stopped reading, in interleaved pairs. Prints throughput, CPU time per put
 * and what a stalled consumer was sent. Exits with 1 when they cost more than `--limit` (0.02) of the puts that fit in
 * a second of CPU time, by the median of the pairs, or are sent more than 16 Mi characters.
 */
import { connect, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { type LoadResult, runLoad } from './load.ts';
import { createRequests } from './requests.ts';
import { startSvc } from './servers.ts';
import { fill, oneWorkload, oneWorkloadOptions } from './workload.ts';

const { values } = parseArgs({
  options: {
    ...oneWorkloadOptions,
    pairs: { type: 'string', default: '10' },
    duration: { type: 'string', default: '2000' },
    consumers: { type: 'string', default: '10' },
    limit: { type: 'string', default: '0.02' },
  },
});
const durationMs = Number(values.duration);
const workload = oneWorkload(values);
const CONNECTIONS = 64;
const MOST_CHARACTERS = 16 * 1_024 * 1_024;
/** Large values, before each measurement, fill the sockets of stalled consumers, which hold some megabytes. */
const LARGE_PUTS = 128;
const LARGE_CHARACTERS = 128 * 1_024;

await using server = await startSvc(1);
const endpoint = `http://127.0.0.1:${server.port}${server.path}`;
await fetch(`${endpoint}?cmd=getorcreate&cacheName=fed&changeFeed=true`);
await fill(server, 'fed', workload);
const requests = createRequests(server.path, 'put', 'fed', workload);

async function measure(): Promise<LoadResult> {
  const body = new URLSearchParams({ cmd: 'put', cacheName: 'fed', key: 'large', val: 'x'.repeat(LARGE_CHARACTERS) });
  for (let put = 0; put < LARGE_PUTS; put++) await fetch(endpoint, { method: 'POST', body });
  const { port, pid: serverPid } = server;
  return runLoad({ kind: 'sockets', port, connections: CONNECTIONS, serverPid, warmUpMs: 300, durationMs }, requests);
}

/** Opens a stream and reads its beginning only. */
async function stalledConsumer(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  socket.write(`GET ${server.path}?cmd=watch&cacheName=fed HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  return socket.pause();
}

/** Returns the most characters that a consumer was sent, and how many changes it lags. */
async function held(): Promise<readonly [characters: number, behind: number]> {
  const qry = encodeURIComponent('SELECT MAX(CHARACTERS), MIN(BEHIND) FROM SYS.CHANGE_FEED_CONSUMERS');
  const answer: unknown = await (await fetch(`${endpoint}?cmd=qryfldexe&pageSize=1&qry=${qry}`)).json();
  const [[characters = 0, behind = 0] = []] = (answer as { response: { items: number[][] } }).response.items;
  return [characters, behind];
}

async function measureStalled(): Promise<LoadResult> {
  const consumers = await Promise.all(Array.from({ length: Number(values.consumers) }, stalledConsumer));
  try {
    const result = await measure();
    const [characters, behind] = await held();
    process.stdout.write(`a consumer was sent ${characters} characters at most, and lags ${behind} changes or more\n`);
    if (characters > MOST_CHARACTERS || behind === 0) process.exitCode = 1;
    return result;
  } finally {
    for (const each of consumers) each.destroy();
  }
}

await measure();
const ratios: number[] = [];
for (let pair = 0; pair < Number(values.pairs); pair++) {
  const isAloneFirst = pair % 2 === 0;
  const first = await (isAloneFirst ? measure() : measureStalled());
  const second = await (isAloneFirst ? measureStalled() : measure());
  const [alone, stalled] = isAloneFirst ? [first, second] : [second, first];
  ratios.push(alone.cpuMicros / stalled.cpuMicros);
  process.stdout.write(
    `puts: without consumers ${alone.perSecond.toFixed(0)} per second, ${alone.cpuMicros.toFixed(1)} us CPU each; ` +
      `with ${stalled.perSecond.toFixed(0)}, ${stalled.cpuMicros.toFixed(1)} us; ratio ${ratios.at(-1)?.toFixed(3)}\n`,
  );
}
const median = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN;
process.stdout.write(`median ratio ${median.toFixed(3)}\n`);
if (!(median >= 1 - Number(values.limit))) process.exitCode = 1;
