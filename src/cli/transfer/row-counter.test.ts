/** Tests the number of rows in a stream. */
import { expect, test } from 'bun:test';
import { RowCounter } from './row-counter.ts';

const CASES: ReadonlyArray<readonly ['csv' | 'ndjson', string, number]> = [
  ['csv', '', 0],
  ['csv', 'A,B\r\n1,2\r\n', 2],
  ['csv', 'A\r\n"x\ny ""z""\n"\r\n\r\n', 3],
  ['ndjson', '{"a":"\\""}\n{"a":1}\n', 2],
];
for (const [format, text, lines] of CASES) {
  test(`${format}: ${JSON.stringify(text)}`, async () => {
    const counter = new RowCounter(format);
    const bytes = new TextEncoder().encode(text);
    // One byte at a time: a chunk ends anywhere.
    const chunks = (async function* () {
      for (const byte of bytes) yield new Uint8Array([byte]);
    })();
    let passed = 0;
    for await (const chunk of counter.counting(chunks)) passed += chunk.length;
    expect([counter.lines, passed]).toEqual([lines, bytes.length]);
  });
}
