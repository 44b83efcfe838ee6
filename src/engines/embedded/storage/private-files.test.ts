import { afterEach, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { openEmbeddedGrid } from '../embedded-grid.ts';
import { createPrivateFile, securePrivateFolder } from './private-files.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(mode: number): string {
  const parent = mkdtempSync(join(tmpdir(), 'svc-private-'));
  folders.push(parent);
  const folder = join(parent, 'data');
  mkdirSync(folder);
  chmodSync(folder, mode);
  return folder;
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8);
}

describe.skipIf(platform() === 'win32')('modes', () => {
  const FOLDERS: ReadonlyArray<readonly [title: string, before: number, further: string | undefined, after: string]> = [
    ['a folder for everybody becomes private', 0o777, undefined, '700'],
    ['a folder that others can read becomes private', 0o755, undefined, '700'],
    ['a private folder stays as it is', 0o700, undefined, '700'],
    ['a folder that its owner may not write to gains no permission', 0o555, undefined, '500'],
    ['the root of a newly mounted file system becomes private', 0o1777, undefined, '700'],
    ['a folder with log files becomes private', 0o755, 'log', '700'],
    ['a folder with other files keeps its read permissions', 0o755, 'notes.txt', '755'],
    ['a folder with other files loses the write permissions of others', 0o777, 'notes.txt', '755'],
  ];
  for (const [title, before, further, after] of FOLDERS) {
    test(title, () => {
      const folder = newFolder(0o700);
      if (further !== undefined) writeFileSync(join(folder, further), '');
      chmodSync(folder, before);
      securePrivateFolder(folder, ['svc.db'], () => {});
      expect(modeOf(folder)).toBe(after);
      chmodSync(folder, 0o700);
    });
  }

  test('databases and their companion files become private, and each change is logged with its path', () => {
    const folder = newFolder(0o700);
    const names = ['svc.db', 'svc.db-wal', 'svc.db-shm', 'lock.db'];
    for (const name of names) writeFileSync(join(folder, name), '', { mode: 0o644 });
    for (const name of names) chmodSync(join(folder, name), 0o664);
    const lines: string[] = [];
    securePrivateFolder(folder, ['svc.db', 'lock.db'], (level, text) => lines.push(`${level} ${text}`));
    for (const name of names) expect(modeOf(join(folder, name))).toBe('600');
    expect(lines.length).toBe(names.length);
    expect(lines[0]).toBe(
      `info Removed the permissions of group and others from ${join(folder, 'svc.db')}: mode 0664 is now 0600`,
    );
  });

  test('a folder like /tmp, where everybody can create files, is rejected and not changed', () => {
    const folder = newFolder(0o1777);
    writeFileSync(join(folder, 'of another user'), '');
    expect(() => securePrivateFolder(folder, ['svc.db'], () => {})).toThrow(
      `All users can create files in ${folder}: choose a separate folder inside it`,
    );
    expect(modeOf(folder)).toBe('1777');
  });

  test('a new file is private, and an existing one keeps its content', () => {
    const folder = newFolder(0o700);
    const path = join(folder, 'a');
    createPrivateFile(path);
    expect(modeOf(path)).toBe('600');
    writeFileSync(path, 'content');
    createPrivateFile(path);
    expect(statSync(path).size).toBe(7);
  });

  test('all files of an open grid are private', async () => {
    const folder = newFolder(0o755);
    const regions = [{ name: 'memory', persistent: false }];
    const grid = await openEmbeddedGrid({ dataDir: folder, version: '1', clock: systemClock, regions });
    try {
      await grid.caches.getOrCreate('c', {});
      expect(modeOf(folder)).toBe('700');
      const modes = readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]);
      expect(modes.length).toBeGreaterThan(3);
      expect(modes.filter(([, mode]) => mode !== '600')).toEqual([]);
      const { temporaryDir } = grid.thread.reads.files;
      expect(modeOf(temporaryDir)).toBe('700');
      const temporary = readdirSync(temporaryDir).map((name) => modeOf(join(temporaryDir, name)));
      expect(new Set(temporary)).toEqual(new Set(['600']));
    } finally {
      await grid.close();
    }
  });
});
