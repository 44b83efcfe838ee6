/** Request bodies are read as they are: neither commands nor resources decompress them. */
import { fail } from './errors.ts';

/** Throws CONTENT_ENCODING if a body is encoded. */
export function checkContentEncoding(header: string | null | undefined): void {
  if (header === null || header === undefined || header === '' || header.toLowerCase() === 'identity') return;
  throw fail('CONTENT_ENCODING', header);
}
