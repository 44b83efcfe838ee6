/**
 * One client connection: bytes become requests, which are answered one after another in order. Knows neither sockets
 * nor commands, so it is tested with bytes alone.
 */
import { type GridError, gridError } from '../base/errors.ts';
import { HTTP_BOUNDS } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { PreAuthentication } from '../service/request.ts';
import { bodyReaderOf } from './body-reader.ts';
import { type BufferAccount, UNACCOUNTED_BYTES } from './buffer-budget.ts';
import { senderOf } from './client-addresses.ts';
import type { ConnectionContext } from './connection-context.ts';
import { ConnectionOutput, type Framing, type OutputWire } from './connection-output.ts';
import { HeadParser, type ParsedHead, wantsKeepAlive } from './head/head.ts';
import { IncomingBody, isRejected } from './incoming-body.ts';
import type { IncomingRequest, Peer } from './incoming-request.ts';
import { discard, streamReply, writeHead } from './replies/streamed-reply.ts';
import { isGridError, isWhole, type Reply, rejection } from './reply.ts';
import { isDecidedByHead } from './request.ts';
import type { ServerTicks } from './server-ticks.ts';
import { FULL_READ_BYTES, freeRead } from './socket-reads.ts';
import type { BodyStream } from './upload/body-stream.ts';
import { Upload } from './upload/upload.ts';

type State = 'head' | 'body' | 'work' | 'linger' | 'closed';

const NEVER = Number.POSITIVE_INFINITY;
/** Number of ticks for which the rest of a rejected request is read and discarded. */
const LINGER_TICKS = 2;
/**
 * Number of seconds (ticks) after which the request of a client that closed its sending side is cancelled. It may still
 * read.
 */
const HALF_CLOSED_SECONDS = 2;
/** Number of ticks for which every connection may be silent. */
const MIN_IDLE_TICKS = 2;

/** The underlying socket. */
export interface Wire extends OutputWire {
  /** Closes the sending side, and continues to read. */
  shutdown(): void;
  /** Closes when everything written has been sent. */
  end(): void;
  pause(): void;
  resume(): void;
  readonly address: string;
  readonly isEncrypted: boolean;
  readonly port: number;
  /** Subject of the client's certificate if an accepted authority signed it. Read at most once per request. */
  readonly certificateSubject: string | undefined;
}

export class Connection {
  readonly #wire: Wire;
  readonly #context: ConnectionContext;
  readonly #ticks: ServerTicks;
  #state: State = 'head';
  /** Bytes that have not been parsed yet. */
  #waiting: Buffer | undefined;
  #paused = false;
  /** Whether the socket is paused, and {@link continueReading} will be called in one of the next ticks. */
  #deferred = false;
  readonly #parser: HeadParser;
  /** The request whose body is being received. */
  #head: ParsedHead | undefined;
  #body: IncomingBody | undefined;
  /** Whether part of a head has arrived. */
  #headBegun = false;
  /** Whether {@link #read} is on the stack and continues with the next bytes, so {@link #finish} must not. */
  #reading = false;
  /** The account of {@link #waiting}. */
  #waitingAccount: BufferAccount | undefined;
  /** Set if the bytes after the current request did not fit: the connection ends after the response. */
  #overflow: GridError | undefined;
  /** Whether the rest of the current request's body is discarded. */
  #discardsBody = false;
  /** The body that the current request's command reads while it arrives. */
  #upload: Upload | undefined;
  #lingerBytes = 0;
  readonly #output: ConnectionOutput;
  #halfClosed = false;
  #abort: AbortController | undefined;
  #deadline: number;
  readonly #peer: Peer;

  constructor(wire: Wire, context: ConnectionContext) {
    this.#wire = wire;
    this.#context = context;
    this.#ticks = context.ticks;
    this.#parser = new HeadParser(context.headLimitBytes);
    this.#output = new ConnectionOutput(wire, context.responses, context.mayAnswer);
    this.#deadline = this.#ticks.tick + this.#ticks.idleTicks;
    this.#peer = {
      ...senderOf(wire, context.clients),
      get certificateSubject() {
        return wire.certificateSubject;
      },
      signal: () => this.#controller().signal,
      end: (failure) => {
        if (this.#upload !== undefined) this.#failUpload(failure);
        this.#controller().abort();
      },
    };
  }

