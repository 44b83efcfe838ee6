/** Writes the database that objects lead to. */
import { fstatSync, ftruncateSync, readSync } from 'node:fs';
import { gridError } from '../../../../base/errors.ts';
import { writeWhole } from '../restore.ts';
import { type Destination, positionText, type StoredObject } from './destination.ts';
import { LtxDecoder, type LtxHeader, lockPage, PageHashes, pageHash } from './ltx-format.ts';

/** Maximum number of bytes of pages written in one step. */
const RUN_BYTES = 256 * 1024;

/** Observes the work; if a function throws, the work ends. */
export interface WriteObserver {
  /** Called with the bytes of applied objects. */
  onProgress?(appliedBytes: number): void;
  /** Called before an object's pages are written. */
  onObject?(header: LtxHeader): void;
  /** Called with the bytes of a written page. Returns a promise to wait for before the next one. */
  onPage?(bytes: number): Promise<void> | undefined;
}

export interface WrittenDatabase {
  /** The header of the last object. */
  readonly header: LtxHeader;
  /** Whether the pages were compared with a hash of the shipped database. */
  readonly isCompared: boolean;
  readonly hashes: PageHashes;
}

/**
 * Applies objects, one after another, to a file that is open for reading and writing. Verifies each one, and compares
 * the pages after it with its database hash; then compares each page of the file with what was decoded. Throws
 * BACKUP_DAMAGED.
 */
export async function writeDatabase(
  destination: Destination,
  plan: readonly StoredObject[],
  descriptor: number,
  observer: WriteObserver = {},
): Promise<WrittenDatabase> {
  const hashes = new PageHashes('xxhash64');
  let crcs: PageHashes | undefined;
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
    const { pageBytes, pages, firstTransaction, lastTransaction, databaseHash } = header;
    if (firstTransaction !== object.first || lastTransaction !== object.last) {
      throw gridError('BACKUP_DAMAGED', `the object ${name} contains positions that its name does not say`);
    }
    if (written !== undefined && written.header.pageBytes !== pageBytes) {
      throw gridError('BACKUP_DAMAGED', `the object ${name} has pages of another size`);
    }
    observer.onObject?.(header);
    // Only complete chains written by earlier versions have checksums to compare with.
    if (written === undefined && databaseHash?.by === 'crc') crcs = new PageHashes('crc');
    const run = new PageRun(descriptor, pageBytes);
    for await (const page of decoder.pages(header)) {
      run.add(page.number, page.bytes);
      hashes.add(page);
      crcs?.add(page);
      const pause = observer.onPage?.(page.bytes.length);
      if (pause !== undefined) await pause;
    }
    run.write();
    ftruncateSync(descriptor, pages * pageBytes);
    hashes.truncate(pages);
    crcs?.truncate(pages);
    // Other programs' objects have none.
    const compared = databaseHash?.by === 'crc' ? crcs : hashes;
    const isCompared = databaseHash !== undefined && compared !== undefined;
    if (isCompared && !compared.equals(databaseHash)) {
      throw gridError('BACKUP_DAMAGED', `the database differs from the hash of its pages after the object ${name}`);
    }
    written = { header, isCompared, hashes };
    // An encrypted object is a little longer than its contents.
    finished += object.bytes;
    observer.onProgress?.(finished);
  }
  if (written === undefined) throw gridError('BACKUP_POINT_MISSING', 'there is no snapshot');
  compareFile(descriptor, written.header, hashes);
  return written;
}

/** Throws BACKUP_DAMAGED if a page of a file is not the decoded one. */
function compareFile(descriptor: number, { pageBytes, pages }: LtxHeader, hashes: PageHashes): void {
  if (fstatSync(descriptor).size !== pages * pageBytes)
    throw gridError('BACKUP_DAMAGED', 'the file has another length');
  const unstored = lockPage(pageBytes);
  const run = Buffer.alloc(Math.max(RUN_BYTES, pageBytes));
  for (let number = 1; number <= pages; ) {
    const bytes = readSync(descriptor, run, 0, run.length, (number - 1) * pageBytes);
    if (bytes < pageBytes) throw gridError('BACKUP_DAMAGED', `page ${number} could not be read back`);
    for (let at = 0; at + pageBytes <= bytes; at += pageBytes, number++) {
      if (number !== unstored && pageHash(number, run.subarray(at, at + pageBytes)) !== hashes.of(number)) {
        throw gridError('BACKUP_DAMAGED', `page ${number} of the file is not the one that was shipped`);
      }
    }
  }
}

/** Consecutive pages, which are written together. */
export class PageRun {
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
