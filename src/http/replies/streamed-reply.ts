/** Writes a reply whose body is produced in chunks to a connection's output. */
import { type ConnectionOutput, type Framing, headText } from '../connection-output.ts';
import { isWhole, type Reply } from '../reply.ts';
import { partsOf } from '../streaming.ts';
import { ChunkBuffer } from './chunk-buffer.ts';

const CRLF = Buffer.from('\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
/** Its bytes are sent, or copied, before the next chunk is encoded. */
const chunkBuffer = new ChunkBuffer();

/** Writes the head of a reply whose body is produced in chunks, for a HEAD request, and discards the body. */
export function writeHead(output: ConnectionOutput, reply: Reply, framing: Framing): void {
  const head = headText(reply, undefined, framing);
  output.begin(reply);
  output.writeText(head, head.length);
  void discard(reply.body);
}

/** The connection that chunks are written to. */
export interface StreamTarget {
  readonly output: ConnectionOutput;
  readonly isClosed: () => boolean;
  /** Calls `next` when the client has read what was written. */
  readonly afterWriting: (next: () => void) => void;
}

/**
 * Writes a reply whose body is produced in chunks, as fast as the client reads them. Returns false if the connection
 * closed in the meantime. Throws the errors of the chunks' source.
 */
export async function streamReply(
  target: StreamTarget,
  reply: Reply,
  chunks: AsyncIterable<string | Uint8Array>,
  framing: Framing,
): Promise<boolean> {
  try {
    return await writeChunks(target, reply, chunks, framing);
  } finally {
    target.output.holdFollowing(0);
  }
}

async function writeChunks(
  { output, isClosed, afterWriting }: StreamTarget,
  reply: Reply,
  chunks: AsyncIterable<string | Uint8Array>,
  framing: Framing,
): Promise<boolean> {
  const head = headText(reply, undefined, framing);
  const chunked = framing.minor === 1;
  output.begin(reply);
  output.writeText(head, head.length);
  const written = (): Promise<void> => new Promise((resolve) => afterWriting(resolve));
  for await (const chunk of chunks) {
    output.holdFollowing(reply.heldBytes ?? chunk.length);
    for (const part of typeof chunk === 'string' ? partsOf(chunk) : [chunk]) {
      if (!output.isEmpty) await written();
      if (isClosed()) return false;
      if (reply.hasFailed?.() === true) output.beginFailure();
      if (typeof part === 'string') {
        const bytes = chunkBuffer.encode(part, chunked);
        output.writePart(bytes, 0, bytes.length);
      } else output.writeBytes(chunked ? chunkOf(bufferOf(part)) : bufferOf(part));
    }
  }
  if (isClosed()) return false;
  if (chunked) output.writeBytes(LAST_CHUNK);
  return true;
}

/** Ends the iterator of an unread body, so that its source is released. */
export async function discard(body: Reply['body']): Promise<void> {
  if (isWhole(body)) return;
  try {
    for await (const _ of body) break;
  } catch {
    // The client is gone.
  }
}

/** Returns the same bytes as a buffer. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function chunkOf(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]);
}
