/** Loads the {@link Configuration} from flags, environment and files, in this order of precedence. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { withoutUrlSecrets } from '../base/url-secrets.ts';
import type { ConfiguredOption } from '../commands/context.ts';
import { endpointMistake } from '../engines/embedded/backup/continuous/destination.ts';
import type { TaskDeclarations } from '../service/tasks/task-declaration.ts';
import type { Configuration } from './configuration.ts';
import { checkCertificates, checkDeclarations } from './declaration-checks.ts';
import { PARTS, readDeclarations, readTasks } from './declarations.ts';
import { readHttpFile } from './http-file.ts';
import { ConfigurationError, type Option } from './option.ts';
import { OPTION_ROWS, OPTIONS, type OptionPath, type OptionValues } from './options.ts';
import { Problems } from './problems.ts';
import { resolveOptions } from './resolve-options.ts';
import { isPlainObject } from './shape.ts';
import { positionOf } from './source-position.ts';
import {
  type CommandLine,
  formerNames,
  readCommandLine,
  readEnvironment,
  readFileOptions,
  readOption,
  readText,
  type Source,
} from './sources.ts';
import { registerSvcModule } from './svc-module.ts';

export interface LoadInput {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder for relative paths in flags and environment. */
  readonly cwd: string;
  /** Folder of package.json, or of the executable. */
  readonly installationFolder: string;
  /** Whether to check the certificate files as well, as opening ports with them does. Default: false. */
  readonly checksCertificates?: boolean;
}

/** Whether to run the service, or to print text and exit. */
export type Loaded =
  | { readonly kind: 'run'; readonly configuration: Configuration }
  | { readonly kind: 'print'; readonly what: 'help' | 'version' };

const DEFAULT_FILE = 'svc.config.ts';

/**
 * Loads the configuration. Every thread calls it, because functions cannot be sent to a thread. Throws
 * ConfigurationError, whose message names the location and the allowed values.
 */
export async function loadConfiguration(input: LoadInput): Promise<Loaded> {
  const { cwd } = input;
  const problems = new Problems();
  const commandLine = readCommandLine(input.argv, cwd, problems);
  if (commandLine.help || commandLine.version) problems.check();
  if (commandLine.help) return { kind: 'print', what: 'help' };
  if (commandLine.version) return { kind: 'print', what: 'version' };
  const { sources, parts, file } = await readSources(input, commandLine, problems);
  const declarations = readDeclarations(parts, file ?? cwd, problems);
  const values = readValues(sources, problems);
  const configuration = {
    ...resolveOptions(values, cwd, problems),
    ...declarations,
    file,
    warnings: formerNames(sources),
    explain: () => explained(sources, new Problems()),
  };
  problems.attempt(() => checkEndpoints(configuration, input.environment));
  await checkDeclarations(configuration, parts, problems);
  if (input.checksCertificates === true) await checkCertificates(configuration, problems);
  problems.check((message) => (file === undefined ? message : withPosition(message, file)));
  return { kind: 'run', configuration };
}

/** Rejects variables that name no endpoint of an object store, if one is used. */
function checkEndpoints({ backup }: Pick<Configuration, 'backup'>, environment: LoadInput['environment']): void {
  for (const url of [backup.folder, backup.continuous?.url]) {
    const mistake = url === undefined ? undefined : endpointMistake(url, environment);
    if (mistake !== undefined) throw new ConfigurationError(mistake);
  }
}

/** Reads all sources of options, in order of precedence, and the parts of the configuration file. */
async function readSources(
  input: LoadInput,
  { options: flags, config }: CommandLine,
  problems: Problems,
): Promise<{
  readonly sources: readonly Source[];
  readonly parts: ReturnType<typeof readFileOptions>['parts'];
  readonly file: string | undefined;
}> {
  const environment = readEnvironment(input.environment, input.cwd, problems);
  const file = problems.attempt(() => configurationFile(config ?? environment.config, input.cwd));
  const content = file === undefined ? {} : ((await problems.attemptAsync(() => importFile(file))) ?? {});
  const fromFile = readFileOptions(content, file ?? '', PARTS, problems);
  const upper = [flags, environment.options];
  const httpFile = problems.attempt(() => httpFileOf([...upper, fromFile.options], input.installationFolder), 'http');
  const sources = [...upper, ...(httpFile === undefined ? [] : [httpFile]), fromFile.options];
  return { sources, parts: fromFile.parts, file };
}

