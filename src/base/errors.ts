/**
 * Every error of the service: code, envelope status, HTTP status with `httpStatus=true`, text, cause and remedy.
 * The files of src/base/errors declare them by group. Where Ignite has a text for an error, it is used, because
 * clients match on it (docs/spec/ignite-data.md 2.2, docs/spec/ignite-cluster.md). The errors of SQL statements are
 * in src/base/sql-errors.ts.
 */
import { BATCH_ERRORS } from './errors/batches.ts';
import { CACHE_ERRORS } from './errors/caches.ts';
import { CHANGE_FEED_ERRORS } from './errors/change-feed.ts';
import { ENGINE_ERRORS } from './errors/engine.ts';
import type { ErrorEntry, SpecificText } from './errors/error-entry.ts';
import { HTTP_ERRORS } from './errors/http.ts';
import { IMPORT_ERRORS, IMPORT_TEXTS } from './errors/imports.ts';
import { LOAD_ERRORS } from './errors/load.ts';
import { LOG_ERRORS, LOG_TEXTS } from './errors/logs.ts';
import { REQUEST_ERRORS } from './errors/requests.ts';
import { BODY_TEXTS, RESOURCE_ERRORS } from './errors/resources.ts';
import { SAVED_QUERY_ERRORS } from './errors/saved-queries.ts';
import { SECURITY_ERRORS, USER_TEXTS } from './errors/security.ts';
import { STATE_ERRORS } from './errors/state.ts';
import { STATEMENT_ERRORS, STATEMENT_TEXTS } from './errors/statements.ts';
import { MIGRATION_TEXTS, STORAGE_ERRORS, STORAGE_TEXTS } from './errors/storage.ts';
import { TASK_ERRORS, TASK_TEXTS } from './errors/tasks.ts';
import { ERROR_CHARACTERS, QUOTABLE_CHARACTERS, QUOTED_CHARACTERS } from './limits.ts';

export type { ErrorEntry } from './errors/error-entry.ts';

/** Details of an error besides its code and text. */
export interface ErrorDetails {
  /** The parameter, as the client names it. */
  readonly parameter?: string | undefined;
  /** The character of the statement, from 1. */
  readonly position?: number | undefined;
  /** The remedy; the one declared for the code if undefined. */
  readonly remedy?: string | undefined;
}

export const ERRORS = {
  ...REQUEST_ERRORS,
  ...BATCH_ERRORS,
  ...CHANGE_FEED_ERRORS,
  ...CACHE_ERRORS,
  ...STATE_ERRORS,
  ...STATEMENT_ERRORS,
  ...TASK_ERRORS,
  ...SECURITY_ERRORS,
  ...SAVED_QUERY_ERRORS,
  ...LOG_ERRORS,
  ...HTTP_ERRORS,
  ...IMPORT_ERRORS,
  ...RESOURCE_ERRORS,
  ...LOAD_ERRORS,
  ...STORAGE_ERRORS,
  ...ENGINE_ERRORS,
};

export type ErrorCode = keyof typeof ERRORS;

/** Errors that share their code, and so their status and remedy, with others. */
export const SPECIFIC_ERRORS = {
  ...STORAGE_TEXTS,
  ...BODY_TEXTS,
  ...STATEMENT_TEXTS,
  ...MIGRATION_TEXTS,
  ...USER_TEXTS,
  ...TASK_TEXTS,
  ...LOG_TEXTS,
  ...IMPORT_TEXTS,
} satisfies Record<string, { readonly code: ErrorCode }>;

type AnyError = typeof ERRORS & typeof SPECIFIC_ERRORS;

const ALL_ERRORS: AnyError = { ...ERRORS, ...SPECIFIC_ERRORS };

interface GridErrorOptions extends ErrorOptions, ErrorDetails {
  readonly response?: string | undefined;
}

/** An error of {@link ERRORS}. `message` is its text, not wrapped. */
export class GridError extends Error implements ErrorDetails {
  readonly code: ErrorCode;
  /** JSON for the envelope's `response` next to the error; null if undefined. */
  readonly response: string | undefined;
  readonly position: number | undefined;
  readonly #remedy: string | undefined;
  #parameter: string | undefined;

  /** The message is cut after {@link ERROR_CHARACTERS} characters: it can come from a client or a cluster. */
  constructor(code: ErrorCode, message: string, options?: GridErrorOptions) {
    super(shortened(message, ERROR_CHARACTERS), options);
    this.name = 'GridError';
    this.code = code;
    this.response = options?.response;
    this.position = options?.position;
    this.#remedy = options?.remedy;
    this.#parameter = options?.parameter;
  }

  get parameter(): string | undefined {
    return this.#parameter;
  }

  /** Sets the parameter that the error is about, unless already set, and returns the error. */
  about(parameter: string): this {
    this.#parameter ??= parameter;
    return this;
  }

  /** The remedy. */
  get remedy(): string {
    return this.#remedy ?? this.entry.remedy;
  }

  get successStatus(): 1 | 2 | 3 {
    return this.entry.status ?? 1;
  }

  /** The declaration of this error. */
  get entry(): ErrorEntry {
    return ERRORS[this.code];
  }
}

/**
 * Creates an error of {@link ERRORS} or {@link SPECIFIC_ERRORS}. The details are the arguments of its text, which
 * quotes at most {@link QUOTED_CHARACTERS} characters of each: details often come from the client, and a response must
 * not repeat an invalid value of 20 MB.
 */
export function gridError<K extends keyof AnyError>(key: K, ...details: Parameters<AnyError[K]['text']>): GridError {
  const text = ALL_ERRORS[key].text as (...all: readonly unknown[]) => string;
  const shown = details.map((each) => (typeof each === 'string' ? shortened(each) : each));
  const { parameter, specificRemedy }: ErrorEntry | SpecificText = ALL_ERRORS[key];
  const named = parameter === undefined ? undefined : Reflect.apply(parameter, undefined, shown);
  const remedy = specificRemedy === undefined ? undefined : Reflect.apply(specificRemedy, undefined, shown);
  return new GridError(codeOf(key), text(...shown), { parameter: named, remedy });
}

/** Returns an error that another thread or service sent, or undefined if this version does not know its code. */
export function receivedError(code: string, message: string, details: ErrorDetails = {}): GridError | undefined {
  return isErrorCode(code) ? new GridError(code, message, details) : undefined;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

function codeOf(key: keyof AnyError): ErrorCode {
  return isSpecific(key) ? SPECIFIC_ERRORS[key].code : key;
}

function isSpecific(key: keyof AnyError): key is keyof typeof SPECIFIC_ERRORS {
  return Object.hasOwn(SPECIFIC_ERRORS, key);
}

/**
 * Returns the beginning of a string longer than `maxCharacters`, with an ellipsis; a shorter one unchanged. A string
 * longer than {@link QUOTABLE_CHARACTERS} is replaced by its length: to read any part of it, the runtime would join the
 * chunks in which it was decoded.
 */
export function shortened(text: string, maxCharacters: number = QUOTED_CHARACTERS): string {
  if (text.length > QUOTABLE_CHARACTERS) return `(${text.length} characters)`;
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}...` : text;
}

/** Like {@link shortened}, but keeps the characters around the first `mark` instead of the beginning. */
export function shortenedAround(text: string, mark: string): string {
  const start = Math.max(0, text.indexOf(mark) - QUOTED_CHARACTERS / 2);
  return start === 0 ? shortened(text) : `...${shortened(text.slice(start))}`;
}

/** Returns the message of an error, or any other thrown value as a string. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
