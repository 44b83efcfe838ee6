/**
 * Finds the library of the SQLite extension that interrupts statements. Without it, a statement that does not end in
 * time is ended with its process.
 */
import { Database } from 'bun:sqlite';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../../../base/errors.ts';
import { importedFile } from '../../../base/imported-file.ts';
import linuxArm64 from './statement-guard-linux-arm64.so' with { type: 'file' };
import linuxX64 from './statement-guard-linux-x64.so' with { type: 'file' };

export const GUARD_ENTRY = 'sqlite3_statementguard_init';

/** Libraries by platform and processor. They link no C library, so they work with glibc and musl. */
const LIBRARIES: Readonly<Record<string, string>> = {
  'linux-x64': importedFile(linuxX64),
  'linux-arm64': importedFile(linuxArm64),
};

/** Paths of files inside the single-file executable, which the system's loader cannot open. */
const EMBEDDED_FILE = /\/\$bunfs\/|~BUN/;

export interface GuardLibrary {
  /** Path of the library, or undefined if none can be loaded. */
  readonly path: string | undefined;
  /** Why no library can be loaded. */
  readonly reason: string;
  /** Removes the file that was written to load the library. */
  release(): void;
}

/** Finds the library of a platform such as `linux-x64`, and loads it once as a test. Never throws. */
export async function openGuardLibrary(platform: string): Promise<GuardLibrary> {
  const file = LIBRARIES[platform];
  if (file === undefined) return missing(`there is no library for ${platform}`);
  let folder: string | undefined;
  const release = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    let path = file;
    if (EMBEDDED_FILE.test(file)) {
      // Other users must not be able to write into the folder from which this process loads code.
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
    return missing(errorText(error));
  }
}

function missing(reason: string): GuardLibrary {
  return { path: undefined, reason, release: () => {} };
}
