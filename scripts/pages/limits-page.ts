/**
 * Generates docs/limits.md and the pages of docs/limits from src/base/limits.ts, the table of options, and the errors
 * of each limit below.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type ErrorCode, type ErrorEntry } from '../../src/base/errors.ts';
import * as limits from '../../src/base/limits.ts';
import type { LimitGroup } from '../../src/base/settable-limits.ts';
import { OPTION_ROWS } from '../../src/configuration/options.ts';
import { blocks, code, GENERATED, link, table } from './markdown.ts';
import { RUNTIME_LIMITS } from './reference-prose.ts';

/** The errors of what exceeds a limit, or what happens instead in words. */
type Effect = readonly ErrorCode[] | string;

type Tables = Omit<typeof limits, 'LIMITS' | 'LIMIT_NAMES' | 'DEFAULT_LIMITS' | 'checkLimits'>;

/** The effects of the fixed bounds: one for a table of bounds, and separate ones for bounds in it that differ. */
const FIXED_LIMITS: {
  readonly [T in keyof Tables]: {
    readonly group: LimitGroup;
    readonly effect: Effect;
    readonly except?: Tables[T] extends object ? { readonly [B in keyof Tables[T]]?: Effect } : never;
  };
} = {
  HTTP_BOUNDS: {
    group: 'http',
    effect: ['REQUEST_MALFORMED'],
    except: {
      pipelinedBytes: 'The socket is paused.',
      lingerBytes: 'The connection is closed.',
      proxyHeaderBytes: 'The connection is closed.',
      headSeconds: ['REQUEST_TIMEOUT'],
    },
  },
  MCP_BOUNDS: {
    group: 'http',
    effect: 'The tool returns an error that says so.',
    except: { messageBytes: 'The message is rejected with 413.' },
  },
  TASK_BOUNDS: {
    group: 'task',
    effect: ['TASK_FAILED'],
    except: { maxTimeoutMs: ['TASK_TIMEOUT'], waiting: ['OVERLOADED', 'USER_SHARE'] },
  },
  LOG_BOUNDS: {
    group: 'server',
    effect: 'Older files are removed.',
    except: {
      defaultLines: 'The response has that many lines.',
      responseBytes: ['LIMIT_EXCEEDED'],
    },
  },
  AUDIT_BOUNDS: {
    group: 'server',
    effect: 'The line is left out and counted.',
    except: {
      textBytes: 'The text is cut.',
      countedNetworks: 'The lines of further networks are counted together.',
    },
  },
  LOGIN_BOUNDS: {
    group: 'user',
    effect: ['TOO_MANY_ATTEMPTS'],
    except: {
      nameBytes: ['USER_OPERATION'],
      passwordCharacters: ['USER_OPERATION', 'CREDENTIALS_WRONG'],
      checked: ['OVERLOADED'],
      hashesWaiting: ['OVERLOADED'],
      rejectedGuesses: 'The password is checked again.',
    },
  },
  API_KEY_BOUNDS: { group: 'user', effect: ['API_KEY_INVALID'] },
  SAVED_QUERY_BOUNDS: { group: 'user', effect: ['SAVED_QUERY_INVALID'] },
  ROLE_BOUNDS: {
    group: 'user',
    effect: ['ROLE_INVALID'],
    except: { roles: ['ROLE_LIMIT'], matchedCharacters: ['PERMISSION_DENIED'] },
  },
  JWT_BOUNDS: {
    group: 'user',
    effect: ['JWT_KEYS_UNAVAILABLE'],
    except: {
      tokenCharacters: ['TOKEN_MISSING'],
      nameCharacters: ['JWT_INVALID'],
      verifiedTokens: 'The token is verified again.',
      verifiedMs: 'The token is verified again.',
      verifications: ['OVERLOADED'],
      urlMaxAgeMs: 'The keys are loaded again.',
      fileMaxAgeMs: 'The keys are loaded again.',
      threadKeysMs: 'The keys are loaded again.',
    },
  },
  CLUSTER_BOUNDS: {
    group: 'cluster',
    effect: ['OUTCOME_UNKNOWN', 'CLUSTER_UNREACHABLE'],
    except: {
      users: 'The connection that has been unused for the longest time is closed.',
      cancelMs: ['QUERY_TIMEOUT', 'QUERY_CANCELLED'],
      closeMs: 'The connection is closed.',
      transactions: ['OVERLOADED'],
      peerMs: ['QUERY_ELSEWHERE'],
    },
  },
  WIRE_BOUNDS: {
    group: 'cluster',
    effect: ['CLUSTER_ANSWER_INVALID', 'OUTCOME_UNKNOWN'],
    except: {
      unclaimedBytes: 'Any more results are dropped.',
      unclaimedResults: 'Any more results are dropped.',
    },
  },
  SQL_BOUNDS: {
    group: 'query',
    effect: ['SQL'],
    except: {
      parsedTokens: 'A statement process parses the statement.',
      preparedColumns: 'A statement process prepares and runs the statement.',
      parsedCharacters: 'A statement process parses the statement.',
      cachedAnalyses: 'The analysis is made again.',
      previewedCharacters: ['DRY_RUN_UNSUPPORTED'],
      allKeptCharacters: 'The analysis is made again.',
    },
  },
  EMBEDDED_BOUNDS: {
    group: 'query',
    effect: ['OPERATION_FAILED'],
    except: {
      waitingBytes: ['QUERIES_BUSY'],
      spilledBytes: ['QUERY_NOT_FOUND'],
      cursorsOfAnySize: 'An idle one of the user with the most is closed for each one that is opened.',
      shownStatements: 'Any more run, but cannot be listed or killed.',
      historyStatements: 'The history forgets a statement that was started long ago.',
      sqlFunctions: ['SQL'],
      destroyedCaches: 'The data file forgets those that were destroyed first.',
      syncIntervalMs: 'The service does not start.',
    },
  },
  LIST_BOUNDS: { group: 'http', effect: ['LIMIT_EXCEEDED'] },
  IMPORT_BOUNDS: {
    group: 'transfer',
    effect: ['IMPORT_INVALID'],
    except: {
      listedErrors: 'Any more are only counted.',
      errorCharacters: 'The text is cut.',
      remembered: 'The oldest one is forgotten.',
      rememberedMs: ['IMPORT_NOT_FOUND'],
    },
  },
  CHANGE_FEED_BOUNDS: {
    group: 'transfer',
    effect: ['CHANGE_POSITION_INVALID'],
    except: {
      columns: ['CHANGE_FEED_COLUMNS'],
      pageChanges: 'More changes follow in the next page.',
      pageBytes: 'More changes follow in the next page.',
      authorizationMs: 'The stream ends.',
      leastHeartbeatMs: ['LIMIT_EXCEEDED'],
      heartbeatMs: ['LIMIT_EXCEEDED'],
      waitMs: ['CHANGE_POSITION_TIMEOUT'],
      waitingBytes: 'The stream ends with `lost`.',
    },
  },
  SHADOW_BOUNDS: {
    group: 'cluster',
    effect: 'The read is not compared; `svc_shadow_reads_total` counts it as `skipped`.',
  },
  RECORDING_BOUNDS: { group: 'cluster', effect: 'It is forwarded, but not recorded.' },
  BACKUP_BOUNDS: {
    group: 'backup',
    effect: ['BACKUP_FAILED'],
    except: { nameCharacters: ['BACKUP_NAME_INVALID'], stalledMs: 'The connection is closed.' },
  },
  SHIPPING_BOUNDS: {
    group: 'backup',
    effect: 'The next attempt follows; until then the write-ahead log is kept.',
    except: { silentMs: 'The state is `waiting`, and `/health/ready?backup=true` answers 503.' },
  },
  STOP_STEPS: { group: 'server', effect: ['STOPPING', 'QUERY_CANCELLED'] },
  WATCHDOG_BOUNDS: {
    group: 'server',
    effect: 'The log has an entry.',
    except: { hangMs: 'The process ends.', statementGraceMs: ['QUERY_TIMEOUT', 'QUERY_CANCELLED'] },
  },
  JSON_BOUNDS: { group: 'http', effect: ['REQUEST_MALFORMED', 'CONVERSION'] },
  DECIMAL_BOUNDS: { group: 'entry', effect: ['CONVERSION', 'SQL'] },
  IDEMPOTENCY_KEY_CHARACTERS: { group: 'http', effect: ['IDEMPOTENCY_KEY_INVALID'] },
  SCALAR_CHARACTERS: { group: 'entry', effect: ['CONVERSION'] },
  SQL_FUNCTION_BOUNDS: {
    group: 'query',
    effect: ['LIMIT_EXCEEDED'],
    except: {
      foldedSize: 'The call is computed for each row.',
      regexDepth: ['SQL'],
      regexLookBehindCharacters: ['SQL'],
    },
  },
  QUOTED_CHARACTERS: { group: 'server', effect: 'The text is cut.' },
  QUOTABLE_CHARACTERS: { group: 'server', effect: 'The error text states the length instead.' },
  PARAMETER_COMPARISONS: { group: 'http', effect: ['LIMIT_EXCEEDED'] },
  ERROR_CHARACTERS: { group: 'server', effect: 'The text is cut.' },
  LOG_FIELD_BYTES: { group: 'server', effect: 'The text is cut.' },
  MAX_NAME_CHARACTERS: { group: 'http', effect: 'The parameter is ignored.' },
};

