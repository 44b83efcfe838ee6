/** Turns outcomes and errors into replies: as a whole, in parts, or as they happen. Counts what is sent. */
import type { Clock } from '../../base/clock.ts';
import { type GridError, gridError } from '../../base/errors.ts';
import type { Limits } from '../../base/limits.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { inSlices, LARGE_CHARACTERS } from '../../base/slices.ts';
import { failureFormOf, type Outcome } from '../../service/request.ts';
import { readQuery } from '../parameters.ts';
import {
  answer,
  byteAnswer,
  type ExtraHeaders,
  inAcceptedForm,
  isGridError,
  type Reply,
  rejection,
  streamedAnswer,
} from '../reply.ts';
import { HttpRequest, type RequestHead } from '../request.ts';
import type { HttpSettings } from '../settings.ts';
import { coalesce, collectUpTo, lastLine, lastPart, PART_CHARACTERS, partsOf, resumed } from '../streaming.ts';

export interface ReplyWriterOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly settings: Pick<HttpSettings, 'errorObjects' | 'json'>;
  /** Logs an unexpected error and returns the error to respond with. */
  readonly unexpected: (error: unknown) => GridError;
}

/** Determines the form of errors: a request, or its head if its parameters have not been read. */
export type AnyRequest = HttpRequest | RequestHead;

/** Parameters that determine how failures are reported. */
const FORM_PARAMETERS = ['errors', 'httpStatus'];
/** Tells nginx and others that know the header to forward each part when it arrives. */
const UNBUFFERED: ExtraHeaders = { 'X-Accel-Buffering': 'no' };

/** Returns a request's Accept header. */
function acceptOf(received: AnyRequest): string | null {
  return received instanceof HttpRequest ? received.header('accept') : (received.block.headers.get('accept') ?? null);
}

export class ReplyWriter {
  readonly #options: ReplyWriterOptions;
  #isStopping = false;
  /** Ends each response that is sent as things happen. */
  readonly #live = new Set<() => void>();
  /** Requests that were rejected, or failed outside their command. */
  rejected = 0;
  /** As far as the service sees them. */
  sentBytes = 0;

  constructor(options: ReplyWriterOptions) {
    this.#options = options;
  }

