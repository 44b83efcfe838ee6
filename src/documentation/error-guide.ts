/** Describes the errors of src/base/errors.ts, and lists those that any request can get. */
import { ERRORS, type ErrorCode, type ErrorEntry, type GridError, SPECIFIC_ERRORS } from '../base/errors.ts';
import { acceptsKey, type RegisteredCommand } from '../commands/command.ts';
import { declaredErrors } from '../commands/implied-errors.ts';
import { COMMANDS } from '../commands/registry.ts';

/** An error as documents show it. */
export interface DescribedError {
  readonly code: ErrorCode;
  /** successStatus of the envelope. */
  readonly status: GridError['successStatus'];
  /** HTTP status with `httpStatus=true`, and for requests that fail before a command runs. */
  readonly http: ErrorEntry['http'];
  /** The text, with … for the variable parts. */
  readonly text: string;
  /** When the error occurs. */
  readonly cause: string;
  readonly remedy: string;
}

const ELLIPSIS = '…';

/** Returns all errors in order of declaration. */
export function describedErrors(): readonly DescribedError[] {
  const codes = Object.keys(ERRORS).filter((code): code is ErrorCode => code in ERRORS);
  return codes.map((code) => {
    const { status, http, cause, remedy, text }: ErrorEntry = ERRORS[code];
    return { code, status: status ?? 1, http, text: shownText(text), cause, remedy };
  });
}

/** Returns a text with … for its details. */
export function shownText(text: (...details: never[]) => string): string {
  // A list with one element reads the same whether a text inserts or joins it.
  const details = Array.from({ length: text.length }, () => [ELLIPSIS]);
  return String(Reflect.apply(text, undefined, details));
}

/** Errors that commands do not declare, because the request pipeline or the engine detects them. */
export const SHARED_ERRORS = {
  /** Any request. */
  request: [
    'COMMAND_MISSING',
    'COMMAND_UNKNOWN',
    'COMMAND_CONFLICT',
    'PARAMETER_UNKNOWN',
    'PARAMETER_GAP',
    'NOTATION_INVALID',
    'NOT_A_BOOLEAN',
    'REQUEST_MALFORMED',
    'REQUEST_TIMEOUT',
    'LIMIT_EXCEEDED',
    'BODY_TOO_LARGE',
    'BUFFERS_FULL',
    'HEAD_TOO_LARGE',
    'PATH_NOT_FOUND',
    'CONSOLE_NOT_BUILT',
    'METHOD_NOT_ALLOWED',
    'MEDIA_TYPE_UNSUPPORTED',
    'ORIGIN_FORBIDDEN',
    'WRITE_HEADER_MISSING',
    'SIGNATURE_WRONG',
    'RATE_LIMITED',
    'OVERLOADED',
    'STOPPING',
    'INTERNAL',
  ],
  /** Commands that need a login, if authentication is on. */
  login: [
    'TOKEN_MISSING',
    'TOKEN_UNKNOWN',
    'CREDENTIALS_WRONG',
    'API_KEY_UNKNOWN',
    'JWT_INVALID',
    'JWT_KEYS_UNAVAILABLE',
    'TOO_MANY_ATTEMPTS',
    'SESSION_LIMIT',
    'USER_SHARE',
    'PERMISSION_DENIED',
  ],
  /** Commands on entries, which decode the shared parameters even if they do not use them. */
  entry: [
    'CONVERSION',
    'NOT_A_LONG',
    'NOT_AN_INTEGER',
    'MORE_VALUES_THAN_KEYS',
    'LIMIT_EXCEEDED',
    'CIRCULAR_REFERENCE',
  ],
  /** Commands that accept an idempotency key, for requests with one. */
  key: [
    'IDEMPOTENCY_KEY_INVALID',
    'IDEMPOTENCY_KEY_REUSED',
    'IDEMPOTENCY_KEY_IN_USE',
    'IDEMPOTENCY_UNSUPPORTED',
    'IDEMPOTENCY_FULL',
  ],
  /** Requests for entries and rows by their addresses. */
  resource: [
    'RESOURCE_INVALID',
    'ENTRY_NOT_FOUND',
    'ENTRY_EXISTS',
    'ROW_NOT_FOUND',
    'TABLE_NOT_FOUND',
    'PRECONDITION_FAILED',
    'NOT_ACCEPTABLE',
    'MEDIA_TYPE_UNSUPPORTED',
  ],
  /** Commands that call the engine. */
  engine: [
    'STORAGE_FULL',
    'STORAGE_LOW',
    'STORAGE_READ_ONLY',
    'STORAGE_CORRUPT',
    'STORAGE_FAILED',
    'CLUSTER_UNREACHABLE',
    'STANDBY',
    'DEPOSED',
    'CLUSTER_ANSWER_INVALID',
    'SQL_MODULE_MISSING',
    'OUTCOME_UNKNOWN',
    'VALUE_REJECTED',
    'OPERATION_FAILED',
    'NOT_SUPPORTED',
    'CACHE_IS_SYSTEM',
    'CHANGE_POSITION_INVALID',
    'CHANGE_POSITION_GONE',
    'CHANGE_POSITION_TIMEOUT',
  ],
  /** No request, but startup. */
  start: ['CACHE_DECLARED_OTHERWISE'],
  /** No request, but `svc restore` and `svc verify`, and the reasons why a continuous backup has stopped. */
  restore: ['BACKUP_KEY_MISSING', 'BACKUP_KEY_WRONG', 'BACKUP_NOT_ENCRYPTED'],
} as const satisfies Readonly<Record<string, readonly ErrorCode[]>>;

