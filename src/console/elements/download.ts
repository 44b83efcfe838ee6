/** Saves data from the service to a user's file. */
import { type Parameters, send } from '../requests/request.ts';

/** Offers a file to the user. */
export function offerFile(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has started reading it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * Reads the body of a command's response. `onBytes` gets the number of bytes read so far, and the bytes just read.
 * Throws SvcError.
 */
export async function readBody(
  cmd: string,
  params: Parameters,
  accept: string,
  onBytes: (bytes: number, part: Uint8Array) => void,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const response = await send(cmd, params, signal, accept);
  const reader = response.body?.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const part = await reader?.read();
    if (part?.value === undefined) return parts;
    parts.push(part.value);
    bytes += part.value.length;
    onBytes(bytes, part.value);
  }
}
