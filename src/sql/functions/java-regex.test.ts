import { expect, test } from 'bun:test';
import { type RegexOptions, regexFinds, regexReplace } from './java-regex.ts';

function replaced(text: string, pattern: string, options: RegexOptions = {}): string {
  return regexReplace(text, pattern, '<$0>', options);
}

test.each([
  ['aab', 'a', '<a><a>b'],
  ['aab', 'a*', '<aa><>b<>'],
  ['aab', 'a*?', '<>a<>a<>b<>'],
  ['aab', '(a|ab)(c|bcd)?', '<a><a>b'],
  ['aaab', 'a{2}', '<aa>ab'],
  ['aaaaa', 'a{2,3}', '<aaa><aa>'],
  ['aaaaa', 'a{2,3}?', '<aa><aa>a'],
  ['aaab', 'a{2,}', '<aaa>b'],
  ['a\nb\r\nc', '.', '<a>\n<b>\r\n<c>'],
  ['ab\n', 'b$', 'a<b>\n'],
  ['ab\r\n', 'b$', 'a<b>\r\n'],
  ['ab\n', 'b\\z', 'ab\n'],
  ['ab\n', 'b\\Z', 'a<b>\n'],
  ['a\r\nb\u2028c', '\\R', 'a<\r\n>b<\u2028>c'],
  ['foo bar', '\\b\\w', '<f>oo <b>ar'],
  ['foo bar', '\\B\\w', 'f<o><o> b<a><r>'],
  ['aXbx', '(?i)x', 'a<X>b<x>'],
  ['aXbx', '(?i:X)b', 'a<Xb>x'],
  ['xXxX', '(?i)x(?-i)X', '<xX><xX>'],
  ['a.b', '\\Q.b\\E', 'a<.b>'],
  ['a.bb', '\\Qa.b\\E+', '<a.bb>'],
  ['😀a', '.', '<😀><a>'],
  ['\ud83da', '.', '<\ud83d><a>'],
  ['foobar', 'foo(?=bar)', '<foo>bar'],
  ['foobar', 'foo(?!bar)', 'foobar'],
  ['foobar', '(?<=foo)bar', 'foo<bar>'],
  ['foobar', '(?<!foo)bar', 'foobar'],
  ['abab', '(ab)\\1', '<abab>'],
  ['abaB', '(?i)(ab)\\1', '<abaB>'],
  ['aab', '(?>a+)b', '<aab>'],
  ['aab', '(?>a+)ab', 'aab'],
  ['aab', 'a*+ab', 'aab'],
  ['', '(a*)*', '<>'],
  ['b', '(a*)+', '<>b<>'],
  ['bA', '((A*?))*', '<>b<>A<>'],
])('in %j, %j finds %j', (text, pattern, expected) => {
  expect(replaced(text, pattern)).toBe(expected);
});

test.each<[RegexOptions, string, string, string]>([
  [{ multiline: true }, 'a\nb\r\nc\n', '^.', '<a>\n<b>\r\n<c>\n'],
  [{ multiline: true }, 'a\nb', '.$', '<a>\n<b>'],
  [{ dotAll: true }, 'a\nb', 'a.b', '<a\nb>'],
  [{ ignoreCase: true }, 'É', 'é', '<É>'],
  [{ ignoreCase: true }, 'B', '[a-c]', '<B>'],
])('with %j, in %j, %j finds %j', (options, text, pattern, expected) => {
  expect(replaced(text, pattern, options)).toBe(expected);
});

test.each([
  '(',
  ')',
  'a)',
  '*',
  'a**',
  'a{2,1}',
  '[a',
  '[]',
  '\\',
  '\\k<x>',
  '\\p{Foo}',
  '(?<x>a)(?<x>b)',
  '(?#a)',
  '(?<=a*)b',
  'a{',
  '\\x{110000}',
  '('.repeat(5_000),
  '['.repeat(5_000),
])('the pattern %j is rejected', (pattern) => {
  expect(() => regexFinds('a', pattern)).toThrow('Error in LIKE ESCAPE');
});

/** Returns how often a match polls, which it does after a fixed number of steps. */
function polls(pattern: string, characters: number): number {
  let count = 0;
  const found = regexFinds('a'.repeat(characters), pattern, {}, () => {
    count += 1;
  });
  expect(found).toBe(false);
  return count;
}

test.each([
  '(a+)+b',
  '(a|aa)+b',
  '(a*)*b',
  '.*.*.*b',
  '(a?){30}a{30}b',
  '(.*)(.*)(.*)(.*)[bc]',
  '(a|b|ab)*c',
  'a*a*a*$b',
])('the steps of %j grow with the text, not faster', (pattern) => {
  const short = polls(pattern, 50_000);
  expect(short).toBeLessThan(200);
  expect(polls(pattern, 200_000)).toBeLessThan(4 * short + 8);
});

test('replacing many occurrences takes linear time', () => {
  expect(regexReplace('ab'.repeat(200_000), '(a|b)*?b|a', '$0$0').length).toBe(800_000);
});

test('a match that the runtime gives up on is found', () => {
  expect(regexFinds(`${'a'.repeat(40)}!`, '(a+)+$|!')).toBe(true);
});

test.each([
  ['(a*)\\1b', 'steps of a regular expression'],
  ['(?=(a+)+b)c|(?=(a+)+b)', 'steps of a regular expression'],
  ['(?:(?:a{1,100}){1,100}){1,100}b', 'instructions of a regular expression'],
  [`a${'b'.repeat(20_000)}`, 'characters of a regular expression'],
])('a match of %.40j ends at its bound', (pattern, bound) => {
  expect(() => regexFinds('a'.repeat(100_000), pattern)).toThrow(bound);
});

test('a result that grows too long is rejected', () => {
  expect(() => regexReplace('a'.repeat(1_000_000), 'a', 'b'.repeat(100))).toThrow('characters of a text');
});

test('a long match can be cancelled', () => {
  const poll = (): void => {
    throw new Error('cancelled');
  };
  expect(() => regexFinds('a'.repeat(1_000_000), '(a+)+b', {}, poll)).toThrow('cancelled');
});

test.each([
  ['$', 'Error in LIKE ESCAPE: "$"'],
  ['\\', 'Error in LIKE ESCAPE: "\\"'],
  ['\u0024{x}', 'Error in LIKE ESCAPE'],
  ['$2', 'No group 2'],
])('the replacement %j is rejected', (replacement, text) => {
  expect(() => regexReplace('a', '(a)', replacement)).toThrow(text);
});
