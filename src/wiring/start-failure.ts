/** Formats errors that end startup. */
import { GridError } from '../base/errors.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { ConfigurationError } from '../configuration/option.ts';
import { PortError } from '../http/ports.ts';
import { portHolder } from './port-holder.ts';

/** Returns the message alone for expected errors, and message and stack for others. */
export function startFailureText(error: unknown): string {
  const expected = error instanceof GridError || error instanceof ConfigurationError || error instanceof PortError;
  const holder = error instanceof PortError && error.usedPort !== undefined ? portHolder(error.usedPort) : undefined;
  if (expected) return holder === undefined ? error.message : `${error.message}; ${holder} listens on it`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Writes an error and exits: with 2 if arguments or the configuration are invalid and the next startup would also fail,
 * otherwise with 1.
 */
export function exitWithFailure(error: unknown): never {
  process.stderr.write(`svc: ${startFailureText(error)}\n`);
  process.exit(error instanceof ConfigurationError ? EXIT_CODES.usage : EXIT_CODES.failed);
}
