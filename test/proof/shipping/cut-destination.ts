/** The possible contents of a continuous backup's folder after a power cut. */
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../simulation/random.ts';
import { type CutCounts, type Disk, JournaledFolder } from '../crash/disk.ts';
import { writePreload } from '../crash/preload.ts';
import { journalOf, type RecorderOptions, startRecorder, TIME_BYTES } from './file-recorder.ts';

const RECORDER = join(import.meta.dir, 'file-recorder.ts');

const LEVELS = ['', 'ltx', ...Array.from({ length: 10 }, (_, level) => `ltx/${level}`)] as const;

/** Writes the files that make every process with that working folder record; {@link startRecorder} is called there. */
export function writeRecorder(workingFolder: string, options: RecorderOptions): void {
  mkdirSync(options.journals, { recursive: true });
  writePreload(workingFolder, RECORDER, startRecorder.name, options);
}

/** The durable contents of each folder in the destination. */
export type Disks = ReadonlyMap<string, Disk>;

/**
 * Cuts the power at the end of the journals, and writes the remaining contents of the destination, which had `base`
 * before.
 */
export function cutDestination(
  folder: string,
  journals: string,
  base: Disks,
  random: Random,
  counts: CutCounts,
): Disks {
  const disks = new Map<string, Disk>();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const level of LEVELS) {
    const [, parent = '', name = level] = /^(.*)\/(.*)$/.exec(level) ?? [];
    // A folder whose name is not durable is lost with its contents.
    if (level !== '' && disks.get(parent)?.has(name) !== true) continue;
    const path = join(journals, journalOf(level));
    const journal = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    const disk = new JournaledFolder(base.get(level) ?? new Map(), journal).cut(random, counts);
    disks.set(level, disk);
    writeFiles(join(folder, level), disk, (file) => LEVELS.some((each) => each === join(level, file)));
  }
  rmSync(journals, { recursive: true, force: true });
  mkdirSync(journals);
  return disks;
}

function writeFiles(folder: string, disk: Disk, isFolder: (name: string) => boolean): void {
  for (const [name, bytes] of disk) {
    const path = join(folder, name);
    if (isFolder(name)) {
      mkdirSync(path);
      continue;
    }
    writeFileSync(path, bytes.subarray(TIME_BYTES));
    const time = bytes.length < TIME_BYTES ? 0 : bytes.readDoubleLE(0);
    if (time > 0) utimesSync(path, time / 1000, time / 1000);
  }
}
