/**
 * `svc watch`: writes the changes of caches to standard output, and resumes when the connection ends. In front of a
 * cluster, which records none, it writes that changes may be missing.
 */
import type { Command } from 'commander';
import { sleep } from '../../base/clock.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { CommandLineError, interruptedError } from '../failures.ts';
import { linesOf } from '../json-array.ts';
import type { ClientInvocation } from '../subcommand.ts';
import { MEDIA_TYPES } from './row-format.ts';

interface WatchOptions extends ConnectionOptions {
  readonly entry?: string;
  readonly entryType?: string;
  readonly operation?: string;
  readonly oldValue?: boolean;
  readonly from?: string;
  readonly follow: boolean;
  readonly events?: boolean;
}

/** A line of the stream, as far as this program looks at it. */
interface StreamLine {
  readonly event: string;
  /** Null: the stream cannot be resumed. */
  readonly position: string | null;
  readonly reason?: string;
  readonly error?: string | null;
}

/** What is written when a connection has ended that cannot be resumed, and the next one begins. */
const GAP = { event: 'gap', position: null, cache: null, reason: 'the connection to the service ended' };
/** Time between two attempts to resume: a service that restarts is back by then. */
const RESUME_MS = 1_000;

export function declareWatch(command: Command, invocation: ClientInvocation): void {
  addConnectionOptions(command)
    .argument(
      '[caches...]',
      'names of caches, "*" for every cache whose changes are recorded; default: the default cache',
    )
    .option('--entry <key>', 'only changes of the entry with this key')
    .option('--entry-type <type>', 'type of that key')
    .option('--operation <names>', 'only these changes, separated by commas: created, updated, removed, expired, ...')
    .option('--old-value', 'add the values that were replaced or removed')
    .option('--from <position>', 'now, start (the oldest change that is kept) or a position; default: now')
    .option('--no-follow', 'end after the last change')
    .option('--events', 'write openings, heartbeats and ends, too')
    .action((caches: string[], options: WatchOptions) => watch(caches, options, invocation));
}

async function watch(caches: readonly string[], options: WatchOptions, invocation: ClientInvocation): Promise<void> {
  const { output, errors, interrupted } = invocation.terminal;
  const client = await connect(options, invocation);
  const { entry, entryType, operation, oldValue, follow, events } = options;
  let from = options.from ?? 'now';
  let isOpen = false;
  let isResumable = true;
  let hasGap = false;
  for (;;) {
    const parameters = {
      ...(caches.length > 0 && { cacheName: caches.join(',') }),
      ...(entry !== undefined && { key: entry }),
      ...(entryType !== undefined && { keyType: entryType }),
      ...(operation !== undefined && { operation }),
      ...(oldValue === true && { oldValue: 'true' }),
      ...(!follow && { follow: 'false' }),
      from,
    };
    try {
      const parts = await client.rows('watch', parameters, MEDIA_TYPES.ndjson);
      isOpen = true;
      for await (const line of linesOf(parts)) {
        const part = JSON.parse(line) as StreamLine;
        if (hasGap) output.write(`${JSON.stringify(GAP)}\n`);
        hasGap = false;
        isResumable = part.position !== null;
        from = part.position ?? from;
        const isShown = part.event === 'change' || part.event === 'gap';
        if (isShown || events === true) output.write(`${line}\n`);
        if (part.event !== 'end') continue;
        if (part.reason === 'complete') return;
        if (part.reason !== 'stopping') throw new CommandLineError(EXIT_CODES.failed, part.error ?? 'the stream ended');
      }
    } catch (failure) {
      if (interrupted.aborted) throw failure;
      // Before the first part the address, the login or the request is wrong.
      const isCut = isOpen && !(failure instanceof CommandLineError && failure.exitCode === EXIT_CODES.failed);
      if (!isCut) throw failure;
    }
    hasGap = !isResumable;
    errors.write(`svc: the connection ended; ${isResumable ? `resuming at ${from}` : 'changes may be missing'}\n`);
    await sleep(invocation.clock, RESUME_MS);
    if (interrupted.aborted) throw interruptedError();
  }
}
