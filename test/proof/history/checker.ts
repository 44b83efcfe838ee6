/** Builds and runs `checker/`, the program around Porcupine that checks recorded histories. */
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOf } from '../../ended-program.ts';

const SOURCE = join(import.meta.dir, 'checker');

export interface Verdict {
  readonly operations: number;
  readonly keys: number;
  /** Operations on the key with the most operations. */
  readonly longest: number;
  /** Keys whose history is not linearizable. */
  readonly rejected: readonly string[];
  /** Keys that could not be checked in time. */
  readonly unknown: readonly string[];
  /** Duration of the longest search, in ms. */
  readonly slowestKeyMs: number;
}

/** The Go command; undefined if it is not installed. */
export function findGo(): string | undefined {
  return Bun.which('go') ?? Bun.which('/usr/local/go/bin/go') ?? undefined;
}

/** Compiles the checker, once for each version of its source, and returns its path. */
export async function buildChecker(go: string): Promise<string> {
  const sources = ['main.go', 'go.mod', 'go.sum'].map((name) => readFileSync(join(SOURCE, name), 'utf8'));
  const folder = join(tmpdir(), 'svc-history-checker');
  const program = join(folder, Bun.hash(sources.join('\n')).toString(36));
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const unfinished = `${program}.${process.pid}`;
  const build = Bun.spawn([go, 'build', '-mod=readonly', '-buildvcs=false', '-o', unfinished, '.'], {
    cwd: SOURCE,
    stderr: 'pipe',
  });
  const failure = await build.stderr.text();
  if ((await build.exited) !== 0) throw new Error(`the checker does not compile:\n${failure}`);
  renameSync(unfinished, program);
  return program;
}

/** Checks the histories of some files; `pages` is a folder for a page about each rejected key. */
export async function checkHistories(program: string, paths: readonly string[], pages?: string): Promise<Verdict> {
  const { output, errors } = await endOf([program, ...paths], { env: { ...process.env, CHECKER_PAGES: pages } });
  if (output === '') throw new Error(`the checker fails: ${errors}`);
  return JSON.parse(output) as Verdict;
}
