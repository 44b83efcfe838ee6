/** What tools, resources and prompts use of a service: its commands, for one user. */
import type { JsonNode } from '../values/json.ts';

/** What executes commands. Parameters are texts, or the text of a JSON object. */
export interface CommandSource {
  command(
    name: string,
    parameters: string | Readonly<Record<string, string>>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<{ readonly response: JsonNode }>;
}

/** Its errors are {@link ToolFailure}. */
export interface ToolClient extends CommandSource {
  /** The address of the endpoint, as the user writes it. */
  readonly url: string;
}

/** What is wrong, as a language model reads it: a sentence, or the error of the service as JSON. */
export class ToolFailure extends Error {}
