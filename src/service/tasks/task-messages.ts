/** The messages between the service and a task process. All are structured-cloneable. */
import type { Value } from '../../values/value.ts';
import type { TaskArgument } from './task-declaration.ts';

/** The argument that starts the program as a task process, followed by the parent process's id. */
export const TASK_PROCESS_ARGUMENT = '--task-process';

/** A task process's unit of work. */
export type TaskStep =
  /** Runs the function, or the `map` of a mapped task. */
  | { readonly phase: 'begin'; readonly task: string; readonly user: string; readonly input: TaskArgument }
  | { readonly phase: 'job'; readonly task: string; readonly user: string; readonly input: unknown }
  | { readonly phase: 'reduce'; readonly task: string; readonly user: string; readonly input: readonly unknown[] };

export type StepResult =
  | { readonly kind: 'result'; readonly value: Value }
  | { readonly kind: 'jobs'; readonly jobs: readonly unknown[] }
  | { readonly kind: 'job'; readonly value: unknown };

/** The phase in which a task's code threw. */
export type FailedPhase = 'load' | 'map' | 'job' | 'reduce';

export type GridRequest =
  | { readonly type: 'names' }
  | { readonly type: 'size'; readonly cache: string }
  | { readonly type: 'get'; readonly cache: string; readonly key: Value }
  | { readonly type: 'scan'; readonly cache: string }
  | { readonly type: 'query'; readonly cache: string; readonly sql: string; readonly args: readonly Value[] }
  | { readonly type: 'fetch'; readonly queryId: number };

/** A page of rows, as comma-separated JSON. */
export interface GridPage {
  readonly queryId: number;
  readonly rows: string;
  readonly last: boolean;
}

export type ToProcess =
  | { readonly type: 'start'; readonly configuration: string | undefined }
  | { readonly type: 'step'; readonly step: TaskStep }
  | { readonly type: 'cancel' }
  | { readonly type: 'response'; readonly requestId: number; readonly value: unknown }
  | { readonly type: 'error'; readonly requestId: number; readonly text: string };

export type FromProcess =
  | { readonly type: 'listening' }
  | { readonly type: 'done'; readonly result: StepResult }
  | { readonly type: 'failed'; readonly phase: FailedPhase; readonly text: string }
  | { readonly type: 'request'; readonly requestId: number; readonly request: GridRequest }
  | { readonly type: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string };