/** Returns every option with its value and source. Throws ConfigurationError. */
export async function explainConfiguration(input: LoadInput): Promise<readonly ConfiguredOption[]> {
  const problems = new Problems();
  const commandLine = readCommandLine(input.argv, input.cwd, problems);
  const { sources } = await readSources(input, commandLine, problems);
  const options = explained(sources, problems);
  problems.check();
  return options;
}

function explained(sources: readonly Source[], problems: Problems): readonly ConfiguredOption[] {
  return OPTION_ROWS.map(({ path, option, environment, flag = null }): ConfiguredOption => {
    const described = { help: option.help, default: option.defaultText, environment, flag };
    const found = sources.map((source) => source.get(path)).find((each) => each !== undefined);
    if (found === undefined) return { path, value: option.defaultText, source: 'default', ...described };
    const value = problems.attempt(() => readOption<unknown>(path, option, sources));
    return { path, value: option.secret ? '***' : shownValue(value), source: found.place, ...described };
  });
}

function shownValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownValue);
  return typeof value === 'string' ? withoutUrlSecrets(value) : value;
}

/** Adds line and column to a message about a member of a configuration file. */
function withPosition(message: string, file: string): string {
  const path = message.startsWith(`${file}: `) ? /^[^\s:]+/.exec(message.slice(file.length + 2))?.[0] : undefined;
  const position = path === undefined ? undefined : positionOf(readText('config', file), path);
  if (position === undefined) return message;
  return `${file}:${position.line}:${position.column}${message.slice(file.length)}`;
}

/** Loads only the tasks of a configuration file, for task processes. Throws ConfigurationError. */
export async function loadTasks(file: string): Promise<TaskDeclarations> {
  const problems = new Problems();
  const { parts } = readFileOptions(await importFile(file), file, PARTS, problems);
  problems.check();
  return readTasks(parts.get('tasks'), file);
}

function configurationFile(given: string | undefined, cwd: string): string | undefined {
  const file = resolve(cwd, given ?? DEFAULT_FILE);
  if (existsSync(file)) return file;
  if (given !== undefined) throw new ConfigurationError(`the configuration file ${file} does not exist`);
  return undefined;
}

async function importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  registerSvcModule();
  let module: unknown;
  try {
    module = await import(Bun.pathToFileURL(file).href);
  } catch (error) {
    throw new ConfigurationError(importFailure(file, error), { cause: error });
  }
  const content = isPlainObject(module) ? module.default : undefined;
  if (!isPlainObject(content)) {
    throw new ConfigurationError(`${file}: must export a configuration, \`export default defineConfig({ ... })\``);
  }
  return content;
}

/** Returns the message for a file that cannot be loaded, with line and column of a syntax error. */
function importFailure(file: string, error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const message = first instanceof Error || first instanceof BuildMessage ? first.message : String(first);
  const position = first instanceof BuildMessage ? first.position : null;
  if (position === null || position === undefined) return `${file}: ${message}`;
  return `${position.file || file}:${position.line}:${position.column}: ${message}`;
}

/** Reads the file of `http.config`, whose path is relative to the installation folder in every source. */
function httpFileOf(sources: readonly Source[], installationFolder: string): Source | undefined {
  const found = sources.map((source) => source.get('http.config')).find((each) => each !== undefined);
  if (found === undefined) return undefined;
  const here: Source = new Map([['http.config', { ...found, resolve: (path) => resolve(installationFolder, path) }]]);
  const file = readOption('http.config', OPTIONS['http.config'], [here]);
  return file === undefined ? undefined : readHttpFile(file);
}

/** The part of the configuration that an option belongs to. */
function partOf(path: OptionPath): string {
  return path.split('.', 1)[0] ?? '';
}

/** Reads all options; invalid ones get their defaults. */
function readValues(sources: readonly Source[], problems: Problems): OptionValues {
  const values = Object.fromEntries(
    (Object.keys(OPTIONS) as OptionPath[]).map((path) => {
      const option: Option<unknown> = OPTIONS[path];
      const read = () => ({ value: readOption<unknown>(path, option, sources) });
      return [path, (problems.attempt(read, partOf(path)) ?? { value: option.default }).value];
    }),
  );
  return values as OptionValues;
}
