/**
 * Rewinds a former primary's data to what it has shipped: its log may end with commits that no other service has.
 * SQLite must not have the file open; it would checkpoint those.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Clock, sleep } from '../../../../../base/clock.ts';
import type { Loss } from '../../../../../base/failover-status.ts';
import { isMissing, textIfThere } from '../../../../../base/missing-files.ts';
import { DATA_FILE } from '../../../storage/data-folder.ts';
import { DEPOSED_FOLDER } from '../../../storage/private-files.ts';
import { syncFolder } from '../../private-output.ts';
import { writeWhole } from '../../restore.ts';
import { frameAt, isPageSize, LogScan, positionOf } from '../../write-ahead-log.ts';
import { type Destination, LOWEST_LEVEL, type ObjectName, positionText } from '../destination.ts';
import { LtxDecoder, type LtxHeader, lockPage, PageHashes, pageHash } from '../ltx-format.ts';
import { type CopyPoint, readCopyState, shippedAtMs } from './copy-state.ts';

/** Size of a log's header in bytes (sqlite.org/walformat.html). */
const HEADER_BYTES = 32;
/** Maximum number of bytes of pages read in one step. */
const RUN_BYTES = 1024 * 1024;
/** Maximum number of objects examined, newest first; beyond that, copying everything again takes less time. */
const MAX_OBJECTS = 5_000;

export interface Rewound {
  readonly point: CopyPoint;
  readonly hashes: PageHashes;
  /** Where existing data was saved in the folder `deposed`. */
  readonly lost: Loss;
}

/** The write-ahead log of a file that no process has open. */
interface ClosedLog {
  readonly descriptor: number;
  readonly pageBytes: number;
  readonly salts: Buffer;
  /** The frames that end a commit, in order. */
  readonly commits: readonly number[];
  /** The last one, or 0 if there is none. */
  readonly lastCommit: number;
  /** When something was last written. */
  readonly writtenAtMs: number;
}

/** Returns undefined, and leaves the data unchanged, if no object leads to the data's contents. */
export async function rewind(destination: Destination, folder: string, clock: Clock): Promise<Rewound | undefined> {
  const path = join(folder, DATA_FILE);
  const { sealed } = readCopyState(folder);
  const file = openSync(path, 'r+');
  const log = openLog(`${path}-wal`);
  try {
    const pageBytes = log?.pageBytes ?? pageBytesIn(file);
    if (pageBytes === undefined) return undefined;
    const hashes = await hashesOf(file, pageBytes, clock);
    const headers = headersBefore(destination);
    for await (const header of headers) {
      const overlay = overlayOf(header, log, pageBytes, hashes);
      if (overlay === undefined) continue;
      const { frames, overlaid } = overlay;
      const own = await ownOf(header, headers, sealed);
      const lost = lossOf(folder, log, own, clock.nowMs());
      if (log !== undefined && lost.commits !== 0) {
        keepDeposed(folder, { frame: overlay.frame, pages: header.pages, sealed, lost });
      }
      for (const [page, frame] of frames) {
        writeWhole(file, readFrame(log, frame, pageBytes), (page - 1) * pageBytes);
        hashes.set(page, overlaid.get(page) ?? 0n);
      }
      ftruncateSync(file, header.pages * pageBytes);
      hashes.truncate(header.pages);
      fsyncSync(file);
      removeLog(folder);
      const position = positionText(header.lastTransaction);
      const hash = (header.databaseHash?.value ?? 0n).toString(16);
      return { point: { position, hash, timestampMs: header.timestampMs }, hashes, lost };
    }
    return undefined;
  } finally {
    closeSync(file);
    if (log !== undefined) closeSync(log.descriptor);
  }
}

/** The shipped part of the saved data: the file with the log up to a frame. */
export interface ShippedPart {
  readonly frame: number;
  /** Pages of the database there. */
  readonly pages: number;
  /** The epoch in which it was shipped, and the commits that were not. */
  readonly sealed?: number;
  readonly lost?: Loss;
}

/** How late a file's time may be. */
const CLOCK_TICK_MS = 10;

/** Name of the file, in the folder of the saved data, with its shipped part, or undefined if that is not known. */
export const SHIPPED_FILE = 'shipped.json';

/**
 * Returns the last object of this service's term, starting from an object that its data leads to; it may be one of the
 * next primary's that changes nothing. Undefined if none of its term was found.
 */
