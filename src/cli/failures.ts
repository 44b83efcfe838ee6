/** Errors that end a subcommand, each with an exit code. */
import { EXIT_CODES, type ExitCode } from '../base/exit-codes.ts';
import { withoutUrlSecrets } from '../base/url-secrets.ts';
import type { JsonNode } from '../values/json.ts';

/** Ends a subcommand: the message goes to standard error, without a stack. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError';
  readonly exitCode: ExitCode;
  /** The remedy, printed below the message. */
  readonly advice: string | undefined;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions & { readonly advice?: string | undefined }) {
    super(message, options);
    this.exitCode = exitCode;
    this.advice = options?.advice;
  }
}

/** The service's details of an error besides its text. */
export interface FailureDetails {
  /** The code of the error, or undefined if an older service reported it. */
  readonly code: string | undefined;
  /** The error as sent by the service, as JSON. */
  readonly object: string | undefined;
  /** The parameter that is missing or invalid. */
  readonly parameter: string | undefined;
  /** The remedy. */
  readonly remedy: string | undefined;
  /** The character of the statement, from 1. */
  readonly position: number | undefined;
}

/** A response that ended early, or that a proxy sent instead of the service: another attempt may succeed. */
export class LostAnswer extends CommandLineError {}

/** A command that the service rejected, or that failed there. */
export class ServiceFailure extends CommandLineError {
  readonly details: FailureDetails;
  /** The HTTP status. */
  readonly status: number;
  /** The envelope's `response`: the work done before the failure, if the command reports it. */
  readonly response: JsonNode;

  constructor(exitCode: ExitCode, message: string, status: number, response: JsonNode, details: FailureDetails) {
    super(exitCode, message);
    this.details = details;
    this.status = status;
    this.response = response;
  }
}

/** Returns the error for invalid arguments. Credentials in URLs are masked in the message. */
export function usageError(message: string): CommandLineError {
  return new CommandLineError(EXIT_CODES.usage, withoutUrlSecrets(message));
}

/** Returns the error that ends a subcommand after SIGINT, SIGTERM or Ctrl-C. */
export function interruptedError(options?: ErrorOptions): CommandLineError {
  return new CommandLineError(EXIT_CODES.interrupted, 'interrupted', options);
}
