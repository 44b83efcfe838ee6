/** Writes a file that only its owner can read, and that appears under its name once it is complete and on disk. */
import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** The suffix of an incomplete file. */
export const PARTIAL = '.partial';
const MODE = 0o600;
/** Written bytes between syncs. With a larger number, commits wait for the disk. */
const SYNC_BYTES = 256 * 1024;

export class PrivateOutput {
  readonly #path: string;
  readonly #descriptor: number;
  #bytes = 0;
  #unsynced = 0;

  /** Creates the file under a partial name, replacing one left by a killed process. */
  constructor(path: string) {
    this.#path = path;
    rmSync(path + PARTIAL, { force: true });
    this.#descriptor = openSync(path + PARTIAL, 'wx', MODE);
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    this.#bytes += bytes.length;
    this.#unsynced += bytes.length;
    if (this.#unsynced < SYNC_BYTES) return;
    this.#unsynced = 0;
    fdatasyncSync(this.#descriptor);
  }

  /** Makes the file durable under its name. */
  complete(): void {
    fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
    renameSync(this.#path + PARTIAL, this.#path);
    syncFolder(dirname(this.#path));
  }

  /** Removes the file. */
  discard(): void {
    closeSync(this.#descriptor);
    rmSync(this.#path + PARTIAL, { force: true });
  }
}

/** Makes the names in a folder durable, if the system can. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
