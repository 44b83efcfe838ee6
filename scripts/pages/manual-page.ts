/** Generates the manual page of the Debian package. `npm run generate` writes it to deploy/debian/svc.1. */
import { SUBCOMMANDS } from '../../src/cli/subcommands.ts';

const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
const entry = (term: string, text: string): string => `.TP\n.B ${roff(term)}\n${roff(text)}\n`;

const FILES = [
  ['/etc/svc/svc.env', 'Options of the service, as environment variables.'],
  ['/var/lib/svc', 'Data and logs of the service.'],
  [
    '/var/lib/svc/generated-password',
    'The password of the user svc, from the first start. Remove it when you know it.',
  ],
] as const;
const CODES = [
  ['0', 'Success.'],
  ['1', 'The command failed, or what it checked is not in order.'],
  ['2', 'Arguments, options or the configuration are wrong. Nothing was executed.'],
  ['3', 'No service answers.'],
  ['4', 'The service rejected the credentials, or the user may not do that.'],
  ['130', 'A signal interrupted the command.'],
] as const;

/** Returns the page. */
export function manualPage(version: string): string {
  return `.\\" npm run generate writes this page from the table of subcommands.
.TH SVC 1 "" "svc ${version}" "User Commands"
.SH NAME
svc \\- durable data grid with an HTTP API
.SH SYNOPSIS
.B svc
.RI [ subcommand ]
.RI [ options ]
.SH DESCRIPTION
svc stores typed entries, counters and SQL tables, and serves them over HTTP.
Without a subcommand it starts the service.
.B svc help
.I subcommand
describes each subcommand with its options.
.SH SUBCOMMANDS
${SUBCOMMANDS.map(({ name, summary }) => entry(name, summary)).join('')}.SH FILES
${FILES.map(([path, text]) => entry(path, text)).join('')}.SH EXIT STATUS
${CODES.map(([code, text]) => entry(code, text)).join('')}`;
}
