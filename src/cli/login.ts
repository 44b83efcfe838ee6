/** `svc login` and `svc logout`: stored credentials of services. */
import { basename } from 'node:path/posix';
import type { Command } from 'commander';
import { EXIT_CODES } from '../base/exit-codes.ts';
import {
  addConnectionOptions,
  type ConnectionOptions,
  connect,
  pemFiles,
  serviceUrl,
  targetUrl,
} from './connection.ts';
import { CommandLineError } from './failures.ts';
import { loginsFile, readLogins, writeLogins } from './logins.ts';
import type { ClientInvocation } from './subcommand.ts';

interface LoginOptions extends ConnectionOptions {
  readonly default?: boolean;
}

export function declareLogin(command: Command, invocation: ClientInvocation): void {
  addConnectionOptions(command)
    .option('--default', 'use this service whenever no other is named')
    .action(async (options: LoginOptions) => {
      const { terminal } = invocation;
      const url = await targetUrl(options, invocation);
      // The default user has the name of the service, which is its path.
      const user = options.user ?? basename(new URL(url).pathname);
      const client = await connect({ ...options, url, user }, invocation);
      const { sessionToken } = await client.command('authenticate');
      const { login } = client;
      if (sessionToken === undefined || login === undefined) {
        throw new CommandLineError(EXIT_CODES.failed, `${url} needs no login: authentication is off`);
      }
      const logins = readLogins(terminal);
      writeLogins(
        {
          default: options.default === true ? url : logins.default,
          services: { ...logins.services, [url]: { ...login, ...pemFiles(options, terminal.cwd) } },
        },
        terminal,
      );
      terminal.output.write(`logged in to ${url} as ${user}, stored in ${loginsFile(terminal)}\n`);
    });
}

export function declareLogout(command: Command, { terminal }: ClientInvocation): void {
  command
    .option('--url <url>', 'address of the service; default: all services')
    .action(({ url: given }: Pick<ConnectionOptions, 'url'>) => {
      const logins = readLogins(terminal);
      const url = given === undefined ? undefined : serviceUrl(given);
      const kept = Object.entries(logins.services).filter(([each]) => url !== undefined && each !== url);
      writeLogins(
        {
          default: url === undefined || url === logins.default ? undefined : logins.default,
          services: Object.fromEntries(kept),
        },
        terminal,
      );
      terminal.output.write(`logged out of ${url ?? 'all services'}\n`);
    });
}
