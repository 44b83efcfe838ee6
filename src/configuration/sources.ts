/** Reads options from the command line, the environment and the configuration file. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ParseArgsConfig } from 'node:util';
import { errorText } from '../base/errors.ts';
import { nearestNames } from '../base/nearest.ts';
import { ConfigurationError, type Option, type ResolvePath, type ValueOrigin } from './option.ts';
import { flagOf } from './option-names.ts';
import { FORMER_ROWS, OPTION_ROWS, type OptionPath, type OptionRow } from './options.ts';
import type { Problems } from './problems.ts';
import { isPlainObject, memberPlace, Node, unknownKey } from './shape.ts';

/** An unchecked value of an option. */
export interface SourceValue {
  readonly place: ValueOrigin;
  /** `text` from flags and environment, `value` from a file. */
  readonly from: 'text' | 'value';
  readonly value: unknown;
  readonly resolve: ResolvePath;
  /** The replacement for the former name in the source, or undefined if it uses the current name. */
  readonly presentName?: string | undefined;
}

/** One source's values by option path. */
export type Source = ReadonlyMap<OptionPath, SourceValue>;

export interface CommandLine {
  readonly options: Source;
  readonly config: string | undefined;
  readonly help: boolean;
  readonly version: boolean;
}

const OTHER_FLAGS = {
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;
/** Returns the flags of all options that have one. */
function optionFlags(): string[] {
  return OPTION_ROWS.flatMap(({ flag }) => flag ?? []);
}

/** Reads `--flag value`, `--flag=value` and, for true, `--flag`. Paths are relative to `cwd`. */
export function readCommandLine(args: readonly string[], cwd: string, problems: Problems): CommandLine {
  const options = new Map<OptionPath, SourceValue>();
  let config: string | undefined;
  let help = false;
  let version = false;
  if (args.length === 0) return { options, config, help, version };
  // Loaded on demand, because most services have no arguments. Not strict: unknown flags are reported here, with the
  // nearest names.
  const flags: NonNullable<ParseArgsConfig['options']> = { ...OTHER_FLAGS };
  for (const { flag, option } of OPTION_ROWS) {
    if (flag !== undefined) flags[flag.slice(2)] = { type: option.kind === 'boolean' ? 'boolean' : 'string' };
  }
  for (const { flag, row } of FORMER_ROWS) {
    flags[flag.slice(2)] = { type: row.option.kind === 'boolean' ? 'boolean' : 'string' };
  }
  const { tokens } = process.getBuiltinModule('node:util').parseArgs({
    args: [...args],
    options: flags,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  let at = 0;
  const readToken = (): void => {
    const token = tokens[at];
    if (token?.kind === 'positional') throw unknownFlag(token.value);
    if (token?.kind !== 'option') return;
    const { name, rawName, value: given } = token;
    const needed = (): string => {
      if (given === undefined) throw new ConfigurationError(`${rawName}: needs a value`);
      return given;
    };
    const former = FORMER_ROWS.find(({ flag }) => flag === rawName);
    const row = former?.row ?? OPTION_ROWS.find(({ flag }) => flag === rawName);
    if (name === 'help') help = true;
    else if (name === 'version') version = true;
    else if (name === 'config') config = needed();
    else if (row === undefined) {
      // The next argument is its value, if it has one.
      if (tokens[at + 1]?.kind === 'positional') at += 1;
      throw unknownFlag(rawName);
    } else {
      let value = given;
      if (row.option.kind === 'boolean' && value === undefined) {
        const next = tokens[at + 1];
        // To the parser, the word after a boolean flag is not its value.
        if (next?.kind === 'positional' && /^(true|false)$/i.test(next.value)) {
          value = next.value;
          at += 1;
        } else value = 'true';
      }
      options.set(row.path, {
        place: rawName,
        from: 'text',
        value: value ?? needed(),
        resolve: (path) => resolve(cwd, path),
        presentName: former?.row.flag,
      });
    }
  };
  for (; at < tokens.length; at++) problems.attempt(readToken);
  return { options, config, help, version };
}

/** Maximum number of flags suggested in the error for an unknown one. */
const MAX_SUGGESTIONS = 3;

/** Returns the flags whose last word is similar to a flag: `--prot` may mean `--http-port`. */
function flagsEndingLike(flag: string): string[] {
  const lastWord = (each: string): string => each.slice(each.lastIndexOf('-') + 1);
  const [word] = nearestNames(flag.replace(/^-+/, ''), new Set(optionFlags().map(lastWord)));
  const flags = optionFlags().filter((each) => lastWord(each) === word);
  return flags.sort((left, right) => left.length - right.length);
}

function unknownFlag(flag: string): ConfigurationError {
  if (!flag.startsWith('-'))
    return new ConfigurationError(
      `${flag}: unexpected argument, options begin with --, and a subcommand comes first; see svc help`,
    );
  if (OPTION_ROWS.some(({ option, environment }) => option.secret && flagOf(environment) === flag)) {
    return new ConfigurationError(
      `${flag}: secrets have no flag, because process lists would show them; use the environment, see svc help serve`,
    );
  }
  // `--port` means `--http-port`, `--data` means `--data-dir`.
  const parts = optionFlags().filter((each) => each.endsWith(flag.slice(1)) || each.startsWith(`${flag}-`));
  const similar = nearestNames(flag, [...optionFlags(), ...Object.keys(OTHER_FLAGS).map((name) => `--${name}`)]);
  const shortest = parts.sort((left, right) => left.length - right.length);
  const near = [...new Set([...shortest, ...similar])];
  if (near.length === 0) near.push(...flagsEndingLike(flag));
  near.splice(MAX_SUGGESTIONS);
  return new ConfigurationError(
    `${flag}: unknown${near.length > 0 ? `, did you mean ${near.join(', ')}?` : ', see svc help serve'}`,
  );
}

/** Variables of the command line's clients (src/cli/connection.ts). */
export const CLIENT_VARIABLES: ReadonlySet<string> = new Set([
  'SVC_URL',
  'SVC_PASSWORD',
  'SVC_API_KEY',
  'SVC_WEBHOOK_SECRET',
]);
/** Variables of tests, and those that Kubernetes sets in every container for a service named `svc`. */
const FOREIGN = /^SVC_(?:TEST_.*|SERVICE_(?:HOST|PORT)(?:_.*)?|PORT|PORT_\d+_(?:TCP|UDP|SCTP)(?:_.*)?)$/;

/** Reads the variables that begin with SVC_, ignoring empty ones. An unknown one is a mistake. */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
  problems: Problems,
): { readonly options: Source; readonly config: string | undefined } {
  const options = new Map<OptionPath, SourceValue>();
  const names = new Map<string, OptionRow>();
  for (const row of OPTION_ROWS) {
    names.set(row.environment, row);
    if (row.option.secret) names.set(`${row.environment}_FILE`, row);
  }
  const readVariable = (name: string, value: string): void => {
    const former = FORMER_ROWS.find((each) => each.environment === name);
    const row = former?.row ?? names.get(name);
    if (row === undefined) throw unknownKey(name, name, [...names.keys(), 'SVC_CONFIG']);
    if (options.has(row.path)) {
      const other = former?.environment ?? FORMER_ROWS.find((each) => each.row === row)?.environment;
      throw new ConfigurationError(`${row.environment}: is set twice, also by ${other ?? `${row.environment}_FILE`}`);
    }
    const text = row.option.secret && name !== row.environment ? secretOf(name, resolve(cwd, value)) : value;
    const presentName = former?.row.environment;
    options.set(row.path, {
      place: name,
      from: 'text',
      value: text,
      resolve: (path) => resolve(cwd, path),
      presentName,
    });
  };
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('SVC_') || value === undefined || value === '') continue;
    if (name === 'SVC_CONFIG' || CLIENT_VARIABLES.has(name) || FOREIGN.test(name)) continue;
    problems.attempt(() => readVariable(name, value));
  }
  return { options, config: environment.SVC_CONFIG === '' ? undefined : environment.SVC_CONFIG };
}

