/** The data folder of a service whose file operations are recorded, so that its power can be cut. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../simulation/random.ts';
import { type CutCounts, type Disk, JournaledFolder, readDisk } from '../crash/disk.ts';
import { writePreload } from '../crash/preload.ts';
import { buildShim, type SyncMode, shimEnvironment } from '../crash/shim.ts';
import { recordDisk } from './disk-recorder.ts';

const RECORDER = join(import.meta.dir, 'disk-recorder.ts');
/** Without the latency of a disk, power cuts would rarely hit a sync. */
const SYNC_US = 300;

export class RecordedDisk {
  readonly #folder: string;
  readonly #records: string;
  readonly #library = buildShim();
  #base: Disk = new Map();

  /** `records`: a folder for the recorded operations. */
  constructor(folder: string, records: string) {
    this.#folder = folder;
    this.#records = records;
    writePreload(records, RECORDER, recordDisk.name, { folder, library: this.#library });
  }

  /** Begins a record for the next startup, whose processes need that environment and working folder. */
  begin(sync: SyncMode): { readonly cwd: string; readonly env: Readonly<Record<string, string>> } {
    // The library only watches an existing folder.
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#base = readDisk(this.#folder);
    rmSync(this.#journal, { force: true });
    const state = join(this.#records, 'state');
    const shim = { dataDir: this.#folder, state, journal: this.#journal, sync, syncUs: SYNC_US };
    return { cwd: this.#records, env: shimEnvironment(this.#library, shim) };
  }

  /**
   * Replaces the files with possible contents of the disk after a power cut at the end of the record; no process may
   * have them open. Folders in the data folder stay as they are.
   */
  cut(random: Random, counts: CutCounts): void {
    const timesMs = new Map(this.#files().map((name) => [name, statSync(join(this.#folder, name)).mtimeMs]));
    const disk = this.#journaled().cut(random, counts);
    for (const name of this.#files()) rmSync(join(this.#folder, name));
    for (const [name, bytes] of disk) {
      const path = join(this.#folder, name);
      writeFileSync(path, bytes, { mode: 0o600 });
      const time = (timesMs.get(name) ?? 0) / 1000;
      if (time > 0) utimesSync(path, time, time);
    }
  }

  /** Returns the files that differ from the record, after an orderly end of all processes. */
  unrecorded(): readonly string[] {
    const recorded = this.#journaled().whole();
    const there = readDisk(this.#folder);
    const names = new Set([...recorded.keys(), ...there.keys()]);
    return [...names].filter((name) => {
      const bytes = there.get(name);
      return bytes === undefined || recorded.get(name)?.equals(bytes) !== true;
    });
  }

  get #journal(): string {
    return join(this.#records, 'journal');
  }

  #journaled(): JournaledFolder {
    return new JournaledFolder(this.#base, existsSync(this.#journal) ? readFileSync(this.#journal) : Buffer.alloc(0));
  }

  #files(): readonly string[] {
    const entries = readdirSync(this.#folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }
}
