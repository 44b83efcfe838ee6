/** Executes the shell blocks of docs/backup.md in order, in one folder, with the real program as `svc`. */
import { afterAll, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, shellCommands } from '../../documentation/shell.ts';
import { endOf } from '../../ended-program.ts';
import { freePort } from '../../free-port.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const root = join(import.meta.dir, '../../..');
const folder = newFolder();
const bin = join(folder, 'bin');
const port = freePort();

let service: ServiceProcess | undefined;

afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the service according to a line `NAME=value ... svc serve`. */
async function serve(words: readonly string[]): Promise<ServiceProcess> {
  await service?.stop();
  const variables = words
    .slice(0, words.indexOf('svc'))
    .map((word) => word.replace('/var/backups', folder).split('=', 2));
  const { SVC_DATA_DIR: dataDir = 'data', ...env } = Object.fromEntries(variables) as Record<string, string>;
  return startService({ cwd: folder, dataDir: join(folder, dataDir), port, env: { SVC_DATA_DIR: dataDir, ...env } });
}

async function run(script: string): Promise<string> {
  const text = script
    .replaceAll('http://localhost:8080', `http://127.0.0.1:${port}`)
    .replaceAll('/var/backups', folder)
    .replaceAll('curl --fail', 'curl -sS --fail');
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  const env = { ...Object.fromEntries(inherited), PATH: `${bin}:${process.env.PATH}`, HOME: folder };
  const { exitCode, output, errors } = await endOf(['sh', '-e', '-c', text], { cwd: folder, env });
  expect([script, exitCode, errors.replace(/^backup of .*\n$/, '')]).toEqual([script, 0, '']);
  return output;
}

test('the guide to backups works as written', async () => {
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'svc'),
    `#!/bin/sh\nexec ${join(root, 'node_modules/.bin/bun')} ${join(root, 'src/main.ts')} "$@"\n`,
  );
  chmodSync(join(bin, 'svc'), 0o755);
  const blocks = blocksOf(readFileSync(join(root, 'docs/backup.md'), 'utf8')).filter(
    ({ language }) => language === 'sh',
  );
  expect(blocks.length).toBeGreaterThan(8);
  service = await serve(['svc', 'serve']);
  await service.command('cmd=put&key=colour&val=red');
  const outputs: string[] = [];
  for (const { text } of blocks) {
    const [words = []] = shellCommands(text);
    if (words.at(-1) === 'serve') service = await serve(words);
    else outputs.push(await run(text));
    // The next examples list what has been shipped, and restore the state of the current second.
    const [, destination] = /SVC_BACKUP_CONTINUOUS_URL=file:\/\/\/var\/backups\/(\S+)/.exec(words.join(' ')) ?? [];
    if (destination !== undefined) {
      await until('the snapshot is shipped', () => existsSync(join(folder, destination, 'ltx/9')));
      await Bun.sleep(1_000);
    }
    // The example starts a service with the restored folder; the next ones are about the first folder.
    if (words.includes('SVC_DATA_DIR=restored')) {
      expect(await service?.command('cmd=get&key=colour')).toBe('red');
      service = await serve(['svc', 'serve']);
    }
    if (words.join(' ') === 'svc stop') service = undefined;
  }
  expect(outputs.join('')).toContain('"sound":true,"checksums":true');
  expect(readdirSync(join(folder, 'backups'))).toContain('before-upgrade.svcbackup');
  for (const restored of ['newest', 'earlier', 'decrypted']) {
    await using other = await startService({ cwd: folder, dataDir: join(folder, restored) });
    expect(await other.command('cmd=get&key=colour')).toBe('red');
  }
  for (const file of ['copy.svcbackup', 'curl.svcbackup', 'moved.svcbackup']) await run(`svc verify ${file}`);
  service = await startService({ cwd: folder, dataDir: join(folder, 'moved') });
  expect(await service.command('cmd=get&key=colour')).toBe('red');
}, 60_000);
