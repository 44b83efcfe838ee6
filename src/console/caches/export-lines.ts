/** The entries of a cache as an export writes them: one JSON object per line, with types and deadlines. */
import { linesOf } from '../../client/lines.ts';
import { send } from '../requests/request.ts';

/**
 * Reads the lines, a few at a time, after skipping the first ones. Unread lines wait in the service. Throws SvcError.
 */
export async function* exportLines(cacheName: string, abort: AbortSignal, skip = 0): AsyncGenerator<readonly string[]> {
  const params = { cacheName, format: 'ndjson', ...(skip > 0 && { skip }) };
  const { body } = await send('export', params, abort, 'application/x-ndjson');
  if (body !== null) yield* linesOf(body);
}
