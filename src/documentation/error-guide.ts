/** The error catalogue as it is described, and which failures any request can meet. */
import { ERRORS, type ErrorCode, type ErrorEntry } from '../base/errors.ts';
import type { RegisteredCommand } from '../commands/command.ts';

/** An entry of the catalogue. */
export interface DescribedError {
  readonly code: ErrorCode;
  /** successStatus of the envelope. */
  readonly status: ErrorEntry['status'];
  /** HTTP status with `httpStatus=true`, and of what fails before a command. */
  readonly http: ErrorEntry['http'];
  /** The text with … for what differs from case to case. */
  readonly text: string;
  readonly remedy: string;
}

const ELLIPSIS = '…';

/** All failures, in the catalogue's order. */
export function describedErrors(): readonly DescribedError[] {
  const codes = Object.keys(ERRORS).filter((code): code is ErrorCode => code in ERRORS);
  return codes.map((code) => {
    const { status, http, remedy, text }: ErrorEntry = ERRORS[code];
    // A list of one text stands for any detail: it reads the same inserted and joined.
    const details = Array.from({ length: text.length }, () => [ELLIPSIS]);
    return { code, status, http, text: String(Reflect.apply(text, undefined, details)), remedy };
  });
}

/** Failures that no command declares, because they are found before it or below it. */
export const SHARED_ERRORS = {
  /** Any request, whatever it asks. */
  request: [
    'COMMAND_MISSING',
    'COMMAND_UNKNOWN',
    'PARAMETER_UNKNOWN',
    'PARAMETER_GAP',
    'REQUEST_MALFORMED',
    'REQUEST_TIMEOUT',
    'LIMIT_EXCEEDED',
    'BODY_TOO_LARGE',
    'BUFFERS_FULL',
    'HEAD_TOO_LARGE',
    'PATH_NOT_FOUND',
    'METHOD_NOT_ALLOWED',
    'ORIGIN_FORBIDDEN',
    'SIGNATURE_WRONG',
    'OVERLOADED',
    'STOPPING',
    'INTERNAL',
  ],
  /** Commands that need a login, where authentication is on. */
  login: [
    'TOKEN_MISSING',
    'TOKEN_UNKNOWN',
    'CREDENTIALS_WRONG',
    'TOO_MANY_ATTEMPTS',
    'SESSION_LIMIT',
    'USER_SHARE',
    'PERMISSION_DENIED',
  ],
  /** Commands on entries: their shared parameters are read also where a command has no use for them. */
  entry: ['CONVERSION', 'NOT_A_LONG', 'NOT_AN_INTEGER', 'MORE_VALUES_THAN_KEYS', 'LIMIT_EXCEEDED'],
  /** What goes to the engine. */
  engine: [
    'STORAGE_FULL',
    'STORAGE_LOW',
    'STORAGE_READ_ONLY',
    'STORAGE_CORRUPT',
    'STORAGE_FAILED',
    'CLUSTER_UNREACHABLE',
    'CLUSTER_ANSWER_INVALID',
    'OUTCOME_UNKNOWN',
    'OPERATION_FAILED',
    'NOT_SUPPORTED',
    'CACHE_IS_SYSTEM',
  ],
} as const satisfies Readonly<Record<string, readonly ErrorCode[]>>;

/** Every failure that a request for the command can meet, its own first. */
export function errorsOf(command: RegisteredCommand): readonly ErrorCode[] {
  const { request, login, entry, engine } = SHARED_ERRORS;
  const all: readonly ErrorCode[] = [
    ...command.errors,
    ...(command.reading === 'entry' ? entry : []),
    ...(command.needs === 'open' ? [] : login),
    ...(command.group === 'server' ? [] : engine),
    ...request,
  ];
  return [...new Set(all)];
}
