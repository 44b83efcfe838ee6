/**
 * The extension that interrupts SQLite, as a file that this platform can load. Platforms without it, and systems that
 * refuse it, poll instead: see DESIGN.md.
 */
import { Database } from 'bun:sqlite';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import linuxArm64 from './statement-guard-linux-arm64.so' with { type: 'file' };
import linuxX64 from './statement-guard-linux-x64.so' with { type: 'file' };

export const GUARD_ENTRY = 'sqlite3_statementguard_init';

/** Libraries by platform and processor. Their build needs no C library: they serve glibc and musl. */
const LIBRARIES: Readonly<Record<string, string>> = { 'linux-x64': linuxX64, 'linux-arm64': linuxArm64 };

/** Where the files of the single-file executable seem to be; the system's loader cannot open them there. */
const EMBEDDED_FILE = /\/\$bunfs\/|~BUN/;

export interface GuardLibrary {
  /** Path of the library; undefined where there is none that can be loaded. */
  readonly path: string | undefined;
  /** Why there is none. */
  readonly reason: string;
  /** Removes what was written to load it. */
  release(): void;
}

/** Finds the library of a platform, as `linux-x64`, and loads it once. Never throws. */
export async function openGuardLibrary(platform: string): Promise<GuardLibrary> {
  const file = LIBRARIES[platform];
  if (file === undefined) return missing(`there is none for ${platform}`);
  let folder: string | undefined;
  const release = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    let path = file;
    if (EMBEDDED_FILE.test(file)) {
      // Nobody else may write into the folder of what this process loads.
      folder = mkdtempSync(join(tmpdir(), 'svc-native-'));
      chmodSync(folder, 0o700);
      path = join(folder, 'statement-guard.so');
      writeFileSync(path, await Bun.file(file).bytes(), { mode: 0o500 });
    }
    using database = new Database(':memory:');
    database.loadExtension(path, GUARD_ENTRY);
    return { path, reason: '', release };
  } catch (error) {
    release();
    return missing(error instanceof Error ? error.message : String(error));
  }
}

function missing(reason: string): GuardLibrary {
  return { path: undefined, reason, release: () => {} };
}
