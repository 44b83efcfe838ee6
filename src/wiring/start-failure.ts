/** A start that cannot go on: what is said, and that it is said once. */
import { GridError } from '../base/errors.ts';
import { ConfigurationError } from '../configuration/option.ts';
import { PortError } from '../http/ports.ts';

/** The text for the operator: the sentence alone for what is expected to go wrong, else all that is known. */
export function startFailureText(error: unknown): string {
  const expected = error instanceof GridError || error instanceof ConfigurationError || error instanceof PortError;
  if (expected) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
