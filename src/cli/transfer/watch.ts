/**
 * `svc watch`: writes the changes of caches to standard output, and resumes when the connection ends. In front of a
 * cluster, which records none, it writes that changes may be missing.
 */
import type { Command } from 'commander';
import { randomBytes, sleep } from '../../base/clock.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { CommandLineError, interruptedError, LostAnswer, ServiceFailure, usageError } from '../failures.ts';
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
  readonly retrySeconds?: string;
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
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;
/** The service sends a line at least every 15 s: a connection without one is lost. */
const SILENCE_MS = 60_000;
/** Answers of a service that is busy, restarts or takes over, and of proxies in front of one that is away. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

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
    .option('--retry-seconds <number>', 'give up when the service has been away for so long; default: never')
    .option('--no-follow', 'end after the last change')
    .option('--events', 'write openings, heartbeats and ends, too')
    .action((caches: string[], options: WatchOptions) => watch(caches, options, invocation));
}

async function watch(caches: readonly string[], options: WatchOptions, invocation: ClientInvocation): Promise<void> {
  const { clock, terminal } = invocation;
  const { output, errors, interrupted } = terminal;
  const client = await connect(options, invocation);
  const { entry, entryType, operation, oldValue, follow, events } = options;
  const retryMs = retryMsOf(options);
  let from = options.from ?? 'now';
  let isOpen = false;
  let isResumable = true;
  let hasGap = false;
  let attempts = 0;
  let sinceMs = 0;
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
    const silence = new AbortController();
    let timer = clock.after(SILENCE_MS, () => silence.abort());
    try {
      const parts = await client.rows('watch', parameters, MEDIA_TYPES.ndjson, silence.signal);
      for await (const line of linesOf(parts)) {
        timer.cancel();
        const part = JSON.parse(line) as StreamLine;
        isOpen = true;
        attempts = 0;
        if (hasGap) output.write(`${JSON.stringify(GAP)}\n`);
        hasGap = false;
        isResumable = part.position !== null;
        from = part.position ?? from;
        const isShown = part.event === 'change' || part.event === 'gap';
        if (isShown || events === true) output.write(`${line}\n`);
        if (part.event === 'end' && part.reason === 'complete') return;
        if (part.event === 'end' && part.reason !== 'stopping') {
          throw new CommandLineError(EXIT_CODES.failed, part.error ?? 'the stream ended');
        }
        timer = clock.after(SILENCE_MS, () => silence.abort());
      }
    } catch (failure) {
      // Before the first part the address, the login or the request is wrong.
      if (interrupted.aborted || !isOpen || !mayResume(failure, silence.signal.aborted)) throw failure;
      if (attempts > 0 && clock.monotonicMs() - sinceMs > retryMs) throw failure;
    } finally {
      timer.cancel();
    }
    hasGap = !isResumable;
    if (attempts === 0) {
      sinceMs = clock.monotonicMs();
      errors.write(`svc: the connection ended; ${isResumable ? `resuming at ${from}` : 'changes may be missing'}\n`);
    }
    const [random = 0] = randomBytes(1);
    await sleep(clock, Math.min(FIRST_DELAY_MS * 2 ** attempts++, MAX_DELAY_MS) * (0.5 + random / 512));
    if (interrupted.aborted) throw interruptedError();
  }
}

function retryMsOf({ retrySeconds }: WatchOptions): number {
  if (retrySeconds === undefined) return Number.POSITIVE_INFINITY;
  if (!/^\d{1,9}$/.test(retrySeconds)) throw usageError(`--retry-seconds: ${retrySeconds} is not a whole number`);
  return Number(retrySeconds) * 1_000;
}

/** Reports whether a failure may pass: what the service says of the request does not. */
function mayResume(failure: unknown, isSilent: boolean): boolean {
  if (failure instanceof ServiceFailure) return PASSING.has(failure.status);
  if (failure instanceof CommandLineError) {
    return failure instanceof LostAnswer || failure.exitCode === EXIT_CODES.unreachable;
  }
  // A line that is cut is no JSON.
  return isSilent || failure instanceof SyntaxError;
}
