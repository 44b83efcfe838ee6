/**
 * A connection to one node. Requests are written into one buffer, which is sent when it has a few kilobytes, and at the
 * end of each tick of the event loop. Responses arrive in any order. A closed connection cannot be reopened.
 */
import type { Socket } from 'node:net';
import type { Timer } from '../../../base/clock.ts';
import type { Endpoint } from '../../../base/endpoints.ts';
import { gridError } from '../../../base/errors.ts';
import { WIRE_BOUNDS } from '../../../base/limits.ts';
import { oversizedReason } from '../operations/responses.ts';
import { ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { FEATURE, type Features } from '../protocol/features.ts';
import { FrameCutter } from '../protocol/frames.ts';
import { AUTHENTICATION_FAILED, readHandshakeResponse, writeHandshake } from '../protocol/handshake.ts';
import { readString } from '../protocol/strings.ts';
import { type ConnectionSettings, exchangeFirst, openSocket, receiveFrames, unreachable } from './sockets.ts';

/** A request in flight. Exactly one of the methods is called, once. */
export interface PendingCall {
  /** Monotonic time at which the caller stops waiting, in ms; Infinity means never. */
  readonly deadlineMs: number;
  accept(reader: ByteReader): void;
  reject(status: number, message: string): void;
  /** Called when the response cannot be read. The connection remains open. */
  unreadable(reason: string): void;
  /** Called when no response will arrive. `sent` is false if the node cannot have received the request. */
  lost(reason: string, sent: boolean): void;
}

/** An unsolicited message about a task or a continuous query: a result, changes or an error. */
export type Notification = { readonly reader: ByteReader } | { readonly status: number; readonly message: string };

/** The version of the cluster's topology, which changes when nodes join or leave, and when caches start or stop. */
export interface TopologyVersion {
  readonly major: number;
  readonly minor: number;
}

const RESPONSE = { ERROR: 1, TOPOLOGY_CHANGED: 2, NOTIFICATION: 4 } as const;
const RESPONSE_FLAGS = RESPONSE.ERROR | RESPONSE.TOPOLOGY_CHANGED | RESPONSE.NOTIFICATION;
const OPERATION_HEARTBEAT = 1;
/** Time between checks for requests that have timed out. */
const SWEEP_INTERVAL_MS = 250;
const STATUS_FAILED = 1;
/**
 * The first requests of a tick are sent once they have this many bytes, so that the node works on them while others are
 * still being read. Each subsequent write has twice as many, because writes also cost time.
 */
const FIRST_FLUSH_BYTES = 4_096;
/** Heartbeat intervals within which a message must be complete, or bring this many bytes. */
const INCOMPLETE_INTERVALS = 5;
const INCOMPLETE_BYTES = 16_384;

export class Connection {
  readonly endpoint: Endpoint;
  readonly nodeId: string;
  readonly features: Features;
  /** Called when a response reports that partitions have moved, before the response is delivered. */
  onTopologyChange: ((version: TopologyVersion) => void) | undefined;
  onClose: ((reason: string) => void) | undefined;
  readonly #settings: ConnectionSettings;
  readonly #socket: Socket;
  readonly #writer = new ByteWriter(16_384);
  readonly #pending = new Map<number, PendingCall>();
  readonly #listeners = new Map<number, (notification: Notification) => void>();
  /** The subscribers of resources with any number of notifications. */
  readonly #subscribers = new Map<number, (notification: Notification) => void>();
  readonly #unclaimed = new Map<number, Notification>();
  #unclaimedBytes = 0;
  readonly #timer: Timer;
  #nextId = 1;
  /** Requests below this id have been handed to the socket. */
  #flushedId = 1;
  #isFlushScheduled = false;
  /** Bytes of requests that are sent before the end of the tick. */
  #flushBytes = FIRST_FLUSH_BYTES;
  #closedReason: string | undefined;
  readonly #frames: FrameCutter;
  #lastReceivedMs: number;
  #heartbeatSentMs: number | undefined;
  /** Bytes received so far, and complete messages. */
  #bytes = 0;
  #messages = 0;
  /** The same numbers when the currently incomplete message was first seen, or last brought enough bytes. */
  #incomplete: { readonly sinceMs: number; readonly bytes: number; readonly messages: number } | undefined;

  /** Use {@link openConnection}. */
  constructor(socket: Socket, endpoint: Endpoint, nodeId: string, features: Features, settings: ConnectionSettings) {
    this.#socket = socket;
    this.endpoint = endpoint;
    this.nodeId = nodeId;
    this.features = features;
    this.#settings = settings;
    this.#lastReceivedMs = settings.clock.monotonicMs();
    this.#frames = new FrameCutter(
      (reader) => this.#receive(reader),
      settings.maxFrameBytes,
      (head, length) => this.#receiveOversized(head, length),
    );
    socket.on('data', (chunk: Buffer) => {
      this.#lastReceivedMs = settings.clock.monotonicMs();
      this.#bytes += chunk.length;
    });
    receiveFrames(socket, this.#frames, (reason) => this.close(reason));
    this.#timer = settings.clock.every(SWEEP_INTERVAL_MS, () => this.#sweep());
  }

  get isOpen(): boolean {
    return this.#closedReason === undefined;
  }

  /** Number of requests without a response. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Writes a request. If `write` throws, nothing is sent and the error is rethrown. */
  send(operation: number, write: (writer: ByteWriter) => void, call: PendingCall): void {
    if (this.#closedReason !== undefined) {
      call.lost(this.#closedReason, false);
      return;
    }
    const writer = this.#writer;
    const start = writer.length;
    const id = this.#nextId;
    writer.i32(0);
    writer.i16(operation);
    writer.i64Number(id);
    try {
      write(writer);
    } catch (error) {
      writer.truncate(start);
      throw error;
    }
    writer.setI32(start, writer.length - start - 4);
    this.#nextId = id + 1;
    this.#pending.set(id, call);
    if (!this.#isFlushScheduled) {
      this.#isFlushScheduled = true;
      this.#settings.clock.endOfTick(() => this.#endTick());
    }
    if (writer.length < this.#flushBytes) return;
    this.#flushBytes *= 2;
    this.#flush();
  }

  /** Calls `listener` with the notification of a resource, even if it has already arrived. */
  listen(resourceId: number, listener: (notification: Notification) => void): void {
    const unclaimed = this.#unclaimed.get(resourceId);
    if (unclaimed) {
      this.#unclaimed.delete(resourceId);
      this.#unclaimedBytes -= bytesOf(unclaimed);
      listener(unclaimed);
      return;
    }
    this.#listeners.set(resourceId, listener);
  }

  /** Calls `subscriber` with every notification of a resource, and with status -1 when the connection closes. */
  subscribe(resourceId: number, subscriber: (notification: Notification) => void): void {
    this.#subscribers.set(resourceId, subscriber);
  }

  unsubscribe(resourceId: number): void {
    this.#subscribers.delete(resourceId);
  }

  /** Closes the connection immediately and reports all requests in flight as lost. */
  close(reason: string): void {
    if (this.#closedReason !== undefined) return;
    this.#closedReason = reason;
    this.#timer.cancel();
    this.#socket.destroy();
    const lost = [...this.#pending];
    this.#pending.clear();
    for (const [id, call] of lost) call.lost(reason, id < this.#flushedId);
    const listeners = [...this.#listeners.values(), ...this.#subscribers.values()];
    this.#listeners.clear();
    this.#subscribers.clear();
    for (const listener of listeners) listener({ status: -1, message: reason });
    this.onClose?.(reason);
  }

  #endTick(): void {
    this.#isFlushScheduled = false;
    this.#flushBytes = FIRST_FLUSH_BYTES;
    this.#flush();
  }

  #flush(): void {
    if (this.#closedReason !== undefined || this.#writer.length === 0) return;
    this.#flushedId = this.#nextId;
    // The socket buffers what it cannot send now.
    this.#socket.write(this.#writer.take());
  }

  #receive(reader: ByteReader): void {
    this.#messages += 1;
    const id = reader.i64Number();
    const flags = reader.i16();
    if (flags & RESPONSE.TOPOLOGY_CHANGED) {
      const version = { major: reader.i64Number(), minor: reader.i32() };
      this.onTopologyChange?.(version);
    }
    if (flags & RESPONSE.NOTIFICATION) {
      this.#notify(id, flags, reader);
      return;
    }
    const call = this.#take(id);
    if (!call) return;
    if ((flags & RESPONSE.ERROR) === 0) {
      call.accept(reader);
      return;
    }
    let status: number;
    let message: string;
    try {
      status = reader.i32();
      message = readString(reader) ?? '';
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      call.unreadable(error.message);
      return;
    }
    call.reject(status, message);
  }

  /** Settles the request of an oversized message. Throws MalformedMessage for a message that matches no request. */
  #receiveOversized(head: ByteReader, length: number): void {
    const id = head.i64Number();
    const flags = head.i16();
    const message = oversizedReason(length, this.#settings.maxFrameBytes);
    const isNotification = (flags & RESPONSE.NOTIFICATION) !== 0;
    const isResponse = (flags & ~RESPONSE_FLAGS) === 0 && (isNotification || (id > 0 && id < this.#nextId));
    if (!isResponse) throw new MalformedMessage(`a message of ${length} bytes`);
    if (isNotification) this.#deliver(id, { status: STATUS_FAILED, message });
    else this.#take(id)?.unreadable(message);
  }

  /** Removes and returns the request waiting for the response with this id. */
  #take(id: number): PendingCall | undefined {
    const call = this.#pending.get(id);
    if (call) this.#pending.delete(id);
    return call;
  }

  #notify(resourceId: number, flags: number, reader: ByteReader): void {
    reader.i16();
    const notification: Notification =
      flags & RESPONSE.ERROR
        ? { status: reader.i32(), message: readString(reader) ?? '' }
        : { reader: new ByteReader(Buffer.from(reader.raw(reader.remaining))) };
    this.#deliver(resourceId, notification);
  }

  #deliver(resourceId: number, notification: Notification): void {
    const subscriber = this.#subscribers.get(resourceId);
    if (subscriber) {
      subscriber(notification);
      return;
    }
    const listener = this.#listeners.get(resourceId);
    if (listener) {
      this.#listeners.delete(resourceId);
      listener(notification);
      return;
    }
    const bytes = this.#unclaimedBytes + bytesOf(notification);
    if (this.#unclaimed.size >= WIRE_BOUNDS.unclaimedResults || bytes > WIRE_BOUNDS.unclaimedBytes) return;
    if (this.#unclaimed.has(resourceId)) return;
    this.#unclaimedBytes = bytes;
    this.#unclaimed.set(resourceId, notification);
  }

  /** Fails requests past their deadline, and sends a heartbeat to a silent node. */
  #sweep(): void {
    const now = this.#settings.clock.monotonicMs();
    for (const [id, call] of this.#pending) {
      if (call.deadlineMs > now) continue;
      this.#pending.delete(id);
      call.lost('no response in time', true);
    }
    this.#checkIncomplete(now);
    if (this.#closedReason !== undefined) return;
    if (this.#heartbeatSentMs !== undefined) {
      if (this.#lastReceivedMs >= this.#heartbeatSentMs) this.#heartbeatSentMs = undefined;
      else if (now - this.#heartbeatSentMs > this.#settings.heartbeatIntervalMs) this.close('the node is silent');
      return;
    }
    if (now - this.#lastReceivedMs < this.#settings.heartbeatIntervalMs) return;
    if (!this.features.has(FEATURE.HEARTBEAT)) return;
    this.#heartbeatSentMs = now;
    this.send(OPERATION_HEARTBEAT, () => {}, IGNORED_CALL);
  }

  /**
   * Closes the connection if a message stays incomplete although others must have arrived since: its length is wrong,
   * and all later responses would be taken for part of it.
   */
  #checkIncomplete(now: number): void {
    if (!this.#frames.isIncomplete) {
      this.#incomplete = undefined;
      return;
    }
    const { sinceMs, bytes, messages } = this.#incomplete ?? { sinceMs: now, bytes: this.#bytes, messages: -1 };
    const isOver = now - sinceMs > INCOMPLETE_INTERVALS * this.#settings.heartbeatIntervalMs;
    if (messages === this.#messages && !isOver) return;
    if (messages === this.#messages && this.#bytes - bytes < INCOMPLETE_BYTES) {
      this.close('a message of the node does not end');
      return;
    }
    this.#incomplete = { sinceMs: now, bytes: this.#bytes, messages: this.#messages };
  }
}

function bytesOf(notification: Notification): number {
  return 'reader' in notification ? notification.reader.remaining : 0;
}

const IGNORED_CALL: PendingCall = {
  deadlineMs: Number.POSITIVE_INFINITY,
  accept: () => {},
  reject: () => {},
  unreadable: () => {},
  lost: () => {},
};

/**
 * Opens a connection. Rejects with CREDENTIALS_WRONG, or with CLUSTER_UNREACHABLE and the reason: no listener, no
 * response in time, an untrusted certificate, an unsupported version.
 */
export async function openConnection(endpoint: Endpoint, settings: ConnectionSettings): Promise<Connection> {
  const socket = await openSocket(endpoint, settings);
  const writer = new ByteWriter(256);
  writeHandshake(writer, settings.credentials);
  const response = await exchangeFirst(socket, endpoint, writer.view(), settings, readHandshakeResponse);
  if (response.accepted) return new Connection(socket, endpoint, response.nodeId, response.features, settings);
  socket.destroy();
  if (response.code === AUTHENTICATION_FAILED) throw gridError('CREDENTIALS_WRONG', settings.credentials?.user ?? null);
  throw unreachable(endpoint, response.message);
}
