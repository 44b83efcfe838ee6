/**
 * `npm run bench:restore [-- --gigabytes 10 --value-bytes 50000 --folder FOLDER]`: lets a service ship values of that
 * many bytes to a folder, and restores them twice with `svc restore`. After each, it reads the objects and copies the
 * restored files to the disk, to measure the time that the disk needs for the same bytes. Prints all of them, the part
 * of the time that verification takes, and the most memory that a restore used. Exits with 1 when a restore takes more
 * than twice the disk's time, or more than 256 MB. `--folder` keeps what was shipped for the next run.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type MeasuredServer, startSvc } from './servers.ts';
import { fill } from './workload.ts';

const MAX_TIMES = 2;
const MAX_MEGABYTES = 256;
const MAIN = join(import.meta.dir, '../src/main.ts');

const { values } = parseArgs({
  options: {
    gigabytes: { type: 'string', default: '1' },
    'value-bytes': { type: 'string', default: '50000' },
    folder: { type: 'string' },
  },
});
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'svc-bench-restore-'));
const destination = join(folder, 'destination');
const url = `file://${destination}`;
const restored = join(folder, 'restored');

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function untilShipped(server: MeasuredServer): Promise<void> {
  for (let behindBytes = 1; behindBytes > 0; ) {
    await Bun.sleep(1_000);
    const answer = await fetch(`http://127.0.0.1:${server.port}${server.path}?cmd=backups`);
    const { response } = (await answer.json()) as { response: { continuous: { behindBytes: number } } };
    behindBytes = response.continuous.behindBytes;
  }
}

/** Fills a store that ships to the destination. */
async function ship(): Promise<void> {
  const valueBytes = Number(values['value-bytes']);
  const entries = Math.ceil((Number(values.gigabytes) * 1e9) / valueBytes);
  const dataDir = join(folder, 'data');
  await using server = await startSvc(1, '', { SVC_DATA_DIR: dataDir, SVC_BACKUP_CONTINUOUS_URL: url });
  await fill(server, 'durable', { entries, distribution: 'uniform', valueBytes });
  await untilShipped(server);
  await server[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
}

function bytesOf(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}

/** The seconds of the disk's part of a restore. */
interface DiskTime {
  readonly read: number;
  readonly written: number;
}

/** Measures the time to read the objects, and to copy the restored files until they are on disk. */
async function diskTime(): Promise<DiskTime> {
  dropCaches();
  const read = await run(['sh', '-c', `find '${destination}' -type f -exec cat {} + > /dev/null`]);
  const copy = join(folder, 'copy');
  const written = await run(['sh', '-c', `cp -r '${restored}' '${copy}' && sync -f '${copy}'`]);
  rmSync(copy, { recursive: true, force: true });
  return { read: read.seconds, written: written.seconds };
}

/** Drops the files from the kernel's cache, if this user may: a restore begins with objects that have not been read. */
function dropCaches(): void {
  Bun.spawnSync(['sync']);
  try {
    writeFileSync('/proc/sys/vm/drop_caches', '3');
  } catch {
    say('caches of the kernel were not dropped: that needs root');
  }
}

async function measuredRestore(): Promise<{ readonly seconds: number; readonly megabytes: number }> {
  dropCaches();
  return run([process.execPath, MAIN, 'restore', '--from', url, '--to', restored, '--replace']);
}

/** Runs a program to its end. Throws if it fails. */
async function run(command: readonly string[]): Promise<{ readonly seconds: number; readonly megabytes: number }> {
  const startMs = performance.now();
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  const errors = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed: ${errors}`);
  const seconds = (performance.now() - startMs) / 1_000;
  return { seconds, megabytes: (child.resourceUsage()?.maxRSS ?? 0) / 1e6 };
}

let isTooSlow = false;
try {
  if (!existsSync(destination)) await ship();
  const [first, firstDisk] = [await measuredRestore(), await diskTime()];
  const [second, secondDisk] = [await measuredRestore(), await diskTime()];
  const verify = await run([process.execPath, MAIN, 'verify', restored]);
  const megabytes = bytesOf(restored) / 1e6;
  const objects = bytesOf(destination) / 1e6;
  rmSync(restored, { recursive: true, force: true });
  const speed = (seconds: number, bytes: number): string =>
    `${seconds.toFixed(1)} s, ${(bytes / seconds).toFixed(0)} MB/s`;
  const disk = ({ read, written }: DiskTime): string =>
    `objects read in ${speed(read, objects)}, restored files written in ${speed(written, megabytes)}`;
  const times =
    (first.seconds + second.seconds) / (firstDisk.read + firstDisk.written + secondDisk.read + secondDisk.written);
  const memory = Math.max(first.megabytes, second.megabytes);
  say(`${(objects / 1e3).toFixed(2)} GB of objects, ${(megabytes / 1e3).toFixed(2)} GB restored`);
  say(`restored: ${speed(first.seconds, objects)} of objects; ${speed(second.seconds, objects)}`);
  say(`svc verify takes ${verify.seconds.toFixed(1)} s of it`);
  say(`disk:     ${disk(firstDisk)}; ${disk(secondDisk)}`);
  say(`a restore takes ${times.toFixed(2)} times the disk's time, and at most ${memory.toFixed(0)} MB of memory`);
  isTooSlow = times > MAX_TIMES || memory > MAX_MEGABYTES;
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exit(isTooSlow ? 1 : 0);
