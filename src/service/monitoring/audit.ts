/**
 * The audit log: one line for every administrative command and every rejected one. Lines contain only names, never
 * passwords, tokens, values or the text of a statement. Successful and unsuccessful requests go to separate files,
 * which rotate separately. Every change has a line; each network has a share of the lines about unsuccessful requests,
 * and another of those about logins and reads.
 */
import type { Clock } from '../../base/clock.ts';
import { AUDIT_BOUNDS } from '../../base/limits.ts';
import { networkOf } from '../../base/networks.ts';
import type { Rate } from '../../base/rates.ts';
import type { SharedRates } from '../../base/shared-rates.ts';
import type { CommandDeclaration } from '../../commands/command.ts';
import type { Caller } from '../../commands/context.ts';
import { analysisAtHand, isAdministrative, type StatementAnalysis } from '../../sql/analysis/analysis.ts';
import type { Outcome, RawRequest } from '../request.ts';
import { cutToBytes, type LineSink, logLine } from './log.ts';

export interface Audit {
  /** Records a command that has ended, if the declaration or the outcome requires it. */
  ended(command: CommandDeclaration, outcome: Outcome, caller: Caller, request: RawRequest): void;
  /** Records a request without a command, or one that was rejected before its command was known. */
  rejected(outcome: Outcome, request: RawRequest, caller?: Pick<Caller, 'user'>): void;
}

/** The destinations of lines: about successful commands, and about rejected or failed requests. */
export type AuditSinks = Readonly<Record<AuditPart, LineSink>>;
export type AuditPart = 'done' | 'failures';

const MINUTE_MS = 60_000;
const NETWORK_RATE: Rate = { requests: AUDIT_BOUNDS.networkLines, windowMs: MINUTE_MS };
const TOTAL_RATE: Rate = { requests: AUDIT_BOUNDS.allLines, windowMs: MINUTE_MS };
/** Represents the networks beyond those that are counted. */
const OTHER_NETWORKS = 'others';
const NOBODY = { user: '' };

/** Records what the service did on its own, without a request. */
export type RecordEvent = (part: AuditPart, event: string, fields: Readonly<Record<string, string | number>>) => void;

/** Creates the function that records events. There are few of them, so none is omitted. */
export function createEventAudit(sinks: AuditSinks, clock: Clock): RecordEvent {
  return (part, event, fields) =>
    appendLine(sinks[part], part === 'done' ? 'done' : 'failed', { event, ...fields }, clock);
}

export interface AuditOptions {
  readonly sinks: AuditSinks;
  readonly clock: Clock;
  /** Counts lines over all threads. */
  readonly rates: Pick<SharedRates, 'take'>;
  /** Cache name for requests that do not name one. */
  readonly defaultCache: string;
}

export function createAudit({ sinks, clock, rates, defaultCache }: AuditOptions): Audit {
  /** Lines omitted since the last summary, by network. */
  const omitted: Readonly<Record<AuditPart, Map<string, number>>> = { done: new Map(), failures: new Map() };

  function append(part: AuditPart, result: string, fields: Readonly<Record<string, string | number>>): void {
    appendLine(sinks[part], result, fields, clock);
  }

  /** Reports whether a network has a line left in a file; counts the line as omitted if it has none. */
  function mayShow(part: AuditPart, address: string): boolean {
    const network = networkOf(address);
    const own = rates.take(`audit ${part} ${network}`, NETWORK_RATE);
    const used = AUDIT_BOUNDS.networkLines - own.remaining;
    // A flood from many networks exhausts the common limit; a network with few failures still gets its lines.
    if (own.admitted && (rates.take(`audit ${part}`, TOTAL_RATE).admitted || used <= AUDIT_BOUNDS.assuredLines))
      return true;
    const counts = omitted[part];
    if (counts.size === 0) clock.after(MINUTE_MS, () => summarize(part));
    const isCounted = counts.has(network) || counts.size < AUDIT_BOUNDS.countedNetworks;
    const counted = isCounted ? network : OTHER_NETWORKS;
    counts.set(counted, (counts.get(counted) ?? 0) + 1);
    return false;
  }

  function summarize(part: AuditPart): void {
    for (const [address, suppressed] of omitted[part]) append(part, 'suppressed', { address, suppressed });
    omitted[part].clear();
  }

  return {
    ended(command, outcome, caller, request) {
      const rejected = isRejected(outcome);
      const analysis =
        command.audit === 'statement' ? analysisOf(request.params.get(command.subject ?? '')) : undefined;
      const statement = analysis !== undefined && isAdministrative(analysis) ? analysis.verb : undefined;
      const creates = command.audit === 'creation' && request.params.get('create')?.toLowerCase() === 'true';
      if (!rejected && statement === undefined && command.audit !== 'always' && !creates) return;
      const address = request.peerAddress();
      const part: AuditPart = outcome.successStatus === 0 ? 'done' : 'failures';
      const isChange = command.access === 'write' || statement !== undefined;
      if ((part === 'failures' || !isChange) && !mayShow(part, address)) return;
      const fields: Record<string, string | number> = {
        user: caller.user,
        address,
        command: command.name,
        status: outcome.successStatus,
      };
      if (caller.key !== undefined) fields.apiKey = caller.key.id;
      if (statement !== undefined) fields.statement = statement;
      for (const { name, auditedAs, readsAbsent } of Object.values(command.params)) {
        if (auditedAs === undefined) continue;
        const absent = auditedAs === 'cacheName' && readsAbsent ? defaultCache : undefined;
        const value = request.params.get(name) || absent;
        if (value !== undefined) fields[auditedAs] = value;
      }
      if (analysis !== undefined) Object.assign(fields, objectsOf(analysis));
      // The error text of a statement may repeat the statement, which may contain a password.
      if (outcome.error !== null && statement === undefined) fields.error = outcome.error;
      append(part, part === 'done' ? 'done' : rejected ? 'rejected' : 'failed', fields);
    },
    rejected({ successStatus: status, error }, request, { user } = NOBODY) {
      const address = request.peerAddress();
      if (!mayShow('failures', address)) return;
      append('failures', 'rejected', { user, address, status, ...(error !== null && { error }) });
    },
  };
}

function appendLine(
  sink: LineSink,
  result: string,
  fields: Readonly<Record<string, string | number>>,
  clock: Clock,
): void {
  const bounded = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? cutToBytes(value, AUDIT_BOUNDS.textBytes) : value,
  ]);
  sink.append(logLine('audit', result, Object.fromEntries(bounded), clock.nowMs()));
}

/** Returns undefined for a long statement in a request that was rejected before its statement was analysed. */
function analysisOf(sql: string | undefined): StatementAnalysis | undefined {
  return sql === undefined ? undefined : analysisAtHand(sql);
}

/** Returns the objects of a statement, as far as it was parsed: tables and views, an index or a query, a user. */
function objectsOf({ reads, writes, object, userStatement }: StatementAnalysis): Record<string, string> {
  const tables = [...writes, ...reads].map(({ schema, name }) => (schema === undefined ? name : `${schema}.${name}`));
  const names = [...new Set(object === undefined ? tables : [object, ...tables])].join(', ');
  return {
    ...(names !== '' && { objects: names }),
    ...(userStatement !== undefined && { about: userStatement.user }),
  };
}

/** Reports whether the outcome has status 2 or 3, or an unknown token. */
function isRejected({ successStatus, error }: Outcome): boolean {
  if (successStatus === 2 || successStatus === 3) return true;
  return successStatus === 1 && error?.startsWith('Failed to handle request - unknown session token') === true;
}
