/** `svc version`. */
import type { Command } from 'commander';
import type { Invocation } from './subcommand.ts';

export function declareVersion(command: Command, { version, terminal }: Invocation): void {
  command.action(() => {
    terminal.output.write(`${version}\n`);
  });
}
