/** Formats errors that end the start. */
import { GridError } from './base/errors.ts';
import { ConfigurationError } from './configuration/option.ts';
import { PortError } from './http/ports.ts';

/** Returns the message alone for expected errors, and message and stack for others. */
export function startFailureText(error: unknown): string {
  const expected = error instanceof GridError || error instanceof ConfigurationError || error instanceof PortError;
  if (expected) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Writes an error and exits: with 2 if arguments or the configuration are wrong and the next start fails too, or 1. */
export async function exitWithFailure(error: unknown): Promise<never> {
  const { EXIT_CODES } = await import('./cli/exit-codes.ts');
  process.stderr.write(`svc: ${startFailureText(error)}\n`);
  process.exit(error instanceof ConfigurationError ? EXIT_CODES.usage : EXIT_CODES.failed);
}
