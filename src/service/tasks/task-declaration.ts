/** Tasks: code of the configuration that `exe` runs, in processes of their own. */
import type { Value } from '../../values/value.ts';

/** What `exe` was given: no p1: null; p1 alone: its text; more: all of them in order. */
export type TaskArgument = string | readonly string[] | null;

/** What a task may use. It runs in a process of its own, so everything asked of the grid is a promise. */
export interface TaskContext {
  readonly name: string;
  /** Who runs it; the empty text without authentication. */
  readonly user: string;
  /** Aborts when the task is cancelled or its time is over; a process that goes on then is ended. */
  readonly signal: AbortSignal;
  readonly caches: TaskCaches;
  readonly log: TaskLog;
}

/** Read access to the caches. Refusals are those of the commands, with the same texts. */
export interface TaskCaches {
  names(): Promise<readonly string[]>;
  size(cache: string): Promise<number>;
  /** Undefined when there is no entry. A text as key stands for the value of type string. */
  get(cache: string, key: Value | string): Promise<Value | undefined>;
  /** All entries as `qryscanexe` shows them; a whole number that a double cannot hold is a bigint. */
  scan(cache: string): AsyncIterable<{ readonly key: unknown; readonly value: unknown }>;
  /** The rows of a statement as `qryfldexe` shows them. */
  query(cache: string, sql: string, ...args: readonly (Value | string)[]): AsyncIterable<readonly unknown[]>;
}

export interface TaskLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** A task of one function. What it gives is the result: any JSON value, or a bigint, Date or Uint8Array in one. */
export type TaskFunction = (argument: TaskArgument, context: TaskContext) => unknown;

/**
 * A task that is split: `map` makes the jobs, which run side by side in several processes, `reduce` makes the result
 * of theirs in the order of the jobs. Jobs and their results cross between processes: data, no functions.
 */
export interface MappedTask<Job = unknown, Result = unknown> {
  map(argument: TaskArgument, context: TaskContext): readonly Job[] | Promise<readonly Job[]>;
  job(job: Job, context: TaskContext): Result | Promise<Result>;
  reduce(results: readonly Result[], context: TaskContext): unknown;
}

/** A task, or the path of a module whose default export is one, from the folder of the configuration file. */
export type TaskDeclaration = TaskFunction | MappedTask | string;

/** Tasks by name, as `exe` names them. */
export type TaskDeclarations = Readonly<Record<string, TaskDeclaration>>;

/** The part `taskProcesses` of the configuration. */
export interface TaskProcessDeclaration {
  /** Processes at once; default: one less than there are processors, at least one. */
  readonly count?: number;
  /** Address space that a process may take where the platform can limit it; default 1 GiB. */
  readonly memoryBytes?: number;
  /** A task that takes longer is ended, whatever `timeout` it was given; default one hour. */
  readonly longestMs?: number;
}
