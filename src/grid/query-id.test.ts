import { expect, test } from 'bun:test';
import { parseQueryId } from './query-id.ts';

const NODE = '6fa749ee-7cf8-4635-be10-36a1c75267a7';

const CASES: ReadonlyArray<readonly [text: string, nodeId: string | undefined, number: number]> = [
  ['54321', undefined, 54_321],
  ['9007199254740991', undefined, 9_007_199_254_740_991],
  [`${NODE}_7`, NODE, 7],
  [`${NODE.toUpperCase()}_7`, NODE, 7],
];

for (const [text, nodeId, number] of CASES) {
  test(`${text} is an id`, () => expect(parseQueryId(text)).toEqual({ nodeId, number }));
}

for (const text of ['', 'x', '-1', '1.5', '9007199254740993', `${NODE}_`, NODE, `_${NODE}_1`, 'node_1']) {
  test(`${JSON.stringify(text)} is no id`, () => expect(parseQueryId(text)).toBeUndefined());
}
