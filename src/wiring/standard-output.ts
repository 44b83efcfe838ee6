/**
 * Writes text for whoever started the service to standard output; resolves when it is written. The reader may have
 * closed the pipe, and the service does not end for that. It does not load `process.stdout`, which would delay the
 * first answer.
 */
export async function print(text: string): Promise<void> {
  await Bun.write(Bun.stdout, text).catch(() => undefined);
}
