/** The messages between the service and a task process. All are structured-cloneable. */
import type { Value } from '../../values/value.ts';
import type { TaskArgument } from './task-declaration.ts';

/** A unit of work of a task process. */
export type TaskStep =
  /** Runs the function, or the `map` of a mapped task. */
  | { readonly phase: 'begin'; readonly task: string; readonly user: string; readonly input: TaskArgument }
  | { readonly phase: 'job'; readonly task: string; readonly user: string; readonly input: unknown }
  | { readonly phase: 'reduce'; readonly task: string; readonly user: string; readonly input: readonly unknown[] };

export type StepResult =
  | { readonly kind: 'result'; readonly value: Value }
  | { readonly kind: 'jobs'; readonly jobs: readonly unknown[] }
  | { readonly kind: 'job'; readonly value: unknown };

/** The phase in which the code of a task threw. */
export type FailedPhase = 'load' | 'map' | 'job' | 'reduce';

export type GridRequest =
  | { readonly ask: 'names' }
  | { readonly ask: 'size'; readonly cache: string }
  | { readonly ask: 'get'; readonly cache: string; readonly key: Value }
  | { readonly ask: 'scan'; readonly cache: string }
  | { readonly ask: 'query'; readonly cache: string; readonly sql: string; readonly args: readonly Value[] }
  | { readonly ask: 'next'; readonly queryId: number };

/** A page of rows, as JSON texts joined by commas. */
export interface GridPage {
  readonly queryId: number;
  readonly rows: string;
  readonly last: boolean;
}

export type ToProcess =
  | { readonly say: 'start'; readonly configuration: string | undefined }
  | { readonly say: 'step'; readonly step: TaskStep }
  | { readonly say: 'cancel' }
  | { readonly say: 'answer'; readonly question: number; readonly value: unknown }
  | { readonly say: 'error'; readonly question: number; readonly text: string };

export type FromProcess =
  | { readonly say: 'listening' }
  | { readonly say: 'done'; readonly result: StepResult }
  | { readonly say: 'failed'; readonly phase: FailedPhase; readonly text: string }
  | { readonly say: 'ask'; readonly question: number; readonly what: GridRequest }
  | { readonly say: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string };
