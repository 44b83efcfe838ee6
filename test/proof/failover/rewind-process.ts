/**
 * Follows a primary in a folder, and ends at one of its file operations, as if killed. All operations are recorded, so
 * that a test can build the possible contents of the disk after a power cut (`../crash/disk.ts`). The functions of
 * `node:fs` are replaced before any module of the program imports them.
 */
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { encodeRecord } from '../crash/journal.ts';

export interface RewindPlan {
  /** The data folder. */
  readonly folder: string;
  readonly destination: string;
  /** Where the journals are written: that of the data folder is `root`, those of others have their names. */
  readonly journals: string;
  /** Ends before this operation; 0: at none. */
  readonly endsAt: number;
}

/** The exit code at that operation. */
export const CUT_CODE = 9;
export const ROOT_JOURNAL = 'root';

interface Opened {
  readonly journal: string;
  readonly file: number;
}

class Recorder {
  readonly #fs = createRequire(import.meta.url)('node:fs') as typeof import('node:fs');
  readonly #real = { ...this.#fs };
  readonly #plan: RewindPlan;
  readonly #journals = new Map<string, number>();
  readonly #opened = new Map<number, Opened>();
  readonly #files = new Map<string, number>();
  #lastFile = 0;
  #syncs = 0;
  operations = 0;

  constructor(plan: RewindPlan) {
    this.#plan = plan;
  }

  replace(): void {
    const real = this.#real;
    const replaced: Partial<typeof import('node:fs')> = {
      openSync: (path, flags = 'r', mode) => {
        const text = String(path);
        const isThere = real.existsSync(text);
        const isChange = flags !== 'r' && this.#isBelow(text);
        if (isChange) this.#count();
        const descriptor = real.openSync(path, flags, mode);
        if (isThere && real.statSync(text).isDirectory()) {
          this.#opened.set(descriptor, { journal: this.#journalIn(text), file: 0 });
        } else if (isChange) {
          const file = this.#fileOf(text, isThere);
          this.#opened.set(descriptor, { journal: this.#journalIn(dirname(text)), file });
          if (isThere && String(flags).startsWith('w')) this.#record(text, 'T', file, 0);
        }
        return descriptor;
      },
      closeSync: (descriptor) => {
        this.#opened.delete(descriptor);
        real.closeSync(descriptor);
      },
      ftruncateSync: (descriptor, length) => {
        const opened = this.#opened.get(descriptor);
        if (opened !== undefined) this.#count();
        real.ftruncateSync(descriptor, length);
        if (opened !== undefined) this.#append(opened.journal, 'T', opened.file, length ?? 0);
      },
      fsyncSync: (descriptor) => {
        const opened = this.#opened.get(descriptor);
        if (opened === undefined) return real.fsyncSync(descriptor);
        this.#count();
        this.#sync(opened);
      },
      writeFileSync: (path, data, options) => {
        const text = String(path);
        if (!this.#isBelow(text)) return real.writeFileSync(path, data, options);
        this.#count();
        const isThere = real.existsSync(text);
        real.writeFileSync(path, data, options);
        const file = this.#fileOf(text, isThere);
        if (isThere) this.#record(text, 'T', file, 0);
        this.#record(text, 'W', file, 0, Buffer.from(String(data)));
        const isFlushed = typeof options === 'object' && options?.flush === true;
        if (isFlushed) this.#sync({ journal: this.#journalIn(dirname(text)), file });
      },
      copyFileSync: (from, to, mode) => {
        const text = String(to);
        this.#count();
        real.copyFileSync(from, to, mode);
        this.#record(text, 'W', this.#fileOf(text, false), 0, real.readFileSync(text));
      },
      renameSync: (from, to) => {
        this.#count();
        real.renameSync(from, to);
        const file = this.#fileOf(String(from), true);
        this.#files.set(String(to), file);
        this.#record(String(to), 'L', file, 0, name(to));
        this.#remove(String(from));
      },
      mkdirSync: ((path: string, options: { readonly recursive?: boolean }) => {
        const isNew = !real.existsSync(path);
        if (isNew && this.#isBelow(path)) this.#count();
        const made = real.mkdirSync(path, options);
        if (isNew && this.#isBelow(path)) this.#fileOf(path, false);
        return made;
      }) as typeof real.mkdirSync,
      rmSync: (path, options) => {
        const text = String(path);
        if (!real.existsSync(text) || !this.#isBelow(text)) return real.rmSync(path, options);
        this.#count();
        if (real.statSync(text).isDirectory()) {
          for (const each of real.readdirSync(text)) this.#remove(join(text, each));
        }
        real.rmSync(path, options);
        this.#remove(text);
      },
    };
    const writeSync = (descriptor: number, bytes: Uint8Array, from = 0, length = bytes.length, at = 0): number => {
      const opened = this.#opened.get(descriptor);
      if (opened !== undefined) this.#count();
      const written = real.writeSync(descriptor, bytes, from, length, at);
      if (opened !== undefined) {
        this.#append(opened.journal, 'W', opened.file, at, bytes.subarray(from, from + written));
      }
      return written;
    };
    Object.assign(this.#fs, replaced, { writeSync });
  }

  #count(): void {
    this.operations++;
    if (this.operations === this.#plan.endsAt) process.exit(CUT_CODE);
  }

  #isBelow(path: string): boolean {
    const below = relative(this.#plan.folder, path);
    return below !== '' && !below.startsWith('..');
  }

  #journalIn(folder: string): string {
    const below = relative(this.#plan.folder, folder);
    return below === '' ? ROOT_JOURNAL : below;
  }

  /** Returns the number of a file, which is recorded when it is first opened or created. */
  #fileOf(path: string, isThere: boolean): number {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const file = ++this.#lastFile;
    this.#files.set(path, file);
    this.#record(path, isThere ? 'O' : 'C', file, 0, name(path));
    return file;
  }

  #remove(path: string): void {
    this.#files.delete(path);
    this.#record(path, 'U', 0, 0, name(path));
  }

  #sync({ journal, file }: Opened): void {
    const number = ++this.#syncs;
    this.#append(journal, 'S', file, number);
    this.#append(journal, 'E', file, number);
  }

  #record(path: string, kind: string, file: number, offset: number, data?: Uint8Array): void {
    this.#append(this.#journalIn(dirname(path)), kind, file, offset, data);
  }

  #append(journal: string, kind: string, file: number, offset: number, data: Uint8Array = new Uint8Array(0)): void {
    let descriptor = this.#journals.get(journal);
    if (descriptor === undefined) {
      descriptor = this.#real.openSync(join(this.#plan.journals, journal), 'a');
      this.#journals.set(journal, descriptor);
    }
    const bytes = encodeRecord(kind, file, offset, data);
    this.#real.writeSync(descriptor, bytes, 0, bytes.length);
  }
}

function name(path: unknown): Buffer {
  return Buffer.from(String(path).replace(/^.*\//, ''));
}

async function run(plan: RewindPlan): Promise<void> {
  const recorder = new Recorder(plan);
  recorder.replace();
  const { followAll } = await import('./rewind-follower.ts');
  await followAll(plan.folder, plan.destination);
  process.stdout.write(String(recorder.operations));
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '') as RewindPlan);
