/**
 * Memory that threads share, and processes too: a part of a private file that each of them maps. It is passed on as
 * plain data. Typed arrays and `Atomics` work on a mapped part, but nothing can wait on it.
 */
import { closeSync, ftruncateSync, openSync } from 'node:fs';

/** A part of a file. */
interface MappedArea {
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
}

/** An area as another thread or process receives it; a `SharedArrayBuffer` cannot leave its process. */
export type SharedArea = SharedArrayBuffer | MappedArea;

/** Creates an area of zeros. */
export type CreateArea = (bytes: number) => SharedArea;

/** Parts are mapped by pages; the largest of the supported systems are that long. */
export const AREA_ALIGNMENT = 64 * 1024;

/** Creates an area for the threads of this process. */
export const createThreadArea: CreateArea = (bytes) => new SharedArrayBuffer(bytes);

/**
 * Creates a private file for areas that processes share. It only ever grows, before anybody maps it: who maps a part
 * that is gone is killed. What nobody has written takes no space.
 */
export function createSharedFile(path: string): CreateArea {
  closeSync(openSync(path, 'wx', 0o600));
  let size = 0;
  return (bytes) => {
    const offset = size;
    size += Math.ceil(bytes / AREA_ALIGNMENT) * AREA_ALIGNMENT;
    const file = openSync(path, 'r+');
    try {
      ftruncateSync(file, size);
    } finally {
      closeSync(file);
    }
    return { path, offset, bytes };
  };
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
  // The runtime cannot map nothing.
  if (bytes === 0) return new Uint8Array();
  return Bun.mmap(path, { shared: true, offset: offset + from, size: bytes });
}