/** The pages by their names, in the order of the index. */
const TITLES: { readonly [G in LimitGroup]: string } = {
  http: 'Requests and connections',
  entry: 'Entries, caches and counters',
  query: 'Queries',
  transfer: 'Imports and the change feed',
  task: 'Tasks',
  user: 'Users, sessions and keys',
  backup: 'Backups',
  cluster: 'In front of a cluster',
  server: 'Logs and the process',
};

/** The groups of options that bound something, by the first parts of their paths; `limits` declares its own. */
const OPTION_GROUPS: Readonly<Record<string, LimitGroup>> = {
  http: 'http',
  idempotency: 'http',
  storage: 'entry',
  query: 'query',
  changeFeed: 'transfer',
  taskProcesses: 'task',
  login: 'user',
  jwt: 'user',
  rest: 'user',
  console: 'user',
  signatureMaxAge: 'user',
  backup: 'backup',
  log: 'server',
};

const INDEX = 'limits.md';

/** Returns the index and the page of each group, by their paths in docs. */
export function limitsPages(): Readonly<Record<string, string>> {
  const fixed = fixedGroups();
  const bounding = OPTION_ROWS.flatMap(({ path, environment, option: { beyond, unit, defaultText, help } }) =>
    beyond === undefined ? [] : [{ path, environment, unit: unit ?? unitOf(path), beyond, defaultText, help }],
  );
  const named = Object.entries(TITLES).map(([group, title]) => ({
    path: `limits/${group}.md`,
    title,
    options: bounding.filter(({ path }) => groupOf(path) === group),
    tables: fixed.filter((each) => each.group === group),
  }));
  return {
    [INDEX]: indexPage(named),
    ...Object.fromEntries(named.map((page) => [page.path, limitPage(page)] as const)),
  };
}

