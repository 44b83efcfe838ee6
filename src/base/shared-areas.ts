/**
 * Memory shared by threads and processes: a part of a private file that each of them maps. It is passed on as plain
 * data. Typed arrays and `Atomics` work on a mapped part, but waiting on it is impossible.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readlinkSync, statSync, unlinkSync } from 'node:fs';

/** A part of a file. */
interface MappedArea {
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
}

/** An area as another thread or process receives it; a `SharedArrayBuffer` cannot leave its process. */
export type SharedArea = SharedArrayBuffer | MappedArea;

/** Creates a zeroed area. */
export type CreateArea = (bytes: number) => SharedArea;

/** Parts are mapped in pages; this is the largest page size of the supported systems. */
export const AREA_ALIGNMENT = 64 * 1024;

/** Creates an area for the threads of this process. */
export const createThreadArea: CreateArea = (bytes) => new SharedArrayBuffer(bytes);

/**
 * A private file for areas that processes share. It only ever grows, and before a part is mapped: a process that
 * accesses a truncated part is killed. Unwritten space takes no memory. On Linux the file has no name after its
 * creation, so it cannot be deleted while in use and is gone with the last process.
 */
export class SharedFile {
  readonly #file: number;
  readonly #path: string;
  #size = 0;
  #isOpen = true;

  constructor(path: string) {
    this.#file = openSync(path, 'wx+', 0o600);
    this.#path = linkTo(this.#file) ?? path;
    if (this.#path !== path) unlinkSync(path);
  }

  readonly create = (bytes: number): SharedArea => {
    const offset = this.#size;
    this.#size += Math.ceil(bytes / AREA_ALIGNMENT) * AREA_ALIGNMENT;
    ftruncateSync(this.#file, this.#size);
    return { path: this.#path, offset, bytes };
  };

  /** Closes the file, after which processes can no longer open its areas. Open ones stay. */
  close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }
}

/** Returns the path by which other processes can open a file that this one has open, or undefined if there is none. */
function linkTo(file: number): string | undefined {
  try {
    const folder = `/proc/${readlinkSync('/proc/self')}/fd`;
    // A process that may not be inspected (one whose file has capabilities) shows its files only to the superuser.
    return statSync(folder).uid === fstatSync(file).uid ? `${folder}/${file}` : undefined;
  } catch {
    // This system has no such folder.
    return undefined;
  }
}

/** Returns the memory of an area. */
export function openArea(area: SharedArea): ArrayBufferLike {
  return area instanceof SharedArrayBuffer ? area : map(area, 0, area.bytes).buffer;
}

/** Returns a part of an area; `offset` is a multiple of {@link AREA_ALIGNMENT}. */
export function openPart(area: SharedArea, offset: number, bytes: number): Uint8Array {
  return area instanceof SharedArrayBuffer ? new Uint8Array(area, offset, bytes) : map(area, offset, bytes);
}

function map({ path, offset }: MappedArea, from: number, bytes: number): Uint8Array {
  // The runtime cannot map an empty part.
  if (bytes === 0) return new Uint8Array();
  return Bun.mmap(path, { shared: true, offset: offset + from, size: bytes });
}
