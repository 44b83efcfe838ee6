/** Yields the complete lines of a body, as many at a time as a chunk ends. Cancels the body when the reader stops. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly string[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const lines = (rest + decoder.decode(next.value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield lines;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
