/** Limits the size of folders, so one can keep the contents of a folder in mind. */
import { dirname } from 'node:path';
import type { Complaint, SourceFile } from './rules.ts';

export const MAX_FOLDER_LINES = 6_000;

/** Reports folders whose own files have too many lines. In `src`, tests do not count. */
export function checkFolders(files: readonly SourceFile[]): Complaint[] {
  const lines = new Map<string, number>();
  for (const { path, text } of files) {
    if (path.startsWith('src/') && /\.test\.ts$/.test(path)) continue;
    const folder = dirname(path);
    lines.set(folder, (lines.get(folder) ?? 0) + text.split('\n').length);
  }
  return [...lines]
    .filter(([, count]) => count > MAX_FOLDER_LINES)
    .map(([folder, count]) => `${folder}:1: ${count} lines in one folder; at most ${MAX_FOLDER_LINES}: split it`);
}
