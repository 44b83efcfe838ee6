/** Messages between a program on Node (embedding-node.ts) and its service's process (embedding-process.ts). */
import type { StartOptions, TestControls } from '../../wiring/in-process.ts';

/** The first message to the process. */
export interface ProcessStart {
  readonly options: StartOptions;
  /** Whether the service is for tests, which then send calls. */
  readonly isForTests: boolean;
}

/** The report that the process sends once to the program that started it. */
export type StartReport = { readonly url: string } | { readonly error: string };

/** A call of {@link TestControls}, which the process answers. */
export interface TestCall {
  readonly id: number;
  readonly name: keyof TestControls;
  /** For `advance`. */
  readonly byMs: number;
}

export interface TestAnswer {
  readonly id: number;
  readonly error?: string;
}
