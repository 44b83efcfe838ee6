import { expect, test } from 'bun:test';
import { readJson } from '../values/json.ts';
import { readableText } from './table-output.ts';

const CASES: ReadonlyArray<readonly [what: string, json: string, text: string]> = [
  ['a text', '"red \\u001b[31m\\u0007"', 'red \ufffd[31m\ufffd\n'],
  ['texts in a list', '["\\u009b31m", "a\\tb"]', '\ufffd31m\na\tb\n'],
  ['an object', '{"\\u001bname":"\\u001b[0m"}', '│ \ufffdname │ \ufffd[0m │'],
  ['names of columns', '[{"\\u001bname":1}]', '│ \ufffdname │'],
  ['a tab in a table', '{"name":"a\\tb"}', '│ name │ a    b │'],
];
for (const [what, json, text] of CASES) {
  test(`${what}: a reader sees no control characters`, () => {
    expect(readableText(readJson(json))).toContain(text);
  });
}