/** Returns every error that a request for the command can get, its own first. */
export function errorsOf(command: RegisteredCommand): readonly ErrorCode[] {
  const { request, login, entry, key, engine } = SHARED_ERRORS;
  const all: readonly ErrorCode[] = [
    ...declaredErrors(command),
    ...(command.reading === 'entry' ? entry : []),
    ...(acceptsKey(command) ? key : []),
    ...(command.needs === 'open' ? [] : login),
    ...(command.group === 'server' ? [] : engine),
    ...request,
  ];
  return [...new Set(all)];
}

/** Everything that the documentation says about one error. */
export interface ErrorExplanation extends DescribedError {
  /** Whether a failed command has the HTTP status even if it is not requested. */
  readonly httpAlways: boolean;
  /** All texts with this code, with … for the variable parts. */
  readonly texts: readonly string[];
  /** Groups of requests that can fail with it. */
  readonly groups: ReadonlyArray<keyof typeof SHARED_ERRORS>;
  /** Names of the commands that declare it. */
  readonly commands: readonly string[];
}

/** Returns the documentation of an error, or undefined if there is none with this code. */
export function explainedError(code: string): ErrorExplanation | undefined {
  const described = describedErrors().find((each) => each.code === code);
  if (described === undefined) return undefined;
  const { httpAlways }: ErrorEntry = ERRORS[described.code];
  const others = Object.values(SPECIFIC_ERRORS).filter((each) => each.code === code);
  return {
    ...described,
    httpAlways: httpAlways === true,
    texts: [described.text, ...others.map(({ text }) => shownText(text))].filter((each) => each !== ELLIPSIS),
    groups: groupsOf(described.code),
    commands: COMMANDS.filter((command) => declaredErrors(command).includes(described.code)).map(({ name }) => name),
  };
}

function groupsOf(code: ErrorCode): ReadonlyArray<keyof typeof SHARED_ERRORS> {
  const names = Object.keys(SHARED_ERRORS).filter((name): name is keyof typeof SHARED_ERRORS => name in SHARED_ERRORS);
  return names.filter((name) => SHARED_ERRORS[name].some((each: ErrorCode) => each === code));
}

/** The names of the groups in {@link SHARED_ERRORS}. */
export const ERROR_GROUPS: Readonly<Record<keyof typeof SHARED_ERRORS, string>> = {
  request: 'any request',
  login: 'any command, if authentication is on',
  entry: 'all commands on entries',
  key: 'requests with an idempotency key',
  resource: 'requests for entries and rows by their addresses',
  engine: 'all commands that need the data',
  start: 'no command; it ends a start',
  restore: 'svc restore and svc verify, and a continuous backup that has stopped',
};
