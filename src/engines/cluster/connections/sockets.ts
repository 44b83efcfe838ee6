/** Opens sockets to nodes, plain or with TLS, and exchanges the first message of a connection. */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure, type ConnectionOptions as SecureOptions } from 'node:tls';
import type { Clock } from '../../../base/clock.ts';
import type { Endpoint, TlsOptions } from '../../../base/endpoints.ts';
import { errorText, gridError } from '../../../base/errors.ts';
import { WIRE_BOUNDS } from '../../../base/limits.ts';
import type { ByteReader } from '../protocol/byte-reader.ts';
import { FrameCutter } from '../protocol/frames.ts';
import type { Credentials } from '../protocol/handshake.ts';

export interface ConnectionSettings {
  readonly clock: Clock;
  readonly credentials: Credentials | undefined;
  readonly tls: TlsOptions | undefined;
  readonly connectTimeoutMs: number;
  /** A heartbeat is sent after this much silence. Without a response within the same time, the connection closes. */
  readonly heartbeatIntervalMs: number;
  readonly maxFrameBytes: number;
}

/** Idle time before the operating system probes a connection. */
const KEEP_ALIVE_MS = 15_000;

/** Opens a socket, with TLS when `settings.tls` is set. Rejects with CLUSTER_UNREACHABLE. */
export function openSocket(endpoint: Endpoint, settings: ConnectionSettings): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const { tls } = settings;
  const socket = tls ? connectSecure(secureOptions(endpoint, tls)) : connectPlain(endpoint.port, endpoint.host);
  const guard = guardSocket(socket, endpoint, settings, reject, {
    timedOut: 'the connection timed out',
    closed: 'the connection was closed',
  });
  const ready = tls ? 'secureConnect' : 'connect';
  socket.once(ready, () => {
    guard.release();
    socket.setNoDelay(true);
    // Detects a vanished peer on connections without heartbeats.
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    resolve(socket);
  });
  return promise;
}

/**
 * Sends the first message, reads the first response with `read`, and leaves the socket without listeners. If no
 * response arrives that `read` accepts, closes the socket and rejects with CLUSTER_UNREACHABLE.
 */
export function exchangeFirst<T>(
  socket: Socket,
  endpoint: Endpoint,
  message: Buffer,
  settings: ConnectionSettings,
  read: (reader: ByteReader) => T,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const guard = guardSocket(socket, endpoint, settings, reject, {
    timedOut: 'the handshake timed out',
    closed: 'the node closed the connection during the handshake',
  });
  const frames = new FrameCutter((reader) => {
    const response = read(reader);
    socket.off('data', onData);
    guard.release();
    resolve(response);
  }, WIRE_BOUNDS.handshakeBytes);
  function onData(chunk: Buffer): void {
    try {
      frames.push(chunk);
    } catch {
      socket.off('data', onData);
      guard.fail('this is not a node of a cluster');
    }
  }
  socket.on('data', onData);
  socket.write(message);
  return promise;
}

/** Passes received bytes to `frames`. Calls `close` with the reason if the connection cannot be used. */
export function receiveFrames(socket: Socket, frames: FrameCutter, close: (reason: string) => void): void {
  socket.on('data', (chunk: Buffer) => {
    try {
      frames.push(chunk);
    } catch (error) {
      close(`the node sent a malformed message (${errorText(error)})`);
    }
  });
  socket.on('error', (error: Error) => close(error.message));
  socket.on('close', () => close('the node closed the connection'));
}

interface SocketGuard {
  /** Closes the socket and rejects with CLUSTER_UNREACHABLE. */
  fail(reason: string): void;
  /** Removes the timer and the listeners. */
  release(): void;
}

/** Fails when the socket reports an error, closes or exceeds the connect timeout, until it is released. */
function guardSocket(
  socket: Socket,
  endpoint: Endpoint,
  settings: ConnectionSettings,
  reject: (error: Error) => void,
  reasons: { readonly timedOut: string; readonly closed: string },
): SocketGuard {
  const timer = settings.clock.after(settings.connectTimeoutMs, () => failWith(reasons.timedOut));
  function onError(error: Error): void {
    failWith(error.message);
  }
  function onClose(): void {
    failWith(reasons.closed);
  }
  function release(): void {
    timer.cancel();
    socket.off('error', onError);
    socket.off('close', onClose);
  }
  function failWith(reason: string): void {
    release();
    socket.on('error', () => {});
    socket.destroy();
    reject(unreachable(endpoint, reason));
  }
  socket.on('error', onError);
  socket.on('close', onClose);
  return { fail: failWith, release };
}

function secureOptions(endpoint: Endpoint, tls: TlsOptions): SecureOptions {
  return {
    host: endpoint.host,
    port: endpoint.port,
    rejectUnauthorized: tls.trustAll !== true,
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.certificate === undefined ? {} : { cert: tls.certificate }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.passphrase === undefined ? {} : { passphrase: tls.passphrase }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
  };
}

/** Returns the error for an endpoint to which no connection can be opened. */
export function unreachable(endpoint: Endpoint, reason: string): Error {
  return gridError('CLUSTER_UNREACHABLE', `${endpoint.host}:${endpoint.port}: ${reason}`);
}
