/** Failures that the service reports: in envelopes, and in the last line of rows. */
import { rowsUntilFailure } from '../base/row-failures.ts';
import type { ErrorCode } from './commands.ts';
import { Decimal, type Json, parseExact } from './exact-json.ts';

/** What a service says about a failure beside its text. */
export interface ErrorDetails {
  /** The code of the error; undefined if no service reported it. */
  readonly code?: ErrorCode | undefined;
  /** The parameter that the error is about. */
  readonly parameter?: string | undefined;
  /** The character of the statement, from 1. */
  readonly position?: number | undefined;
  /** What to do instead. */
  readonly remedy?: string | undefined;
  /** Path of the page of the service that explains the error. */
  readonly documentation?: string | undefined;
}

/** A failure that the service reports. */
export class SvcError extends Error implements ErrorDetails {
  override readonly name = 'SvcError';
  readonly code: ErrorCode | undefined;
  readonly parameter: string | undefined;
  readonly position: number | undefined;
  readonly remedy: string | undefined;
  readonly documentation: string | undefined;
  /** 1 failure; 2 authorization failure; 3 security check failure. */
  readonly successStatus: number;
  /** The HTTP status. */
  readonly http: number;
  readonly command: string;
  /** What had been done before the failure, if the command reports it, as `import` does; otherwise null. */
  readonly response: Json;

  constructor(
    message: string,
    command: string,
    successStatus: number,
    http: number,
    response: Json = null,
    details: ErrorDetails = {},
  ) {
    super(message);
    this.command = command;
    this.successStatus = successStatus;
    this.http = http;
    this.response = response;
    this.code = details.code;
    this.parameter = details.parameter;
    this.position = details.position;
    this.remedy = details.remedy;
    this.documentation = details.documentation;
  }
}

const OK = 200;

/** The members of an envelope, with the error in parts. */
export interface Envelope {
  readonly successStatus: number;
  readonly sessionToken: string | null;
  readonly error: string;
  readonly details: ErrorDetails;
  readonly response: Json;
}

export async function readEnvelope(response: Response, command: string, parse = parseExact): Promise<Envelope> {
  const text = await response.text();
  try {
    const { successStatus, sessionToken, error, response: result } = Object(parse(text));
    if (typeof successStatus === 'number') {
      const code = response.headers.get('Error-Code') ?? undefined;
      const isObjectForm = isObject(error);
      return {
        successStatus,
        sessionToken,
        error: String((isObjectForm ? error.message : error) ?? ''),
        details: detailsOf(isObjectForm ? error : { ...(code !== undefined && { code }) }),
        response: result,
      };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  // A proxy answered, for example.
  throw new SvcError(`No envelope, but ${text.slice(0, 200)}`, command, 1, response.status);
}

/** Returns what an error says beside its text. */
export function detailsOf(error: { readonly [name: string]: Json }): ErrorDetails {
  const { code, parameter, position, remedy, documentation } = error;
  return {
    code: typeof code === 'string' ? code : undefined,
    parameter: typeof parameter === 'string' ? parameter : undefined,
    position: typeof position === 'number' ? position : undefined,
    remedy: typeof remedy === 'string' ? remedy : undefined,
    documentation: typeof documentation === 'string' ? documentation : undefined,
  };
}

export function failureOf(
  { error, details, successStatus, response }: Envelope,
  command: string,
  http: number,
): SvcError {
  return new SvcError(error, command, successStatus, http, response, details);
}

/** Returns a stream that fails with the error that the service reports in its last line, if it is cut. */
export function withFailures(stream: ReadableStream<Uint8Array>, command: string): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  const chunks = async function* () {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  };
  const rows = rowsUntilFailure(chunks(), (json) => {
    const error: Json = parseExact(json);
    const members = isObject(error) ? error : {};
    return new SvcError(String(members.message ?? json), command, 1, OK, null, detailsOf(members));
  });
  return new ReadableStream({
    async pull(controller) {
      const next = await rows.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

export function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal);
}
