/**
 * RPC between threads over a MessagePort; either end may call. Requests made in one tick share a
 * message, as do responses that become ready together. Both must be structured-cloneable; a GridError keeps
 * its code, message and subject.
 *
 * A message is one flat array with array requests spread into it, which the runtime clones faster than objects. Each
 * request carries only the elements that differ from the previous one; empty responses become id ranges.
 */
import type { Clock } from './clock.ts';
import { GridError, gridError, receivedError } from './errors.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** The methods that one end serves: name -> types of the request and of the response. */
export type RpcMethods = { readonly [name: string]: { readonly request: unknown; readonly response: unknown } };

/** The part of a MessagePort (or of a Worker) that a channel needs. */
export interface ChannelPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  close?(): void;
}

type Handler = (request: never) => MaybePromise<unknown>;

/** The first element of a message: its kind. */
const REQUESTS = '?';
const RESPONSES = '!';
/** Instead of the length: the request was not spread. */
const WHOLE = -1;
/** Requests with more elements are sent in full. */
const MAX_MASKED = 30;
/** Instead of success: this id and those up to the next element have no value. */
const EMPTY = 0;

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
  /**
   * The next message of requests: after the kind and the first id, each request's method, length and elements; or, if
   * the method and the length equal the previous request's, a mask of the elements that differ, and these.
   */
  #requests: unknown[] = [];
  /** A copy of the message's last request and its method, if it was spread. */
  #lastList: unknown[] | undefined;
  #lastName = '';
  /**
   * The next message of responses: after the kind, each id, success, and the response or the error's code, text and
   * subject; or, for responses without a value, the first id, {@link EMPTY} and the last id.
   */
  #responses: unknown[] = [];
  /** The id that would continue the range at the end of the message, or 0. */
  #nextEmpty = 0;
  #lastId = 0;
  #closed = false;

  constructor(port: ChannelPort, clock: Clock) {
    this.#port = port;
    this.#clock = clock;
    port.on('message', (message) => this.#receive(message));
  }

  /** Calls a method of the other end. Rejects with the handler's error, or with STOPPING once the channel is closed. */
  call<N extends keyof Remote & string>(name: N, request: Remote[N]['request']): Promise<Remote[N]['response']> {
    if (this.#closed) return Promise.reject(gridError('STOPPING'));
    const id = ++this.#lastId;
    const requests = this.#requests;
    if (requests.length === 0) {
      requests.push(REQUESTS, id);
      this.#clock.endOfTick(() => this.#sendRequests());
    }
    if (Array.isArray(request)) this.#addList(name, request);
    else {
      requests.push(name, WHOLE, request);
      this.#lastList = undefined;
    }
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /** Registers the handler of a method. There must be none yet. */
  serve<N extends keyof Local & string>(
    name: N,
    handler: (request: Local[N]['request']) => MaybePromise<Local[N]['response']>,
  ): void {
    if (this.#handlers.has(name)) throw new Error(`The method ${name} has a handler`);
    this.#handlers.set(name, handler);
  }

  /** Closes the channel: pending calls reject with `reason` (default STOPPING). */
  close(reason: Error = gridError('STOPPING')): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#port.close?.();
    for (const call of this.#pending.values()) call.reject(reason);
    this.#pending.clear();
  }

  #addList(name: string, request: readonly unknown[]): void {
    const requests = this.#requests;
    const last = this.#lastList;
    if (last === undefined || name !== this.#lastName || last.length !== request.length || last.length > MAX_MASKED) {
      requests.push(name, request.length);
      for (const element of request) requests.push(element);
      this.#lastList = request.slice();
      this.#lastName = name;
      return;
    }
    const maskAt = requests.push(0) - 1;
    let mask = 0;
    for (let index = 0; index < request.length; index++) {
      const element = request[index];
      // Unlike ===, this tells -0 from 0.
      if (Object.is(element, last[index])) continue;
      mask |= 1 << index;
      last[index] = element;
      requests.push(element);
    }
    requests[maskAt] = mask;
  }

  #sendRequests(): void {
    const requests = this.#requests;
    this.#requests = [];
    this.#lastList = undefined;
    if (!this.#closed) this.#port.postMessage(requests);
  }

  #receive(message: unknown): void {
    if (!Array.isArray(message)) return;
    if (message[0] === REQUESTS) this.#receiveRequests(message);
    else this.#receiveResponses(message);
  }

  #receiveRequests(message: readonly unknown[]): void {
    let name = '';
    let list: unknown[] = [];
    for (let at = 2, id = Number(message[1]); at < message.length; id++) {
      const head = message[at++];
      if (typeof head === 'number') {
        for (let index = 0; index < list.length; index++) {
          if ((head & (1 << index)) !== 0) list[index] = message[at++];
        }
      } else {
        name = String(head);
        const length = Number(message[at++]);
        if (length === WHOLE) {
          this.#handle(id, name, message[at++]);
          continue;
        }
        list = message.slice(at, at + length);
        at += length;
      }
      // A copy, because the next request is read into the list whatever the handler does with this one.
      this.#handle(id, name, list.slice());
    }
  }

  #receiveResponses(message: readonly unknown[]): void {
    for (let at = 1; at < message.length; ) {
      const id = Number(message[at]);
      const kind = message[at + 1];
      if (kind === EMPTY) {
        for (let empty = id; empty <= Number(message[at + 2]); empty++) this.#takeCall(empty)?.resolve(undefined);
        at += 3;
      } else if (kind === true) {
        this.#takeCall(id)?.resolve(message[at + 2]);
        at += 3;
      } else {
        const [code, text, parameter, position, remedy] = message.slice(at + 2, at + 7);
        const details = {
          parameter: typeof parameter === 'string' ? parameter : undefined,
          position: typeof position === 'number' ? position : undefined,
          remedy: typeof remedy === 'string' ? remedy : undefined,
        };
        this.#takeCall(id)?.reject(receivedError(String(code), String(text), details) ?? new Error(String(text)));
        at += 7;
      }
    }
  }

  #takeCall(id: number): PendingCall | undefined {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    return call;
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
    const responses = this.#responses;
    if (response !== undefined) {
      responses.push(id, true, response);
      this.#nextEmpty = 0;
    } else {
      if (id === this.#nextEmpty) responses[responses.length - 1] = id;
      else responses.push(id, EMPTY, id);
      this.#nextEmpty = id + 1;
    }
  }

  #respondWithError(id: number, error: unknown): void {
    this.#scheduleResponses();
    this.#nextEmpty = 0;
    if (error instanceof GridError) {
      const { code, message, parameter, position, remedy } = error;
      this.#responses.push(id, false, code, message, parameter, position, remedy);
      return;
    }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#responses.push(id, false, '', text, undefined, undefined, undefined);
  }

  // The microtask runs after the microtasks of all responses that one commit made ready, so one message carries them.
  #scheduleResponses(): void {
    if (this.#responses.length > 0) return;
    this.#responses.push(RESPONSES);
    queueMicrotask(() => {
      const responses = this.#responses;
      this.#responses = [];
      this.#nextEmpty = 0;
      if (!this.#closed) this.#port.postMessage(responses);
    });
  }
}
