/** Adapts a MessagePort for RPC channels. */
export interface ThreadPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): void;
  /** A message received but not yet passed to the listener; undefined: none. */
  take(): unknown;
  close(): void;
}

export function portOf(port: MessagePort): ThreadPort {
  // Loaded on demand: the service has no other thread when it starts.
  const { receiveMessageOnPort } = process.getBuiltinModule('node:worker_threads');
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
