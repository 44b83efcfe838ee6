/** A fake node for tests: a server that implements the framing of the protocol. */
import { createServer, type Server, type Socket } from 'node:net';
import { systemClock } from '../../../base/clock.ts';
import type { ConnectionSettings } from './sockets.ts';

const servers: Server[] = [];

/** Returns the server of the node that was started last. */
export function lastServer(): Server | undefined {
  return servers.at(-1);
}

/** Closes every node that {@link listen} started. */
export function closeNodes(): void {
  for (const server of servers.splice(0)) server.close();
}

const NODE = '123e4567e89b12d3a456426614174000';
/** Returns settings of a connection to such a node. */
export function settings(overrides: Partial<ConnectionSettings> = {}): ConnectionSettings {
  const defaults = { clock: systemClock, credentials: undefined, tls: undefined, connectTimeoutMs: 500 };
  return { ...defaults, heartbeatIntervalMs: 60_000, maxFrameBytes: 1_000_000, ...overrides };
}

/** Prepends the length to a message. */
export function frame(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32LE(body.length);
  return Buffer.concat([length, body]);
}

/** Returns the response of a node that accepts version 1.7 with these features. */
export function welcome(features = 'ffff0b', nodeId = NODE): Buffer {
  const id = Buffer.from(nodeId, 'hex');
  const halves = [id.subarray(0, 8).reverse(), id.subarray(8).reverse()];
  return frame(Buffer.concat([Buffer.from(`010c03000000${features}0a`, 'hex'), ...halves]));
}

/** Starts a node that passes each message to `respond`. The first message of a connection has number 0. */
export async function listen(response: (message: Buffer, number: number, socket: Socket, connection: number) => void) {
  let connections = 0;
  const server = createServer((socket) => {
    const connection = connections++;
    let buffered = Buffer.alloc(0);
    let number = 0;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk]);
      while (buffered.length >= 4 && buffered.length >= 4 + buffered.readInt32LE(0)) {
        const end = 4 + buffered.readInt32LE(0);
        const message = buffered.subarray(4, end);
        buffered = buffered.subarray(end);
        response(message, number++, socket, connection);
      }
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { host: '127.0.0.1', port: typeof address === 'object' && address !== null ? address.port : 0 };
}

/** Returns a response to the request in `message`: its id, flags, body. */
export function responseTo(message: Buffer, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(10);
  message.copy(head, 0, 2, 10);
  head.writeInt16LE(flags, 8);
  return frame(Buffer.concat([head, body]));
}
