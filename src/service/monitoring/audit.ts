/**
 * The audit log: one line for every administrative command and every rejected one, in a file of its own. Lines contain
 * only names, never passwords, tokens, values or the text of a statement.
 */
import type { Clock } from '../../base/clock.ts';
import type { CommandDeclaration } from '../../commands/command.ts';
import type { Caller } from '../../commands/context.ts';
import { analysisAtHand } from '../../sql/analysis/analysis.ts';
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

export function createAudit(sink: LineSink, clock: Clock): Audit {
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
      const statement =
        command.audit === 'statement' ? administrationOf(request.params.get(command.subject ?? '')) : undefined;
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
      for (const { name, auditedAs } of Object.values(command.params)) {
        const value = auditedAs === undefined ? undefined : request.params.get(name);
        if (auditedAs !== undefined && value !== undefined) fields[auditedAs] = value.slice(0, SHOWN_CHARACTERS);
      }
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

/**
 * Returns the verb of an administrative statement; undefined for statements on rows, and for a long one of a request
 * that was rejected before its statement was analysed.
 */
function administrationOf(sql: string | undefined): string | undefined {
  const analysis = sql === undefined ? undefined : analysisAtHand(sql);
  if (analysis === undefined) return undefined;
  return isAdministrativeStatement(analysis.kind, analysis.verb) ? analysis.verb : undefined;
}

function auditLine(result: string, fields: LogFields, clock: Clock): string {
  return logLine('audit', result, fields, clock.nowMs());
}

/** Reports whether the outcome has status 2 or 3, or an unknown token. */
function isRejected({ successStatus, error }: Outcome): boolean {
  if (successStatus === 2 || successStatus === 3) return true;
  return successStatus === 1 && error?.startsWith('Failed to handle request - unknown session token') === true;
}
