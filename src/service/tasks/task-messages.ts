/** What the service and a task's process say to each other. All of it is structured-cloneable. */
import type { Value } from '../../values/value.ts';
import type { TaskArgument } from './task-declaration.ts';

/** One thing that a process does at a time. */
export type TaskStep =
  /** Runs the function, or maps to jobs. */
  | { readonly phase: 'begin'; readonly task: string; readonly user: string; readonly input: TaskArgument }
  | { readonly phase: 'job'; readonly task: string; readonly user: string; readonly input: unknown }
  | { readonly phase: 'reduce'; readonly task: string; readonly user: string; readonly input: readonly unknown[] };

export type StepResult =
  | { readonly kind: 'result'; readonly value: Value }
  | { readonly kind: 'jobs'; readonly jobs: readonly unknown[] }
  | { readonly kind: 'job'; readonly value: unknown };

/** Where in a task its own code threw. */
export type FailedPhase = 'load' | 'map' | 'job' | 'reduce';

export type GridQuestion =
  | { readonly ask: 'names' }
  | { readonly ask: 'size'; readonly cache: string }
  | { readonly ask: 'get'; readonly cache: string; readonly key: Value }
  | { readonly ask: 'scan'; readonly cache: string }
  | { readonly ask: 'query'; readonly cache: string; readonly sql: string; readonly args: readonly Value[] }
  | { readonly ask: 'next'; readonly queryId: number };

/** A page of rows: JSON texts joined by commas. */
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
  | { readonly say: 'refusal'; readonly question: number; readonly text: string };

export type FromProcess =
  | { readonly say: 'listening' }
  | { readonly say: 'done'; readonly result: StepResult }
  | { readonly say: 'failed'; readonly phase: FailedPhase; readonly text: string }
  | { readonly say: 'ask'; readonly question: number; readonly what: GridQuestion }
  | { readonly say: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string };