function secretOf(place: ValueOrigin, file: string): string {
  const text = readText(place, file).replace(/\r?\n$/, '');
  if (text === '') throw new ConfigurationError(`${place}: ${file} is empty`);
  return text;
}

/** Reads the file that an option names. Throws ConfigurationError. */
export function readText(place: ValueOrigin, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`${place}: cannot read ${file}: ${errorText(error)}`);
  }
}

/** Reports whether options are below a path of the configuration file. */
function isFolder(path: string): boolean {
  return OPTION_ROWS.some((row) => row.path.startsWith(`${path}.`));
}

/** Returns the paths of the members that a folder of the configuration file can have. */
function membersOf(folder: string, parts: readonly string[]): readonly string[] {
  const depth = folder === '' ? 0 : folder.split('.').length;
  const members = OPTION_ROWS.map(({ path }) => path.split('.'))
    .filter((path) => path.length > depth && path.slice(0, depth).join('.') === folder)
    .map((path) => path.slice(0, depth + 1).join('.'));
  return [...new Set(members), ...(folder === '' ? parts : [])];
}

/** Returns the paths of the options with a name, in any folder. */
function optionsCalled(name: string): readonly string[] {
  return OPTION_ROWS.flatMap(({ path }) => (path.endsWith(`.${name}`) ? [path] : []));
}

