/** Checks a copy of a data folder in a separate process, which a damaged file may end. */
import { join } from 'node:path';
import { endOf } from '../../ended-program.ts';

/** Returns the problems of the copy and of the files of backups. */
export async function violationsIn(copy: string, backups: readonly string[] = []): Promise<readonly string[]> {
  const program = join(import.meta.dir, 'check-files.ts');
  const { exitCode, output, errors } = await endOf([process.execPath, program, copy, ...backups]);
  const lines = output.split('\n').filter((line) => line !== '');
  return exitCode === 0 ? lines : [...lines, `the data file cannot be checked: ${errors}`];
}
