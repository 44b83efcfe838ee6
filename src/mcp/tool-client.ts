/** The part of a service that tools, resources and prompts use: its commands, for one user. */
import type { JsonNode } from '../values/json.ts';

/** Executes commands. Parameters are strings, or JSON objects. */
export interface CommandSource {
  command(
    name: string,
    parameters: string | Readonly<Record<string, string>>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<{ readonly response: JsonNode }>;
}

/** Its errors are {@link ToolFailure}. */
export interface ToolClient extends CommandSource {
  /** The endpoint's address, as the user writes it. */
  readonly url: string;
}

/** The problem, as a language model reads it: a sentence, or the service's error as JSON. */
export class ToolFailure extends Error {}
