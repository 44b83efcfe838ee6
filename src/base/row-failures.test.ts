import { describe, expect, test } from 'bun:test';
import { errorObject } from './error-object.ts';
import { gridError } from './errors.ts';
import { failureLine, rowsUntilFailure } from './row-failures.ts';

const ERROR = errorObject(gridError('QUERY_LOST'));
const CUT = new TypeError('cut');

async function* sent(text: string, size: number, cuts: boolean): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  if (cuts) throw CUT;
}

/** Returns the rows that were read, and the error at their end. */
async function read(text: string, size: number, cuts: boolean) {
  const chunks: Uint8Array[] = [];
  const failureOf = (error: string) => new Error(`reported: ${JSON.parse(error).code}`);
  try {
    for await (const chunk of rowsUntilFailure(sent(text, size, cuts), failureOf)) chunks.push(chunk);
  } catch (error) {
    return [Buffer.concat(chunks).toString(), error];
  }
  return [Buffer.concat(chunks).toString(), undefined];
}

describe.each([
  ['application/x-ndjson;charset=utf-8', '{"A":1,"B":"ä"}\n{"error":null}\n{"A":3}\n'],
  ['text/csv;charset=utf-8', 'A,B\r\n1,ä\r\n"#",\r\n'],
])('rows of %s', (type, rows) => {
  const line = failureLine(type, ERROR) ?? '';

  test('end with a line that only their failure has', () => {
    expect(line).toEndWith(`${JSON.stringify({ error: ERROR })}\n`);
    expect(failureLine(type, ERROR, 'incomplete')).toBe(`\n${line}`);
  });

  for (const size of [1, 2, 7, 20, 1_000]) {
    test(`are read without that line, ${size} bytes at a time`, async () => {
      expect(await read(rows + line, size, true)).toEqual([rows, new Error('reported: QUERY_LOST')]);
      expect(await read(rows, size, false)).toEqual([rows, undefined]);
      expect(await read(rows, size, true)).toEqual([rows, CUT]);
      // Rows that end with such a line are complete rows.
      expect(await read(rows + line, size, false)).toEqual([rows + line, undefined]);
      expect(await read(rows + line.slice(0, 40), size, true)).toEqual([rows + line.slice(0, 40), CUT]);
    });
  }
});

test('a long line is a row', async () => {
  const row = `{"error":{"code":"${'x'.repeat(100_000)}`;
  expect(await read(row, 1_000, true)).toEqual([row, CUT]);
});

test('other bodies have no such line', () => {
  expect(failureLine(undefined, ERROR)).toBeUndefined();
  expect(failureLine('application/octet-stream', ERROR)).toBeUndefined();
});
