/**
 * Private folders for data that does not survive a restart: files of regions, and sockets of the service's processes.
 */
import { Database } from 'bun:sqlite';
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readProcessStat } from '../../../base/process-stat.ts';
import { SharedFile } from '../../../base/shared-areas.ts';

const REGIONS_PREFIX = 'svc-regions-';
const PROCESSES_PREFIX = 'svc-processes-';
/** The name of a process folder: the id of the service's process, when it began, and random characters. */
const PROCESSES_NAME = /^svc-processes-(\d+)-(\d+)-\w+$/;
/** A database whose lock a process folder's owner holds: the kernel releases it with the process. */
const LOCK_FILE = 'lock';
/** A folder without a lock is left alone for this long: its owner may be about to create it. */
const UNLOCKED_MS = 60_000;
const CREATE_TRIES = 10;
const MEMORY_FOLDER = '/dev/shm';
/** With less free memory than this (a container has 64 MB by default), the temporary folder on disk is used. */
const REGIONS_FREE_BYTES = 1024 * 1024 * 1024;
/** Maximum memory that processes share, plus a margin. */
const PROCESSES_FREE_BYTES = 16 * 1024 * 1024;
/** Systems limit the length of a socket's path to about 100 bytes. */
const MAX_FOLDER_BYTES = 80;
/** Longest name of a process folder. */
const PROCESSES_NAME_BYTES = 48;

/** Creates the private folder for files of non-persistent regions, in memory if enough is free. */
export function createRegionsFolder(): string {
  return createInMemory(REGIONS_PREFIX, REGIONS_FREE_BYTES) ?? mkdtempSync(join(tmpdir(), REGIONS_PREFIX));
}

/** Removes a folder created by {@link createRegionsFolder}, in this process or in one that was killed. */
export function removeRegionsFolder(folder: string): void {
  if (basename(folder).startsWith(REGIONS_PREFIX)) rmSync(folder, { recursive: true, force: true });
}

/** The private folder for the memory and the sockets of a service's processes. */
export class ProcessFolder {
  readonly memory: SharedFile;
  readonly #processId: number;
  #path: string;
  #lock: Database | undefined;
  #sockets = 0;

  /** Creates the folder, and removes folders of killed services; `processId` is this process's id. */
  constructor(processId: number, isRunning: (processId: number) => boolean) {
    this.#processId = processId;
    ({ path: this.#path, memory: this.memory } = createMemory(processId));
    this.#lock = lockOf(this.#path);
    removeLeftFolders(isRunning, this.#path);
  }

  /** The folder. It is recreated if something has removed it, such as a cleaner of temporary files. */
  get #current(): string {
    if (!existsSync(this.#path)) {
      this.#lock?.close();
      this.#path = createProcessesFolder(this.#processId);
      this.#lock = lockOf(this.#path);
    }
    return this.#path;
  }

  /**
   * Returns the path of a new socket. Each has its own, so a client never reaches a replaced process.
   */
  newSocket(): string {
    return join(this.#current, `q${++this.#sockets}`);
  }

  /** Reports whether a socket still exists. */
  has(socket: string): boolean {
    return existsSync(socket);
  }

  remove(): void {
    this.memory.close();
    this.#lock?.close();
    rmSync(this.#path, { recursive: true, force: true });
  }
}

/** Creates a process folder and the memory in it; repeats this if something removes the folder immediately. */
function createMemory(processId: number): { readonly path: string; readonly memory: SharedFile } {
  for (let tries = 1; ; tries++) {
    const path = createProcessesFolder(processId);
    try {
      return { path, memory: new SharedFile(join(path, 'memory')) };
    } catch (error) {
      if (tries === CREATE_TRIES || existsSync(path)) throw error;
    }
  }
}

function createProcessesFolder(processId: number): string {
  const prefix = `${PROCESSES_PREFIX}${processId}-${beginningOf(processId)}-`;
  const inMemory = createInMemory(prefix, PROCESSES_FREE_BYTES);
  if (inMemory !== undefined) return inMemory;
  return mkdtempSync(join(processesFolderOnDisk(), prefix));
}

function processesFolderOnDisk(): string {
  return Buffer.byteLength(tmpdir()) > MAX_FOLDER_BYTES - PROCESSES_NAME_BYTES ? '/tmp' : tmpdir();
}

/** Locks a process folder; returns undefined if that fails, because something has removed it. */
function lockOf(folder: string): Database | undefined {
  try {
    return lockFile(join(folder, LOCK_FILE), true);
  } catch {
    return undefined;
  }
}

function lockFile(path: string, create: boolean): Database {
  const lock = new Database(path, { create, readwrite: true });
  try {
    lock.run('PRAGMA journal_mode = MEMORY');
    lock.run('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

/**
 * Reports whether a process has a folder locked. It may belong to another container, in which case its id is
 * meaningless here. `own` is a folder that was just created.
 */
function isLocked(folder: string, own: string): boolean {
  try {
    const path = join(folder, LOCK_FILE);
    if (!existsSync(path)) return statSync(own).mtimeMs - statSync(folder).mtimeMs < UNLOCKED_MS;
    lockFile(path, false).close();
    return false;
  } catch {
    return true;
  }
}

/**
 * Removes the process folders of services that have ended without removing them. Folders of running services stay;
 * `own` is this service's.
 */
function removeLeftFolders(isRunning: (processId: number) => boolean, own: string): void {
  for (const parent of [MEMORY_FOLDER, processesFolderOnDisk()]) {
    for (const name of namesIn(parent)) {
      const [, id = '', beginning] = PROCESSES_NAME.exec(name) ?? [];
      if (id === '' || (isRunning(Number(id)) && beginningOf(Number(id)) === beginning)) continue;
      const folder = join(parent, name);
      if (folder === own || isLocked(folder, own)) continue;
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch {
        // The folder belongs to another user.
      }
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns when a process began, or '0' if the system does not report it. */
function beginningOf(processId: number): string {
  return readProcessStat(processId)?.beganAtTicks ?? '0';
}

function createInMemory(prefix: string, freeBytes: number): string | undefined {
  try {
    const space = statfsSync(MEMORY_FOLDER);
    if (space.bavail * space.bsize >= freeBytes) return mkdtempSync(join(MEMORY_FOLDER, prefix));
  } catch {
    // This system has no such folder.
  }
  return undefined;
}