/** Splits the object of a configuration file into options and declared parts (`caches`, ...). Others are problems. */
export function readFileOptions(
  root: Readonly<Record<string, unknown>>,
  file: string,
  parts: readonly string[],
  problems: Problems,
): { readonly options: Source; readonly parts: ReadonlyMap<string, Node> } {
  const options = new Map<OptionPath, SourceValue>();
  const declared = new Map<string, Node>();
  const found = (row: OptionRow, value: unknown, formerPath?: string) =>
    options.set(row.path, {
      place: `${file}: ${formerPath ?? row.path}`,
      from: 'value',
      value,
      resolve: (path) => resolve(dirname(file), path),
      presentName: formerPath && row.path,
    });
  const walk = (object: Readonly<Record<string, unknown>>, folder: string) => {
    const readMember = (name: string, value: unknown): void => {
      const path = memberPlace(folder, name);
      const row = OPTION_ROWS.find((each) => each.path === path);
      const former = FORMER_ROWS.find((each) => each.path === path);
      if (folder === '' && parts.includes(name)) declared.set(name, new Node(value, `${file}: ${name}`));
      else if (isFolder(path) && isPlainObject(value)) {
        // `engine: { cluster: {...} }` selects the engine and configures it.
        if (row !== undefined) found(row, Object.keys(value)[0]);
        walk(value, path);
      } else if (row !== undefined) found(row, value);
      else if (former !== undefined) found(former.row, value, path);
      else if (isFolder(path)) throw new Node(value, `${file}: ${path}`).wrong('an object');
      else throw unknownKey(`${file}: ${path}`, path, membersOf(folder, parts), optionsCalled(name));
    };
    for (const [name, value] of Object.entries(object)) {
      if (value !== undefined) problems.attempt(() => readMember(name, value));
    }
  };
  walk(root, '');
  return { options, parts: declared };
}

function isOneOf({ kind }: Option<unknown>): boolean {
  return kind === 'choice' || kind === 'boolean';
}

/** Returns an option's value from the first source that has it, or its default. Throws ConfigurationError. */
export function readOption<T>(path: OptionPath, option: Option<T>, sources: readonly Source[]): T {
  for (const source of sources) {
    const found = source.get(path);
    if (found === undefined) continue;
    const value =
      found.from === 'text'
        ? option.fromText(String(found.value), found.resolve)
        : option.fromValue(found.value, found.resolve);
    if (value === undefined) {
      const wanted = isOneOf(option) ? option.allowed.replace(/, ([^,]*)$/, ' or $1') : option.allowed;
      const given = option.secret ? 'the given value' : JSON.stringify(found.value);
      const problem = found.value === '' ? `is empty; it must be ${wanted}` : `must be ${wanted}, not ${given}`;
      throw new ConfigurationError(`${found.place}: ${problem}`);
    }
    return value;
  }
  return option.default;
}

/** Returns a warning for each former option name in the sources. */
export function formerNames(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) =>
    [...source.values()].flatMap(({ place, presentName }) =>
      presentName === undefined ? [] : [`${place}: is called ${presentName} now; the former name is read until 2.0`],
    ),
  );
}
