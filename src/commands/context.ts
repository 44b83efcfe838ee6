/** What a handler may use: the grid and the service's desks, as narrow interfaces that the service fulfils. */
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Claimant } from '../base/shares.ts';
import type { Grid, RowFormat } from '../grid/grid.ts';
import type { Value } from '../values/value.ts';
import type { CompatibilityFlags } from './compatibility-flags.ts';

/** Who asks. Without authentication the user is the empty text. */
export interface Caller {
  readonly user: string;
  /** The live session's token; null without authentication. */
  readonly token: string | null;
  /** Id of the user for `securitySubjectId`; null without authentication. */
  readonly subjectId: string | null;
}

/** A task's result, docs/spec/contract.md 2.4a. */
export interface TaskOutcome {
  readonly id: string;
  readonly finished: boolean;
  readonly result: Value;
}

/** Runs tasks and keeps the results of asynchronous ones. */
export interface TaskService {
  /** Refuses TASK_NOT_FOUND, TASK_FAILED, TASK_TIMEOUT. `timeoutMs` 0: none; negative: timed out at once. */
  run(
    name: string,
    args: readonly string[],
    timeoutMs: number,
    signal: AbortSignal,
    user: string,
  ): Promise<TaskOutcome>;
  /** Starts the task and answers at once; its failure shows in {@link result}. */
  start(name: string, args: readonly string[], timeoutMs: number, user: string): MaybePromise<TaskOutcome>;
  /** Refuses TASK_ID_INVALID, UUID_INVALID, TASK_NOT_STARTED, TASK_HOLDER_LEFT and what the task failed with. */
  result(id: string, user: string): MaybePromise<TaskOutcome>;
}

/** Users of the service. Every operation refuses SECURITY_DISABLED when authentication is off. */
export interface UserService {
  add(caller: Caller, name: string, password: string): Promise<void>;
  update(caller: Caller, name: string, password: string): Promise<void>;
  remove(caller: Caller, name: string): Promise<void>;
}

/** Lines of the service's log files. */
export interface LogService {
  /**
   * Lines `from` to `to` (both counted from 0, inclusive); the whole file without them. Refuses LOG_PATH_REFUSED,
   * LOG_NOT_FOUND.
   */
  lines(path: string | undefined, from: number | undefined, to: number | undefined): Promise<string[]>;
}

/** A node as `node` and `top` show it; docs/spec/contract.md 2.5 and Ignite's further fields. */
export interface NodeDescription {
  readonly nodeId: string;
  readonly consistentId: string;
  readonly tcpAddresses: readonly string[];
  readonly tcpHostNames: readonly string[];
  readonly tcpPort: number;
  readonly order: number;
  readonly replicaCount: number;
  readonly defaultCacheMode: string;
  readonly metrics: Readonly<Record<string, number>> | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly caches: ReadonlyArray<{
    readonly name: string;
    readonly mode: string;
    readonly sqlSchema: string | null;
  }> | null;
}

export interface NodeService {
  /** All nodes in order of age. */
  describe(wants: {
    readonly metrics: boolean;
    readonly attributes: boolean;
    readonly caches: boolean;
  }): MaybePromise<readonly NodeDescription[]>;
}

/** What a handler may use. */
export interface Context {
  readonly grid: Grid;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly compatibilityFlags: CompatibilityFlags;
  /** Real name of the default cache. */
  readonly defaultCache: string;
  readonly caller: Caller;
  readonly tasks: TaskService;
  readonly users: UserService;
  readonly log: LogService;
  readonly nodes: NodeService;
  /** How rows are asked for (`Accept`). */
  readonly rowFormat: RowFormat;
  /** getall answers with an array of key and value (the contract's system property). */
  readonly getallAsArray: boolean;
  /** Applied to every key and value that goes out (the configuration's message interceptor). */
  readonly onSend: ((value: Value) => Value) | undefined;
  /** Whose share of what is limited the request counts to: its user, without authentication its network. */
  claimant(): Claimant;
  /** Aborts when the client goes away. */
  signal(): AbortSignal;
}
