/**
 * Carries the messages of an RPC channel over an operating system socket, between processes. A message is a frame:
 * the lengths of the rest and of the list, the list as a structured clone, and the long strings that were taken out of
 * it (the rows of pages), which are copied from memory unchanged instead of being encoded.
 */
import { deserialize, serialize } from 'bun:jsc';
import type { ChannelPort } from '../../base/rpc-channel.ts';

/** Lengths of the rest of the frame and of the list, as 32-bit integers. */
const HEAD_BYTES = 8;
/** Replaces a string in the list: its number of bytes and how they are stored. */
const TEXT_HEAD_BYTES = 12;
const LATIN1 = 1;
const UTF16 = 2;
/** Shorter strings stay in the list. */
const LONG_CHARACTERS = 1_024;
const BEYOND_LATIN1 = /[^\u0000-\u00ff]/;

type Socket = Bun.Socket<unknown>;

/** An element of a message whose long string is sent outside the list. */
interface TextHolder {
  text: string;
}

function hasLongText(element: unknown): element is TextHolder {
  return (
    typeof element === 'object' &&
    element !== null &&
    'text' in element &&
    typeof element.text === 'string' &&
    element.text.length >= LONG_CHARACTERS
  );
}

/** Encodes a message as a frame. */
export function encodeFrame(message: unknown): Buffer {
  const texts: Array<{ readonly at: number; readonly text: string; readonly bytes: number; readonly kind: number }> =
    [];
  let list = message;
  if (Array.isArray(message)) {
    list = message.map((element, at) => {
      if (!hasLongText(element)) return element;
      const { text } = element;
      const isWide = BEYOND_LATIN1.test(text);
      texts.push({ at, text, bytes: isWide ? 2 * text.length : text.length, kind: isWide ? UTF16 : LATIN1 });
      return { ...element, text: '' };
    });
  }
  const clone = serialize(list, { binaryType: 'nodebuffer' });
  const textBytes = texts.reduce((sum, { bytes }) => sum + TEXT_HEAD_BYTES + bytes, 0);
  const frame = Buffer.allocUnsafe(HEAD_BYTES + clone.length + textBytes);
  frame.writeUInt32LE(frame.length - 4, 0);
  frame.writeUInt32LE(clone.length, 4);
  clone.copy(frame, HEAD_BYTES);
  let offset = HEAD_BYTES + clone.length;
  for (const { at, text, bytes, kind } of texts) {
    frame.writeUInt32LE(at, offset);
    frame.writeUInt32LE(bytes, offset + 4);
    frame.writeUInt32LE(kind, offset + 8);
    offset += TEXT_HEAD_BYTES;
    frame.write(text, offset, kind === UTF16 ? 'utf16le' : 'latin1');
    offset += bytes;
  }
  return frame;
}

/** Decodes the message in a frame without its first four bytes. */
function decodeFrame(frame: Buffer): unknown {
  const cloneEnd = 4 + frame.readUInt32LE(0);
  const message: unknown = deserialize(frame.subarray(4, cloneEnd));
  for (let offset = cloneEnd; offset < frame.length; ) {
    const at = frame.readUInt32LE(offset);
    const bytes = frame.readUInt32LE(offset + 4);
    const encoding = frame.readUInt32LE(offset + 8) === UTF16 ? 'utf16le' : 'latin1';
    offset += TEXT_HEAD_BYTES;
    const element: unknown = Array.isArray(message) ? message[at] : undefined;
    if (typeof element === 'object' && element !== null && 'text' in element) {
      element.text = frame.toString(encoding, offset, offset + bytes);
    }
    offset += bytes;
  }
  return message;
}

/** Collects received bytes into frames. */
export class FrameReader {
  #parts: Buffer[] = [];
  #length = 0;

  /** Adds bytes, and returns the messages that they complete. */
  read(bytes: Uint8Array): unknown[] {
    this.#parts.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#length += bytes.byteLength;
    if (this.#length < 4) return [];
    let rest = this.#first(4);
    if (this.#length < 4 + rest.readUInt32LE(0)) return [];
    rest = this.#first(this.#length);
    const messages: unknown[] = [];
    while (rest.length >= 4) {
      const end = 4 + rest.readUInt32LE(0);
      if (rest.length < end) break;
      messages.push(decodeFrame(rest.subarray(4, end)));
      rest = rest.subarray(end);
    }
    this.#parts = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    return messages;
  }

  /** Returns the first part, extended to at least this length. */
  #first(bytes: number): Buffer {
    const [first] = this.#parts;
    if (first !== undefined && first.length >= bytes) return first;
    const joined = Buffer.concat(this.#parts);
    this.#parts = [joined];
    return joined;
  }
}

/** One end of a connection. */
export class SocketPort implements ChannelPort {
  #socket: Socket | undefined;
  readonly #reader = new FrameReader();
  /** Bytes that the socket has not accepted yet. */
  #unsent: Buffer[] = [];
  #listener: ((message: unknown) => void) | undefined;
  /** Messages received before a listener was registered. */
  #early: unknown[] = [];
  readonly #onClose: () => void;

  /** `onClose` is called when the other end has closed the connection. */
  constructor(onClose: () => void = () => {}) {
    this.#onClose = onClose;
  }

  /** The socket's handlers; the port begins to send when the socket is open. */
  readonly handlers = {
    open: (socket: Socket): void => {
      this.#socket = socket;
      this.#send();
    },
    data: (_: Socket, bytes: Uint8Array): void => {
      for (const message of this.#reader.read(bytes)) this.#receive(message);
    },
    drain: (): void => this.#send(),
    close: (): void => this.#end(),
    error: (): void => this.#end(),
  };

  postMessage(message: unknown): void {
    this.#unsent.push(encodeFrame(message));
    if (this.#unsent.length === 1) this.#send();
  }

  on(_event: 'message', listener: (message: unknown) => void): void {
    this.#listener = listener;
    for (const message of this.#early.splice(0)) listener(message);
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#unsent = [];
    socket?.end();
  }

  #end(): void {
    if (this.#socket === undefined) return;
    this.#socket = undefined;
    this.#onClose();
  }

  #receive(message: unknown): void {
    if (this.#listener === undefined) this.#early.push(message);
    else this.#listener(message);
  }

  #send(): void {
    const socket = this.#socket;
    while (socket !== undefined) {
      const [next] = this.#unsent;
      if (next === undefined) return;
      const sent = Math.max(0, socket.write(next));
      if (sent < next.length) {
        this.#unsent[0] = next.subarray(sent);
        return;
      }
      this.#unsent.shift();
    }
  }
}

/** Connects to a listening process. Rejects if there is none. */
export async function connectSocket(path: string, onClose?: () => void): Promise<SocketPort> {
  const port = new SocketPort(onClose);
  await Bun.connect({ unix: path, socket: port.handlers });
  return port;
}

/** Listens for connections; `accept` receives the port of each. */
export function listenOnSocket(path: string, accept: (port: SocketPort) => void): void {
  const ports = new WeakMap<Socket, SocketPort>();
  Bun.listen({
    unix: path,
    socket: {
      open(socket) {
        const port = new SocketPort();
        ports.set(socket, port);
        port.handlers.open(socket);
        accept(port);
      },
      data: (socket, bytes) => ports.get(socket)?.handlers.data(socket, bytes),
      drain: (socket) => ports.get(socket)?.handlers.drain(),
      close: (socket) => ports.get(socket)?.handlers.close(),
      error: (socket) => ports.get(socket)?.handlers.error(),
    },
  });
}
