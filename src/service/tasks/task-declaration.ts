/** Declarations of tasks: configured code that `exe` runs in separate processes. */
import type { Value } from '../../values/value.ts';

/** The arguments of `exe`: null without p1, the string p1 alone, or all of them in order. */
export type TaskArgument = string | readonly string[] | null;

/** The dependencies of a task. It runs in a separate process, so grid access is asynchronous. */
export interface TaskContext {
  readonly name: string;
  /** The user who runs the task; the empty string without authentication. */
  readonly user: string;
  /** Aborts when the task is cancelled or times out; a process that does not stop is then killed. */
  readonly signal: AbortSignal;
  readonly caches: TaskCaches;
  readonly log: TaskLog;
}

/** Read access to the caches. Errors have the same texts as the commands' errors. */
export interface TaskCaches {
  names(): Promise<readonly string[]>;
  size(cache: string): Promise<number>;
  /** Returns undefined if the key does not exist. A string means a key of type string. */
  get(cache: string, key: Value | string): Promise<Value | undefined>;
  /** Returns all entries as `qryscanexe` does; an integer beyond the safe range is a bigint, a decimal a number. */
  scan(cache: string): AsyncIterable<{ readonly key: unknown; readonly value: unknown }>;
  /** Returns the rows of a statement as `qryfldexe` does; CAST(amount AS VARCHAR) keeps all digits of a decimal. */
  query(cache: string, sql: string, ...args: readonly (Value | string)[]): AsyncIterable<readonly unknown[]>;
}

export interface TaskLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/**
 * A task with a single function. It returns the result: any JSON value, which may contain bigint, Date and Uint8Array.
 */
export type TaskFunction = (argument: TaskArgument, context: TaskContext) => unknown;

/**
 * A mapped task: `map` returns jobs, which run concurrently in several processes; `reduce` combines their results,
 * which are in job order. Jobs and results pass between processes, so they are data without functions.
 */
export interface MappedTask<Job = unknown, Result = unknown> {
  map(argument: TaskArgument, context: TaskContext): readonly Job[] | Promise<readonly Job[]>;
  job(job: Job, context: TaskContext): Result | Promise<Result>;
  reduce(results: readonly Result[], context: TaskContext): unknown;
}

/** A task, or the path of a module with a task as default export, relative to the configuration file's folder. */
export type TaskDeclaration = TaskFunction | MappedTask | string;

/** Tasks by the name that `exe` uses. */
export type TaskDeclarations = Readonly<Record<string, TaskDeclaration>>;

/** The configuration section `taskProcesses`. */
export interface TaskProcessDeclaration {
  /** Maximum number of processes; default: the number of processors minus one, at least one. */
  readonly count?: number;
  /** Maximum address space of a process, if the platform supports it; default: 1 GiB. */
  readonly memoryBytes?: number;
  /** Maximum duration of a task in ms, which overrides its `timeout`; default: one hour. */
  readonly maxTimeoutMs?: number;
  /** Names of additional environment variables for the processes; a `*` at the end matches any characters. */
  readonly environment?: readonly string[];
}
