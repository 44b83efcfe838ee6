/** Reads lines of log files without loading the whole file (docs/spec/ignite-cluster.md 4). */
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { gridError } from '../../base/errors.ts';
import { isMissing } from '../../base/missing-files.ts';
import type { LogService } from '../../commands/context.ts';

export interface LogServiceOptions {
  readonly folder: string;
  /** Name of the current log file in the folder. */
  readonly name: string;
  /** Maximum size of a response in bytes; beyond it, throws LIMIT_EXCEEDED. */
  readonly maxBytes: number;
}

/** Maximum number of bytes read at once: few calls for large files, and little memory per request. */
const CHUNK_BYTES = 64 * 1024;
const LINE_END = 10;

/** Creates the service; each thread may have its own. */
export function createLogService({ folder, name, maxBytes }: LogServiceOptions): LogService {
  const reading = async (file: string | undefined, read: (opened: fs.FileHandle) => Promise<string[]>) => {
    const wanted = file ?? name;
    const handle = await fs.open(await fileInside(folder, wanted), 'r').catch((error: unknown) => {
      // It was renamed or removed in the meantime.
      throw isMissing(error) ? gridError('LOG_NOT_FOUND', wanted) : error;
    });
    try {
      return await read(handle);
    } finally {
      await handle.close();
    }
  };
  return {
    async lines(file, from, to) {
      const range = { from: from ?? 0, to: to ?? Number.POSITIVE_INFINITY };
      const lines = await reading(file, (opened) => readLines(opened, range, maxBytes));
      if (lines.length === 0 && from !== undefined) throw gridError('LOG_LINES_MISSING');
      return lines;
    },
    lastLines: (file, count) => reading(file, (opened) => readLastLines(opened, count, maxBytes)),
  };
}

/** Returns the real path of a regular file inside the folder. Throws LOG_PATH_FORBIDDEN and LOG_NOT_FOUND. */
async function fileInside(folder: string, file: string): Promise<string> {
  if (file.includes('\0')) throw gridError('LOG_PATH_FORBIDDEN', file.replaceAll('\0', '?'));
  const root = path.resolve(folder);
  const wanted = path.resolve(root, file);
  // Checked before accessing the disk, so that the response does not reveal which files exist elsewhere. The folder may
  // have been removed, in which case no file in it is found.
  const realRoot = await fs.realpath(root).catch(() => root);
  if (!isInside(root, wanted) && !isInside(realRoot, wanted)) throw gridError('LOG_PATH_FORBIDDEN', file);
  const real = await fs.realpath(wanted).catch(() => undefined);
  if (real === undefined) throw gridError('LOG_NOT_FOUND', file);
  if (!isInside(realRoot, real)) throw gridError('LOG_PATH_FORBIDDEN', file);
  const status = await fs.stat(real).catch(() => undefined);
  if (status?.isFile() !== true) throw gridError('LOG_NOT_FOUND', file);
  return real;
}

function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

async function readLines(file: fs.FileHandle, { from, to }: Range, maxBytes: number): Promise<string[]> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const chunks: Buffer[] = [];
  let kept = 0;
  let line = 0;
  const keep = (chunk: Buffer) => {
    kept += chunk.length;
    if (kept > maxBytes) throw gridError('LIMIT_EXCEEDED', 'log bytes per response', maxBytes, kept, 'fixed');
    // Copied, because the next read reuses the buffer.
    chunks.push(Buffer.from(chunk));
  };
  while (line <= to) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
    if (bytesRead === 0) break;
    const bytes = chunk.subarray(0, bytesRead);
    for (let at = 0; at < bytesRead && line <= to; ) {
      const end = bytes.indexOf(LINE_END, at);
      const next = end < 0 ? bytesRead : end + 1;
      if (line >= from) keep(bytes.subarray(at, next));
      if (end >= 0) line++;
      at = next;
    }
  }
  return kept === 0 ? [] : splitLines(Buffer.concat(chunks));
}

/** Reads the last lines from the end of the file, so that its size does not matter. */
async function readLastLines(file: fs.FileHandle, count: number, maxBytes: number): Promise<string[]> {
  const { size } = await file.stat();
  const chunks: Buffer[] = [];
  let kept = 0;
  let ends = 0;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const chunk = Buffer.allocUnsafe(end - start);
    const { bytesRead } = await file.read(chunk, 0, chunk.length, start);
    const bytes = chunk.subarray(0, bytesRead);
    let from = 0;
    for (let at = bytes.length - 1; at >= 0; at--) {
      // No other line begins after the end of the last one.
      if (bytes[at] !== LINE_END || start + at === size - 1) continue;
      if (++ends < count) continue;
      from = at + 1;
      break;
    }
    kept += bytes.length - from;
    if (kept > maxBytes) throw gridError('LIMIT_EXCEEDED', 'log bytes per response', maxBytes, kept, 'fixed');
    chunks.unshift(bytes.subarray(from));
    if (ends >= count) break;
    end = start;
  }
  return kept === 0 ? [] : splitLines(Buffer.concat(chunks));
}

function splitLines(bytes: Buffer): string[] {
  const text = bytes.toString('utf8');
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n').map((each) => each.replace(/\r$/, ''));
}