/** Returns the group of an option. Throws for one that is in no group. */
function groupOf(path: string): LimitGroup {
  const [first = '', name = ''] = path.split('.');
  const limit = first === 'limits' ? Object.entries(limits.LIMITS).find(([each]) => each === name)?.[1] : undefined;
  const group = limit?.group ?? OPTION_GROUPS[first];
  if (group === undefined) throw new Error(`OPTION_GROUPS has no group for ${path}`);
  return group;
}

/** An option that bounds something. */
interface BoundingOption {
  readonly path: string;
  readonly environment: string;
  readonly defaultText: string;
  readonly unit: string;
  readonly beyond: string | readonly string[];
  readonly help: string;
}

interface LimitPage {
  readonly path: string;
  readonly title: string;
  readonly options: readonly BoundingOption[];
  readonly tables: readonly FixedGroup[];
}

function indexPage(pages: readonly LimitPage[]): string {
  return `${blocks(
    '# Limits',
    GENERATED,
    `[errors.md](errors.md) says what to do about each error, and [operating.md](operating.md) explains how ` +
      'limits work together.',
    pages.map(({ title, path }) => `- [${title}](${path})`).join('\n'),
    '## Limits that you may set',
    'Each is an option, which has the same name in the configuration file. Its page says what it means, and what happens ' +
      'beyond it.',
    table(
      ['option', 'default', 'unit', 'page'],
      pages.flatMap(({ title, path, options }) =>
        options.map((option) => [code(option.path), option.defaultText, option.unit, `[${title}](${path})`]),
      ),
    ),
    '## Fixed limits',
    'These protect the process and cannot be set.',
    pages
      .flatMap(({ path, tables }) =>
        tables.map(({ title, isTable, rows }) =>
          isTable ? `- ${link(title, path)}` : `- ${rows.map(([name = '']) => name).join(', ')}: ${link(OTHERS, path)}`,
        ),
      )
      .join('\n'),
    RUNTIME_LIMITS,
  )}\n`;
}

