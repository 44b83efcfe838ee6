/**
 * Sends the runtime's file operations in a data folder through the library below SQLite (`../crash/io-shim.c`), which
 * records them in order with SQLite's: a standby writes its copy with `node:fs`, whose system calls bypass the library.
 * The functions are replaced before any module of the program imports them, so no module that this one imports may
 * import them.
 */
import { dlopen, FFIType } from 'bun:ffi';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

export interface DiskRecorderOptions {
  /** The folder that is watched. */
  readonly folder: string;
  /** The library, which is preloaded into this process. */
  readonly library: string;
}

const FAILED = -1;
/** Linux only. */
const CLOSE_ON_EXEC = 0o2000000;
const FILE_MODE = 0o666;

/** Replaces the functions of `node:fs` in a process that the library is preloaded into. */
export function recordDisk({ folder, library }: DiskRecorderOptions): void {
  if (process.env.LD_PRELOAD !== library) return;
  // All modules import the functions of this object.
  const fs = createRequire(import.meta.url)('node:fs') as typeof import('node:fs');
  const real = { ...fs };
  const calls = functionsOf(library);
  /** Descriptors that were opened through the library. */
  const opened = new Set<number>();
  const isWatched = (path: unknown): path is string => typeof path === 'string' && dirname(path) === folder;

  const isFolder = (path: string): boolean => real.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

  const open = (path: string, flags: number, mode: number): number => {
    // SQLite never truncates a file by opening it, so the library does not record that.
    const descriptor = calls.open64(text(path), (flags & ~real.constants.O_TRUNC) | CLOSE_ON_EXEC, mode);
    if (descriptor === FAILED) return unexpected(real.openSync(path, flags, mode), `open ${path}`);
    opened.add(descriptor);
    if ((flags & real.constants.O_TRUNC) !== 0) must(calls.ftruncate64(descriptor, 0), 'ftruncate');
    return descriptor;
  };
  const write = (descriptor: number, bytes: Uint8Array, at: number): number => {
    if (bytes.length === 0) return 0;
    return must(Number(calls.pwrite64(descriptor, bytes, bytes.length, at)), 'pwrite');
  };
  const close = (descriptor: number): void => {
    opened.delete(descriptor);
    must(calls.close(descriptor), 'close');
  };
  const writeFile = (path: string, data: Uint8Array, flags: number, mode: number, isFlushed: boolean): void => {
    const descriptor = open(path, flags, mode);
    try {
      write(descriptor, data, 0);
      if (isFlushed) must(calls.fsync(descriptor), 'fsync');
    } finally {
      close(descriptor);
    }
  };
  const remove = (path: string): void => void must(calls.unlink(text(path)), 'unlink');
  const flagsOf = (flags: unknown): number => (typeof flags === 'number' ? flags : flagsIn(String(flags ?? 'r')));
  const modeOf = (mode: unknown): number => (typeof mode === 'number' ? mode : FILE_MODE);

  const replaced: Partial<typeof import('node:fs')> = {
    openSync: (path, flags, mode) =>
      (isWatched(path) && !isFolder(path)) || String(path) === folder
        ? open(String(path), flagsOf(flags), modeOf(mode))
        : real.openSync(path, flags, mode),
    closeSync: (descriptor) => (opened.has(descriptor) ? close(descriptor) : real.closeSync(descriptor)),
    ftruncateSync: (descriptor, length) => {
      if (!opened.has(descriptor)) return real.ftruncateSync(descriptor, length);
      must(calls.ftruncate64(descriptor, length ?? 0), 'ftruncate');
    },
    fsyncSync: (descriptor) => {
      if (!opened.has(descriptor)) return real.fsyncSync(descriptor);
      must(calls.fsync(descriptor), 'fsync');
    },
    fdatasyncSync: (descriptor) => {
      if (!opened.has(descriptor)) return real.fdatasyncSync(descriptor);
      must(calls.fdatasync(descriptor), 'fdatasync');
    },
    writeFileSync: (path, data, options) => {
      if (!isWatched(path)) return real.writeFileSync(path, data, options);
      const { flag = 'w', mode, flush = false } = typeof options === 'object' && options !== null ? options : {};
      const bytes =
        typeof data === 'string' ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      writeFile(path, bytes, flagsOf(flag), modeOf(mode), flush);
    },
    copyFileSync: (from, to, mode) => {
      if (!isWatched(to)) return real.copyFileSync(from, to, mode);
      writeFile(to, real.readFileSync(from), flagsIn('w'), FILE_MODE, false);
    },
    renameSync: (from, to) => {
      if (!isWatched(from) && !isWatched(to)) return real.renameSync(from, to);
      if (calls.rename(text(String(from)), text(String(to))) === FAILED) {
        real.renameSync(from, to);
        throw new Error(`the library could not rename ${String(from)}`);
      }
    },
    unlinkSync: (path) => (isWatched(path) && real.existsSync(path) ? remove(path) : real.unlinkSync(path)),
    rmSync: (path, options) => {
      const isFile = isWatched(path) && real.statSync(path, { throwIfNoEntry: false })?.isFile() === true;
      if (isFile) remove(path);
      else real.rmSync(path, options);
    },
  };
  const writeSync = (
    descriptor: number,
    bytes: Uint8Array,
    from = 0,
    length = bytes.length - from,
    at?: number,
  ): number => {
    if (!opened.has(descriptor)) return real.writeSync(descriptor, bytes, from, length, at);
    if (at === undefined) throw new Error('only writes at a place are recorded');
    return write(descriptor, bytes.subarray(from, from + length), at);
  };
  Object.assign(fs, replaced, { writeSync });
  passToChildren();

  function flagsIn(flags: string): number {
    const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_EXCL } = real.constants;
    if (flags === 'r') return O_RDONLY;
    if (flags === 'r+') return O_RDWR;
    if (!/^wx?\+?$/.test(flags)) throw new Error(`unknown flags ${flags}`);
    return (flags.includes('+') ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC | (flags.includes('x') ? O_EXCL : 0);
  }
}

/** Processes that the service starts have an environment without the variables of the library. */
function passToChildren(): void {
  const variables = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(?:LD_PRELOAD|IO_SHIM_)/.test(name)),
  );
  const { spawn } = Bun;
  const spawnRecorded = (first: object, second?: object): unknown => {
    const withVariables = (options: object): object => {
      const { env = process.env } = options as { readonly env?: object };
      return { ...options, env: { ...env, ...variables } };
    };
    const parts = Array.isArray(first) ? [first, withVariables(second ?? {})] : [withVariables(first)];
    return Reflect.apply(spawn, Bun, parts);
  };
  Object.assign(Bun, { spawn: spawnRecorded });
}

function functionsOf(library: string) {
  const { int, i64, ptr } = FFIType;
  return dlopen(library, {
    open64: { args: [ptr, int, int], returns: int },
    close: { args: [int], returns: int },
    pwrite64: { args: [int, ptr, i64, i64], returns: i64 },
    ftruncate64: { args: [int, i64], returns: int },
    fsync: { args: [int], returns: int },
    fdatasync: { args: [int], returns: int },
    unlink: { args: [ptr], returns: int },
    rename: { args: [ptr, ptr], returns: int },
  }).symbols;
}

function text(path: string): Buffer {
  return Buffer.from(`${path}\0`);
}

function must(result: number, call: string): number {
  if (result === FAILED) throw new Error(`${call} has failed below the runtime`);
  return result;
}

/** The runtime fails where the library has failed, with its own error. */
function unexpected(descriptor: number, call: string): never {
  throw new Error(`the library could not ${call}, and the runtime could (${descriptor})`);
}
