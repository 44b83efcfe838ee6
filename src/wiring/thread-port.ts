import { receiveMessageOnPort } from 'node:worker_threads';

/** A message port as links between threads take it. */
export interface ThreadPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): void;
  /** A message that has come and was not yet given to the listener; undefined: there is none. */
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
