/** The headers with which requests and responses name positions of the change feed. */
import { gridError } from '../base/errors.ts';
import { CHANGE_FEED_BOUNDS } from '../base/limits.ts';
import type { BatchUse, CommandGroup, RegisteredCommand } from '../commands/command.ts';
import type { DecodedArguments } from '../commands/decode.ts';
import type { ChangeFeed } from '../grid/change-feed.ts';
import { analysisAtHand, isRowStatement, isUserStatement } from '../sql/analysis/analysis.ts';
import type { RawRequest } from './request.ts';

/**
 * The response header after a write: a position after its changes, which are durable. After a read, if a failover may
 * undo changes that it has seen: a position after those.
 */
export const CHANGE_POSITION = 'Change-Position';
/** The header, as requests have it, of a request that waits until the changes up to a position are visible. */
export const WAIT_FOR_POSITION = 'wait-for-position';
/** How long a request waits unless its Prefer header says otherwise (RFC 7240 4.3). */
const WAIT_MS = 5_000;

/**
 * Which caches a command group's writes may change: the one in `cacheName`, any recorded one, any including those no
 * longer recorded afterwards, or none.
 */
const CHANGED: { readonly [G in CommandGroup]: 'named' | 'recorded' | 'kept' | 'none' } = {
  entry: 'named',
  bulk: 'named',
  cache: 'kept',
  query: 'recorded',
  transfer: 'kept',
  savedquery: 'none',
  counter: 'none',
  task: 'none',
  cluster: 'none',
  user: 'none',
  server: 'none',
};

/** Returns a position after the changes of a successful command, or undefined if none were recorded. */
export function positionAfter(
  command: RegisteredCommand,
  request: RawRequest,
  args: DecodedArguments,
  feed: ChangeFeed,
): string | undefined {
  const changed = changedBy(command, request);
  if (changed === 'none') return undefined;
  return feed.position(changed === 'named' ? [String(args.cacheName)] : changed);
}

/** Returns a position after everything that a read may have seen, or undefined if that is not recorded. */
export function positionOfRead(
  { batch, rightsOn }: RegisteredCommand,
  args: DecodedArguments,
  feed: ChangeFeed,
): string | undefined {
  if (rightsOn === 'statement') return feed.position('recorded');
  // What a stream reads may have changed since its response began.
  if (args.cacheName === undefined || STREAMS.has(batch)) return undefined;
  return feed.position([String(args.cacheName)]);
}

const STREAMS: ReadonlySet<BatchUse> = new Set(['streams', 'returnsRows', 'returnsChanges', 'returnsBytes']);

function changedBy(command: RegisteredCommand, request: RawRequest): (typeof CHANGED)[CommandGroup] {
  const { access, batch, group, rightsOn, subject = '' } = command;
  if (rightsOn === 'statement') return changedByStatement(request.params.get(subject) ?? '');
  if (access !== 'write') return 'none';
  // Without atomic=true, a batch may have commands from any group.
  return batch === 'isBatch' ? 'kept' : CHANGED[group];
}

function changedByStatement(sql: string): 'recorded' | 'kept' {
  const kind = analysisAtHand(sql)?.kind;
  return kind === undefined || isRowStatement(kind) || isUserStatement(kind) ? 'recorded' : 'kept';
}

/** Returns the position in a header. Throws CHANGE_POSITION_INVALID. */
export function checkedPosition(header: string): string {
  if (header.length <= CHANGE_FEED_BOUNDS.positionCharacters) return header;
  throw gridError('CHANGE_POSITION_INVALID', header);
}

/** Returns how long a request waits for its position: the seconds in `Prefer: wait=10`. */
export function waitMsOf(request: RawRequest): number {
  const [, seconds] = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?/i.exec(request.header('prefer') ?? '') ?? [];
  return seconds === undefined ? WAIT_MS : Math.min(Number(seconds) * 1_000, CHANGE_FEED_BOUNDS.waitMs);
}
