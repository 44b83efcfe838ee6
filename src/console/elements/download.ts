/** Stores what the service sends in a file of the user. */
import { type Parameters, RequestError, send } from '../requests/request.ts';

/** Offers a file to the user. */
export function offerFile(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * Reads the body of a command's answer. `onBytes` is called with the bytes read so far, and those that were read last.
 * Throws RequestError, also where the answer is an envelope with an error.
 */
export async function readBody(
  cmd: string,
  params: Parameters,
  accept: string,
  onBytes: (bytes: number, part: Uint8Array) => void,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const response = await send(cmd, params, signal, accept);
  if (!response.ok) throw new RequestError(errorOf(await response.text()), response.status);
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

function errorOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: string };
    return error ?? text;
  } catch {
    return text;
  }
}
