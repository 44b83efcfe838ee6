/** The shape of a command: a declaration, from which everything else is derived, and a handler. */
import type { ErrorCode } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ListBound } from '../values/json-parameters.ts';
import type { Context, Effect } from './context.ts';
import type { Arguments, Parameters } from './params.ts';
import type { Reply } from './reply.ts';

export type CommandGroup =
  | 'cache'
  | 'entry'
  | 'bulk'
  | 'counter'
  | 'query'
  | 'savedquery'
  | 'task'
  | 'cluster'
  | 'user'
  | 'server'
  | 'transfer';

/**
 * The rights that a caller needs. `open`: none; `login`: valid credentials, whatever the user may do; `session`: a
 * login and a role that has the command; `cache*`: that right on the caches of {@link CommandDeclaration.rightsOn};
 * `counter` and `taskExecute`: the object that {@link CommandDeclaration.subject} names; `admin*`: that
 * administration right.
 */
export type Permission =
  | 'open'
  | 'login'
  | 'session'
  | 'cacheRead'
  | 'cachePut'
  | 'cacheRemove'
  | 'cacheCreate'
  | 'cacheDestroy'
  | 'counter'
  | 'taskExecute'
  | 'adminState'
  | 'adminUsers'
  | 'adminLog'
  | 'adminBackup'
  | 'adminMetrics';

/** The request body in an example, which is sent with POST. */
export interface ExampleBody {
  readonly type: string;
  readonly text: string;
}

export interface Example {
  /** Requests to send first: query strings, or those with a body. */
  readonly before?: ReadonlyArray<string | { readonly query: string; readonly body: ExampleBody }>;
  /** The request as a query string without the path; `{id}` is replaced by that member of the preceding response. */
  readonly query: string;
  readonly body?: ExampleBody;
  /** The JSON of `response`, compared as a whole, or undefined if it varies between runs. */
  readonly response?: unknown;
}

/**
 * How `batch` may contain a command. `atomic`: also in an atomic batch, where its handler calls one operation
 * of the grid; `separate`: only where each command takes effect separately; any other value is the reason why
 * it is not allowed.
 */
export type BatchUse =
  | 'atomic'
  | 'separate'
  | 'streams'
  | 'logsIn'
  | 'isBatch'
  | 'returnsBytes'
  | 'returnsRows'
  | 'returnsChanges';

const WRITING: ReadonlySet<Permission> = new Set([
  'cachePut',
  'cacheRemove',
  'counter',
  'cacheCreate',
  'cacheDestroy',
  'adminUsers',
  'adminState',
]);

/** Reports whether every successful run of a command is a write. */
export function isWriting({ access, needs }: Pick<CommandDeclaration, 'access' | 'needs'>): boolean {
  return access === 'write' && WRITING.has(needs);
}

/** Reports whether the header Idempotency-Key affects a command, or some of its statements. */
export function acceptsKey({ access, rightsOn, batch, returnsSecret }: CommandDeclaration): boolean {
  const isKept = batch !== 'streams' && batch !== 'returnsBytes' && returnsSecret !== true;
  return isKept && (access === 'write' || rightsOn === 'statement');
}

