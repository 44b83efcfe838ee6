/** Shows long results in a pager. */
import { spawn } from 'node:child_process';
import type { Terminal } from '../program.ts';

const DEFAULT_PAGER = 'less';
/** Quits if everything fits, does not wrap wide rows, keeps the screen. */
const LESS_OPTIONS = '-FSX';

/** Returns whether a string does not fit the terminal. */
export function exceedsScreen(text: string, { output }: Terminal): boolean {
  const { rows = 24, columns = 80 } = output;
  const lines = text.split('\n');
  return lines.length > rows - 1 || lines.some((line) => line.length > columns);
}

/**
 * Pipes texts into the pager until the user quits it. Returns false if it cannot be started, in which case nothing has
 * been read from `texts`.
 */
export async function page(texts: AsyncIterable<string>, { environment }: Terminal): Promise<boolean> {
  const [program = DEFAULT_PAGER, ...args] = (environment.PAGER || DEFAULT_PAGER).split(' ');
  const child = spawn(program, args, {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...environment, LESS: environment.LESS ?? LESS_OPTIONS },
  });
  const started = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true)).once('error', () => resolve(false));
  });
  if (!started) return false;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // The user may quit before the last row.
  child.stdin.on('error', () => {});
  let left = false;
  void ended.then(() => {
    left = true;
  });
  for await (const text of texts) {
    if (left) break;
    if (!child.stdin.write(text)) {
      await Promise.race([ended, new Promise<void>((resolve) => child.stdin.once('drain', () => resolve()))]);
    }
  }
  child.stdin.end();
  await ended;
  return true;
}
