/**
 * Questions and answers between two threads over a MessagePort. All questions of one turn of the event loop travel in
 * one message, and so do the answers that become ready together: a message costs 70 µs, a question in a batch 7.
 * Both ends may ask. What crosses must be structured-cloneable; a GridError keeps its code and its text.
 */
import type { Clock } from './clock.ts';
import { ERRORS, type ErrorCode, fail, GridError } from './errors.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** What one end answers: name -> types of the question and of its answer. */
export type Services = { readonly [name: string]: { readonly question: unknown; readonly answer: unknown } };

/** The part of a MessagePort (or of a Worker) that a link needs. */
export interface LinkPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  close?(): void;
}

type Handler = (question: never) => MaybePromise<unknown>;
type WireQuestion = readonly [id: number, name: string, question: unknown];
type WireAnswer =
  | readonly [id: number, answer: unknown]
  | readonly [id: number, answer: undefined, failure: WireFailure];
interface WireFailure {
  readonly code: string;
  readonly text: string;
}
interface WireMessage {
  readonly questions?: readonly WireQuestion[];
  readonly answers?: readonly WireAnswer[];
}
interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One end of a link: `Remote` is what the other end answers, `Local` what this end does. */
export class ThreadLink<Remote extends Services, Local extends Services> {
  readonly #port: LinkPort;
  readonly #clock: Clock;
  readonly #handlers = new Map<string, Handler>();
  readonly #waiting = new Map<number, Waiting>();
  #questions: WireQuestion[] = [];
  #answers: WireAnswer[] = [];
  #lastId = 0;
  #closed = false;

  constructor(port: LinkPort, clock: Clock) {
    this.#port = port;
    this.#clock = clock;
    port.on('message', (message) => this.#receive(message as WireMessage));
  }

  /** Asks the other end. Rejects with STOPPING when the link is closed. */
  call<N extends keyof Remote & string>(name: N, question: Remote[N]['question']): Promise<Remote[N]['answer']> {
    if (this.#closed) return Promise.reject(fail('STOPPING'));
    const id = ++this.#lastId;
    if (this.#questions.length === 0) this.#clock.endOfTurn(() => this.#sendQuestions());
    this.#questions.push([id, name, question]);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Answers the questions of a name from now on. */
  serve<N extends keyof Local & string>(
    name: N,
    handler: (question: Local[N]['question']) => MaybePromise<Local[N]['answer']>,
  ): void {
    this.#handlers.set(name, handler);
  }

  /** Ends the link: questions that wait fail with `reason` (default STOPPING). */
  close(reason: Error = fail('STOPPING')): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#port.close?.();
    for (const waiting of this.#waiting.values()) waiting.reject(reason);
    this.#waiting.clear();
  }

  #sendQuestions(): void {
    const questions = this.#questions;
    this.#questions = [];
    if (!this.#closed) this.#port.postMessage({ questions } satisfies WireMessage);
  }

  #receive(message: WireMessage): void {
    for (const [id, name, question] of message.questions ?? []) this.#answerOne(id, name, question);
    for (const [id, answer, failure] of message.answers ?? []) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (failure) waiting?.reject(decodeFailure(failure));
      else waiting?.resolve(answer);
    }
  }

  #answerOne(id: number, name: string, question: unknown): void {
    const handler = this.#handlers.get(name);
    if (!handler) {
      this.#sendAnswer([id, undefined, { code: '', text: `No thread answers ${name}` }]);
      return;
    }
    try {
      const answer = handler(question as never);
      if (answer instanceof Promise) {
        answer.then(
          (value) => this.#sendAnswer([id, value]),
          (error: unknown) => this.#sendAnswer([id, undefined, encodeFailure(error)]),
        );
      } else this.#sendAnswer([id, answer]);
    } catch (error) {
      this.#sendAnswer([id, undefined, encodeFailure(error)]);
    }
  }

  /** The microtask comes after those of all answers that one commit made ready. */
  #sendAnswer(answer: WireAnswer): void {
    if (this.#answers.length === 0) {
      queueMicrotask(() => {
        const answers = this.#answers;
        this.#answers = [];
        if (!this.#closed) this.#port.postMessage({ answers } satisfies WireMessage);
      });
    }
    this.#answers.push(answer);
  }
}

function encodeFailure(error: unknown): WireFailure {
  if (error instanceof GridError) return { code: error.code, text: error.message };
  return { code: '', text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function decodeFailure(failure: WireFailure): Error {
  return isErrorCode(failure.code) ? new GridError(failure.code, failure.text) : new Error(failure.text);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
