/** Prints responses: as JSON for programs, as tables for people. */
import type { Command } from 'commander';
import { type JsonNode, readJson, writeNode } from '../values/json.ts';
import { usageError } from './failures.ts';
import { plainText, prettyJson } from './json-text.ts';
import type { Terminal } from './program.ts';

/** Values of the options that {@link addOutputOptions} declares. */
export interface OutputOptions {
  readonly json?: boolean;
  readonly table?: boolean;
  readonly raw?: boolean;
}

/** Declares the options that select the output format. */
export function addOutputOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON; the default unless the output is a terminal')
    .option('--table', 'print tables and plain text; the default on a terminal')
    .option('--raw', 'print JSON, but strings without quotes');
}

/** Formats a response, with a line break at the end. */
export async function responseText(response: JsonNode, options: OutputOptions, terminal: Terminal): Promise<string> {
  const { json = false, table = false, raw = false } = options;
  if ([json, table, raw].filter(Boolean).length > 1) throw usageError('choose one of --json, --table and --raw');
  const isTerminal = terminal.printsToTerminal;
  if (raw) return `${plainText(response)}\n`;
  if (table || (isTerminal && !json)) {
    // Drawing tables takes longer to load than everything else in a short command.
    const { readableText } = await import('./table-output.ts');
    return readableText(response);
  }
  return `${isTerminal ? prettyJson(response) : writeNode(response)}\n`;
}

/** Prints a subcommand's results in the selected format. */
export async function printObject(contents: object, options: OutputOptions, terminal: Terminal): Promise<void> {
  await terminal.print(await responseText(readJson(JSON.stringify(contents)), options, terminal));
}
