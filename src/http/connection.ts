/**
 * One connection of a client: bytes become requests, which are answered one after another in their order. Knows
 * neither sockets nor commands, so it is tested with bytes alone.
 */
import { fail, type GridError } from '../base/errors.ts';
import { HTTP_BOUNDS } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { HeadJudgement } from '../service/request.ts';
import { type BodyBuffer, EMPTY_BODY } from './body-buffer.ts';
import { type BodyReader, bodyReaderOf } from './body-reader.ts';
import type { BufferAccount } from './buffer-budget.ts';
import type { ConnectionHost, HostedConnection, Incoming, Peer, Wire } from './connection-host.ts';
import { ConnectionOutput } from './connection-output.ts';
import { type HeaderBlock, parseHeaderBlock, parseRequestLine, type RequestLine } from './head.ts';
import { headText, type Reply } from './reply.ts';
import { isGridError, rejection } from './response.ts';

type State = 'head' | 'body' | 'work' | 'linger' | 'closed';

const HEAD_END = Buffer.from('\r\n\r\n');
const NEVER = Number.POSITIVE_INFINITY;
/** Ticks for which the rest of a rejected request is read and discarded. */
const LINGER_TICKS = 2;
/** Ticks after which the request of a client that closed its sending side is cancelled. It may still read. */
const HALF_CLOSED_TICKS = 2;
/** Ticks for which every connection may be silent. */
const LEAST_IDLE_TICKS = 2;
/**
 * A read of at least this many bytes pauses the socket until the next tick: the runtime reads a socket that has more
 * again and again before it serves others. The read of a small request never pauses.
 */
const LARGE_READ_BYTES = 64 * 1024;
/** Up to this many waiting bytes are not accounted for. */
const UNACCOUNTED_BYTES = 2 * 1024;

export class Connection implements HostedConnection {
  readonly #wire: Wire;
  readonly #host: ConnectionHost;
  #state: State = 'head';
  /** Bytes that have not been parsed. */
  #waiting: Buffer | undefined;
  #paused = false;
  /** The socket is paused, and the host calls {@link continueReading} in one of the next ticks. */
  #deferred = false;
  #line: RequestLine | undefined;
  #block: HeaderBlock | undefined;
  #headBytes = 0;
  /** The request that is being handled, and its answer. */
  #incoming: Incoming | undefined;
  #reply: MaybePromise<Reply> | undefined;
  /** Part of a head has arrived. */
  #headBegun = false;
  /** {@link #take} is on the stack and continues with the next bytes, so {@link #finish} must not. */
  #taking = false;
  #body: BodyReader | undefined;
  /** When the body began, when its present idle period began, and the bytes that had arrived by then. */
  #bodyTick = 0;
  #progressTick = 0;
  #progressBytes = 0;
  /** The account of {@link #waiting}. */
  #waitingAccount: BufferAccount | undefined;
  /** Set when the bytes after the present request did not fit: the connection ends after the answer. */
  #overflow: GridError | undefined;
  /** The body of the present request is dropped as it arrives. */
  #dropsBody = false;
  #lingerBytes = 0;
  readonly #output: ConnectionOutput;
  #halfClosed = false;
  #abort: AbortController | undefined;
  #deadline: number;
  readonly #peer: Peer;

