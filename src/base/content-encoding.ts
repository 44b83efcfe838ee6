/** Request bodies are read as they are: neither commands nor resources decompress them. */
import { gridError } from './errors.ts';

/** Throws CONTENT_ENCODING if a body is encoded. */
export function checkContentEncoding(header: string | null | undefined): void {
  if (header === null || header === undefined || header === '' || header.toLowerCase() === 'identity') return;
  throw gridError('CONTENT_ENCODING', header);
}