async function ownOf(
  header: LtxHeader,
  olderOnes: AsyncIterable<LtxHeader>,
  sealed: number,
): Promise<LtxHeader | undefined> {
  if (header.epoch <= sealed) return header;
  if (sealed > 0) for await (const older of olderOnes) if (older.epoch <= sealed) return older;
  return undefined;
}

/** Counts the commits after a term's last object, which no other service has. */
function lossOf(folder: string, log: ClosedLog | undefined, own: LtxHeader | undefined, nowMs: number): Loss {
  const isOfLog = log !== undefined && own?.salts === log.salts.readBigUInt64BE();
  const frame = isOfLog ? frameAt(own.logEnd, log.pageBytes) : 0;
  const commits = log?.commits.filter((each) => each > frame).length ?? 0;
  if (log !== undefined && commits > 0) {
    const sinceMs = Math.max(own?.timestampMs ?? 0, shippedAtMs(folder));
    // The kernel's time for a file is up to a tick late.
    return { commits, withinMs: Math.max(CLOCK_TICK_MS, Math.ceil(log.writtenAtMs - sinceMs)), atMs: nowMs };
  }
  // An interrupted attempt may already have removed the log.
  const { sealed, lost } = keptPart(folder) ?? {};
  const isOfTerm = sealed === readCopyState(folder).sealed;
  return log === undefined && isOfTerm && lost !== undefined ? lost : { commits: 0, withinMs: 0, atMs: nowMs };
}

