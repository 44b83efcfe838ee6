/** The program's standard output. */
import { EXIT_CODES } from '../base/exit-codes.ts';

/**
 * Writes text to standard output for people or programs that started the service; resolves when it is written. The
 * reader may have closed the pipe, which does not end the service. It does not load `process.stdout`, which would delay
 * the first response.
 */
export async function print(text: string): Promise<void> {
  await Bun.write(Bun.stdout, text).catch(() => undefined);
}

/**
 * Writes the output that the program was started for, and waits while its reader is slower. Ends the process if
 * it cannot write.
 */
export async function printResult(chunk: string | Uint8Array): Promise<void> {
  // Writing nothing would truncate a file.
  if (chunk.length > 0) await Bun.write(Bun.stdout, chunk).catch(endWithReader);
}

/**
 * Ends the process: a reader that has seen enough (head) closes the pipe. Otherwise the printed output is incomplete.
 */
export function endWithReader(error: Error): never {
  if ('code' in error && error.code === 'EPIPE') process.exit(EXIT_CODES.success);
  process.stderr.write(`svc: standard output cannot be written: ${error.message}\n`);
  process.exit(EXIT_CODES.failed);
}
