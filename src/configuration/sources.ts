/** Where options are found: command line, environment, HTTP server configuration file, configuration file. */

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { nearestNames } from '../base/nearest.ts';
import { ConfigurationError, type Option, type Place, type ResolvePath } from './option.ts';
import { OPTION_ROWS, type OptionPath, type OptionRow } from './options.ts';
import { isPlainObject, memberPlace, Node, unknownKey } from './shape.ts';

/** A value that was found for an option, not yet checked. */
export interface Found {
  readonly place: Place;
  /** A text (flags, environment) or a value of a file. */
  readonly from: 'text' | 'value';
  readonly value: unknown;
  readonly resolve: ResolvePath;
}

/** What one source says, by the path of the option. */
export type Source = ReadonlyMap<OptionPath, Found>;

export interface CommandLine {
  readonly options: Source;
  readonly config: string | undefined;
  readonly help: boolean;
  readonly version: boolean;
}

const OTHER_FLAGS = ['--config', '--help', '--version'];
const BY_FLAG = new Map(OPTION_ROWS.flatMap((row) => (row.flag === undefined ? [] : [[row.flag, row] as const])));
const SECRET_FLAGS = new Set(
  OPTION_ROWS.filter(({ option }) => option.secret).map(
    ({ environment }) => `--${environment.slice(4).toLowerCase().replaceAll('_', '-')}`,
  ),
);

/** Reads `--flag value`, `--flag=value` and, for true, `--flag`. Throws ConfigurationError. */
export function readCommandLine(args: readonly string[], cwd: string): CommandLine {
  const options = new Map<OptionPath, Found>();
  let config: string | undefined;
  let help = false;
  let version = false;
  for (let at = 0; at < args.length; at++) {
    const [flag = '', given] = splitFlag(args[at] ?? '');
    const next = (): string => {
      const value = given ?? args[++at];
      if (value === undefined) throw new ConfigurationError(`${flag}: needs a value`);
      return value;
    };
    const row = BY_FLAG.get(flag);
    if (flag === '--help' || flag === '-h') help = true;
    else if (flag === '--version' || flag === '-v') version = true;
    else if (flag === '--config') config = next();
    else if (row === undefined) throw unknownFlag(flag);
    else {
      const bare = row.option.kind === 'boolean' && given === undefined && !/^(true|false)$/i.test(args[at + 1] ?? '');
      const value = bare ? 'true' : next();
      options.set(row.path, { place: flag, from: 'text', value, resolve: (path) => resolve(cwd, path) });
    }
  }
  return { options, config, help, version };
}

function splitFlag(argument: string): [string, string | undefined] {
  const equals = argument.indexOf('=');
  return equals < 0 ? [argument, undefined] : [argument.slice(0, equals), argument.slice(equals + 1)];
}

function unknownFlag(flag: string): ConfigurationError {
  if (!flag.startsWith('-')) return new ConfigurationError(`${flag}: unknown, options begin with --; see --help`);
  if (SECRET_FLAGS.has(flag)) {
    return new ConfigurationError(
      `${flag}: a secret has no flag, because lists of processes show it; use the environment, see --help`,
    );
  }
  const near = nearestNames(flag, [...BY_FLAG.keys(), ...OTHER_FLAGS]);
  return new ConfigurationError(
    `${flag}: unknown${near.length > 0 ? `, did you mean ${near.join(', ')}?` : ', see --help'}`,
  );
}

/** Variables of tests, and those that Kubernetes gives to every container for a service named `svc`. */
const FOREIGN = /^SVC_(?:TEST_.*|SERVICE_(?:HOST|PORT)(?:_.*)?|PORT|PORT_\d+_(?:TCP|UDP|SCTP)(?:_.*)?)$/;

