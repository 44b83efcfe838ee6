/**
 * `npm run bench:api-key [-- --rounds N]`: measures the cost of an API key, with and without a scope, addresses and
 * rates, beside that of a session token. Compares gets on one service, alternately.
 */
import { parseArgs } from 'node:util';
import { type LoadResult, median, runLoad } from './load.ts';
import { createRequests } from './requests.ts';
import { startSvc } from './servers.ts';
import { fill, oneWorkload, oneWorkloadOptions } from './workload.ts';

const PASSWORD = 'a password for the benchmark';
const CONNECTIONS = 64;
const DEMAND_MICROS = 2;
const { values } = parseArgs({ options: { ...oneWorkloadOptions, rounds: { type: 'string', default: '7' } } });
const rounds = Number(values.rounds);
const workload = oneWorkload(values);

await using server = await startSvc(1, '', {
  SVC_AUTHENTICATION: 'true',
  SVC_ADMIN_PASSWORD: PASSWORD,
  SVC_REST_SESSION_TIMEOUT: '600',
});

async function send(params: Readonly<Record<string, string>>): Promise<{ sessionToken: string; response: unknown }> {
  const body = new URLSearchParams(params);
  const answer = await fetch(`http://127.0.0.1:${server.port}${server.path}`, { method: 'POST', body });
  const envelope = (await answer.json()) as { sessionToken: string; response: unknown; error: string | null };
  if (envelope.error !== null) throw new Error(envelope.error);
  return envelope;
}

const { sessionToken } = await send({ cmd: 'authenticate', user: 'svc', password: PASSWORD });
await fill({ ...server, path: `${server.path}?sessionToken=${sessionToken}` }, 'durable', workload);

async function addKey(name: string, params: Readonly<Record<string, string>>): Promise<string> {
  const { response } = await send({ cmd: 'apikeyadd', name, ...params, sessionToken });
  return (response as { readonly key: string }).key;
}

const gets = createRequests(server.path, 'get', 'durable', workload);
const bearer = (text: string) => gets.map((request) => ({ ...request, authorization: `Bearer ${text}` }));
const scope = JSON.stringify({ commands: ['@entry'], caches: { durable: 'read' } });
const subjects = [
  {
    name: 'session token as a parameter',
    requests: gets.map((request) => ({ ...request, path: `${request.path}&sessionToken=${sessionToken}` })),
  },
  { name: 'session token in the header', requests: bearer(sessionToken) },
  { name: 'API key', requests: bearer(await addKey('plain', {})) },
  { name: 'API key with a scope', requests: bearer(await addKey('scoped', { scope })) },
  {
    name: 'API key with a scope and addresses',
    requests: bearer(await addKey('near', { scope, addresses: '127.0.0.0/8,::1' })),
  },
  {
    name: 'API key with a scope, addresses and a rate',
    requests: bearer(await addKey('rated', { scope, addresses: '127.0.0.0/8,::1', rate: '9999999/s' })),
  },
].map((subject) => ({ ...subject, results: [] as LoadResult[] }));

const plan = { kind: 'sockets', port: server.port, serverPid: server.pid, connections: CONNECTIONS } as const;
for (let round = 0; round < rounds; round++) {
  for (const { requests, results } of subjects) {
    results.push(await runLoad({ ...plan, warmUpMs: 400, durationMs: 1_200 }, requests));
  }
}
const micros = subjects.map(({ results }) => median(results).cpuMicros);
const [, base = 0, key = 0] = micros;
for (const [at, { name, results }] of subjects.entries()) {
  const failed = results.find((result) => result.failed > 0);
  if (failed !== undefined) throw new Error(`${name}: ${failed.firstFailure}`);
  const own = micros[at] ?? 0;
  process.stdout.write(`${name}: ${own.toFixed(2)} µs CPU per request (${(own - base).toFixed(2)})\n`);
}
process.stdout.write(`an API key costs ${(key - base).toFixed(2)} µs more (at most ${DEMAND_MICROS})\n`);