  /** Reads bytes from the client. */
  receive(bytes: Buffer): void {
    if (this.#state === 'linger') {
      this.#lingerBytes += bytes.length;
      if (this.#lingerBytes > HTTP_BOUNDS.lingerBytes) this.#wire.terminate();
      else if (bytes.length >= FULL_READ_BYTES) this.#defer();
      freeRead(bytes);
    } else if (this.#state !== 'closed') {
      const all = this.#waiting === undefined ? bytes : Buffer.concat([this.#waiting, bytes]);
      this.#waiting = undefined;
      const isFull = bytes.length >= FULL_READ_BYTES;
      if (this.#overflow !== undefined || this.#discardsBody) {
        if (isFull) this.#defer();
        freeRead(bytes);
        return;
      }
      if (this.#upload !== undefined) this.#receiveUpload(this.#upload, all);
      else if (this.#state === 'work') this.#keepWaiting(all);
      else if (this.#deferred || (isFull && this.#state === 'body' && !this.#context.deferredReads.isEmpty))
        this.#deferWith(all);
      else this.#read(all);
      if (isFull && (this.#state === 'head' || this.#state === 'body' || this.#upload !== undefined)) this.#defer();
    }
  }

  /** Forwards bytes to the command, which reads its request's body while it arrives. */
  #receiveUpload(upload: Upload, bytes: Buffer): void {
    if (this.#deferred) {
      this.#deferWith(bytes);
      return;
    }
    let rest: Buffer;
    try {
      rest = upload.feed(bytes);
    } catch (error) {
      this.#failUpload(isGridError(error) ? error : this.#context.unexpected(error));
      return;
    }
    if (upload.done) {
      this.#upload = undefined;
      if (rest.length > 0) this.#keepWaiting(rest);
      else this.#waitingAccount?.release();
    } else if (rest.length > 0) this.#deferWith(rest);
    else if (this.#halfClosed) this.#failUpload(gridError('BODY_INCOMPLETE'));
    else if (upload.stream.isFull) this.#pause();
  }

  /** Continues reading, because the command waits for bytes. */
  #continueUpload(): void {
    if (this.#upload?.takeContinue()) this.#output.writeContinue();
    if (this.#upload !== undefined && !this.#deferred) this.#resume();
  }

  /** Fails the command: the rest of the body cannot be received. The connection closes after the response. */
  #failUpload(failure: GridError): void {
    this.#upload?.stream.fail(failure);
    this.#upload = undefined;
    this.#overflow ??= failure;
  }

  continueReading(): void {
    if (!this.#deferred) return;
    this.#deferred = false;
    const waiting = this.#waiting;
    if (waiting !== undefined && (this.#upload !== undefined || this.#state === 'head' || this.#state === 'body')) {
      this.#waiting = undefined;
      if (this.#upload !== undefined) this.#receiveUpload(this.#upload, waiting);
      else this.#read(waiting);
    }
    const isFull = this.#upload?.stream.isFull ?? (this.#waiting?.length ?? 0) > HTTP_BOUNDS.pipelinedBytes;
    if (!this.#deferred && !this.#isClosed() && !isFull) this.#resume();
  }

  /** Pauses the socket, so that other connections are served before this one is read again. */
  #defer(): void {
    this.#pause();
    if (this.#deferred) return;
    this.#deferred = true;
    this.#context.deferredReads.add(this);
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
    if (this.#output.retry()) this.#deadline = this.#ticks.tick + this.#ticks.idleTicks;
    this.#output.notify();
  }

  /** The client closed its sending side, but may still read. */
  halfClosed(): void {
    this.#halfClosed = true;
    if (this.#upload !== undefined && this.#waiting === undefined) this.#failUpload(gridError('BODY_INCOMPLETE'));
    if (this.#state === 'work') {
      if (this.#deadline === NEVER) this.#deadline = this.#ticks.tick + HALF_CLOSED_SECONDS;
    } else if (!this.#deferred || this.#state === 'linger') this.#wire.end();
  }

  /** The socket is gone. */
  gone(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#deferred = false;
    this.#forgetReceived();
    this.#failUpload(gridError('BODY_INCOMPLETE'));
    this.#abort?.abort();
    this.#output.close();
  }

  checkTime(): void {
    try {
      this.#upload?.checkTime();
    } catch (error) {
      this.#failUpload(isGridError(error) ? error : this.#context.unexpected(error));
    }
    if (this.#ticks.tick < this.#deadline) return;
    if (this.#state === 'work') {
      if (!this.#output.isEmpty) this.#wire.terminate();
      else {
        this.#deadline = NEVER;
        this.#abort?.abort();
      }
    } else if (this.#state === 'body' && isRejected(this.#body?.preAuthentication)) {
      this.#discardBody();
    } else if (this.#state === 'body' || (this.#state === 'head' && this.#waiting !== undefined)) {
      this.#reject(gridError('REQUEST_TIMEOUT'));
    } else if (this.#state === 'head') this.#wire.end();
    else this.#wire.terminate();
  }

  stop(): void {
    if (this.#state === 'head' && this.#waiting === undefined) this.#wire.end();
  }

  /** Closes a connection that has been idle for some ticks, to make room for another. Returns whether it did. */
  closeIfIdle(): boolean {
    if (this.#state !== 'head' || this.#waiting !== undefined) return false;
    if (this.#ticks.tick - (this.#deadline - this.#ticks.idleTicks) < MIN_IDLE_TICKS) return false;
    this.#wire.terminate();
    return true;
  }

  /** Responds with an error before the client has sent a request. */
  reject(failure: GridError): void {
    this.#reject(failure);
  }

  terminate(): void {
    this.#wire.terminate();
  }

  /** Parses requests until one has to be waited for or the bytes contain no complete one. */
  #read(bytes: Buffer, isPipelined = false): void {
    let rest = bytes;
    const isOfBody = this.#state === 'body';
    this.#reading = true;
    try {
      while (rest.length > 0 && (this.#state === 'head' || this.#state === 'body')) {
        if (this.#state === 'head') {
          const behind = this.#readHead(rest);
          if (behind === undefined) break;
          rest = behind;
        }
        const body = this.#body;
        if (body !== undefined) {
          rest = body.reader.feed(rest);
          if (!body.reader.done) {
            body.noteProgress();
            this.#deadline = body.deadline;
            if (rest.length > 0) break;
          }
        }
        if (this.#head !== undefined && body?.reader.done !== false)
          this.#handle(this.#head, body, body?.preAuthentication, undefined, isPipelined);
      }
    } catch (error) {
      this.#reading = false;
      this.#reject(isGridError(error) ? error : this.#context.unexpected(error));
      return;
    }
    this.#reading = false;
    if (isOfBody && rest.length === 0) freeRead(bytes);
    if (this.#state === 'linger') this.#close(rest.length > 0 || this.#discardsBody);
    else if (rest.length > 0 && this.#state === 'body') this.#deferWith(rest);
    else if (rest.length > 0 && this.#upload !== undefined) this.#receiveUpload(this.#upload, rest);
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

  /** Accounts for waiting bytes. If they do not fit, the client gets the error after the responses it waits for. */
  #hasSpace(bytes: number): boolean {
    if (bytes <= UNACCOUNTED_BYTES && this.#waitingAccount === undefined) return true;
    try {
      this.#waitingAccount ??= this.#context.requestBuffers.openWaiting(this.#peer);
      this.#waitingAccount.hold(bytes);
      return true;
    } catch (error) {
      const failure = isGridError(error) ? error : this.#context.unexpected(error);
      if (this.#state === 'work') this.#overflow = failure;
      else this.#reject(failure);
      return false;
    }
  }

  /** Frees the bytes of requests that will not be handled. */
  #forgetReceived(): void {
    this.#waiting = undefined;
    this.#waitingAccount?.release();
    this.#body?.reader.body()?.close();
    this.#body = undefined;
  }

  /** Parses a head and returns the bytes after it, or undefined if the head is incomplete. */
  #readHead(bytes: Buffer): Buffer | undefined {
    // Some clients send an empty line after a body.
    if (bytes[0] === 13 && bytes[1] === 10) return bytes.subarray(2);
    const head = this.#parser.parse(bytes);
    if (head === undefined) {
      // The complete head must arrive within its time, however its bytes are spread.
      if (!this.#headBegun) this.#deadline = this.#ticks.tick + this.#ticks.headTicks;
      this.#headBegun = true;
      return undefined;
    }
    this.#head = head;
    const { headBytes } = head;
    const behind = headBytes === bytes.length ? NO_BYTES : bytes.subarray(headBytes);
    const { chunked, contentLength } = head.block;
    if (!chunked && contentLength === undefined) return behind;
    return this.#openBody(head, behind);
  }

  /** Prepares to read a body that has partly arrived. Returns the bytes to read. */
  #openBody(head: ParsedHead, bytes: Buffer): Buffer {
    const { line, block } = head;
    if (this.#context.handler.streamsBody(line, block)) {
      const request = { line, block, peer: this.#peer };
      const upload = new Upload(this.#context, request, () => this.#continueUpload());
      if (!upload.done) this.#upload = upload;
      this.#handle(head, undefined, undefined, upload.stream);
      return bytes;
    }
    const keeps = this.#context.handler.readsBody(line, block);
    const preAuthentication = keeps ? this.#preAuthenticate(head, bytes.length) : undefined;
    if (isRejected(preAuthentication) && isDecidedByHead(block)) {
      this.#discardsBody = true;
      this.#handle(head, undefined, preAuthentication);
      return NO_BYTES;
    }
    let account: BufferAccount | undefined;
    const open = () => {
      account = this.#context.requestBuffers.openBody({ line, block, peer: this.#peer }, preAuthentication === 'known');
      return account;
    };
    const reader = bodyReaderOf(block, this.#context.bodyLimitBytes, bytes.length, keeps ? open : undefined);
    if (reader === undefined) return bytes;
    const body = new IncomingBody(this.#ticks, reader, account, preAuthentication);
    this.#body = body;
    this.#state = 'body';
    this.#deadline = body.deadline;
    const expectsContinue = block.expectsContinue && bytes.length === 0;
    if (preAuthentication instanceof Promise)
      void preAuthentication.then((result) => this.#settle(body, result, expectsContinue));
    else if (expectsContinue) this.#output.writeContinue();
    return bytes;
  }

  /** Authenticates the sender if more of the body is to come, or the head decides; returns undefined otherwise. */
  #preAuthenticate({ line, block }: ParsedHead, presentBytes: number): MaybePromise<PreAuthentication> | undefined {
    const { chunked, contentLength = 0 } = block;
    if (!chunked && contentLength > this.#context.bodyLimitBytes) return undefined;
    if (contentLength <= presentBytes && !isDecidedByHead(block)) return undefined;
    return this.#context.handler.preAuthenticate({ line, block, peer: this.#peer });
  }

  /** Continues with the pre-authentication of a head that was pre-authenticated while its body arrived. */
  #settle(body: IncomingBody, preAuthentication: PreAuthentication, expectsContinue: boolean): void {
    body.settle(preAuthentication);
    if (this.#body !== body || this.#head === undefined || this.#state !== 'body') return;
    if (isRejected(preAuthentication) && isDecidedByHead(this.#head.block)) {
      this.#discardBody();
      return;
    }
    this.#deadline = body.deadline;
    if (expectsContinue && body.reader.readBytes === 0) this.#output.writeContinue();
  }

  /** Rejects the current request without the rest of its body. */
  #discardBody(): void {
    const head = this.#head;
    if (head === undefined || this.#state !== 'body') return;
    const preAuthentication = this.#body?.preAuthentication;
    this.#forgetReceived();
    this.#discardsBody = true;
    this.#handle(head, undefined, preAuthentication);
  }

  #handle(
    head: ParsedHead,
    body: IncomingBody | undefined,
    preAuthentication = body?.preAuthentication,
    stream: BodyStream | undefined = undefined,
    isPipelined = false,
  ): void {
    const { line, block, headBytes } = head;
    this.#head = undefined;
    this.#body = undefined;
    this.#headBegun = false;
    this.#state = 'work';
    this.#deadline = NEVER;
    const request = {
      line,
      block,
      headBytes,
      body: body?.reader.body(),
      stream,
      preAuthentication,
      bodyDropped: this.#discardsBody,
      peer: this.#peer,
    };
    if (isPipelined) this.#context.queue.addPipelined(request, this);
    else this.#context.queue.add(request, this);
  }

  answer(request: IncomingRequest, reply: MaybePromise<Reply>): void {
    if (reply instanceof Promise) reply.then((done) => this.#answer(done, request));
    else this.#answer(reply, request);
  }

  #answer(uncompressed: Reply, { line, block, body: requestBody, stream }: IncomingRequest): void {
    requestBody?.close();
    stream?.discard();
    if (this.#upload !== undefined) {
      // The command did not wait for the rest of the body.
      this.#upload = undefined;
      this.#waiting = undefined;
      this.#waitingAccount?.release();
      this.#discardsBody = true;
    }
    if (this.#isClosed()) {
      void discard(uncompressed.body);
      return;
    }
    const reply = this.#context.compression.compress(uncompressed, block.headers);
    const { body } = reply;
    const closes = reply.close || this.#context.handler.stopping || this.#overflow !== undefined || this.#discardsBody;
    const keep = !closes && wantsKeepAlive(line.minor, block) && (isWhole(body) || line.minor === 1);
    const framing = { minor: line.minor, keep, lines: this.#ticks.commonLines(this.#wire.isEncrypted) };
    const headOnly = line.method === 'HEAD';
    if (isWhole(body)) this.#output.writeReply(reply, body, framing, headOnly);
    else if (headOnly) writeHead(this.#output, reply, framing);
    else {
      void this.#stream(reply, body, framing);
      return;
    }
    if (this.#output.isEmpty) this.#finish(keep);
    else this.#afterWriting(() => this.#finish(keep));
  }

  /**
   * Writes chunks as fast as the client reads them. An error closes the connection, so that the end of the chunks is
   * missing. Without chunks, closing the connection marks the end, so it is reset in that case.
   */
  async #stream(reply: Reply, chunks: AsyncIterable<string | Uint8Array>, framing: Framing): Promise<void> {
    const target = {
      output: this.#output,
      isClosed: () => this.#isClosed(),
      afterWriting: (next: () => void) => this.#afterWriting(next),
    };
    try {
      const isSent = await streamReply(target, reply, chunks, framing);
      if (isSent) this.#afterWriting(() => this.#finish(framing.keep));
    } catch {
      if (framing.minor === 0 || this.#isClosed()) this.#wire.terminate();
      else this.#afterWriting(() => this.#wire.end());
    }
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Calls `next` when the socket has accepted everything written. */
  #afterWriting(next: () => void): void {
    if (this.#output.isEmpty) next();
    else {
      this.#deadline = this.#ticks.tick + this.#ticks.idleTicks;
      this.#output.whenDrained(() => {
        this.#deadline = NEVER;
        next();
      });
    }
  }

  /** Ends the request whose response has been written. */
  #finish(keep: boolean): void {
    if (this.#isClosed()) return;
    this.#abort = undefined;
    if (!keep || this.#overflow !== undefined) {
      if (this.#reading) this.#state = 'linger';
      else this.#close(this.#waiting !== undefined || this.#overflow !== undefined || this.#discardsBody);
      return;
    }
    this.#state = 'head';
    this.#deadline = this.#ticks.tick + this.#ticks.idleTicks;
    if (this.#reading || this.#deferred) return;
    this.#resume();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#read(waiting, true);
    else if (this.#halfClosed) this.#wire.end();
  }

  /** Responds to bytes that are not a valid request, and stops reading. */
  #reject(failure: GridError): void {
    const { handler } = this.#context;
    const framing = { minor: 1, keep: false, lines: this.#ticks.commonLines(this.#wire.isEncrypted) } as const;
    const reply = rejection(failure, handler.asksForObjects(this.#head && { ...this.#head, peer: this.#peer }));
    this.#state = 'work';
    this.#forgetReceived();
    handler.rejected(failure);
    const body = typeof reply.body === 'string' ? reply.body : '';
    this.#output.writeReply(reply, body, framing, false);
    this.#afterWriting(() => (handler.stopping ? this.#wire.end() : this.#linger()));
  }

  /** Closes. `unread`: closing immediately would reset the connection, and the client would lose the response. */
  #close(unread: boolean): void {
    if (unread && !this.#halfClosed) this.#linger();
    else this.#wire.end();
  }

  /**
   * Closes the sending side and drops input. Closing immediately would lose the response if the client is
   * still sending.
   */
  #linger(): void {
    this.#state = 'linger';
    this.#deadline = this.#ticks.tick + LINGER_TICKS;
    if (!this.#deferred) this.#resume();
    this.#wire.shutdown();
  }

  /** Returns the controller of the current request's signal. */
  #controller(): AbortController {
    this.#abort ??= new AbortController();
    if (this.#isClosed()) this.#abort.abort();
    return this.#abort;
  }
}

const NO_BYTES = Buffer.alloc(0);
