/** Executes the shell blocks of docs/command-line.md and docs/configuration.md with the real program. */
import { expect, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, shellCommands } from '../../documentation/shell.ts';
import { newFolder, startService } from '../service-process.ts';
import { runSvcProcess } from './cli-process.ts';

const root = join(import.meta.dir, '../../..');

for (const path of ['docs/command-line.md', 'docs/configuration.md']) {
  test(`every svc command of ${path} succeeds`, async () => {
    await using service = await startService();
    const cwd = newFolder();
    const commands = blocksOf(readFileSync(join(root, path), 'utf8'))
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => shellCommands(text))
      .filter(([program, word]) => program === 'svc' && word !== 'serve');
    expect(commands.length).toBeGreaterThan(2);
    for (const [, ...args] of commands) {
      const result = await runSvcProcess(args, { cwd, env: { SVC_URL: service.url } });
      expect([args.join(' '), result.exitCode, result.errors]).toEqual([args.join(' '), 0, '']);
    }
    rmSync(cwd, { recursive: true });
  }, 120_000);
}