  /** Ends the responses that are sent as things happen, from now on. */
  endLive(): void {
    this.#isStopping = true;
    for (const stop of this.#live) stop();
  }

  /** Returns the reply for an outcome. */
  respond(result: Outcome, received: AnyRequest, extra: ExtraHeaders | undefined): MaybePromise<Reply> {
    const outcome = result.failure === undefined ? result : inAcceptedForm(result, acceptOf(received));
    const { response, bytes, stop } = outcome;
    if (stop !== undefined && typeof response !== 'string')
      return this.#streamLive(outcome, received, response, stop, extra);
    if (bytes !== undefined) return this.#streamBytes(outcome, received, bytes, extra);
    if (typeof response !== 'string') return this.#stream(outcome, received, response, extra);
    if (response.length > LARGE_CHARACTERS) {
      const slices = inSlices(partsOf(response), this.#options.clock);
      return this.#stream(outcome, received, slices, extra).then((reply) => ({ ...reply, heldBytes: response.length }));
    }
    this.sentBytes += response.length;
    return answer(outcome, response, extra);
  }

  async #stream(
    outcome: Outcome,
    received: AnyRequest,
    chunks: AsyncIterable<string>,
    extra: ExtraHeaders | undefined,
  ): Promise<Reply> {
    const sent = (text: string) => {
      this.sentBytes += text.length;
    };
    try {
      // A short response is sent as a whole, so that an error in it can still be reported.
      const { text, rest } = await collectUpTo(chunks, PART_CHARACTERS);
      if (rest === undefined) {
        sent(text);
        return answer(outcome, text, extra);
      }
      const body = coalesce(text, rest, PART_CHARACTERS, sent, (error, before) =>
        lastLine(this.#options.clock, outcome.contentType, this.#options.unexpected(error), before),
      );
      return streamedAnswer(outcome, body, extra);
    } catch (error) {
      return this.#failedStream(error, outcome, received, extra);
    }
  }

  /** Sends each part when it arrives. Waits for the first one, so that an error before it can still be reported. */
  async #streamLive(
    outcome: Outcome,
    received: AnyRequest,
    parts: AsyncIterable<string>,
    stop: () => void,
    extra: ExtraHeaders | undefined,
  ): Promise<Reply> {
    const rest = this.#untilStop(parts, stop);
    try {
      const first = await rest.next();
      const sent = (text: string) => {
        this.sentBytes += text.length;
      };
      let isFailed = false;
      const body = resumed(first, rest, sent, (error) => {
        isFailed = true;
        return lastPart(this.#options.clock, outcome.ended?.(this.#options.unexpected(error)));
      });
      const reply = streamedAnswer(outcome, body, { ...extra, ...UNBUFFERED });
      return { ...reply, compressible: false, hasFailed: () => isFailed };
    } catch (error) {
      return this.#failedStream(error, outcome, received, extra);
    }
  }

  /** Yields parts, and ends them when the service stops. */
  async *#untilStop(parts: AsyncIterable<string>, stop: () => void): AsyncGenerator<string> {
    this.#live.add(stop);
    if (this.#isStopping) stop();
    try {
      yield* parts;
    } finally {
      this.#live.delete(stop);
    }
  }

  /** Waits for the first bytes, so that an error before them can still be reported. */
  async #streamBytes(
    outcome: Outcome,
    received: AnyRequest,
    { chunks, fileName }: NonNullable<Outcome['bytes']>,
    extra: ExtraHeaders | undefined,
  ): Promise<Reply> {
    const rest = chunks[Symbol.asyncIterator]();
    try {
      const first = await rest.next();
      const sent = (bytes: Uint8Array) => {
        this.sentBytes += bytes.length;
      };
      const body = resumed(first, rest, sent, (error) => {
        this.#options.unexpected(error);
        return undefined;
      });
      return byteAnswer(outcome, body, fileName, extra);
    } catch (error) {
      return this.#failedStream(error, outcome, received, extra);
    }
  }

  /** Responds with the error that ended a stream before its first part was sent. */
  #failedStream(error: unknown, { failWith }: Outcome, received: AnyRequest, extra: ExtraHeaders | undefined): Reply {
    if (failWith === undefined) return this.failed(error, received, extra);
    this.rejected++;
    const failed = failWith(error);
    const formed = inAcceptedForm(failed, acceptOf(received));
    return answer(formed, formed === failed ? 'null' : String(formed.response), extra);
  }

  /** Returns the reply for an error. */
  failed(error: unknown, received: AnyRequest, extra: ExtraHeaders | undefined): Reply {
    this.rejected++;
    const failure = isGridError(error) ? error : this.#options.unexpected(error);
    return rejection(failure, this.asksForObjects(received), extra, acceptOf(received));
  }

  /** Returns whether a request expects errors as objects. Never throws. */
  asksForObjects(received: AnyRequest | undefined): boolean {
    const { errorObjects, json } = this.#options.settings;
    if (received === undefined) return errorObjects;
    const request =
      received instanceof HttpRequest ? received : new HttpRequest(this.formParameters(received), received);
    return failureFormOf(request, { httpStatus: true, errorObjects, json }).errorObjects;
  }

  /** Returns the parameters in a target that determine how failures are reported, if they can be read. */
  formParameters({ line: { target } }: RequestHead): Map<string, string> {
    const found = new Map<string, string>();
    // Under overload, nothing else is worth the time.
    if (!FORM_PARAMETERS.some((name) => target.includes(name))) return found;
    try {
      const all = readQuery(target, target.indexOf('?') + 1, this.#options.limits.parametersPerRequest);
      for (const name of FORM_PARAMETERS) {
        const value = all.get(name);
        if (value !== undefined) found.set(name, value);
      }
    } catch {
      // This error, or an earlier one, is reported.
    }
    return found;
  }

  /** Returns the reply to a method that is not allowed. */
  rejectMethod(allowed: string, received: AnyRequest, extra: ExtraHeaders | undefined): Reply {
    return this.failed(gridError('METHOD_NOT_ALLOWED', allowed), received, { ...extra, Allow: allowed });
  }
}
