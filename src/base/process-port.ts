/** The port of an RPC channel between a process and one that it has started, using the runtime's messages. */
import type { ChannelPort } from './rpc-channel.ts';

/** Call `receive` with each message from the other process. */
export class ProcessPort implements ChannelPort {
  readonly postMessage: (message: unknown) => void;
  #listener: ((message: unknown) => void) | undefined;
  /** Messages received before a listener was registered. */
  #early: unknown[] = [];

  constructor(send: (message: unknown) => void) {
    this.postMessage = send;
  }

  readonly receive = (message: unknown): void => {
    if (this.#listener === undefined) this.#early.push(message);
    else this.#listener(message);
  };

  on(_event: 'message', listener: (message: unknown) => void): void {
    this.#listener = listener;
    for (const message of this.#early.splice(0)) listener(message);
  }
}

/** Sends a message to a process. One that has just exited cannot receive it. */
export function sendTo(child: Pick<Bun.Subprocess, 'exitCode' | 'signalCode' | 'send'>, message: unknown): void {
  if (child.exitCode === null && child.signalCode === null) child.send(message);
}
