/** Generates docs/limits.md from src/base/limits.ts, the table of options, and the errors of each limit below. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type ErrorCode, type ErrorEntry } from '../../src/base/errors.ts';
import * as limits from '../../src/base/limits.ts';
import { OPTION_ROWS } from '../../src/configuration/options.ts';
import { blocks, code, GENERATED, table } from './markdown.ts';
import { RUNTIME_LIMITS } from './reference-prose.ts';

/** The errors of what exceeds a limit, or what happens instead in words. */
type Effect = readonly ErrorCode[] | string;

type Tables = Omit<typeof limits, 'LIMITS' | 'LIMIT_NAMES' | 'DEFAULT_LIMITS' | 'checkLimits'>;

/** The effects of the fixed bounds: one for a table of bounds, and those of the bounds in it that differ. */
const FIXED_LIMITS: {
  readonly [T in keyof Tables]: {
    readonly effect: Effect;
    readonly except?: Tables[T] extends object ? { readonly [B in keyof Tables[T]]?: Effect } : never;
  };
} = {
  HTTP_BOUNDS: {
    effect: ['REQUEST_MALFORMED'],
    except: {
      credentialBytes: 'The value identifies nobody.',
      pipelinedBytes: 'The socket is paused.',
      lingerBytes: 'The connection is closed.',
      proxyHeaderBytes: 'The connection is closed.',
      headSeconds: ['REQUEST_TIMEOUT'],
    },
  },
  TASK_BOUNDS: {
    effect: ['TASK_FAILED'],
    except: { longestMs: ['TASK_TIMEOUT'], waiting: ['OVERLOADED', 'USER_SHARE'] },
  },
  LOG_BOUNDS: {
    effect: 'Older files are removed.',
    except: {
      defaultLines: 'The response has that many lines.',
      responseBytes: ['LIMIT_EXCEEDED'],
    },
  },
  AUDIT_BOUNDS: {
    effect: 'The line is left out and counted.',
    except: {
      textBytes: 'The text is cut.',
      countedNetworks: 'The lines of further networks are counted together.',
    },
  },
  LOGIN_BOUNDS: {
    effect: ['TOO_MANY_ATTEMPTS'],
    except: {
      nameBytes: ['USER_OPERATION'],
      passwordCharacters: ['USER_OPERATION', 'CREDENTIALS_WRONG'],
      checked: ['OVERLOADED'],
      hashesWaiting: ['OVERLOADED'],
      rejectedGuesses: 'The password is checked again.',
    },
  },
  API_KEY_BOUNDS: { effect: ['API_KEY_INVALID'] },
  ROLE_BOUNDS: {
    effect: ['ROLE_INVALID'],
    except: { roles: ['ROLE_LIMIT'], matchedCharacters: ['PERMISSION_DENIED'] },
  },
  JWT_BOUNDS: {
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
    effect: ['CLUSTER_ANSWER_INVALID', 'OUTCOME_UNKNOWN'],
    except: {
      unclaimedBytes: 'Further results are dropped.',
      unclaimedResults: 'Further results are dropped.',
    },
  },
  SQL_BOUNDS: {
    effect: ['SQL'],
    except: {
      parsedTokens: 'A query thread parses the statement.',
      preparedColumns: 'A query thread prepares and runs the statement.',
      parsedCharacters: 'A query thread parses the statement.',
      keptAnalyses: 'The analysis is made again.',
      keptCharacters: 'The analysis is made again.',
      allKeptCharacters: 'The analysis is made again.',
    },
  },
  EMBEDDED_BOUNDS: {
    effect: ['OPERATION_FAILED'],
    except: {
      waitingBytes: ['QUERIES_BUSY'],
      spilledBytes: ['QUERY_NOT_FOUND'],
      cursorsOfAnySize: 'An idle one of the user with the most is closed for each one that is opened.',
      shownStatements: 'Further ones run, but cannot be listed or killed.',
      historyStatements: 'The history forgets a statement that was started long ago.',
      sqlFunctions: ['SQL'],
      destroyedCaches: 'The data file forgets those that were destroyed first.',
      syncIntervalMs: 'The service does not start.',
    },
  },
  LIST_BOUNDS: { effect: ['LIMIT_EXCEEDED'] },
  IMPORT_BOUNDS: {
    effect: ['IMPORT_INVALID'],
    except: {
      listedErrors: 'Further ones are only counted.',
      errorCharacters: 'The text is cut.',
      remembered: 'The oldest one is forgotten.',
      rememberedMs: ['IMPORT_NOT_FOUND'],
    },
  },
  CHANGE_FEED_BOUNDS: {
    effect: ['CHANGE_POSITION_INVALID'],
    except: {
      columns: ['CHANGE_FEED_COLUMNS'],
      pageChanges: 'Further changes follow in the next page.',
      pageBytes: 'Further changes follow in the next page.',
      authorizationMs: 'The stream ends.',
      leastHeartbeatMs: ['LIMIT_EXCEEDED'],
      heartbeatMs: ['LIMIT_EXCEEDED'],
      waitMs: ['CHANGE_POSITION_TIMEOUT'],
      waitingBytes: 'The stream ends with `lost`.',
    },
  },
  SHADOW_BOUNDS: { effect: 'The read is not compared; `svc_shadow_reads_total` counts it as `skipped`.' },
  RECORDING_BOUNDS: { effect: 'It is forwarded, but not recorded.' },
  BACKUP_BOUNDS: {
    effect: ['BACKUP_FAILED'],
    except: { nameCharacters: ['BACKUP_NAME_INVALID'], stalledMs: 'The connection is closed.' },
  },
  SHIPPING_BOUNDS: { effect: 'The next attempt follows; until then the write-ahead log is kept.' },
  STOP_STEPS: { effect: ['STOPPING', 'QUERY_CANCELLED'] },
  WATCHDOG_BOUNDS: {
    effect: 'The log has an entry.',
    except: { hangMs: 'The process ends.', statementGraceMs: ['QUERY_TIMEOUT', 'QUERY_CANCELLED'] },
  },
  JSON_BOUNDS: { effect: ['REQUEST_MALFORMED', 'CONVERSION'] },
  DECIMAL_BOUNDS: { effect: ['CONVERSION', 'SQL'] },
  IDEMPOTENCY_KEY_CHARACTERS: { effect: ['IDEMPOTENCY_KEY_INVALID'] },
  SCALAR_CHARACTERS: { effect: ['CONVERSION'] },
  SQL_FUNCTION_BOUNDS: {
    effect: ['LIMIT_EXCEEDED'],
    except: {
      foldedSize: 'The call is computed for each row.',
      regexDepth: ['SQL'],
      regexLookBehindCharacters: ['SQL'],
    },
  },
  QUOTED_CHARACTERS: { effect: 'The text is cut.' },
  QUOTABLE_CHARACTERS: { effect: 'The error text states the length instead.' },
  PARAMETER_COMPARISONS: { effect: ['LIMIT_EXCEEDED'] },
  ERROR_CHARACTERS: { effect: 'The text is cut.' },
  LOG_FIELD_BYTES: { effect: 'The text is cut.' },
  LONGEST_NAME_CHARACTERS: { effect: 'The parameter is ignored.' },
};

