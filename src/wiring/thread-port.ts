import { receiveMessageOnPort } from 'node:worker_threads';

/** Adapts a MessagePort for RPC channels. */
export interface ThreadPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): void;
  /** A message received but not yet passed to the listener; undefined: none. */
  take(): unknown;
  close(): void;
}

export function portOf(port: MessagePort): ThreadPort {
  return {
    postMessage: (message) => port.postMessage(message),
    on(_event, listener) {
      port.addEventListener('message', (event) => listener(event.data));
      port.start();
    },
    take: () => receiveMessageOnPort(port)?.message,
    close: () => port.close(),
  };
}
