/**
 * Remote procedure calls between two threads over a MessagePort. All requests of one tick of the event loop travel in
 * one message, and so do the responses that become ready together. Both ends may call. Requests and responses must be
 * structured-cloneable; a GridError keeps its code and its text.
 *
 * A message is one flat list, and a request that is a list is spread into it: the runtime copies a list of strings and
 * numbers three times as fast as objects (0.7 µs per request instead of 2.4, plus about 50 µs per message).
 */
import type { Clock } from './clock.ts';
import { ERRORS, type ErrorCode, fail, GridError } from './errors.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** The methods that one end serves: name -> types of the request and of the response. */
export type RpcMethods = { readonly [name: string]: { readonly request: unknown; readonly response: unknown } };

/** The part of a MessagePort (or of a Worker) that a channel needs. */
export interface ChannelPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  /** Returns a received message that the listener has not seen yet, or undefined. */
  take?(): unknown;
  close?(): void;
}

type Handler = (request: never) => MaybePromise<unknown>;

/** The first element of a message: its kind. */
const REQUESTS = '?';
const RESPONSES = '!';
/** In place of the length: the request was not spread. */
const WHOLE = -1;

interface PendingCall {
  readonly resolve: (response: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One end of a channel: this end calls the `Remote` methods and serves the `Local` ones. */
export class RpcChannel<Remote extends RpcMethods, Local extends RpcMethods> {
  readonly #port: ChannelPort;
  readonly #clock: Clock;
  readonly #handlers = new Map<string, Handler>();
  readonly #pending = new Map<number, PendingCall>();
  /** The next message of requests: after the kind, each request's id, method, length and elements. */
  #requests: unknown[] = [];
  /** The next message of responses: after the kind, each id, success, and the response or the error's code and text. */
  #responses: unknown[] = [];
  #lastId = 0;
  #closed = false;

  constructor(port: ChannelPort, clock: Clock) {
    this.#port = port;
    this.#clock = clock;
    port.on('message', (message) => this.#receive(message));
  }

  /** Handles the messages received so far without waiting for the event loop. */
  receiveNow(): void {
    if (this.#closed) return;
    for (;;) {
      const message = this.#port.take?.();
      if (message === undefined) return;
      this.#receive(message);
    }
  }

  /** Calls a method of the other end. Rejects with the handler's error; STOPPING when the channel is closed. */
  call<N extends keyof Remote & string>(name: N, request: Remote[N]['request']): Promise<Remote[N]['response']> {
    if (this.#closed) return Promise.reject(fail('STOPPING'));
    const id = ++this.#lastId;
    const requests = this.#requests;
    if (requests.length === 0) {
      requests.push(REQUESTS);
      this.#clock.endOfTick(() => this.#sendRequests());
    }
    if (Array.isArray(request)) {
      requests.push(id, name, request.length);
      for (const element of request) requests.push(element);
    } else requests.push(id, name, WHOLE, request);
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /** Registers the handler of a method, replacing an earlier one. */
  serve<N extends keyof Local & string>(
    name: N,
    handler: (request: Local[N]['request']) => MaybePromise<Local[N]['response']>,
  ): void {
    this.#handlers.set(name, handler);
  }

  /** Closes the channel: pending calls reject with `reason` (default STOPPING). */
  close(reason: Error = fail('STOPPING')): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#port.close?.();
    for (const call of this.#pending.values()) call.reject(reason);
    this.#pending.clear();
  }

  #sendRequests(): void {
    const requests = this.#requests;
    this.#requests = [];
    if (!this.#closed) this.#port.postMessage(requests);
  }

  #receive(message: unknown): void {
    if (!Array.isArray(message)) return;
    if (message[0] === REQUESTS) this.#receiveRequests(message);
    else this.#receiveResponses(message);
  }

  #receiveRequests(message: readonly unknown[]): void {
    for (let at = 1; at < message.length; ) {
      const id = Number(message[at]);
      const name = String(message[at + 1]);
      const length = Number(message[at + 2]);
      const start = at + 3;
      at = length === WHOLE ? start + 1 : start + length;
      this.#handle(id, name, length === WHOLE ? message[start] : message.slice(start, at));
    }
  }

  #receiveResponses(message: readonly unknown[]): void {
    for (let at = 1; at < message.length; ) {
      const id = Number(message[at]);
      const call = this.#pending.get(id);
      this.#pending.delete(id);
      if (message[at + 1] === true) {
        call?.resolve(message[at + 2]);
        at += 3;
      } else {
        call?.reject(decodeError(String(message[at + 2]), String(message[at + 3])));
        at += 4;
      }
    }
  }

  #handle(id: number, name: string, request: unknown): void {
    const handler = this.#handlers.get(name);
    if (!handler) {
      this.#respondWithError(id, new Error(`No handler for the method ${name}`));
      return;
    }
    try {
      const response = handler(request as never);
      if (response instanceof Promise) {
        response.then(
          (value) => this.#respond(id, value),
          (error: unknown) => this.#respondWithError(id, error),
        );
      } else this.#respond(id, response);
    } catch (error) {
      this.#respondWithError(id, error);
    }
  }

  #respond(id: number, response: unknown): void {
    this.#scheduleResponses();
    this.#responses.push(id, true, response);
  }

  #respondWithError(id: number, error: unknown): void {
    this.#scheduleResponses();
    if (error instanceof GridError) this.#responses.push(id, false, error.code, error.message);
    else this.#responses.push(id, false, '', error instanceof Error ? (error.stack ?? error.message) : String(error));
  }

  // The microtask runs after those of all responses that one commit made ready, so one message carries them.
  #scheduleResponses(): void {
    if (this.#responses.length > 0) return;
    this.#responses.push(RESPONSES);
    queueMicrotask(() => {
      const responses = this.#responses;
      this.#responses = [];
      if (!this.#closed) this.#port.postMessage(responses);
    });
  }
}

function decodeError(code: string, text: string): Error {
  return isErrorCode(code) ? new GridError(code, text) : new Error(text);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
