/** Files that get their name only when complete, and standard output. */
import { statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { errorText } from '../../base/errors.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { CommandLineError, usageError } from '../failures.ts';
import type { Terminal } from '../program.ts';

const FILE_MODE = 0o600;

/** Yields the chunks after writing them to standard output. */
export async function* throughOutput(
  source: AsyncIterable<Uint8Array>,
  { print }: Pick<Terminal, 'print'>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    await print(chunk);
    yield chunk;
  }
}

/**
 * Writes the chunks that `read` reads to a file, which gets its name once `read` has succeeded. `option` names the
 * argument in messages. Throws CommandLineError if the file exists and must not be replaced.
 */
export async function writtenTo<T>(
  path: string,
  { replace, option }: { readonly replace: boolean; readonly option: string },
  source: AsyncIterable<Uint8Array>,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const found = statSync(path, { throwIfNoEntry: false });
  // Replacing a folder, a device or a pipe with a file would not be the user's intention.
  if (found?.isFile() === false) throw usageError(`${option}: ${path} is not a file that can be replaced`);
  if (!replace && found !== undefined) throw usageError(`${option}: ${path} exists; --replace replaces it`);
  const partial = `${path}.partial`;
  const file = await openForWriting(partial, option);
  const cannotWrite = (error: Error): never => {
    throw new CommandLineError(EXIT_CODES.failed, `${option}: ${path} cannot be written: ${error.message}`);
  };
  try {
    const result = await read(
      (async function* () {
        for await (const chunk of source) {
          await file.writeFile(chunk).catch(cannotWrite);
          yield chunk;
        }
      })(),
    );
    await file.sync().catch(cannotWrite);
    await file.close();
    await rename(partial, path);
    return result;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(partial, { force: true });
    throw error;
  }
}

async function openForWriting(path: string, option: string): Promise<Awaited<ReturnType<typeof open>>> {
  try {
    return await open(path, 'w', FILE_MODE);
  } catch (error) {
    throw usageError(`${option}: cannot write ${path}: ${errorText(error)}`);
  }
}