/** Returns the page. */
export function limitsPage(): string {
  const groups = fixedGroups();
  return `${blocks(
    '# Limits',
    `${GENERATED} [errors.md](errors.md) says what to do about each error, and [operating.md](operating.md) explains how ` +
      'limits work together.',
    '## Limits that you may set',
    'Each is an option, which has the same name in the configuration file. 0 is unlimited where the description says so.',
    table(
      ['option', 'environment', 'default', 'unit', 'beyond it', 'meaning'],
      OPTION_ROWS.flatMap(({ path, environment, option }) => {
        const { beyond, unit, defaultText, help } = option;
        if (beyond === undefined) return [];
        return [[code(path), code(environment), defaultText, unit ?? unitOf(path), shownEffect(beyond), help]];
      }),
    ),
    '## Fixed limits',
    'These protect the process and cannot be set. The number after an error is its HTTP status with `httpStatus=true`.',
    ...groups.filter(({ isTable }) => isTable).map(fixedTable),
    '### Others',
    table(
      FIXED_COLUMNS,
      groups.filter(({ isTable }) => !isTable).flatMap(({ rows }) => rows),
    ),
    RUNTIME_LIMITS,
  )}\n`;
}

const FIXED_COLUMNS = ['name', 'limit', 'unit', 'beyond it', 'meaning'];

interface FixedGroup {
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
  return Object.entries(FIXED_LIMITS).map(([name, { effect, except = {} }]) => {
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
      return { title, isTable: false, rows: [row(name, declared, effect, commentOf(comments, name))] };
    }
    const effects: Readonly<Record<string, Effect | undefined>> = except;
    const rows = Object.entries(declared).map(([bound, value]) =>
      row(bound, value, effects[bound] ?? effect, commentOf(comments, `${name}.${bound}`)),
    );
    return { title, isTable: true, rows };
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

/** Returns the unit that ends the name; a name without one names what it counts. */
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
