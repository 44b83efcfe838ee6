import { expect, test } from 'bun:test';
import { answerOf, sortedRows, withSameTimestamps } from './answers.ts';

const OURS = 'Integer,Timestamp: [1,"2000-03-02 00:00:00.0"] [2,"1970-01-01 01:02:03.0"]';

test.each([
  ['Integer,Timestamp: [2,"01:02:03"] [1,"2000-03-02"]', true],
  ['Integer,Timestamp: [2,"1970-01-01 01:02:03.0"] [1,"2000-03-02"]', true],
  ['Integer,Timestamp: [2,"01:02:04"] [1,"2000-03-02"]', false],
  ['Integer,Timestamp: [2,"01:02:03"] [1,"2000-03-03"]', false],
  ['Integer,Timestamp: [2,"01:02:03"]', false],
  ['Integer,Object: [2,"01:02:03"] [1,"2000-03-02"]', false],
])('%s has the same timestamps: %p', (theirs, same) => {
  expect(withSameTimestamps(OURS, theirs)).toBe(same);
});

test.each([
  ['String: ["] ["] ["["]', [['] ['], ['[']]],
  [String.raw`String: ["a\"] [\""] ["\u0007,] ["]`, [['a"] ["'], ['\u0007,] [']]],
  [
    'Object,Integer: [[1,2],3] [[],null] [["] ["],4]',
    [
      [[1, 2], 3],
      [[], null],
      [['] ['], 4],
    ],
  ],
  ['Integer: [1]', [[1]]],
  ['Integer: ', []],
])('%s has the rows %j', (text, rows) => {
  expect(answerOf(text).rows).toEqual(rows);
});

test('rows are sorted whole', () => {
  expect(sortedRows('String: ["b] [a"] [[2],1] [[1],2]')).toBe('String: ["b] [a"] [[1],2] [[2],1]');
});
