/** The command line of `svc migrate`. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigurationError } from '../../configuration/option.ts';

/** The source or the target of a migration. */
export type MigrationEndpoint =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | { readonly kind: 'cluster'; readonly endpoints: string };

export interface MigrationArguments {
  readonly from: MigrationEndpoint;
  readonly to: MigrationEndpoint;
  readonly overwrite: boolean;
  readonly caches: readonly string[] | undefined;
  readonly counters: readonly string[];
  readonly backups: number | undefined;
  /** Path of the progress file. */
  readonly progress: string | undefined;
  /** All other arguments, which are options of the service. */
  readonly rest: readonly string[];
}

const CLUSTER_PREFIX = 'cluster://';
const FLAGS = {
  from: { type: 'string' },
  to: { type: 'string' },
  caches: { type: 'string' },
  counters: { type: 'string' },
  backups: { type: 'string' },
  progress: { type: 'string' },
  overwrite: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Reads the arguments of `svc migrate`; relative paths start at `cwd`. Returns undefined for --help. Throws
 * ConfigurationError.
 */
export function readMigrationArguments(args: readonly string[], cwd: string): MigrationArguments | undefined {
  const values = new Map<string, string>();
  const own = new Set<number>();
  // Not strict: other flags are options of the service.
  const { tokens } = parseArgs({
    args: [...args],
    options: FLAGS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option' || !Object.hasOwn(FLAGS, token.name)) continue;
    const { name, value = '', index, inlineValue } = token;
    if (name === 'help') return undefined;
    own.add(index);
    if (name !== 'overwrite') {
      if (value === '') throw new ConfigurationError(`--${name}: needs a value`);
      if (inlineValue === false) own.add(index + 1);
    }
    values.set(name, value);
  }
  const rest = args.filter((_, index) => !own.has(index));
  const caches = values.get('caches');
  const backups = values.get('backups');
  const progress = values.get('progress');
  if (backups !== undefined && !/^\d{1,3}$/.test(backups)) {
    throw new ConfigurationError(`--backups: must be a number from 0 to 999, not ${backups}`);
  }
  const from = placeOf('--from', values.get('from'), cwd);
  const to = placeOf('--to', values.get('to'), cwd);
  if (endpointText(from) === endpointText(to)) throw new ConfigurationError('--to: must not be the same as --from');
  return {
    from,
    to,
    overwrite: values.has('overwrite'),
    caches: caches === undefined ? undefined : names(caches),
    counters: names(values.get('counters') ?? ''),
    backups: backups === undefined ? undefined : Number(backups),
    progress: progress === undefined ? undefined : resolve(cwd, progress),
    rest,
  };
}

function placeOf(flag: string, text: string | undefined, cwd: string): MigrationEndpoint {
  if (text === undefined) {
    throw new ConfigurationError(`${flag}: is missing; expected a data folder or cluster://HOST:PORT,HOST:PORT`);
  }
  if (!text.startsWith(CLUSTER_PREFIX)) {
    if (text.includes('://')) {
      throw new ConfigurationError(`${flag}: ${text} is neither a folder nor cluster://HOST:PORT,HOST:PORT`);
    }
    return { kind: 'embedded', dataDir: resolve(cwd, text) };
  }
  const endpoints = text.slice(CLUSTER_PREFIX.length).replace(/\/$/, '');
  if (endpoints === '') throw new ConfigurationError(`${flag}: needs HOST:PORT after cluster://`);
  return { kind: 'cluster', endpoints };
}

/** Formats a source or target for messages and comparison. */
export function endpointText(place: MigrationEndpoint): string {
  return place.kind === 'embedded' ? place.dataDir : `${CLUSTER_PREFIX}${place.endpoints}`;
}

function names(text: string): string[] {
  return text.split(',').filter((name) => name !== '');
}
