/** Writes the database that objects lead to. */
import { ftruncateSync } from 'node:fs';
import { fail } from '../../../../base/errors.ts';
import { writeWhole } from '../restore.ts';
import { type Destination, positionText, type StoredObject } from './destination.ts';
import { LtxDecoder, type LtxHeader, PageChecksums } from './ltx-format.ts';

/** Bytes of pages that are written at once. */
const RUN_BYTES = 256 * 1024;

/** What follows the work; what a function throws ends it. */
export interface WriteObserver {
  /** Called with the bytes of objects that were applied. */
  onProgress?(appliedBytes: number): void;
  /** Called before the pages of an object are written. */
  onObject?(header: LtxHeader): void;
  /** Called with the bytes of a page that was written. Returns what to wait for before the next one. */
  onPage?(bytes: number): Promise<void> | undefined;
}

export interface WrittenDatabase {
  /** The header of the last object. */
  readonly header: LtxHeader;
  /** Whether the database was compared with a checksum of the whole. */
  readonly isCompared: boolean;
}

/**
 * Applies objects, one after the other, to an open file. Verifies each one, and compares the database after it with the
 * checksum that it has. Throws BACKUP_DAMAGED.
 */
export async function writeDatabase(
  destination: Destination,
  plan: readonly StoredObject[],
  descriptor: number,
  observer: WriteObserver = {},
): Promise<WrittenDatabase> {
  const sums = new PageChecksums();
  let finished = 0;
  let written: WrittenDatabase | undefined;
  for (const object of plan) {
    const name = `${positionText(object.first)}-${positionText(object.last)} of level ${object.level}`;
    let applied = finished;
    const decoder = new LtxDecoder(
      name,
      counted(destination.read(object), (bytes) => {
        applied += bytes;
        observer.onProgress?.(applied);
      }),
    );
    const header = await decoder.header();
    const { pageBytes, pages, firstTransaction, lastTransaction, databaseChecksum } = header;
    if (firstTransaction !== object.first || lastTransaction !== object.last) {
      throw fail('BACKUP_DAMAGED', `the object ${name} contains positions that its name does not say`);
    }
    if (written !== undefined && written.header.pageBytes !== pageBytes) {
      throw fail('BACKUP_DAMAGED', `the object ${name} has pages of another size`);
    }
    observer.onObject?.(header);
    const run = new PageRun(descriptor, pageBytes);
    for await (const { number, bytes, checksum } of decoder.pages(header)) {
      run.add(number, bytes);
      sums.set(number, checksum);
      const pause = observer.onPage?.(bytes.length);
      if (pause !== undefined) await pause;
    }
    run.write();
    ftruncateSync(descriptor, pages * pageBytes);
    sums.truncate(pages);
    // Objects of other programs have none.
    const isCompared = databaseChecksum !== 0n;
    if (isCompared && sums.total() !== databaseChecksum) {
      throw fail('BACKUP_DAMAGED', `the database differs from its checksum after the object ${name}`);
    }
    written = { header, isCompared };
    // An encrypted object is a little longer than its contents.
    finished += object.bytes;
    observer.onProgress?.(finished);
  }
  if (written === undefined) throw fail('BACKUP_POINT_MISSING', 'there is no snapshot');
  return written;
}

/** Pages that follow each other, which are written at once. */
class PageRun {
  readonly #descriptor: number;
  readonly #pageBytes: number;
  readonly #bytes: Buffer;
  #first = 1;
  #pages = 0;

  constructor(descriptor: number, pageBytes: number) {
    this.#descriptor = descriptor;
    this.#pageBytes = pageBytes;
    this.#bytes = Buffer.alloc(Math.max(RUN_BYTES, pageBytes));
  }

  add(number: number, bytes: Uint8Array): void {
    const isFull = (this.#pages + 1) * this.#pageBytes > this.#bytes.length;
    if (isFull || number !== this.#first + this.#pages) this.write();
    if (this.#pages === 0) this.#first = number;
    this.#bytes.set(bytes, this.#pages++ * this.#pageBytes);
  }

  write(): void {
    const bytes = this.#bytes.subarray(0, this.#pages * this.#pageBytes);
    writeWhole(this.#descriptor, bytes, (this.#first - 1) * this.#pageBytes);
    this.#pages = 0;
  }
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    onBytes(chunk.length);
    yield chunk;
  }
}
