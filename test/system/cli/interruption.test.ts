/** Every subcommand ends at the first SIGINT or SIGTERM, whatever it waits for. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SUBCOMMANDS } from '../../../src/cli/subcommands.ts';
import { freePort } from '../../free-port.ts';
import { BUN, MAIN } from '../program.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const LIMIT_MS = 240_000;
/** The start of a subcommand among many other programs. */
const START_MS = 90_000;
/** Longer than a subcommand may take to clean up, on a busy machine; those of the table would wait far longer. */
const END_MS = 20_000;
const QUIET_MS = 400;
const SAMPLES = 8;
const folder = newFolder();
/** Accepts connections and never answers. */
const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
const silentAddress = `127.0.0.1:${silent.port}`;
/** Each takes a while to give up. */
const silentAddresses = Array(20).fill(silentAddress).join(',');
const silentUrl = `http://${silentAddress}/svc`;
let service: ServiceProcess;
/** Services that continue for a minute after SIGTERM; one is stopped for each signal. */
const slowToStop = new Map<string, ServiceProcess>();
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

beforeAll(async () => {
  service = await startService();
  await service.command('cmd=getorcreate&cacheName=followed&changeFeed=true');
  for (const signal of SIGNALS) {
    slowToStop.set(signal, await startService({ env: { SVC_SHUTDOWN_DELAY_SECONDS: '60' } }));
  }
  writeFileSync(join(folder, 'rows.ndjson'), '{"key":"a","value":"b"}\n');
  writeFileSync(join(folder, 'script.sql'), 'SELECT 1;\n');
  writeFileSync(
    join(folder, 'waiting.config.ts'),
    'await new Promise(() => setInterval(() => {}, 1000));\nexport default {};\n',
  );
  writeFileSync(join(folder, 'recording.ndjson'), '');
  mkdirSync(join(folder, 'store'));
}, LIMIT_MS);
afterAll(async () => {
  silent.stop(true);
  for (const each of slowToStop.values()) await each.kill();
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Arguments with which a subcommand waits: for a service that never answers, for input, or for the user. */
const WAITING: ReadonlyArray<readonly [title: string, args: (signal: string) => readonly string[]]> = [
  ['serve', (signal) => ['serve', '--data-dir', join(folder, signal), '--http-port', String(freePort())]],
  ['status', () => ['status', '--url', silentUrl]],
  ['stop', (signal) => ['stop', '--data-dir', slowToStop.get(signal)?.dataDir ?? '', '--timeout', '1000']],
  ['promote', () => ['promote', '--config', 'waiting.config.ts']],
  ['doctor', () => ['doctor', '--engine', 'cluster', '--endpoints', silentAddresses]],
  ['test-service', () => ['test-service']],
  ['config', () => ['config', 'check', 'waiting.config.ts']],
  ['sql with a statement', () => ['sql', '-c', 'SELECT 1', '--url', silentUrl]],
  ['sql with standard input', () => ['sql', '--url', service.url]],
  ['login', () => ['login', '--url', service.url, '--user', 'ann']],
  ['mcp', () => ['mcp', '--url', service.url]],
  ['import of a file', () => ['import', 'rows.ndjson', '--cache', 'c', '--url', silentUrl]],
  ['import of standard input', () => ['import', '-', '--format', 'csv', '--cache', 'default', '--url', service.url]],
  ['export', () => ['export', '--cache', 'c', '--url', silentUrl]],
  ['watch', () => ['watch', 'followed', '--url', service.url]],
  ['watch with events', () => ['watch', 'followed', '--events', '--from', 'start', '--url', service.url]],
  ['watch without an answer', () => ['watch', 'followed', '--url', silentUrl]],
  ['tables', () => ['tables', '--url', silentUrl]],
  ['describe', () => ['describe', 'people', '--url', silentUrl]],
  ['load-sql', () => ['load-sql', 'script.sql', '--url', silentUrl]],
  ['backup', () => ['backup', '--url', silentUrl]],
  ['backup to a file', () => ['backup', '--to', 'a.svcbackup', '--url', silentUrl]],
  ['restore', () => ['restore', '-', '--to', join(folder, 'restored')]],
  ['verify', () => ['verify', '-']],
  ['migrate', () => ['migrate', '--from', `cluster://${silentAddresses}`, '--to', join(folder, 'store')]],
  ['record', () => ['record', 'new.ndjson', '--append', '--url', silentUrl, '--port', String(freePort())]],
  ['replay', () => ['replay', '-', '--against', silentUrl]],
  ['report', () => ['report', '-']],
  ['put of standard input', () => ['put', 'key=a', 'val@-', '--url', service.url]],
  ['get', () => ['get', 'key=a', '--url', silentUrl]],
];
/** They wait for nothing. */
const INSTANT = ['logout', 'completion', 'version', 'help', 'tail'];

test('the table has every subcommand', () => {
  const tested = new Set([...WAITING.map(([title]) => title.split(' ')[0] ?? ''), ...INSTANT]);
  expect(SUBCOMMANDS.map(({ name }) => name).filter((name) => !tested.has(name))).toEqual([]);
});

function start(args: readonly string[]) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|XDG_|CI$|FORCE_COLOR)/.test(name));
  const env = { ...(Object.fromEntries(inherited) as Record<string, string>), NO_COLOR: '1', HOME: folder };
  return Bun.spawn([BUN, MAIN, ...args], {
    cwd: folder,
    env,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

/** State of a process's first thread, and processor time of all in ticks of the system. */
function activityOf(pid: number): { readonly sleeping: boolean; readonly ticks: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return { sleeping: fields[0] === 'S', ticks: Number(fields[11]) + Number(fields[12]) };
}

/** Subcommands that stop in order when told to; the others are cut off. */
const STOPPED: ReadonlySet<string> = new Set(['serve', 'record', 'mcp', 'test-service']);
const NUMBERS = { SIGINT: 2n, SIGTERM: 15n } as const;

/** Returns whether a process handles a signal itself. */
function handles(pid: number, signal: (typeof SIGNALS)[number]): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return ((BigInt(`0x${caught}`) >> (NUMBERS[signal] - 1n)) & 1n) === 1n;
}

/** Waits until a process sleeps and computes nothing; one that is starting runs, or waits for a processor or a disk. */
async function untilIdle(pid: number): Promise<void> {
  await until(
    'the process waits',
    async () => {
      const { ticks } = activityOf(pid);
      for (let sample = 0; sample < SAMPLES; sample++) {
        await Bun.sleep(QUIET_MS / SAMPLES);
        const now = activityOf(pid);
        if (!now.sleeping || now.ticks > ticks + 1) return false;
      }
      return true;
    },
    START_MS,
  );
}

for (const signal of SIGNALS) {
  test.concurrent.if(process.platform === 'linux').each(WAITING)(
    `${signal} ends svc %s`,
    async (title, args) => {
      const child = start(args(signal));
      const [output, errors] = [child.stdout.text(), child.stderr.text()];
      try {
        if (STOPPED.has(title)) await until('it handles the signal', () => handles(child.pid, signal), START_MS);
        await untilIdle(child.pid);
        expect(child.exitCode ?? child.signalCode).toBe(null);
        child.kill(signal);
        const ended = await Promise.race([child.exited.then(() => true), Bun.sleep(END_MS).then(() => false)]);
        expect([ended, await errors]).toEqual([true, expect.not.stringContaining('    at ')]);
        const allowed: ReadonlyArray<unknown> = STOPPED.has(title) ? [0] : [130, signal];
        expect(allowed).toContain(child.signalCode ?? child.exitCode);
        await output;
      } finally {
        child.kill('SIGKILL');
        await child.exited;
      }
    },
    LIMIT_MS,
  );
}
