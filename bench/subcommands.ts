/**
 * `npm run bench:subcommands [-- --rounds N --executable FILE]`: measures how long subcommands take that only send a
 * request, as they are installed from npm (by its command, and by the runtime that this starts) and as the
 * executable, in turns with `node -e 0`. Prints minimum and median of the elapsed time, and the processor time. Exits
 * with 1 when a median is above `--limit` (80 ms).
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from './servers.ts';

const root = join(import.meta.dir, '..');
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    rounds: { type: 'string', default: '25' },
    limit: { type: 'string', default: '80' },
    executable: { type: 'string' },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'svc-subcommands-'));

/** Lays out what `npm install` puts on the disk, and returns the launcher and the bundle. */
function installPackage(): { readonly launcher: string; readonly bundle: string } {
  const installed = join(folder, 'package');
  mkdirSync(join(installed, 'scripts'), { recursive: true });
  copyFileSync(join(root, 'scripts/svc'), join(installed, 'scripts/svc'));
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  const service = join(installed, 'dist/service');
  execFileSync(process.execPath, [join(root, 'scripts/build-service.ts'), service], { stdio: 'ignore' });
  const launcher = join(folder, 'svc');
  symlinkSync(join(installed, 'scripts/svc'), launcher);
  return { launcher, bundle: join(service, 'main.js') };
}

/** Builds the executable unless `--executable` names one. */
function executable(): string {
  if (values.executable !== undefined) return resolve(values.executable);
  const file = join(folder, 'svc');
  execFileSync(process.execPath, [join(root, 'scripts/build.ts'), '--outfile', file], { stdio: 'ignore' });
  return file;
}

interface Run {
  readonly ms: number;
  readonly cpuMs: number;
}

async function run(command: readonly string[]): Promise<Run> {
  const startMs = performance.now();
  const child = Bun.spawn([...command], { cwd: folder, stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' });
  const exitCode = await child.exited;
  const ms = performance.now() - startMs;
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: exited with ${exitCode}`);
  return { ms, cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000 };
}

async function startService(bundle: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = freePort();
  const url = `http://127.0.0.1:${port}/svc`;
  const service = Bun.spawn(
    [process.execPath, bundle, '--http-port', String(port), '--data-dir', join(folder, 'data')],
    {
      stdout: 'ignore',
      stderr: 'inherit',
    },
  );
  while (
    !(await fetch(`${url}?cmd=put&key=1&val=2`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (service.exitCode !== null) throw new Error('the service has ended');
    await Bun.sleep(10);
  }
  return {
    url,
    async stop() {
      service.kill('SIGTERM');
      await service.exited;
    },
  };
}

function sorted(numbers: readonly number[]): readonly number[] {
  return numbers.toSorted((left, right) => left - right);
}

const { launcher, bundle } = installPackage();
const programs = new Map<string, readonly string[]>([
  ['svc from npm', [launcher]],
  ['svc by its runtime', [process.execPath, bundle]],
  ['svc as executable', [executable()]],
]);
const service = await startService(bundle);
try {
  const subjects = new Map<string, readonly string[]>([['node -e 0', ['node', '-e', '0']]]);
  for (const [name, program] of programs) {
    if (!existsSync(program.at(-1) ?? '')) throw new Error(`${name}: there is no file ${program.at(-1)}`);
    for (const words of [['get', '1'], ['tables'], ['sql', '--command', 'SELECT 1']]) {
      subjects.set(`${name}: ${words.slice(0, 1)}`, [...program, ...words, '--url', service.url]);
    }
  }
  const runs = new Map([...subjects.keys()].map((name): [string, Run[]] => [name, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, command] of subjects) runs.get(name)?.push(await run(command));
  }
  for (const [name, measured] of runs) {
    const times = sorted(measured.map(({ ms }) => ms));
    const median = times[times.length >> 1] ?? Number.NaN;
    const [leastCpuMs = Number.NaN] = sorted(measured.map(({ cpuMs }) => cpuMs));
    process.stdout.write(
      `${name.padEnd(28)} median ${median.toFixed(1)} ms, at best ${(times[0] ?? Number.NaN).toFixed(1)} ms, ` +
        `${leastCpuMs.toFixed(1)} ms of processor time\n`,
    );
    if (name !== 'node -e 0' && median > Number(values.limit)) process.exitCode = 1;
  }
} finally {
  await service.stop();
  rmSync(folder, { recursive: true });
}
