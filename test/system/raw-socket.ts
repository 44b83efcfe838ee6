/** A connection that sends bytes unchanged and keeps the responses. */
export interface RawSocket {
  /** Resolves when the socket has accepted the bytes, or has closed. */
  send(bytes: Uint8Array | string): Promise<void>;
  /** What the service has sent so far. */
  readonly received: () => string;
  readonly closed: () => boolean;
  /** Resolves when the data sent by the service satisfies `test`, or it has closed the connection. */
  until(test: (received: string) => boolean): Promise<void>;
  end(): void;
}

/** Connects to a port of 127.0.0.1. */
export async function rawSocket(port: number): Promise<RawSocket> {
  let received = '';
  let closed = false;
  let drained = () => {};
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_socket, bytes) {
        received += bytes.toString('latin1');
      },
      drain: () => drained(),
      error() {},
      close() {
        closed = true;
        drained();
      },
    },
  });
  return {
    async send(data) {
      let rest = Buffer.from(data as string);
      while (rest.length > 0 && !closed) {
        const next = new Promise<void>((resolve) => {
          drained = resolve;
        });
        const accepted = Math.max(0, socket.write(rest));
        rest = rest.subarray(accepted);
        if (rest.length > 0) await next;
      }
    },
    received: () => received,
    closed: () => closed,
    async until(test) {
      while (!test(received) && !closed) await Bun.sleep(2);
    },
    end: () => socket.terminate(),
  };
}