  constructor(wire: Wire, host: ConnectionHost) {
    this.#wire = wire;
    this.#host = host;
    this.#output = new ConnectionOutput(wire, () => host.openUnsent());
    this.#deadline = host.tick + host.idleTicks;
    this.#peer = {
      get address() {
        return wire.address;
      },
      get certificateSubject() {
        return wire.certificateSubject;
      },
      signal: () => this.#signal(),
    };
  }

  /** Reads bytes of the client. */
  receive(bytes: Buffer): void {
    if (this.#state === 'linger') {
      this.#lingerBytes += bytes.length;
      if (this.#lingerBytes > HTTP_BOUNDS.lingerBytes) this.#wire.terminate();
      else if (bytes.length >= LARGE_READ_BYTES) this.#defer();
    } else if (this.#state !== 'closed') {
      const all = this.#waiting === undefined ? bytes : Buffer.concat([this.#waiting, bytes]);
      this.#waiting = undefined;
      const large = bytes.length >= LARGE_READ_BYTES;
      if (this.#overflow !== undefined || this.#dropsBody) {
        if (large) this.#defer();
        return;
      }
      if (this.#state === 'work') this.#keepWaiting(all);
      else if (this.#deferred || (large && this.#state === 'body' && this.#host.hasDeferred)) this.#deferWith(all);
      else this.#take(all);
      if (large && (this.#state === 'head' || this.#state === 'body')) this.#defer();
    }
  }

  /** Reads on after {@link ConnectionHost.defer}. */
  continueReading(): void {
    if (!this.#deferred) return;
    this.#deferred = false;
    const waiting = this.#waiting;
    if (waiting !== undefined && (this.#state === 'head' || this.#state === 'body')) {
      this.#waiting = undefined;
      this.#take(waiting);
    }
    if (!this.#deferred && !this.#isClosed() && (this.#waiting?.length ?? 0) <= HTTP_BOUNDS.pipelinedBytes)
      this.#resume();
  }

  /** Pauses the socket, and has the host serve other connections before this one is read again. */
  #defer(): void {
    this.#pause();
    if (this.#deferred) return;
    this.#deferred = true;
    this.#host.defer(this);
  }

  #deferWith(bytes: Buffer): void {
    if (!this.#hasSpace(bytes.length)) return;
    this.#waiting = bytes;
    this.#defer();
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#wire.pause();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#wire.resume();
  }

  /** The socket accepts bytes again. */
  drained(): void {
    if (this.#output.retry()) this.#deadline = this.#host.tick + this.#host.idleTicks;
    this.#output.notify();
  }

  /** The client closed its sending side, but may still read. */
  halfClosed(): void {
    this.#halfClosed = true;
    if (this.#state === 'work') {
      if (this.#deadline === NEVER) this.#deadline = this.#host.tick + HALF_CLOSED_TICKS;
    } else if (!this.#deferred || this.#state === 'linger') this.#wire.end();
  }

  /** The socket is gone. */
  gone(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#deferred = false;
    this.#forgetReceived();
    this.#abort?.abort();
    this.#output.close();
    this.#host.closed(this);
  }

  /** Ends a request or an idle connection that has exceeded its time. Called at every tick. */
  checkTime(): void {
    if (this.#host.tick < this.#deadline) return;
    if (this.#state === 'work') {
      if (!this.#output.isEmpty) this.#wire.terminate();
      else {
        this.#deadline = NEVER;
        this.#abort?.abort();
      }
    } else if (this.#state === 'body' || (this.#state === 'head' && this.#waiting !== undefined)) {
      this.#reject(fail('REQUEST_TIMEOUT'));
    } else if (this.#state === 'head') this.#wire.end();
    else this.#wire.terminate();
  }

  /** Closes when idle. A request that is being handled is answered first. */
  stop(): void {
    if (this.#state === 'head' && this.#waiting === undefined) this.#wire.end();
  }

  /** Closes a connection that has been idle for some ticks, to make room for another. Returns whether it did. */
  closeIfIdle(): boolean {
    if (this.#state !== 'head' || this.#waiting !== undefined) return false;
    if (this.#host.tick - (this.#deadline - this.#host.idleTicks) < LEAST_IDLE_TICKS) return false;
    this.#wire.terminate();
    return true;
  }

  /** Answers with an error before the client has sent a request. */
  reject(failure: GridError): void {
    this.#reject(failure);
  }

  /** Closes at once. */
  terminate(): void {
    this.#wire.terminate();
  }

  /** Parses requests until one has to be waited for or the bytes hold no further one. */
  #take(bytes: Buffer): void {
    let rest = bytes;
    this.#taking = true;
    try {
      while (rest.length > 0 && (this.#state === 'head' || this.#state === 'body')) {
        if (this.#state === 'head') {
          const behind = this.#takeHead(rest);
          if (behind === undefined) break;
          rest = behind;
        }
        if (this.#body !== undefined) {
          rest = this.#body.feed(rest);
          if (!this.#body.done) {
            this.#noteProgress(this.#body);
            if (rest.length > 0) break;
          }
        }
        if (this.#line !== undefined && this.#body?.done !== false) this.#handle(this.#line);
      }
    } catch (error) {
      this.#taking = false;
      this.#reject(isGridError(error) ? error : this.#host.unexpected(error));
      return;
    }
    this.#taking = false;
    if (this.#state === 'linger') this.#close(rest.length > 0 || this.#dropsBody);
    else if (rest.length > 0 && this.#state === 'body') this.#deferWith(rest);
    else if (rest.length > 0) this.#keepWaiting(rest);
    else this.#waitingAccount?.release();
    if (this.#halfClosed && !this.#deferred && (this.#state === 'head' || this.#state === 'body')) this.#wire.end();
  }

  #keepWaiting(bytes: Buffer): void {
    if (this.#state === 'linger' || this.#state === 'closed') return;
    if (!this.#hasSpace(bytes.length)) return;
    this.#waiting = bytes;
    if (bytes.length > HTTP_BOUNDS.pipelinedBytes) this.#pause();
  }

  /** Accounts for waiting bytes. When they do not fit, the client gets the error after the answers it waits for. */
  #hasSpace(bytes: number): boolean {
    if (bytes <= UNACCOUNTED_BYTES && this.#waitingAccount === undefined) return true;
    try {
      this.#waitingAccount ??= this.#host.openWaiting();
      this.#waitingAccount.hold(bytes);
      return true;
    } catch (error) {
      const failure = isGridError(error) ? error : this.#host.unexpected(error);
      if (this.#state === 'work') this.#overflow = failure;
      else this.#reject(failure);
      return false;
    }
  }

  /** Frees the bytes of requests that will not be handled. */
  #forgetReceived(): void {
    this.#waiting = undefined;
    this.#waitingAccount?.release();
    this.#body?.body().close();
    this.#body = undefined;
  }

  /** Parses a head and returns the bytes after it; undefined when the head is incomplete. */
  #takeHead(bytes: Buffer): Buffer | undefined {
    const { headLimitBytes, headTicks, tick, idleTicks } = this.#host;
    // Some clients send an empty line after a body.
    if (bytes[0] === 13 && bytes[1] === 10) return bytes.subarray(2);
    const end = bytes.indexOf(HEAD_END);
    if (end < 0 || end > headLimitBytes) {
      if (bytes.length > headLimitBytes) throw fail('HEAD_TOO_LARGE', headLimitBytes);
      // The whole head has to arrive within its time, however its bytes are spread.
      if (!this.#headBegun) this.#deadline = tick + headTicks;
      this.#headBegun = true;
      return undefined;
    }
    const text = bytes.toString('latin1', 0, end + 2);
    const lineEnd = text.indexOf('\r\n');
    const line = parseRequestLine(text, lineEnd);
    const block = this.#blockOf(text, lineEnd + 2, line.minor);
    this.#line = line;
    this.#headBytes = end + HEAD_END.length;
    const presentBytes = bytes.length - this.#headBytes;
    const judgement = this.#judgeHead(line, block, presentBytes);
    if (judgement === 'rejected') {
      this.#dropsBody = true;
      return NO_BYTES;
    }
    this.#openBody(block, presentBytes, judgement);
    const behind = this.#headBytes === bytes.length ? NO_BYTES : bytes.subarray(this.#headBytes);
    if (this.#body !== undefined) {
      this.#state = 'body';
      this.#bodyTick = tick;
      this.#progressTick = tick;
      this.#progressBytes = 0;
      this.#deadline = tick + idleTicks;
      if (block.expectsContinue && behind.length === 0) this.#output.writeText(CONTINUE, CONTINUE.length);
    }
    return behind;
  }

  /** Judges the sender when the body is read and more of it is to come; `unknown` otherwise. */
  #judgeHead(line: RequestLine, block: HeaderBlock, presentBytes: number): MaybePromise<HeadJudgement> {
    const { contentLength = 0, chunked } = block;
    const isComing = chunked || (contentLength > presentBytes && contentLength <= this.#host.bodyLimitBytes);
    if (!isComing || !this.#host.readsBody(line, block)) return 'unknown';
    return this.#host.judgeHead(line, block, this.#peer);
  }

  #openBody(block: HeaderBlock, presentBytes: number, judgement: MaybePromise<HeadJudgement>): void {
    let account: BufferAccount | undefined;
    const open = () => {
      account = this.#host.openBody(judgement === 'known');
      return account;
    };
    const reads = this.#line !== undefined && this.#host.readsBody(this.#line, block);
    const body = bodyReaderOf(block, this.#host.bodyLimitBytes, presentBytes, reads ? open : undefined);
    this.#body = body;
    if (!(judgement instanceof Promise)) return;
    void judgement.then((known) => {
      if (known === 'known') account?.prove();
      else if (known === 'rejected' && body !== undefined && this.#body === body) this.#dropBody();
    });
  }

  /** Has the present request rejected without the rest of its body. */
  #dropBody(): void {
    if (this.#line === undefined || this.#state !== 'body') return;
    this.#forgetReceived();
    this.#dropsBody = true;
    this.#handle(this.#line);
  }

  #blockOf(text: string, start: number, minor: 0 | 1): HeaderBlock {
    const known = this.#block;
    if (known !== undefined && known.minor === minor && known.text.length === text.length - start) {
      if (text.endsWith(known.text)) return known;
    }
    const block = parseHeaderBlock(text.slice(start), minor);
    this.#block = block;
    return block;
  }

  /**
   * Sets the time by which more of the body must have come. As a whole it has to keep the least rate from the end of
   * the first idle time on, and in each idle time half of it, however much came before.
   */
  #noteProgress({ takenBytes }: BodyReader): void {
    const { tick, idleTicks, bodyBytesPerTick } = this.#host;
    if (takenBytes - this.#progressBytes >= (bodyBytesPerTick * idleTicks) / 2) {
      this.#progressBytes = takenBytes;
      this.#progressTick = tick;
    }
    const wholeTicks = Math.ceil(takenBytes / bodyBytesPerTick);
    this.#deadline = idleTicks + Math.min(this.#progressTick, this.#bodyTick + wholeTicks);
  }

  #handle(line: RequestLine): void {
    const block = this.#block;
    if (block === undefined) return;
    const body = this.#body === undefined ? EMPTY_BODY : this.#body.body();
    this.#line = undefined;
    this.#body = undefined;
    this.#headBegun = false;
    this.#state = 'work';
    this.#deadline = NEVER;
    this.#incoming = { line, block, headBytes: this.#headBytes, body, rejected: this.#dropsBody, peer: this.#peer };
    this.#host.enqueue(this);
  }

  /**
   * Hands the request to the host. Reading all requests of a tick, then handling them, then writing all answers is
   * faster than doing it one by one: the code of each step stays in the processor's caches, and clients wake up once.
   */
  work(): void {
    if (this.#incoming !== undefined) this.#reply = this.#host.handle(this.#incoming);
  }

  /** Sends the answer now or, when it is a promise, as soon as it resolves. */
  answer(): void {
    const reply = this.#reply;
    if (this.#incoming === undefined || reply === undefined) return;
    const { line, block, body } = this.#incoming;
    this.#incoming = undefined;
    this.#reply = undefined;
    if (reply instanceof Promise) reply.then((done) => this.#answer(done, line, block, body));
    else this.#answer(reply, line, block, body);
  }

  #answer(reply: Reply, line: RequestLine, block: HeaderBlock, requestBody: BodyBuffer): void {
    if (requestBody.length > 0) requestBody.close();
    if (this.#isClosed()) {
      void discard(reply.body);
      return;
    }
    const { minor } = line;
    const wanted = minor === 1 ? block.connection !== 'close' : block.connection === 'keep-alive';
    const { body } = reply;
    const whole = typeof body === 'string';
    const ends = reply.close || this.#host.stopping || this.#overflow !== undefined || this.#dropsBody;
    const keep = wanted && !ends && (whole || minor === 1);
    const framing = { minor, keep, date: this.#host.date };
    if (!whole) {
      void this.#stream(reply, body, framing);
      return;
    }
    const bodyBytes = Buffer.byteLength(body);
    const head = headText(reply, bodyBytes, framing);
    if (line.method === 'HEAD') this.#output.writeText(head, head.length);
    else this.#output.writeText(head + body, head.length + bodyBytes);
    if (this.#output.isEmpty) this.#finish(keep);
    else this.#afterWriting(() => this.#finish(keep));
  }

  /** Writes chunks as fast as the client reads them. An error terminates the connection, so that the end is missing. */
  async #stream(reply: Reply, chunks: AsyncIterable<string>, framing: Parameters<typeof headText>[2]): Promise<void> {
    const head = headText(reply, undefined, framing);
    const chunked = framing.minor === 1;
    this.#output.writeText(head, head.length);
    try {
      for await (const chunk of chunks) {
        if (!this.#output.isEmpty) await new Promise<void>((resolve) => this.#afterWriting(resolve));
        if (this.#isClosed()) return;
        const bytes = Buffer.from(chunk);
        this.#output.writeBytes(chunked ? chunkOf(bytes) : bytes);
      }
    } catch {
      this.#wire.terminate();
      return;
    }
    if (this.#isClosed()) return;
    if (chunked) this.#output.writeBytes(LAST_CHUNK);
    this.#afterWriting(() => this.#finish(framing.keep));
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Calls `next` when the socket has accepted everything that was written. */
  #afterWriting(next: () => void): void {
    if (this.#output.isEmpty) next();
    else {
      this.#deadline = this.#host.tick + this.#host.idleTicks;
      this.#output.whenDrained(() => {
        this.#deadline = NEVER;
        next();
      });
    }
  }

  /** Ends the request whose answer has been written. */
  #finish(keep: boolean): void {
    if (this.#isClosed()) return;
    this.#abort = undefined;
    if (!keep || this.#overflow !== undefined) {
      if (this.#taking) this.#state = 'linger';
      else this.#close(this.#waiting !== undefined || this.#overflow !== undefined || this.#dropsBody);
      return;
    }
    this.#state = 'head';
    this.#deadline = this.#host.tick + this.#host.idleTicks;
    if (this.#taking || this.#deferred) return;
    this.#resume();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#take(waiting);
    else if (this.#halfClosed) this.#wire.end();
  }

  /** Answers bytes that are no valid request, and reads no more. */
  #reject(failure: GridError): void {
    const { stopping, date } = this.#host;
    const reply = rejection(failure);
    const body = typeof reply.body === 'string' ? reply.body : '';
    this.#state = 'work';
    this.#forgetReceived();
    this.#host.rejected(failure);
    const head = headText(reply, Buffer.byteLength(body), { minor: 1, keep: false, date });
    this.#output.writeText(head + body, head.length + Buffer.byteLength(body));
    this.#afterWriting(() => (stopping ? this.#wire.end() : this.#linger()));
  }

  /** Closes. `unread`: closing at once would reset the connection, and the client would lose the answer. */
  #close(unread: boolean): void {
    if (unread && !this.#halfClosed) this.#linger();
    else this.#wire.end();
  }

  /** Closes the sending side and drops input. Closing at once would lose the answer if the client still sends. */
  #linger(): void {
    this.#state = 'linger';
    this.#deadline = this.#host.tick + LINGER_TICKS;
    if (!this.#deferred) this.#resume();
    this.#wire.shutdown();
  }

  #signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isClosed()) this.#abort.abort();
    return this.#abort.signal;
  }
}

const NO_BYTES = Buffer.alloc(0);
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const CRLF = Buffer.from('\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Ends the iterator of a body that nobody reads, so that its source is released. */
async function discard(body: Reply['body']): Promise<void> {
  if (typeof body === 'string') return;
  try {
    for await (const _ of body) break;
  } catch {
    // The client is gone.
  }
}

function chunkOf(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]);
}