export interface CommandDeclaration {
  /** Value of `cmd`, lower case. */
  readonly name: string;
  /** Ignite's internal name, which its error texts contain. */
  readonly request: string;
  readonly group: CommandGroup;
  readonly summary: string;
  /** The product version that introduced the command. */
  readonly since: string;
  /** Whether the command changes anything. */
  readonly access: 'read' | 'write';
  readonly needs: Permission;
  /** Whether the command reads nothing stored in the cluster, so it works while the cluster's users cannot be read. */
  readonly readsNoData?: true;
  /**
   * Whether the command changes entries and its response returns stored values or depends on them. It then also needs
   * the right `read` (docs/differences.md, row 58).
   */
  readonly readsValues?: true;
  /**
   * The caches on which `needs` must be granted. Undefined: the cache that `cacheName` names. `namedOrEvery`: the same,
   * where `*` means every cache. `every`: all caches. `statement`: all caches, with the rights that the kind of the SQL
   * statement in {@link subject} needs. `listed`: the comma-separated caches in `cacheName`, where `*` means every
   * cache. `table`: the cache of the table that `table` names, or else `cacheName`.
   */
  readonly rightsOn?: 'namedOrEvery' | 'every' | 'listed' | 'statement' | 'table';
  /** The parameter with the counter, task or SQL statement that `needs` applies to. */
  readonly subject?: string;
  /** The compatibility mode in which callers without credentials may use the command. */
  readonly openedBy?: 'reference';
  /**
   * Whether an API key needs the administration right `users`, because the command changes how the key's
   * user can log in.
   */
  readonly guardedFromKeys?: true;
  /** Whether the response contains a secret, which nothing may store. */
  readonly returnsSecret?: true;
  /**
   * Whether undeclared parameters are rejected rather than ignored: a misspelt limit must not leave the
   * caller without it.
   */
  readonly rejectsUndeclared?: true;
  /**
   * Entries of the audit log besides rejections: every call, calls with an administrative statement in `subject`, or
   * calls with `create=true`.
   */
  readonly audit?: 'always' | 'statement' | 'creation';
  /** `stream`: the handler reads the request body while it arrives. If undefined, the body contains parameters. */
  readonly body?: 'stream';
  /** The parameter with a cursor's id: the request runs in the process that opened the cursor. */
  readonly cursor?: string;
  /**
   * How the envelope reports the handler's errors (errors.ts, `wrap: 'command'`); see docs/spec/ignite-data.md 2.1.
   * `wrapped`: inside Ignite's text that names the request; `wrappedAsTask`: inside the one that also shows a task's
   * name and arguments; `bare`: unchanged.
   */
  readonly failures: 'wrapped' | 'wrappedAsTask' | 'bare';
  /**
   * `entry`: Ignite decodes key, val, val2, cacheFlags, exp, k1.., v1.. for every such command, even if unused, and
   * returns an affinityNodeId (docs/spec/ignite-data.md 2). `own`: only the declared parameters.
   */
  readonly reading: 'entry' | 'own';
  readonly batch: BatchUse;
  /** Whether the response false rolls an atomic batch back, unless the batch says otherwise. */
  readonly isCondition?: true;
  /** The parameter with which the handler calls more than one operation, so atomic batches reject it. */
  readonly notAtomicWith?: string;
  /** The parameter whose value is JSON, as text or as it is in a JSON body. An array may be the entire body. */
  readonly json?: string;
  /** The parameters whose value is a comma-separated list, or an array of strings in a JSON body. */
  readonly lists?: Readonly<Record<string, ListBound | undefined>>;
  /** Whether the command also accepts the parameters of any other command. */
  readonly acceptsOthers?: true;
  /** Whether destId chooses the node: never, unless the cache is replicated, or always. */
  readonly routing: 'none' | 'keyed' | 'always';
  /**
   * The effect of a write on an entry's deadline (docs/spec/ignite-data.md 4.7). `setByExp`: `exp` and `ttlMs` set it,
   * otherwise it is kept; `setByTtlMs`: `exp` also keeps it; `changed` and `cleared`: the command does nothing else;
   * `removed`: with the entry. Undefined for commands that write no entries.
   */
  readonly deadline?: 'setByExp' | 'setByTtlMs' | 'changed' | 'cleared' | 'removed';
  readonly params: Parameters;
  /** The errors besides those implied by the other members (implied-errors.ts). */
  readonly errors: readonly ErrorCode[];
  readonly example: Example;
}

/** A command with its handler, typed by its parameters and its reply. */
export interface Command<P extends Parameters, R> extends CommandDeclaration {
  readonly params: P;
  readonly subject?: string & keyof P;
  readonly cursor?: string & keyof P;
  readonly json?: string & keyof P;
  readonly lists?: Readonly<Partial<Record<string & keyof P, ListBound>>>;
  readonly reply: Reply<R>;
  /**
   * Predicts the changes of `run`. If it is undefined or returns undefined, `dryrun` asks the engine whether it can
   * undo the command, and fails if not.
   */
  preview?(args: Arguments<P>, context: Context): MaybePromise<readonly Effect[] | undefined>;
  run(args: Arguments<P>, context: Context): MaybePromise<R>;
}

/** A command in the registry, with the types of arguments and result erased. */
export interface RegisteredCommand extends CommandDeclaration {
  readonly reply: Reply<unknown>;
  /** Whether it returns rows as NDJSON or CSV if the `Accept` header asks for them. */
  readonly returnsRows: boolean;
  /** Predicts the changes of {@link run}. */
  preview?(args: Readonly<Record<string, unknown>>, context: Context): MaybePromise<readonly Effect[] | undefined>;
  /** Runs the handler with decoded arguments and returns the result, which {@link reply} writes. */
  run(args: Readonly<Record<string, unknown>>, context: Context): MaybePromise<unknown>;
}

/** Declares a command. The decoder builds the arguments from `params`, one member for each. */
export function command<P extends Parameters, R>(declaration: Command<P, R>): RegisteredCommand {
  const { group, batch } = declaration;
  return { ...declaration, returnsRows: group === 'query' || batch === 'returnsRows' };
}

/** Properties common to the commands on entries. */
export const ON_ENTRY = {
  since: '1.0.0',
  failures: 'wrapped',
  reading: 'entry',
  routing: 'keyed',
  batch: 'atomic',
} as const;

/** Properties common to all other commands. */
export const ON_SERVICE = {
  since: '1.0.0',
  failures: 'wrapped',
  reading: 'own',
  routing: 'none',
  batch: 'separate',
} as const;