/** Returns the shipped part of the saved data, or undefined if that is not known. */
function keptPart(folder: string): ShippedPart | undefined {
  const text = textIfThere(join(folder, DEPOSED_FOLDER, SHIPPED_FILE));
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as ShippedPart;
  } catch (error) {
    // The power failed before it was complete, and before anything was removed.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Saves the data of a deposed service, with its log, so that people can inspect unshipped changes. */
export function keepDeposed(folder: string, shipped?: ShippedPart): void {
  const kept = join(folder, DEPOSED_FOLDER);
  rmSync(kept, { recursive: true, force: true });
  mkdirSync(kept, { mode: 0o700 });
  for (const name of [DATA_FILE, `${DATA_FILE}-wal`]) {
    if (statSync(join(folder, name), { throwIfNoEntry: false }) === undefined) continue;
    copyFileSync(join(folder, name), join(kept, name), constants.COPYFILE_FICLONE);
    syncFile(join(kept, name));
  }
  const part = JSON.stringify(shipped);
  if (shipped !== undefined) writeFileSync(join(kept, SHIPPED_FILE), part, { mode: 0o600, flush: true });
  // Before the log is removed, which has the rest: the power may fail.
  syncFolder(kept);
  syncFolder(folder);
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Writes the frames of a log up to one into a file that no process has open, and cuts it to its length there. */
export function writeShipped(path: string, { frame, pages }: ShippedPart): void {
  const log = openLog(`${path}-wal`);
  if (log === undefined) return;
  const file = openSync(path, 'r+');
  try {
    for (const [page, at] of scanOf(log).advance(frame)) {
      if (page <= pages) writeWhole(file, readFrame(log, at, log.pageBytes), (page - 1) * log.pageBytes);
    }
    ftruncateSync(file, pages * log.pageBytes);
  } finally {
    closeSync(file);
    closeSync(log.descriptor);
  }
}

/** Removes the log of a file that already has everything needed from it. */
export function removeLog(folder: string): void {
  for (const companion of ['-shm', '-wal']) rmSync(join(folder, DATA_FILE + companion), { force: true });
  syncFolder(folder);
}

/** Returns the hashes of all pages of a file. */
export async function hashesOf(file: number, pageBytes: number, clock: Clock): Promise<PageHashes> {
  const hashes = new PageHashes('xxhash64');
  const unstored = lockPage(pageBytes);
  const run = Buffer.alloc(Math.max(RUN_BYTES, pageBytes));
  for (let number = 1; ; ) {
    const bytes = readSync(file, run, 0, run.length, (number - 1) * pageBytes);
    if (bytes < pageBytes) return hashes;
    for (let at = 0; at + pageBytes <= bytes; at += pageBytes, number++) {
      if (number !== unstored) hashes.set(number, pageHash(number, run.subarray(at, at + pageBytes)));
    }
    await sleep(clock, 0);
  }
}

/** Returns the page size in a database's header, or undefined if the file is not a database, or has lost its header. */
export function pageBytesIn(file: number): number | undefined {
  const header = Buffer.alloc(18);
  if (readSync(file, header, 0, header.length, 0) < header.length) return undefined;
  const size = header.readUInt16BE(16);
  const pageBytes = size === 1 ? 65_536 : size;
  return isPageSize(pageBytes) ? pageBytes : undefined;
}

interface Overlay {
  /** The last frame of the log that the object contains, or 0 if it is only the file. */
  readonly frame: number;
  /** The last frame of each page that differs from the file, and the hashes of these pages. */
  readonly frames: ReadonlyMap<number, number>;
  readonly overlaid: ReadonlyMap<number, bigint>;
}

/** Returns the part of the log that leads to the end of an object, or undefined if none does. */
function overlayOf(
  { databaseHash, pages, pageBytes: headerBytes, salts, logEnd }: LtxHeader,
  log: ClosedLog | undefined,
  pageBytes: number,
  hashes: PageHashes,
): Overlay | undefined {
  if (databaseHash?.by !== 'xxhash64' || headerBytes !== pageBytes) return undefined;
  const candidates: Overlay[] = [];
  if (log !== undefined && salts === log.salts.readBigUInt64BE()) {
    const frame = frameAt(logEnd, pageBytes);
    if (frame > 0 && frame <= log.lastCommit) {
      const frames = scanOf(log).advance(frame);
      for (const page of frames.keys()) if (page > pages || page === lockPage(pageBytes)) frames.delete(page);
      const overlaid = new Map<number, bigint>();
      for (const [page, at] of frames) overlaid.set(page, pageHash(page, readFrame(log, at, pageBytes)));
      candidates.push({ frame, frames, overlaid });
    }
  }
  candidates.push({ frame: 0, frames: new Map(), overlaid: new Map() });
  return candidates.find(({ overlaid }) => hashes.totalAfter(overlaid, pages).value === databaseHash.value);
}

/** Yields the headers of single-interval objects, newest first. */
async function* headersBefore(destination: Destination): AsyncGenerator<LtxHeader> {
  const all = await destination.objects();
  const names: ObjectName[] = all.filter(({ level }) => level === LOWEST_LEVEL);
  const newest = all.reduce<ObjectName | undefined>((a, b) => (a !== undefined && a.last >= b.last ? a : b), undefined);
  if (newest !== undefined && newest.level !== LOWEST_LEVEL) names.push(newest);
  names.sort((a, b) => (a.last > b.last ? -1 : 1));
  for (const name of names.slice(0, MAX_OBJECTS)) {
    const chunks = destination.read(name);
    try {
      yield await new LtxDecoder(positionText(name.last), chunks).header();
    } catch (error) {
      // It was merged and removed in the meantime.
      if (!isMissing(error)) throw error;
    }
  }
}

/** Also returns undefined for a log without a header, as a power cut may leave it: SQLite reads nothing from it. */
function openLog(path: string): ClosedLog | undefined {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes < HEADER_BYTES) return undefined;
  const descriptor = openSync(path, 'r');
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(descriptor, header, 0, HEADER_BYTES, 0);
  const log = { descriptor, pageBytes: header.readUInt32BE(8), salts: Buffer.from(header.subarray(16, 24)) };
  if (!isPageSize(log.pageBytes)) {
    closeSync(descriptor);
    return undefined;
  }
  const commits = commitsOf(log, bytes);
  return { ...log, commits, lastCommit: commits.at(-1) ?? 0, writtenAtMs: statSync(path).mtimeMs };
}

type LogFrames = Pick<ClosedLog, 'descriptor' | 'salts' | 'pageBytes'>;

/** Returns the valid frames that end a commit: frames of an earlier log may follow. */
function commitsOf(log: LogFrames, bytes: number): readonly number[] {
  const scan = scanOf(log);
  const commits: number[] = [];
  try {
    for (let frame = 1; positionOf(frame, log.pageBytes) + log.pageBytes <= bytes; frame++) {
      scan.advance(frame);
      if (scan.pages > 0) commits.push(frame);
    }
  } catch {
    // The end of the written frames.
  }
  return commits;
}

function scanOf({ descriptor, salts, pageBytes }: LogFrames): LogScan {
  const read = (position: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length);
    readSync(descriptor, bytes, 0, length, position);
    return bytes;
  };
  return new LogScan(read, salts, pageBytes);
}

function readFrame(log: ClosedLog | undefined, frame: number, pageBytes: number): Buffer {
  const bytes = Buffer.alloc(pageBytes);
  if (log !== undefined) readSync(log.descriptor, bytes, 0, pageBytes, positionOf(frame, pageBytes));
  return bytes;
}
