/** Formats errors that end the start. */
import { GridError } from '../base/errors.ts';
import { ConfigurationError } from '../configuration/option.ts';
import { PortError } from '../http/ports.ts';

/** Returns the message alone for expected errors, and message and stack for others. */
export function startFailureText(error: unknown): string {
  const expected = error instanceof GridError || error instanceof ConfigurationError || error instanceof PortError;
  if (expected) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Whether arguments or the configuration are wrong, so that the same start fails again. */
export function isWrongUsage(error: unknown): boolean {
  return error instanceof ConfigurationError;
}
