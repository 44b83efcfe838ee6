/** Files with JSON arrays as lines for imports. */
import { expect, test } from 'bun:test';
import { ArrayLines, importable } from '../../../src/console/definitions/json-lines.ts';

/** Returns the lines of a text that arrives in parts of a size. */
function linesOf(text: string, size: number): string {
  const lines = new ArrayLines();
  let all = '';
  for (let at = 0; at < text.length; at += size) all += lines.feed(text.slice(at, at + size));
  lines.end();
  return all;
}

const CASES: ReadonlyArray<readonly [string, string]> = [
  ['[]', ''],
  ['\ufeff [ ]\n', ''],
  ['[{"a":1},{"a":2}]', '{"a":1}\n{"a":2}\n'],
  [
    '[\n  {\n    "a": 1.50,\r\n    "b": [1, {"c": 2}]\n  },\n  {}\n]\n',
    '{     "a": 1.50,     "b": [1, {"c": 2}]   }\n{}\n',
  ],
  ['[{"a":"],[{\\"\\\\"},null]', '{"a":"],[{\\"\\\\"}\nnull\n'],
  ['[12345678901234567890.10,"x"]', '12345678901234567890.10\n"x"\n'],
];
for (const size of [1, 3, 1_000]) {
  test.each(CASES)(`an array becomes lines, in parts of ${size}: %j`, (text, expected) => {
    expect(linesOf(text, size)).toBe(expected);
  });
}

test.each([
  ['{"a":1}', 'not a single JSON array'],
  ['[1] [2]', 'not a single JSON array'],
  ['[{"a":1}', 'ends within'],
])('what is no array is told: %j', (text, message) => {
  expect(() => linesOf(text, 4)).toThrow(message);
});

test('only files with arrays are converted, and a part of one has its complete elements', async () => {
  const array = new File(['[{"a":"ü"},\n{"a":"ö"},{"a":"ä"}]'], 'a.JSON');
  const whole = await importable(array);
  expect([whole.name, await whole.text()]).toEqual(['a.ndjson', '{"a":"ü"}\n{"a":"ö"}\n{"a":"ä"}\n']);
  expect(await (await importable(array, 20)).text()).toBe('{"a":"ü"}\n');
  const others = [new File(['[x]'], 'a.csv'), new File(['{"a":1}\n'], 'a.json')];
  for (const file of others) expect(await (await importable(file)).text()).toBe(await file.text());
});
