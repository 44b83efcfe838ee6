// Load generator of ordinary clients: Node's HTTP client with persistent connections. Its argument is the file of its
// plan (LoadPlan of load.ts; `list`: the requests). Writes its counts as one line of JSON.
import { readFileSync } from 'node:fs';
import http from 'node:http';

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const agent = new http.Agent({ keepAlive: true, maxSockets: plan.connections });
const latenciesMs = [];
let counting = false;
let ended = false;
let answered = 0;
let failed = 0;
let firstFailure = '';
let next = 0;
// Exits with the benchmark, which holds the other end of standard input and reads the counts.
process.stdin.on('end', () => process.exit(0)).resume();
process.stdout.on('error', () => process.exit(0));

function send({ method, path, body }) {
  return new Promise((resolve) => {
    const headers =
      method === 'POST'
        ? { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': Buffer.byteLength(body) }
        : {};
    const request = http.request({ host: '127.0.0.1', port: plan.port, method, path, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    request.on('error', (error) => resolve(error.message));
    request.end(body);
  });
}

async function client() {
  while (!ended) {
    const begunMs = performance.now();
    const text = await send(plan.list[next++ % plan.list.length]);
    if (!counting) continue;
    answered += 1;
    latenciesMs.push(performance.now() - begunMs);
    if (!text.includes('"successStatus":0')) {
      failed += 1;
      firstFailure ||= text.slice(0, 300);
    }
  }
}

// CPU time of a process with all its threads, in ms (/proc/PID/stat, in ticks of 10 ms).
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const clients = Array.from({ length: plan.connections }, client);
await sleep(plan.warmUpMs);
const cpuBeforeMs = cpuMs(plan.serverPid);
const behindMs = () => (plan.behindPid === undefined ? 0 : cpuMs(plan.behindPid));
const behindBeforeMs = behindMs();
const begunMs = performance.now();
counting = true;
await sleep(plan.durationMs);
counting = false;
const lastedMs = performance.now() - begunMs;
const usedMs = cpuMs(plan.serverPid) - cpuBeforeMs;
const usedBehindMs = behindMs() - behindBeforeMs;
ended = true;
await Promise.all(clients);
agent.destroy();

latenciesMs.sort((a, b) => a - b);
const percentile = (share) =>
  latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * share))] ?? 0;
process.stdout.write(
  `${JSON.stringify({
    requests: answered,
    failed,
    firstFailure,
    perSecond: (answered * 1000) / lastedMs,
    cpuMicros: (usedMs * 1000) / Math.max(1, answered),
    behindCpuMicros: (usedBehindMs * 1000) / Math.max(1, answered),
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  })}\n`,
  () => process.exit(0),
);
