/** The entries of a cache as an export writes them: a JSON object a line, with types and deadlines. */
import { failureOf, send } from '../requests/request.ts';

/** Reads the lines, some at a time. What is not read waits in the service. Throws RequestError. */
export async function* exportLines(cacheName: string, abort: AbortSignal): AsyncGenerator<readonly string[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([abort, stop.signal]);
  const response = await send('export', { cacheName, format: 'ndjson' }, signal, 'application/x-ndjson');
  if (!response.ok || response.body === null) throw failureOf('export', response, errorIn(await response.text()));
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const lines = (rest + decoder.decode(next.value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield lines.filter((line) => line !== '');
    }
  } finally {
    stop.abort();
  }
}

function errorIn(text: string): string | null {
  try {
    return (JSON.parse(text) as { readonly error: string | null }).error;
  } catch {
    return null;
  }
}
