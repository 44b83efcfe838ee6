/** `svc help`: the overview, or the help of one subcommand or command. */
import type { Command } from 'commander';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { findCommand } from '../commands/registry.ts';
import { OPTION_ROWS } from '../configuration/options.ts';
import { commandHelp, commandOverview, helpText } from '../documentation/help.ts';
import { type Invocation, SUBCOMMAND_GROUPS, type Subcommand, type SubcommandGroup } from './subcommand.ts';

export function declareHelp(command: Command, invocation: Invocation): void {
  const { version, terminal, subcommands } = invocation;
  command
    .argument('[name]', 'a subcommand, or a command of the interface')
    .option('--all', 'also list the commands of the interface and the options of the service')
    .action(async (name: string | undefined, { all = false }: { readonly all?: boolean }) => {
      const { output } = terminal;
      const serviceHelp = () => helpText(OPTION_ROWS, version);
      if (name === undefined) {
        output.write(overview(subcommands, version));
        if (all) output.write(`\nCommands of the interface:\n\n${commandOverview('svc')}\n${serviceHelp()}`);
        return;
      }
      const declared = subcommands.some((each) => each.name === name) ? undefined : findCommand(name);
      const text = declared === undefined ? await invocation.helpOf(name) : commandHelp(declared.name, 'svc');
      if (text !== undefined) output.write(text);
      else if (name === 'serve') output.write(serviceHelp());
      else invocation.exit(await forwardedHelp(name, invocation));
    });
}

/** Prints the help of a subcommand that reads its own arguments. */
async function forwardedHelp(name: string, invocation: Invocation): Promise<number> {
  const found = invocation.subcommands.find((each) => each.name === name);
  return found !== undefined && 'forward' in found ? found.forward(['--help'], invocation) : EXIT_CODES.usage;
}

/** Lists all subcommands by group, one per line. */
function overview(subcommands: readonly Subcommand[], version: string): string {
  const width = Math.max(...subcommands.map(({ name }) => name.length));
  const groups = (Object.keys(SUBCOMMAND_GROUPS) as SubcommandGroup[]).map((group) => {
    const own = subcommands.filter((each) => each.group === group);
    const lines = own.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
    return `${SUBCOMMAND_GROUPS[group]}:\n${lines.join('')}`;
  });
  return [
    `svc ${version}: a durable data grid with an HTTP API\n`,
    'Usage: svc [serve] [OPTIONS]               start the service\n' +
      '       svc SUBCOMMAND ...                  one of those below\n' +
      '       svc COMMAND [NAME=VALUE ...]        a command of the interface: svc get colour\n',
    ...groups,
    'svc help NAME describes a subcommand or a command; svc help --all lists all commands and options.\n',
  ].join('\n');
}
