/**
 * Measures the time from the start of the process to the first answer, of this checkout and of another, in turns:
 * `npm run bench:start -- --against FOLDER [--rounds N]`. Prints the medians and their ratio.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dir, '..');
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { against: { type: 'string' }, rounds: { type: 'string', default: '25' } },
});
const checkouts = [root, ...(values.against === undefined ? [] : [resolve(values.against)])];
const FIRST_PORT = 21_700;

/** Starts the service on an empty data folder and returns the ms until a request is answered. */
async function firstAnswerMs(checkout: string, port: number): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-start-'));
  const startMs = performance.now();
  const child = Bun.spawn([process.execPath, join(checkout, 'src/main.ts'), '--http-port', String(port)], {
    cwd: dataDir,
    env: { ...process.env, SVC_DATA_DIR: dataDir, SVC_HTTP_PORT_RANGE: '1' },
    stdout: 'ignore',
    stderr: 'inherit',
  });
  try {
    for (;;) {
      try {
        await fetch(`http://127.0.0.1:${port}/svc?cmd=version`);
        return performance.now() - startMs;
      } catch {
        if (child.exitCode !== null) throw new Error(`${checkout}: exited with ${child.exitCode}`);
        await Bun.sleep(1);
      }
    }
  } finally {
    child.kill('SIGTERM');
    await child.exited;
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const times = checkouts.map((): number[] => []);
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [index, checkout] of checkouts.entries()) {
    times[index]?.push(await firstAnswerMs(checkout, FIRST_PORT + ((round * 2 + index) % 100)));
  }
}
const medians = times.map((each) => each.sort((left, right) => left - right)[each.length >> 1] ?? Number.NaN);
for (const [index, checkout] of checkouts.entries()) {
  const [least, most] = [times[index]?.[0], times[index]?.at(-1)];
  process.stdout.write(
    `${checkout}: first answer after ${medians[index]?.toFixed(1)} ms ` +
      `(median of ${values.rounds}; ${least?.toFixed(1)} to ${most?.toFixed(1)})\n`,
  );
}
const [own = Number.NaN, other] = medians;
if (other !== undefined) process.stdout.write(`ratio ${(own / other).toFixed(3)}\n`);
