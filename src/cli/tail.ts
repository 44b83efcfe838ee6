/** `svc tail`: prints the commits that a deposed primary had not shipped. */
import type { Command } from 'commander';
import { errorText } from '../base/errors.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { CommandLineError } from './failures.ts';
import { localPath } from './local-path.ts';
import type { Invocation } from './subcommand.ts';

export function declareTail(command: Command, { terminal, service }: Invocation): void {
  command
    .argument('<folder>', 'the folder "deposed" of a data folder, or a copy of it')
    .action(async (folder: string) => {
      const files = await service.backups();
      try {
        for (const line of files.tailOf(localPath(terminal.cwd, folder))) await terminal.print(`${line}\n`);
      } catch (error) {
        throw new CommandLineError(EXIT_CODES.failed, errorText(error), { cause: error });
      }
    });
}