/** Reads the variables that begin with SVC_; an empty one is absent. Throws ConfigurationError for an unknown one. */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
): { readonly options: Source; readonly config: string | undefined } {
  const options = new Map<OptionPath, Found>();
  const names = new Map<string, OptionRow>();
  for (const row of OPTION_ROWS) {
    names.set(row.environment, row);
    if (row.option.secret) names.set(`${row.environment}_FILE`, row);
  }
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('SVC_') || value === undefined || value === '') continue;
    if (name === 'SVC_CONFIG' || FOREIGN.test(name)) continue;
    const row = names.get(name);
    if (row === undefined) throw unknownKey(name, name, [...names.keys(), 'SVC_CONFIG']);
    if (options.has(row.path))
      throw new ConfigurationError(`${row.environment}: is given twice, also by ${row.environment}_FILE`);
    const text = name === row.environment ? value : secretOf(name, resolve(cwd, value));
    options.set(row.path, { place: name, from: 'text', value: text, resolve: (path) => resolve(cwd, path) });
  }
  return { options, config: environment.SVC_CONFIG === '' ? undefined : environment.SVC_CONFIG };
}

function secretOf(place: Place, file: string): string {
  const text = readText(place, file).replace(/\r?\n$/, '');
  if (text === '') throw new ConfigurationError(`${place}: ${file} is empty`);
  return text;
}

/** The text of a file that an option names. */
export function readText(place: Place, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`${place}: cannot read ${file}: ${error instanceof Error ? error.message : error}`);
  }
}

const BY_PATH = new Map<string, OptionRow>(OPTION_ROWS.map((row) => [row.path, row]));
const FOLDERS = new Set(
  OPTION_ROWS.flatMap(({ path }) => {
    const parts = path.split('.');
    return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
  }),
);

/** Paths of what can stand in a folder of the configuration file. */
function membersOf(folder: string, parts: readonly string[]): readonly string[] {
  const depth = folder === '' ? 0 : folder.split('.').length;
  const members = OPTION_ROWS.map(({ path }) => path.split('.'))
    .filter((path) => path.length > depth && path.slice(0, depth).join('.') === folder)
    .map((path) => path.slice(0, depth + 1).join('.'));
  return [...new Set(members), ...(folder === '' ? parts : [])];
}

/**
 * Splits the configuration file's object into options and declared parts (`caches` ...).
 * Throws ConfigurationError for a member that is neither.
 */
export function readFileOptions(
  root: Readonly<Record<string, unknown>>,
  file: string,
  parts: readonly string[],
): { readonly options: Source; readonly parts: ReadonlyMap<string, Node> } {
  const options = new Map<OptionPath, Found>();
  const declared = new Map<string, Node>();
  const found = (row: OptionRow, value: unknown) =>
    options.set(row.path, {
      place: `${file}: ${row.path}`,
      from: 'value',
      value,
      resolve: (path) => resolve(dirname(file), path),
    });
  const walk = (object: Readonly<Record<string, unknown>>, folder: string) => {
    for (const [name, value] of Object.entries(object)) {
      const path = memberPlace(folder, name);
      const row = BY_PATH.get(path);
      if (value === undefined) continue;
      if (folder === '' && parts.includes(name)) declared.set(name, new Node(value, `${file}: ${name}`));
      else if (FOLDERS.has(path) && isPlainObject(value)) {
        // `engine: { cluster: {...} }` says both which engine and how.
        if (row !== undefined) found(row, Object.keys(value)[0]);
        walk(value, path);
      } else if (row !== undefined) found(row, value);
      else if (FOLDERS.has(path)) throw new Node(value, `${file}: ${path}`).wrong('an object');
      else throw unknownKey(`${file}: ${path}`, path, membersOf(folder, parts));
    }
  };
  walk(root, '');
  return { options, parts: declared };
}

/** The option's value from the first of the sources that has it, else its default. Throws ConfigurationError. */
export function readOption<T>(path: OptionPath, option: Option<T>, sources: readonly Source[]): T {
  for (const source of sources) {
    const found = source.get(path);
    if (found === undefined) continue;
    const value =
      found.from === 'text'
        ? option.fromText(String(found.value), found.resolve)
        : option.fromValue(found.value, found.resolve);
    if (value === undefined) {
      const given = option.secret ? 'what is given' : JSON.stringify(found.value);
      throw new ConfigurationError(`${found.place}: must be ${option.allowed}, not ${given}`);
    }
    return value;
  }
  return option.default;
}
