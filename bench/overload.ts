/**
 * Measures svc under overload: the server has one core, an open-loop generator another. For each kind of request it
 * finds the capacity, offers five times as much for some seconds, and then half the capacity again.
 *
 *   npm run bench:overload -- [get] [put] [statement] [--seconds 10]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LoadPhase, OverloadPlan, PhaseResult } from './overload-process.ts';
import { type MeasuredServer, startSvc } from './servers.ts';
import { fill, keysOf, oneWorkload, oneWorkloadOptions, valueText } from './workload.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { ...oneWorkloadOptions, seconds: { type: 'string', default: '10' } },
});
const workload = oneWorkload(values);
const keys = Array.from({ length: 100_000 }, keysOf(workload));
const SERVER_CORE = '0';
const GENERATOR_CORE = '1';
const CAPACITY_SECONDS = 2;
const RECOVERY_SECONDS = 3;
const OVERLOAD = 5;
const STATEMENT_MS = 5;

interface Subject {
  readonly name: string;
  /** Connections for finding the capacity, and for the overload. */
  readonly capacityConnections: number;
  readonly connections: number;
  path(server: MeasuredServer): Promise<string> | string;
}

const SUBJECTS: readonly Subject[] = [
  {
    name: 'get',
    capacityConnections: 128,
    connections: 4_000,
    path: ({ path }) => `${path}?cmd=get&cacheName=durable&key=#`,
  },
  {
    name: 'put',
    capacityConnections: 128,
    connections: 4_000,
    path: ({ path }) => `${path}?cmd=put&cacheName=durable&key=#&val=${valueText(1, workload)}`,
  },
  { name: 'statement', capacityConnections: 16, connections: 4_000, path: statementPath },
];

/** Returns the path of a statement that takes about 5 ms on the server's core. */
async function statementPath({ port, path }: MeasuredServer): Promise<string> {
  const of = (rows: number) =>
    `${path}?cmd=qryfldexe&pageSize=1&qry=SELECT+SUM(x)+FROM+SYSTEM_RANGE(1,${Math.round(rows)})`;
  const timeMs = async (rows: number) => {
    const begunMs = performance.now();
    for (let n = 0; n < 20; n++) await (await fetch(`http://127.0.0.1:${port}${of(rows)}`)).text();
    return (performance.now() - begunMs) / 20;
  };
  const rows = 50_000;
  await timeMs(rows);
  return of((rows * STATEMENT_MS) / (await timeMs(rows)));
}

function pin(pid: number): void {
  const { exitCode, stderr } = Bun.spawnSync(['taskset', '-a', '-c', '-p', SERVER_CORE, String(pid)]);
  if (exitCode !== 0) throw new Error(`taskset: ${stderr}`);
}

async function generate(plan: OverloadPlan): Promise<PhaseResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-overload-'));
  try {
    const file = join(folder, 'plan.json');
    writeFileSync(file, JSON.stringify(plan));
    const program = [process.execPath, '--no-orphans', join(import.meta.dir, 'overload-process.ts'), file];
    const child = Bun.spawn(['taskset', '-c', GENERATOR_CORE, ...program], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const text = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) throw new Error('The load generator failed');
    return JSON.parse(text) as PhaseResult[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(subject: Subject, seconds: number): Promise<void> {
  await using server = await startSvc(1);
  pin(server.pid);
  await fill(server, 'durable', workload);
  const path = await subject.path(server);
  const run = (connections: number, phases: readonly LoadPhase[]) =>
    generate({ port: server.port, path, keys, connections, phases });
  // The first phase warms up: statement processes start, and code is compiled.
  const closedLoop = { perSecond: 0, seconds: CAPACITY_SECONDS };
  const [, closed] = await run(subject.capacityConnections, [closedLoop, closedLoop]);
  const capacity = (closed?.accepted ?? 0) / CAPACITY_SECONDS;
  const [overload, recovery] = await run(subject.connections, [
    { perSecond: capacity * OVERLOAD, seconds },
    { perSecond: capacity / 2, seconds: RECOVERY_SECONDS },
  ]);
  if (overload === undefined || recovery === undefined) return;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const lines = [
    `${subject.name}: capacity ${Math.round(capacity)}/s, ${subject.connections} connections`,
    `  due ${Math.round(overload.due / seconds)}/s, accepted ${Math.round(overload.accepted / seconds)}/s, rejected ` +
      `${Math.round(overload.rejected / seconds)}/s, no free connection ${Math.round(overload.unsent / seconds)}/s, ` +
      `failed ${overload.failed}`,
    `  accepted p50 ${ms(overload.acceptedP50Ms)}, p99 ${ms(overload.acceptedP99Ms)}; ` +
      `rejected p99 ${ms(overload.rejectedP99Ms)}`,
    `  after it at half the capacity: normal after ${ms(recovery.settledMs)}, p99 ${ms(recovery.acceptedP99Ms)}, ` +
      `rejected ${recovery.rejected}, unsent ${recovery.unsent}; ` +
      `${recovery.outstanding} earlier requests answered after ${ms(recovery.drainedMs)}`,
    `  lag of the generator p99 ${ms(overload.lagP99Ms)}, then ${ms(recovery.lagP99Ms)}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

for (const subject of SUBJECTS) {
  if (positionals.length === 0 || positionals.includes(subject.name)) await measure(subject, Number(values.seconds));
}
