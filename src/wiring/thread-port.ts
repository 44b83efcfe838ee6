/** A message port as links between threads take it. */
export interface ThreadPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): void;
  close(): void;
}

export function portOf(port: MessagePort): ThreadPort {
  return {
    postMessage: (message) => port.postMessage(message),
    on(_event, listener) {
      port.addEventListener('message', (event) => listener(event.data));
      port.start();
    },
    close: () => port.close(),
  };
}
