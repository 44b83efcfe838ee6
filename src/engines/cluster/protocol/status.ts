/** Maps a node's errors to those in src/base/errors.ts (docs/spec/ignite-wire.md 2). */
import { GridError, gridError } from '../../../base/errors.ts';

/** Status codes of the protocol. */
export const STATUS = {
  FAILED: 1,
  INVALID_NODE_STATE: 10,
  FUNCTIONALITY_DISABLED: 100,
  CACHE_NOT_FOUND: 1000,
  TOO_MANY_CURSORS: 1010,
  RESOURCE_NOT_FOUND: 1011,
  SECURITY_VIOLATION: 1012,
  TOO_MANY_TASKS: 1030,
  PROCESSOR_FAILED: 1040,
} as const;

/** An error as the node sent it, before it is mapped to the subject of the request. */
export class NodeError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'NodeError';
    this.status = status;
  }
}

/** The subject of a request, which error texts name. */
export interface ErrorSubject {
  readonly cache?: string | undefined;
  readonly user?: string | undefined;
}

/** Matches the messages of nodes about values that do not fit a table. */
const DECLARATION =
  /Null value is not allowed for column|Value for a column '.*' is (?:too long|out of range)|incorrect key class/;
const READ_ONLY = /Failed to perform ([^[\]]+?) \(cluster is in read-only mode\)/;
/** Reported by nodes without the module ignite-indexing, and without another query engine. */
const NO_SQL = /because indexing is disabled|[Aa]dd(?:ing)? module '?ignite-indexing/;
/** Messages of nodes that failed because a node joined, left or is stopping. */
const TEMPORARY = new RegExp(
  [
    'retry update if possible',
    '[Nn]ode (is )?stopping',
    'grid is stopping',
    'received request while stopping',
    '[Tt]opology changed',
    'left (the )?(grid|topology|cluster)',
    '[Pp]rimary node left',
    'Failed to wait for affinity',
    'Getting affinity for (too old )?topology version',
    'Failed to find partition node',
    'Failed to map keys',
    'Failed to send (message|request)',
    'Failed to get values? for keys? .*node left',
  ].join('|'),
);

/**
 * Reports whether nodes that joined or left caused the error, so that the request may succeed elsewhere or later.
 */
export function isTemporary(failure: NodeError): boolean {
  return failure.status === STATUS.INVALID_NODE_STATE || TEMPORARY.test(failure.message);
}

/** Returns the declared error for a node's error; other errors are returned unchanged. */
export function toGridError(error: unknown, subject: ErrorSubject): unknown {
  if (!(error instanceof NodeError)) return error;
  const { status, message } = error;
  if (status === STATUS.CACHE_NOT_FOUND) return gridError('CACHE_NOT_FOUND', subject.cache ?? '');
  if (status === STATUS.TOO_MANY_CURSORS) return gridError('CURSOR_LIMIT', message);
  if (status === STATUS.SECURITY_VIOLATION || /Authorization failed/.test(message)) {
    return gridError('PERMISSION_DENIED', subject.user ?? '', message);
  }
  if (/characters that are not allowed in file names/.test(message)) {
    return gridError(
      'CACHE_NAME_INVALID',
      'contains characters that are not allowed in the file names of a persistent region.',
    );
  }
  return fromMessage(message, subject, error);
}

/** Reports whether a node rejects statements because it lacks the optional module that executes them. */
export function isSqlMissing(error: unknown): boolean {
  if (error instanceof GridError) return error.code === 'SQL_MODULE_MISSING';
  return error instanceof NodeError && NO_SQL.test(error.message);
}

function fromMessage(message: string, subject: ErrorSubject, cause: NodeError): GridError {
  if (NO_SQL.test(message)) return gridError('SQL_MODULE_MISSING');
  if (/cluster is inactive/.test(message)) return gridError('INACTIVE');
  const readOnly = READ_ONLY.exec(message);
  if (readOnly) return gridError('READ_ONLY', readOnly[1] ?? 'cache operation', subject.cache ?? cacheIn(message));
  if (/[Cc]luster in read-only mode/.test(message))
    return gridError('READ_ONLY', 'cache operation', subject.cache ?? '');
  const full = /Out of memory in data region \[name=([^,]+).*?maxSize=([^,\]]+)/.exec(message);
  if (full) return gridError('REGION_FULL', full[1] ?? '', full[2] ?? '');
  const code = DECLARATION.test(message) ? 'VALUE_REJECTED' : 'OPERATION_FAILED';
  return new GridError(code, withoutClassName(message), { cause });
}

/** Returns the message without the exception's class name. */
export function withoutClassName(message: string): string {
  return message.replace(/^(?:class )?(?:[a-z_][\w$]*\.)+[A-Z][\w$]*: /, '');
}

function cacheIn(message: string): string {
  return /[[ ]cache=([^\],]+)/.exec(message)?.[1] ?? '';
}
