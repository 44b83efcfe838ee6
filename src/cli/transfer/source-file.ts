/**
 * The file that an import sends, from any position; `-` is standard input, which can only be read from its beginning.
 */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { existingFile } from '../local-path.ts';
import type { Terminal } from '../program.ts';
import { isCompressed, STREAM } from './row-format.ts';

const LINE_FEED = 10;
/** Maximum number of characters that an error shows of a line. */
const SHOWN_CHARACTERS = 160;

export class SourceFile {
  /** The file's path, or undefined for standard input. */
  readonly path: string | undefined;
  /** Bytes of the stored file, or 0 for standard input. */
  readonly size: number;
  /** When it was last modified, in ms since 1970, or 0 for standard input. */
  readonly changedAtMs: number;
  readonly #terminal: Terminal;
  /** The bytes that {@link sample} has read from standard input. */
  #read: Uint8Array[] = [];

  /** Throws CommandLineError if there is no such file. */
  constructor(file: string, terminal: Terminal) {
    this.#terminal = terminal;
    const found = file === STREAM ? undefined : existingFile(terminal.cwd, file);
    this.path = found?.path;
    this.size = found?.stats.size ?? 0;
    this.changedAtMs = found?.stats.mtimeMs ?? 0;
  }

  /**
   * Yields the uncompressed bytes from a position on. Calls `onRead` with the number of bytes read from the file,
   * including those before the position.
   */
  async *bytes(offset: number, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    const isSeekable = this.path !== undefined && !isCompressed(this.path);
    if (isSeekable) onRead(offset);
    let skipped = isSeekable ? offset : 0;
    for await (const chunk of this.#open(isSeekable ? offset : 0, onRead)) {
      const surplus = Math.min(offset - skipped, chunk.length);
      skipped += surplus;
      if (surplus < chunk.length) yield chunk.subarray(surplus);
    }
  }

  /** Returns the first bytes, and whether these are all. {@link bytes} returns those from standard input again. */
  async sample(size: number): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
    const parts: Uint8Array[] = [];
    let length = 0;
    const source = this.bytes(0, () => {});
    let next = await source.next();
    for (; next.done !== true; next = await source.next()) {
      parts.push(next.value);
      length += next.value.length;
      if (length > size) break;
    }
    if (this.path === undefined) this.#read = parts;
    else await source.return(undefined);
    return { bytes: Buffer.concat(parts).subarray(0, size), isWhole: length <= size };
  }

  /** Returns the text of lines by number, shortened for messages, or none for standard input. */
  async lines(numbers: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const found = new Map<number, string>();
    const last = Math.max(0, ...numbers);
    if (this.path === undefined || last === 0) return found;
    const wanted = new Set(numbers);
    let line = 1;
    let held: Uint8Array[] = [];
    let heldBytes = 0;
    const take = (part: Uint8Array): void => {
      if (!wanted.has(line) || heldBytes > SHOWN_CHARACTERS * 4) return;
      // The bytes are copied, because the rest of the chunk is not needed.
      held.push(part.slice(0, SHOWN_CHARACTERS * 4));
      heldBytes += part.length;
    };
    const complete = (): void => {
      if (wanted.has(line)) found.set(line, shown(Buffer.concat(held).toString()));
      held = [];
      heldBytes = 0;
      line++;
    };
    for await (const chunk of this.bytes(0, () => {})) {
      let from = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0 && line <= last; end = chunk.indexOf(LINE_FEED, from)) {
        take(chunk.subarray(from, end));
        complete();
        from = end + 1;
      }
      if (line > last) return found;
      take(chunk.subarray(from));
    }
    complete();
    return found;
  }

  async *#open(offset: number, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    if (this.path === undefined) {
      yield* counted(this.#input(), onRead);
      return;
    }
    const input = createReadStream(this.path, { start: offset });
    if (!isCompressed(this.path)) {
      yield* counted(input, onRead);
      return;
    }
    const gunzip = createGunzip();
    const done = pipeline(counted(input, onRead), gunzip);
    // The iteration reports the failure too.
    done.catch(() => {});
    yield* gunzip;
    await done;
  }

  /** Yields standard input from its beginning, even if a sample has already been read. */
  async *#input(): AsyncGenerator<Uint8Array> {
    const read = this.#read;
    this.#read = [];
    yield* read;
    const { input } = this.#terminal;
    // A loop that ends early would close the stream.
    const chunks = input[Symbol.asyncIterator]();
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  }
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    onRead(chunk.length);
    yield chunk;
  }
}

function shown(line: string): string {
  const text = line.replace(/\r$/, '');
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;
}
