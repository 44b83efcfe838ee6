import { expect, test } from 'bun:test';
import { withSameTimestamps } from './answers.ts';

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
