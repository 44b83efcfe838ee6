/** `svc help`: the overview, or the help of one subcommand or command of the interface. */
import type { Command } from 'commander';
import { OPTION_ROWS } from '../configuration/options.ts';
import { helpText } from '../documentation/help.ts';
import { type Invocation, SUBCOMMAND_GROUPS, type Subcommand, type SubcommandGroup } from './subcommand.ts';

export function declareHelp(command: Command, { version, terminal, subcommands }: Invocation): void {
  command.action(() => {
    terminal.output.write(`${overview(subcommands)}\n${helpText(OPTION_ROWS, version)}`);
  });
}

/** Lists all subcommands by group, one per line. */
function overview(subcommands: readonly Subcommand[]): string {
  const width = Math.max(...subcommands.map(({ name }) => name.length));
  return (Object.keys(SUBCOMMAND_GROUPS) as SubcommandGroup[])
    .map((group) => {
      const own = subcommands.filter((each) => each.group === group);
      const lines = own.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
      return `${SUBCOMMAND_GROUPS[group]}:\n${lines.join('')}`;
    })
    .join('\n');
}
