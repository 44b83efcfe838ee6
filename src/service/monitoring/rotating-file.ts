/**
 * A text file that grows line by line and is set aside when it is full: `svc.log` becomes `svc.1.log`, that one
 * `svc.2.log`, and the oldest goes. Lines of one turn of the event loop are written together, each line whole.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';

export interface RotatingFileOptions {
  readonly folder: string;
  /** For instance `svc.log`. */
  readonly name: string;
  readonly maxBytes: number;
  /** Files that were set aside and are kept. */
  readonly keep: number;
  readonly clock: Clock;
}

/** One of a name in the process; other threads send their lines to the thread that has it. */
export class RotatingFile {
  readonly path: string;
  readonly #options: RotatingFileOptions;
  #descriptor: number | undefined;
  #size = 0;
  #lines: string[] = [];
  #lost = 0;
  #closed = false;

  /** Makes the folder where it is missing. Throws when the file cannot be written to. */
  constructor(options: RotatingFileOptions) {
    this.#options = options;
    this.path = path.join(options.folder, options.name);
    fs.mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#open();
    for (let age = 1; age <= options.keep; age++) makePrivate(this.#aside(age));
  }

  /** Lines that could not be written because the disk refused them. */
  get lost(): number {
    return this.#lost;
  }

  /** Takes a line without its end; it is written at the end of this turn. */
  append(line: string): void {
    if (this.#closed) return;
    if (this.#lines.length === 0) this.#options.clock.endOfTick(() => this.flush());
    this.#lines.push(line);
  }

  /** Writes what waits. A disk that refuses it costs the lines, not the service. */
  flush(): void {
    if (this.#lines.length === 0 || this.#closed) return;
    const count = this.#lines.length;
    const bytes = Buffer.from(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
    try {
      if (this.#size > 0 && this.#size + bytes.length > this.#options.maxBytes) this.#rotate();
      const descriptor = this.#descriptor ?? this.#open();
      for (let from = 0; from < bytes.length; ) from += fs.writeSync(descriptor, bytes, from);
      this.#size += bytes.length;
    } catch {
      this.#lost += count;
    }
  }

  close(): void {
    this.flush();
    this.#closed = true;
    this.#closeDescriptor();
  }

  #open(): number {
    // Readable by the owner alone: who did what is nobody else's business.
    const descriptor = fs.openSync(this.path, 'a', 0o600);
    makePrivate(this.path);
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
    fs.rmSync(this.#aside(keep), { force: true });
    for (let age = keep - 1; age >= 1; age--) {
      if (fs.existsSync(this.#aside(age))) fs.renameSync(this.#aside(age), this.#aside(age + 1));
    }
    if (keep > 0) fs.renameSync(this.path, this.#aside(1));
    else fs.rmSync(this.path, { force: true });
    this.#open();
  }

  #aside(age: number): string {
    const { ext, name } = path.parse(this.path);
    return path.join(this.#options.folder, `${name}.${age}${ext}`);
  }
}

/** Takes the rights of others off a file; one that is not there or not ours stays as it is. */
function makePrivate(file: string): void {
  try {
    const { mode } = fs.statSync(file);
    if ((mode & 0o077) !== 0) fs.chmodSync(file, mode & 0o700);
  } catch {
    // The lines in it are worth more than its mode.
  }
}
