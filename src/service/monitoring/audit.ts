/**
 * The audit log: one line for every administrative command and every rejected one, in a file of its own. Lines contain
 * only names, never passwords, tokens, values or the text of a statement.
 */
import type { Clock } from '../../base/clock.ts';
import type { CommandDeclaration } from '../../commands/command.ts';
import type { Caller } from '../../commands/context.ts';
import { analysisAtHand, type StatementAnalysis } from '../../sql/analysis/analysis.ts';
import type { Outcome, RawRequest } from '../request.ts';
import { isAdministrativeStatement } from './administrative-statements.ts';
import { type LineSink, type LogFields, logLine } from './log.ts';

export interface Audit {
  /** Records a command that has ended, if the declaration or the outcome requires it. */
  ended(command: CommandDeclaration, outcome: Outcome, caller: Caller, request: RawRequest): void;
  /** Records a request that was rejected before its command was known. */
  rejected(outcome: Outcome, request: RawRequest): void;
}

/** Lines per second for failed commands, so that a flood of them does not rotate the other lines away. */
const FAILURES_PER_SECOND = 50;
/** Characters of each text of a line, enough to recognize a key or name. */
const SHOWN_CHARACTERS = 200;

export interface AuditOptions {
  readonly sink: LineSink;
  readonly clock: Clock;
  /** Name of the cache of requests that name none. */
  readonly defaultCache: string;
}

export function createAudit({ sink, clock, defaultCache }: AuditOptions): Audit {
  let second = 0;
  let failures = 0;
  let suppressed = 0;

  function mayShowFailure(): boolean {
    const now = Math.floor(clock.monotonicMs() / 1000);
    if (now !== second) [second, failures] = [now, 0];
    if (++failures <= FAILURES_PER_SECOND) return true;
    suppressed++;
    return false;
  }

  function append(result: string, fields: Record<string, string | number>): void {
    if (suppressed > 0) fields.suppressed = suppressed;
    suppressed = 0;
    sink.append(auditLine(result, fields, clock));
  }

  return {
    ended(command, outcome, caller, request) {
      const rejected = isRejected(outcome);
      const analysis =
        command.audit === 'statement' ? analysisOf(request.params.get(command.subject ?? '')) : undefined;
      const statement = analysis !== undefined && isAdministrative(analysis) ? analysis.verb : undefined;
      if (!rejected && statement === undefined && command.audit !== 'always') return;
      if (outcome.successStatus !== 0 && !mayShowFailure()) return;
      const fields: Record<string, string | number> = {
        user: caller.user,
        address: request.peerAddress(),
        command: command.name,
        status: outcome.successStatus,
      };
      if (caller.key !== undefined) fields.apiKey = caller.key.id;
      if (statement !== undefined) fields.statement = statement;
      for (const { name, auditedAs, readsAbsent } of Object.values(command.params)) {
        if (auditedAs === undefined) continue;
        const absent = auditedAs === 'cacheName' && readsAbsent ? defaultCache : undefined;
        const value = request.params.get(name) || absent;
        if (value !== undefined) fields[auditedAs] = value.slice(0, SHOWN_CHARACTERS);
      }
      if (analysis !== undefined) Object.assign(fields, objectsOf(analysis));
      // The error text of a statement may repeat the statement, which may contain a password.
      if (outcome.error !== null && statement === undefined) fields.error = outcome.error.slice(0, SHOWN_CHARACTERS);
      append(rejected ? 'rejected' : outcome.successStatus === 0 ? 'done' : 'failed', fields);
    },
    rejected({ successStatus: status, error }, request) {
      if (!mayShowFailure()) return;
      const fields: Record<string, string | number> = { user: '', address: request.peerAddress(), status };
      if (error !== null) fields.error = error.slice(0, SHOWN_CHARACTERS);
      append('rejected', fields);
    },
  };
}

/** Returns undefined for a long statement of a request that was rejected before its statement was analysed. */
function analysisOf(sql: string | undefined): StatementAnalysis | undefined {
  return sql === undefined ? undefined : analysisAtHand(sql);
}

function isAdministrative({ kind, verb }: StatementAnalysis): boolean {
  return isAdministrativeStatement(kind, verb);
}

/** Returns what a statement is about, as far as it was parsed: tables and views, an index or a query, a user. */
function objectsOf({ reads, writes, object, userStatement }: StatementAnalysis): Record<string, string> {
  const tables = [...writes, ...reads].map(({ schema, name }) => (schema === undefined ? name : `${schema}.${name}`));
  const names = [...new Set(object === undefined ? tables : [object, ...tables])].join(', ');
  return {
    ...(names !== '' && { objects: names.slice(0, SHOWN_CHARACTERS) }),
    ...(userStatement !== undefined && { about: userStatement.user.slice(0, SHOWN_CHARACTERS) }),
  };
}

function auditLine(result: string, fields: LogFields, clock: Clock): string {
  return logLine('audit', result, fields, clock.nowMs());
}

/** Reports whether the outcome has status 2 or 3, or an unknown token. */
function isRejected({ successStatus, error }: Outcome): boolean {
  if (successStatus === 2 || successStatus === 3) return true;
  return successStatus === 1 && error?.startsWith('Failed to handle request - unknown session token') === true;
}
