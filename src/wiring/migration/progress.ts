/** The progress file of a migration, replaced atomically, so that an interrupted migration can resume. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { gridError } from '../../base/errors.ts';

/** Progress of one cache. Entries after `position` have not been copied yet; all have if undefined. */
export interface CacheProgress {
  readonly state: 'copying' | 'complete';
  readonly position?: string;
}

interface Content {
  readonly from: string;
  readonly to: string;
  readonly caches: Record<string, CacheProgress>;
}

export class Progress {
  readonly #path: string;
  readonly #content: Content;

  /** Reads the progress of an earlier run between the same grids. Throws for a different migration's file. */
  constructor(path: string, from: string, to: string) {
    this.#path = path;
    const content = existsSync(path) ? readContent(path) : { from, to, caches: {} };
    if (content.from !== from || content.to !== to) {
      throw gridError('PROGRESS_OF_OTHER_MIGRATION', path, content.from, content.to);
    }
    this.#content = content;
  }

  of(cache: string): CacheProgress | undefined {
    return Object.hasOwn(this.#content.caches, cache) ? this.#content.caches[cache] : undefined;
  }

  /** Writes the file. Everything that it records is already in the target. */
  record(cache: string, progress: CacheProgress): void {
    // A cache may be called __proto__.
    Object.defineProperty(this.#content.caches, cache, { value: progress, enumerable: true, configurable: true });
    const fresh = `${this.#path}.new`;
    writeFileSync(fresh, JSON.stringify(this.#content, null, 2));
    renameSync(fresh, this.#path);
  }

  /** Removes the file after the last entry, so that a later migration starts from the beginning. */
  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

function readContent(path: string): Content {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isContent(content)) return content;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw gridError('PROGRESS_UNREADABLE', path);
}

function isContent(content: unknown): content is Content {
  if (typeof content !== 'object' || content === null) return false;
  if (!('from' in content && 'to' in content && 'caches' in content)) return false;
  const { from, to, caches } = content;
  return typeof from === 'string' && typeof to === 'string' && typeof caches === 'object' && caches !== null;
}
