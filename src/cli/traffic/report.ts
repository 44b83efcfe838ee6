/**
 * `svc report`: shows how a service's clients use it, according to a recording, and what would change for them after a
 * switch.
 */
import type { Command } from 'commander';
import type { Count, UsageResult } from '../../replay/usage-report.ts';
import type { Invocation } from '../subcommand.ts';
import { tableText } from '../table-output.ts';
import { readRecording } from './recording-file.ts';

interface ReportOptions {
  readonly name: string;
  readonly json?: boolean;
}

/** Maximum number of names of each kind shown as text; --json shows all. */
const MAX_SHOWN = 50;

export function declareReport(command: Command, invocation: Invocation): void {
  command
    .argument('<file>', 'recording of svc record, - for standard input')
    .option('--name <name>', 'name of the recorded service: the prefix of its credentials', 'ignite')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, { name, json }: ReportOptions) => {
      const { terminal } = invocation;
      const { UsageReport } = await import('../../replay/usage-report.ts');
      const report = new UsageReport(name);
      for await (const exchange of readRecording(file, terminal)) report.add(exchange);
      const result = report.result();
      terminal.output.write(json === true ? `${JSON.stringify(result, null, 2)}\n` : resultText(result));
    });
}

function resultText(result: UsageResult): string {
  const { requests, failed, seconds, authenticated, addresses, rejections } = result;
  const parts = [
    `${requests} requests in ${seconds.toFixed(0)} s from ${addresses} ${addresses === 1 ? 'address' : 'addresses'}, ` +
      `${authenticated} with credentials, ${failed} failed\n`,
    ...section('commands', 'command', result.commands),
    ...section('types of keys, values and arguments', 'type', result.types),
    ...section('clients', 'user agent', result.clients),
    ...section('HTTP methods', 'method', result.httpMethods),
  ];
  if (rejections.length === 0) {
    parts.push('\nsvc accepts the parameters of every request.\n');
    return parts.join('');
  }
  parts.push('\nWhat a switch would change: svc rejects the parameters of these requests.\n');
  for (const { command, error, requests, executed, isRestored, target } of rejections.slice(0, MAX_SHOWN)) {
    const before = executed > 0 ? `, ${executed} of which were executed` : '';
    const remedy = isRestored ? '\n  compatibility=reference accepts them' : '';
    parts.push(`${requests} x ${command}${before}: ${error}${remedy}\n  first: ${target}\n`);
  }
  if (rejections.length > MAX_SHOWN) parts.push(`... and ${rejections.length - MAX_SHOWN} more (--json shows all)\n`);
  return parts.join('');
}

function section(title: string, column: string, counts: readonly Count[]): string[] {
  if (counts.length === 0) return [];
  const rows = counts.slice(0, MAX_SHOWN).map(({ name, requests }) => [name, String(requests)]);
  const more = counts.length > MAX_SHOWN ? [`... and ${counts.length - MAX_SHOWN} more\n`] : [];
  return [`\n${title}:\n`, tableText([column, 'requests'], rows), ...more];
}
