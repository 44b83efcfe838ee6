import { expect, test } from 'bun:test';
import { joinNames, splitNames } from './name-lists.ts';

const LISTS: ReadonlyArray<readonly [names: readonly string[], text: string]> = [
  [['a'], 'a'],
  [['a', 'b c'], 'a,b c'],
  [['a,b', 'c'], '"a,b",c'],
  [['a"b'], '"a""b"'],
  [['"a,"', ','], '"""a,""",","'],
  [[' a '], '" a "'],
  [['*', 'a'], '"*",a'],
  [['*'], '*'],
];

for (const [names, text] of LISTS) {
  test(`${JSON.stringify(names)} is ${text}`, () => {
    expect(joinNames(names)).toBe(text);
    expect(splitNames(text)).toEqual([...names]);
  });
}

const READ: ReadonlyArray<readonly [text: string, names: readonly string[]]> = [
  [' "a,b" , c ', ['a,b', 'c']],
  ['"a', ['"a']],
  ['"a"b,c', ['"a"b', 'c']],
  ['a"b,c', ['a"b', 'c']],
  ['"a",', ['a', '']],
];

for (const [text, names] of READ) test(`reads ${text}`, () => expect(splitNames(text)).toEqual([...names]));
