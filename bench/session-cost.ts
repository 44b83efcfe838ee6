/**
 * `bun bench/session-cost.ts [--rounds N]`: measures the cost of a session token. Compares gets with a token on a
 * service that requires one, the same gets on a service that does not, and gets without a token, alternately.
 */
import { type LoadResult, median, runLoad } from './load.ts';
import { type BenchRequest, createRequests } from './requests.ts';
import { type MeasuredServer, startSvc } from './servers.ts';

const PASSWORD = 'a password for the benchmark';
const KEYS = 1_000;
const CONNECTIONS = 64;
const DEMAND_MICROS = 3;
const rounds = Number(process.argv[process.argv.indexOf('--rounds') + 1]) || 5;

async function logIn({ port, path }: MeasuredServer): Promise<string> {
  const body = new URLSearchParams({ cmd: 'authenticate', user: 'svc', password: PASSWORD });
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body });
  const { sessionToken, error } = (await answer.json()) as { sessionToken: string | null; error: string | null };
  if (sessionToken === null) throw new Error(`No session: ${error}`);
  return sessionToken;
}

function gets({ path }: MeasuredServer, token: string | undefined): BenchRequest[] {
  const requests = createRequests(path, 'get', 'durable', KEYS);
  if (token === undefined) return requests;
  return requests.map((request) => ({ ...request, path: `${request.path}&sessionToken=${token}` }));
}

await using open = await startSvc(1, ' without authentication');
await using guarded = await startSvc(1, ' with authentication', {
  SVC_AUTHENTICATION: 'true',
  SVC_ADMIN_PASSWORD: PASSWORD,
});
const token = await logIn(guarded);
const subjects = [
  { name: 'no token, nobody asks', server: open, requests: gets(open, undefined) },
  { name: 'a token, nobody asks', server: open, requests: gets(open, token) },
  { name: 'a token that is needed', server: guarded, requests: gets(guarded, token) },
].map((subject) => ({ ...subject, results: [] as LoadResult[] }));
for (let round = 0; round < rounds; round++) {
  for (const { server, requests, results } of subjects) {
    const plan = { kind: 'sockets', port: server.port, serverPid: server.pid, connections: CONNECTIONS } as const;
    results.push(await runLoad({ ...plan, warmUpMs: 400, durationMs: 1_200 }, requests));
  }
}
const micros = subjects.map(({ results }) => median(results).cpuMicros);
for (const [at, { name }] of subjects.entries()) {
  process.stdout.write(`${name}: ${micros[at]?.toFixed(2)} µs CPU per request\n`);
}
const [plain = 0, , needed = 0] = micros;
process.stdout.write(`the token costs ${(needed - plain).toFixed(2)} µs (at most ${DEMAND_MICROS})\n`);