function limitPage({ title, options, tables }: LimitPage): string {
  const single = tables.filter(({ isTable }) => !isTable).flatMap(({ rows }) => rows);
  return `${blocks(
    `# Limits: ${lowerFirst(title)}`,
    GENERATED,
    `[All limits](../${INDEX}). The number after an error is its HTTP status with \`httpStatus=true\`.`,
    options.length === 0
      ? ''
      : blocks(
          '## Limits that you may set',
          'Each is an option, which has the same name in the configuration file. 0 is unlimited where the description ' +
            'says so.',
          table(
            ['option', 'environment', 'default', 'unit', 'beyond it', 'meaning'],
            options.map(({ path, environment, defaultText, unit, beyond, help }) => [
              code(path),
              code(environment),
              defaultText,
              unit,
              shownEffect(beyond),
              help,
            ]),
          ),
        ),
    tables.length === 0 ? '' : blocks('## Fixed limits', 'These protect the process and cannot be set.'),
    ...tables.filter(({ isTable }) => isTable).map(fixedTable),
    single.length === 0 ? '' : blocks(`### ${OTHERS}`, table(FIXED_COLUMNS, single)),
  )}\n`;
}

function lowerFirst(text: string): string {
  return text.replace(/^./, (first) => first.toLowerCase());
}

const OTHERS = 'Others';
const FIXED_COLUMNS = ['name', 'limit', 'unit', 'beyond it', 'meaning'];

interface FixedGroup {
  readonly group: LimitGroup;
  readonly title: string;
  readonly isTable: boolean;
  readonly rows: readonly string[][];
}

function fixedTable({ title, rows }: FixedGroup): string {
  return blocks(`### ${title}`, table(FIXED_COLUMNS, rows));
}

/** Returns the fixed bounds with the comments of their declarations. Throws if one has no comment. */
function fixedGroups(): FixedGroup[] {
  const comments = commentsOf(readFileSync(join(import.meta.dir, '../../src/base/limits.ts'), 'utf8'));
  return Object.entries(FIXED_LIMITS).map(([name, { group, effect, except = {} }]) => {
    const declared: unknown = Reflect.get(limits, name);
    const title = commentOf(comments, name).split(/,? in ms|\.(?: |$)/)[0] ?? '';
    const row = (bound: string, value: unknown, own: Effect, comment: string): string[] => [
      code(bound),
      String(value),
      unitOf(bound),
      shownEffect(own),
      comment,
    ];
    if (typeof declared !== 'object' || declared === null) {
      return { group, title, isTable: false, rows: [row(name, declared, effect, commentOf(comments, name))] };
    }
    const effects: Readonly<Record<string, Effect | undefined>> = except;
    const rows = Object.entries(declared).map(([bound, value]) =>
      row(bound, value, effects[bound] ?? effect, commentOf(comments, `${name}.${bound}`)),
    );
    return { group, title, isTable: true, rows };
  });
}

function commentOf(comments: ReadonlyMap<string, string>, name: string): string {
  const comment = comments.get(name);
  if (comment === undefined) throw new Error(`${name} has no comment in src/base/limits.ts`);
  return comment;
}

/**
 * Returns the comment of each exported constant, and of each member of a table under `TABLE.member`. Members that
 * follow one with a comment share it.
 */
function commentsOf(source: string): ReadonlyMap<string, string> {
  const comments = new Map<string, string>();
  let comment = '';
  let tableName = '';
  for (const line of source.split('\n')) {
    const [, text] = /^\s*(?:\/\*\*|\*(?!\/))\s?(.*?)\s*(?:\*\/)?$/.exec(line) ?? [];
    if (text !== undefined) {
      comment = line.trimStart().startsWith('/**') ? text : `${comment} ${text}`.trim();
      continue;
    }
    const [, name, opening] = /^export const (\w+) = (\{)?/.exec(line) ?? [];
    const [, member] = /^ {2}(\w+): /.exec(line) ?? [];
    if (name !== undefined) comments.set(name, comment);
    if (name !== undefined) tableName = opening === undefined ? '' : name;
    else if (member !== undefined && tableName !== '') comments.set(`${tableName}.${member}`, comment);
    else if (line.startsWith('}')) tableName = '';
  }
  return comments;
}

const UNITS: ReadonlyArray<readonly [end: RegExp, unit: string]> = [
  [/(?:Ms|_MS)$/, 'milliseconds'],
  [/seconds$/i, 'seconds'],
  [/bytes$/i, 'bytes'],
  [/characters$/i, 'characters'],
];

/** Returns the unit at the end of the name; without one, the name says what is counted. */
function unitOf(name: string): string {
  const found = UNITS.find(([end]) => end.test(name));
  return found?.[1] ?? 'count';
}

/** Returns the codes with their statuses, or the words. Throws for a code that is not in the table of errors. */
function shownEffect(effect: string | readonly string[]): string {
  if (typeof effect === 'string') return effect;
  return effect.map((each) => `${code(each)} (${entryOf(each).http})`).join(', ');
}

function entryOf(errorCode: string): ErrorEntry {
  const entry = Object.entries<ErrorEntry>(ERRORS).find(([each]) => each === errorCode)?.[1];
  if (entry === undefined) throw new Error(`${errorCode} is not in src/base/errors.ts`);
  return entry;
}
