/**
 * `npm run bench:start [-- --against FOLDER] [--rounds N]`: measures the time from the start of a process to the first
 * answer, of a bare server of the runtime, of this checkout as `npm start` runs it and of another checkout, in turns.
 * Prints medians, processor time until the first answer, and ratios. Exits with 1 when the ratio to the bare server is
 * above `--limit` (default 4).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { medianOf } from './load.ts';
import { freePort } from './servers.ts';

const root = join(import.meta.dir, '..');
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '25' },
    limit: { type: 'string', default: '4' },
  },
});

/** Returns the file that `npm start` runs in a checkout. */
function programOf(checkout: string): string {
  const script = join(checkout, 'scripts/program.mjs');
  return existsSync(script) ? execFileSync('node', [script], { encoding: 'utf8' }) : join(checkout, 'src/main.ts');
}

/** The started programs, by the name that is printed. */
const subjects = new Map<string, string>([
  ['bare server', join(import.meta.dir, 'bare-process.ts')],
  [root, programOf(root)],
]);
if (values.against !== undefined) subjects.set(resolve(values.against), programOf(resolve(values.against)));

interface Start {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Returns the processor time of a process and its threads in ms, from the scheduler's exact counts. */
function cpuMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const nanoseconds = execFileSync('sh', ['-c', `cat ${tasks}/*/schedstat`], { encoding: 'utf8' });
  return nanoseconds.split('\n').reduce((sum, line) => sum + Number(line.split(' ')[0]), 0) / 1e6;
}

/** Starts a program on an empty data folder and measures until a request is answered. */
async function start(program: string): Promise<Start> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-start-'));
  const port = freePort();
  const startMs = performance.now();
  const child = Bun.spawn([process.execPath, program], {
    cwd: dataDir,
    env: {
      ...process.env,
      ...{ SVC_DATA_DIR: dataDir, SVC_HTTP_PORT: String(port), SVC_HTTP_PORT_RANGE: '1', BARE_PORT: String(port) },
    },
    stdout: 'ignore',
    stderr: 'inherit',
  });
  try {
    for (;;) {
      try {
        await fetch(`http://127.0.0.1:${port}/svc?cmd=version`);
        return { ms: performance.now() - startMs, cpuMs: cpuMs(child.pid) };
      } catch {
        if (child.exitCode !== null) throw new Error(`${program}: exited with ${child.exitCode}`);
        await Bun.sleep(1);
      }
    }
  } finally {
    child.kill('SIGTERM');
    await child.exited;
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const starts = new Map([...subjects.keys()].map((name): [string, Start[]] => [name, []]));
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [name, program] of subjects) starts.get(name)?.push(await start(program));
}
const bareMs = medianOf((starts.get('bare server') ?? []).map(({ ms }) => ms));
for (const [name, measured] of starts) {
  const times = measured.map(({ ms }) => ms);
  const ms = medianOf(times);
  process.stdout.write(
    `${name}: first answer after ${ms.toFixed(1)} ms (${Math.min(...times).toFixed(1)} to ` +
      `${Math.max(...times).toFixed(1)}), ${medianOf(measured.map((each) => each.cpuMs)).toFixed(1)} ms of processor ` +
      `time, ${(ms / bareMs).toFixed(2)} times the bare server\n`,
  );
}
const ownMs = medianOf((starts.get(root) ?? []).map(({ ms }) => ms));
process.exitCode = ownMs / bareMs > Number(values.limit) ? 1 : 0;
