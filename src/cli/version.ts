/** `svc version`. */
import type { Command } from 'commander';
import type { ClientInvocation } from './subcommand.ts';

export function declareVersion(command: Command, { version, terminal }: ClientInvocation): void {
  command.action(() => terminal.print(`${version}\n`));
}
