/** The entries of a cache as an export writes them: a JSON object a line, with types and deadlines. */
import { linesOf } from '../../client/lines.ts';
import { failureOf, send } from '../requests/request.ts';

/** Reads the lines, some at a time. What is not read waits in the service. Throws RequestError. */
export async function* exportLines(cacheName: string, abort: AbortSignal): AsyncGenerator<readonly string[]> {
  const response = await send('export', { cacheName, format: 'ndjson' }, abort, 'application/x-ndjson');
  if (!response.ok || response.body === null) throw failureOf('export', response, errorIn(await response.text()));
  yield* linesOf(response.body);
}

function errorIn(text: string): string | null {
  try {
    return (JSON.parse(text) as { readonly error: string | null }).error;
  } catch {
    return null;
  }
}
