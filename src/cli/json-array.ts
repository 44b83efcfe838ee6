/** Writes lines of JSON as one array. */

const UTF_8 = new TextEncoder();

/** Yields the bytes of a JSON array of the values in lines, as they arrive. */
export async function* jsonArrayOf(lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let separator = '[';
  for await (const text of completeLines(lines)) {
    yield UTF_8.encode(separator + text.replaceAll('\n', ',\n'));
    separator = ',\n';
  }
  yield UTF_8.encode(separator === '[' ? '[]\n' : ']\n');
}

/** Yields the lines of text that arrives in parts, without their line breaks. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const text of completeLines(chunks)) yield* text.split('\n');
}

/** Yields texts that end with a whole line, without its line break. */
async function* completeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n');
    rest = text.slice(end + 1);
    if (end >= 0) yield text.slice(0, end);
  }
  if (rest !== '') yield rest;
}
