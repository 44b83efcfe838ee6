/** `svc config`: writes a starter file, validates a configuration, and shows what is in effect. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { errorText } from '../base/errors.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { explainConfiguration, type LoadInput, loadConfiguration } from '../configuration/load.ts';
import { ConfigurationError } from '../configuration/option.ts';
import { CommandLineError, usageError } from './failures.ts';
import type { Invocation } from './subcommand.ts';
import { tableText } from './table-output.ts';

const STARTER = `/** Configuration of svc, read from the folder where the service starts. docs/configuration.md explains each part. */
import { defineConfig } from 'svc';

export default defineConfig({
  dataDir: './data',
  http: { host: 'localhost', port: 8080 },
  // Require a login. The first start prints the password of the user svc, unless SVC_ADMIN_PASSWORD sets it.
  // authentication: true,

  // Caches that exist from the start. With a query entity, a cache is also an SQL table.
  caches: [
    // {
    //   name: 'people',
    //   entities: [{ keyType: 'long', valueType: 'Person', fields: { name: 'string', born: 'int' } }],
    // },
  ],

  // Tasks that clients execute: cmd=exe&name=greet&p1=Ann
  tasks: {
    // greet: (argument) => \`Good morning, \${argument}\`,
  },
});
`;

const ACTIONS = {
  init: 'Writes a starter, svc.config.ts.',
  check: 'Validates the configuration and its files; the exit code is 2 if something is wrong.',
  show: 'Prints every option with its value and where it comes from. Secrets are masked.',
} as const;

export function declareConfig(command: Command, invocation: Invocation): void {
  const { terminal } = invocation;
  command
    .command('init')
    .description(ACTIONS.init)
    .argument('[file]', 'file to write', 'svc.config.ts')
    .option('--force', 'replace an existing file')
    .action((file: string, { force = false }: { readonly force?: boolean }) => {
      const path = resolve(terminal.cwd, file);
      try {
        writeFileSync(path, STARTER, { flag: force ? 'w' : 'wx' });
      } catch (error) {
        const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
        throw usageError(exists ? `${path} exists; --force replaces it` : `cannot write ${path}: ${errorText(error)}`);
      }
      terminal.output.write(`wrote ${path}; check it with svc config check\n`);
    });
  forwarded(command.command('check').description(ACTIONS.check)).action((options: readonly string[]) =>
    reporting(async () => {
      const loaded = await loadConfiguration(inputOf(options, invocation));
      if (loaded.kind === 'print') throw usageError('there is nothing to check');
      terminal.output.write(`${loaded.configuration.file ?? 'no configuration file'}: OK\n`);
    }),
  );
  forwarded(command.command('show').description(ACTIONS.show))
    .option('--json', 'print JSON')
    .option('--changed', 'only options that differ from their defaults')
    .action((options: readonly string[], { json, changed }: { readonly json?: boolean; readonly changed?: boolean }) =>
      reporting(async () => {
        const all = await explainConfiguration(inputOf(options, invocation));
        const shown = changed === true ? all.filter(({ source }) => source !== 'default') : all;
        if (json === true) {
          const members = shown.map(({ path, value, source }) => ({ path, value, source }));
          terminal.output.write(`${JSON.stringify(members, undefined, 2)}\n`);
        } else {
          const rows = shown.map(({ path, value, source }) => [path, textOf(value), source]);
          terminal.output.write(tableText(['option', 'value', 'source'], rows));
        }
      }),
    );
}

/** Forwards the options of the service: `svc config check --http-port 9090`, with or without a file before them. */
function forwarded(command: Command): Command {
  const words = 'configuration file (default: the one that the service would read), then options of the service';
  return command.argument('[options...]', words).allowUnknownOption();
}

function inputOf(argv: readonly string[], { terminal }: Invocation): LoadInput {
  const { environment, cwd, installationFolder } = terminal;
  const [file, ...options] = argv;
  const hasFile = file !== undefined && !file.startsWith('-');
  return {
    argv: hasFile ? ['--config', file, ...options] : argv,
    environment,
    cwd,
    installationFolder,
    checksCertificates: true,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : String(value);
}

async function reporting(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new CommandLineError(EXIT_CODES.usage, error.message, { cause: error });
  }
}
