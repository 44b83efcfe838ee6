/**
 * The lines of a change feed, indefinitely: a connection that ends is reopened after the last line. In front of a
 * cluster, which records no changes, a line says that changes may be missing.
 */
import { type Clock, randomBytes, sleep } from '../../base/clock.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import type { ServiceClient } from '../client.ts';
import { CommandLineError, interruptedError, LostAnswer, ServiceFailure } from '../failures.ts';
import { linesOf } from '../json-array.ts';
import type { Terminal } from '../program.ts';
import { MEDIA_TYPES } from './row-format.ts';

export interface ChangeStreamOptions {
  readonly client: ServiceClient;
  readonly clock: Clock;
  readonly terminal: Pick<Terminal, 'errors' | 'interrupted'>;
  /** The parameters of the command `watch`, except `from`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly from: string;
  /** How long the service may be away, after the first connection. */
  readonly retryMs: number;
}

/** A line of the stream, as far as this program examines it. */
export interface StreamLine {
  readonly event: string;
  /** null if the stream cannot be resumed. */
  readonly position: string | null;
  readonly reason?: string;
  readonly error?: string | null;
}

/** Written when a connection has ended that cannot be resumed, and the next one begins. */
const GAP = { event: 'gap', position: null, cache: null, reason: 'the connection to the service ended' };
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;
/** The service sends a line at least every 15 s: a connection without one is lost. */
const SILENCE_MS = 60_000;
/** Responses of a service that is busy, restarting or taking over, and of proxies whose service is away. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Yields each line with its content. Ends after the last change if the request does not follow. */
export async function* changeStream(
  options: ChangeStreamOptions,
): AsyncGenerator<readonly [part: StreamLine, line: string]> {
  const { client, clock, parameters, retryMs } = options;
  const { errors, interrupted } = options.terminal;
  let { from } = options;
  let isOpen = false;
  let isResumable = true;
  let hasGap = false;
  let attempts = 0;
  let sinceMs = 0;
  for (;;) {
    const silence = new AbortController();
    let timer = clock.after(SILENCE_MS, () => silence.abort());
    try {
      const parts = await client.rows('watch', { ...parameters, from }, MEDIA_TYPES.ndjson, silence.signal);
      for await (const line of linesOf(parts)) {
        timer.cancel();
        const part = JSON.parse(line) as StreamLine;
        isOpen = true;
        attempts = 0;
        if (hasGap) yield [GAP, JSON.stringify(GAP)];
        hasGap = false;
        isResumable = part.position !== null;
        from = part.position ?? from;
        yield [part, line];
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

/** Reports whether a failure may be temporary. Errors in the request itself are not. */
function mayResume(failure: unknown, isSilent: boolean): boolean {
  if (failure instanceof ServiceFailure) return PASSING.has(failure.status);
  if (failure instanceof CommandLineError) {
    return failure instanceof LostAnswer || failure.exitCode === EXIT_CODES.unreachable;
  }
  // A truncated line is not JSON.
  return isSilent || failure instanceof SyntaxError;
}
