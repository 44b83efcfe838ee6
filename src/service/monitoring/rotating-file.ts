/**
 * A log file with rotation: a full `svc.log` becomes `svc.1.log`, which becomes `svc.2.log`, and the oldest is deleted.
 * The lines of one tick of the event loop are written together, and no line is split between files.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';

export interface RotatingFileOptions {
  readonly folder: string;
  /** File name, for example `svc.log`. */
  readonly name: string;
  readonly maxBytes: number;
  /** Number of rotated files to keep. */
  readonly keep: number;
  readonly clock: Clock;
}

/** Writes one log file. One thread owns it; the others send their lines to that thread. */
export class RotatingFile {
  readonly path: string;
  readonly #options: RotatingFileOptions;
  #descriptor: number | undefined;
  #size = 0;
  #lines: string[] = [];
  #closed = false;

  /** Creates the folder if necessary and opens the file. Throws if the file is not writable. */
  constructor(options: RotatingFileOptions) {
    this.#options = options;
    this.path = path.join(options.folder, options.name);
    fs.mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#open();
    for (let age = 1; age <= options.keep; age++) createPrivate(this.#rotatedPath(age));
  }

  /** Appends a line, passed without its line end; it is written at the end of the tick. */
  append(line: string): void {
    if (this.#closed) return;
    if (this.#lines.length === 0) this.#options.clock.endOfTick(() => this.flush());
    this.#lines.push(line);
  }

  /** Writes buffered lines. If that fails, they are lost. */
  flush(): void {
    if (this.#lines.length === 0 || this.#closed) return;
    const bytes = Buffer.from(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
    try {
      if (this.#size > 0 && this.#size + bytes.length > this.#options.maxBytes) this.#rotate();
      const descriptor = this.#descriptor ?? this.#open();
      for (let from = 0; from < bytes.length; ) from += fs.writeSync(descriptor, bytes, from);
      this.#size += bytes.length;
    } catch {
      // The service continues without them.
    }
  }

  close(): void {
    this.flush();
    this.#closed = true;
    this.#closeDescriptor();
  }

  #open(): number {
    // Only the owner may read it.
    const descriptor = fs.openSync(this.path, 'a', 0o600);
    createPrivate(this.path);
    this.#descriptor = descriptor;
    this.#size = fs.fstatSync(descriptor).size;
    return descriptor;
  }

  #closeDescriptor(): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #rotate(): void {
    const { keep } = this.#options;
    this.#closeDescriptor();
    fs.rmSync(this.#rotatedPath(keep), { force: true });
    for (let age = keep - 1; age >= 1; age--) {
      if (fs.existsSync(this.#rotatedPath(age))) fs.renameSync(this.#rotatedPath(age), this.#rotatedPath(age + 1));
    }
    if (keep > 0) fs.renameSync(this.path, this.#rotatedPath(1));
    else fs.rmSync(this.path, { force: true });
    this.#open();
  }

  #rotatedPath(age: number): string {
    const { ext, name } = path.parse(this.path);
    return path.join(this.#options.folder, `${name}.${age}${ext}`);
  }
}

/** Removes the permissions of group and others. Ignores a file that is missing or owned by another user. */
function createPrivate(file: string): void {
  try {
    const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) !== 0) fs.chmodSync(file, mode & 0o700);
  } catch {
    // Writing lines matters more than the file mode.
  }
}
