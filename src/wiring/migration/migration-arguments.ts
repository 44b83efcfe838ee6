/** The command line of `svc migrate`. */
import { resolve } from 'node:path';
import { ConfigurationError } from '../../configuration/option.ts';

/** A grid that is copied from or to. */
export type Place =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | { readonly kind: 'cluster'; readonly endpoints: string };

export interface MigrationArguments {
  readonly from: Place;
  readonly to: Place;
  readonly overwrite: boolean;
  readonly caches: readonly string[] | undefined;
  readonly counters: readonly string[];
  readonly backups: number | undefined;
  /** File of the progress. */
  readonly progress: string | undefined;
  /** All other arguments: options of the service. */
  readonly rest: readonly string[];
}

const CLUSTER_PREFIX = 'cluster://';
const VALUES = ['--from', '--to', '--caches', '--counters', '--backups', '--progress'] as const;
type ValueFlag = (typeof VALUES)[number];

/** Relative paths begin at `cwd`. Throws ConfigurationError; undefined: the help is wanted. */
export function readMigrationArguments(args: readonly string[], cwd: string): MigrationArguments | undefined {
  const values = new Map<ValueFlag, string>();
  const rest: string[] = [];
  let overwrite = false;
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? '';
    const equals = argument.indexOf('=');
    const name = equals < 0 ? argument : argument.slice(0, equals);
    const flag = VALUES.find((each) => each === name);
    if (argument === '--help' || argument === '-h') return undefined;
    if (argument === '--overwrite') overwrite = true;
    else if (flag === undefined) rest.push(argument);
    else {
      const value = equals < 0 ? args[++at] : argument.slice(equals + 1);
      if (value === undefined || value === '') throw new ConfigurationError(`${flag}: needs a value`);
      values.set(flag, value);
    }
  }
  const caches = values.get('--caches');
  const backups = values.get('--backups');
  const progress = values.get('--progress');
  if (backups !== undefined && !/^\d{1,3}$/.test(backups)) {
    throw new ConfigurationError(`--backups: must be a number from 0 to 999, not ${backups}`);
  }
  const from = placeOf('--from', values.get('--from'), cwd);
  const to = placeOf('--to', values.get('--to'), cwd);
  if (placeText(from) === placeText(to)) throw new ConfigurationError('--to: must not be the same as --from');
  return {
    from,
    to,
    overwrite,
    caches: caches === undefined ? undefined : names(caches),
    counters: names(values.get('--counters') ?? ''),
    backups: backups === undefined ? undefined : Number(backups),
    progress: progress === undefined ? undefined : resolve(cwd, progress),
    rest,
  };
}

function placeOf(flag: ValueFlag, text: string | undefined, cwd: string): Place {
  if (text === undefined) {
    throw new ConfigurationError(`${flag}: is missing; it takes a data folder, or cluster://HOST:PORT,HOST:PORT`);
  }
  if (!text.startsWith(CLUSTER_PREFIX)) {
    if (text.includes('://')) {
      throw new ConfigurationError(`${flag}: ${text} is neither a folder nor cluster://HOST:PORT,HOST:PORT`);
    }
    return { kind: 'embedded', dataDir: resolve(cwd, text) };
  }
  const endpoints = text.slice(CLUSTER_PREFIX.length).replace(/\/$/, '');
  if (endpoints === '') throw new ConfigurationError(`${flag}: needs HOST:PORT behind cluster://`);
  return { kind: 'cluster', endpoints };
}

/** The place as it is shown and compared. */
export function placeText(place: Place): string {
  return place.kind === 'embedded' ? place.dataDir : `${CLUSTER_PREFIX}${place.endpoints}`;
}

function names(text: string): string[] {
  return text.split(',').filter((name) => name !== '');
}
