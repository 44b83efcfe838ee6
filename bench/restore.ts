/**
 * `npm run bench:restore [-- --gigabytes 10 --value-bytes 50000 --folder FOLDER]`: has a service ship so much to a
 * folder, restores it twice with `svc restore`, and copies the restored file after each, which is the disk's speed.
 * Prints both, the part of the time that verification takes, and the most memory that a restore used. Exits with 1 when
 * it takes more than twice as long as a copy, or more than 256 MB. `--folder` keeps what was shipped for the next run.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
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

/** Returns the seconds that copying what was restored takes, until it is on disk. */
async function copySeconds(): Promise<number> {
  const copy = join(folder, 'copy');
  const { seconds } = await run(['sh', '-c', `cp -r '${restored}' '${copy}' && sync -f '${copy}'`]);
  rmSync(copy, { recursive: true, force: true });
  return seconds;
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
  const restore = [process.execPath, MAIN, 'restore', '--from', url, '--to', restored, '--replace'];
  const [first, firstCopy] = [await run(restore), await copySeconds()];
  const [second, secondCopy] = [await run(restore), await copySeconds()];
  const verify = await run([process.execPath, MAIN, 'verify', restored]);
  const megabytes = bytesOf(restored) / 1e6;
  rmSync(restored, { recursive: true, force: true });
  const speed = (seconds: number): string => `${seconds.toFixed(1)} s, ${(megabytes / seconds).toFixed(0)} MB/s`;
  const times = (first.seconds + second.seconds) / (firstCopy + secondCopy);
  const memory = Math.max(first.megabytes, second.megabytes);
  say(`${(bytesOf(destination) / 1e9).toFixed(2)} GB of objects, ${(megabytes / 1e3).toFixed(2)} GB restored`);
  say(
    `restored: ${speed(first.seconds)}; ${speed(second.seconds)}; svc verify takes ${verify.seconds.toFixed(1)} s of it`,
  );
  say(`copied:   ${speed(firstCopy)}; ${speed(secondCopy)}`);
  say(`a restore takes ${times.toFixed(2)} times as long as a copy, and at most ${memory.toFixed(0)} MB of memory`);
  isTooSlow = times > MAX_TIMES || memory > MAX_MEGABYTES;
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exit(isTooSlow ? 1 : 0);
