import { expect, test } from 'bun:test';
import { readPairs, readQuery } from './parameters.ts';

const LIMIT = 5;

/** Returns the parameters, or the error with which they are rejected. */
function outcomeOf(read: () => Map<string, string>): unknown {
  try {
    return [...read()];
  } catch (error) {
    return String(error);
  }
}

function readPlainly(target: string): Map<string, string> {
  const params = new Map<string, string>();
  readPairs(target, target.indexOf('?') + 1, params, LIMIT, 0);
  return params;
}

/** Query strings that requests repeat, with `#` in place of the part that changes. */
const REPEATED: ReadonlyArray<readonly [title: string, target: string]> = [
  ['a key', '/svc?cmd=get&cacheName=c&key=#'],
  ['the argument of a statement', '/svc?cmd=qryfldexe&qry=SELECT+%3F%20AS+%C3%A4&arg1=#'],
  ['a pair in the middle', '/svc?cmd=put&key=#&cacheName=c&val=v'],
  ['another path', '/svc/?cmd=put&key=#'],
  ['a name that occurs twice', '/svc?cmd=get&key=1&key=#'],
  ['a name that occurs again behind what changes', '/svc?cmd=get&key=#&cmd=put'],
  ['empty pairs', '/svc?cmd=get&&&key=#&'],
  ['a name without a value', '/svc?cmd&key&val=#'],
  ['as many parameters as are allowed', '/svc?a=1&b=2&c=3&d=4&e=#'],
  ['more parameters than are allowed', '/svc?a=1&b=2&c=3&d=4&e=5&f=#'],
  ['as many in the beginning as are allowed', '/svc?a=1&b=2&c=3&d=4&e=5&#'],
  ['an invalid code', '/svc?cmd=get&key=%c3%28#'],
  ['an invalid code behind a beginning', '/svc?cmd=get&key=#%c3%28'],
  ['a password', '/svc?cmd=authenticate&user=u&password=p&x=#'],
];

for (const [title, target] of REPEATED) {
  test(`reads ${title} of repeated query strings as of the first one`, () => {
    for (let at = 0; at < 200; at++) {
      const sent = target.replace('#', String(at));
      expect(outcomeOf(() => readQuery(sent, sent.indexOf('?') + 1, LIMIT))).toEqual(
        outcomeOf(() => readPlainly(sent)),
      );
    }
  });
}

test('reads query strings that take turns', () => {
  for (let at = 0; at < 2_000; at++) {
    const [, target = ''] = REPEATED[(at * 7) % REPEATED.length] ?? [];
    const sent = target.replace('#', String(at % 3));
    expect(outcomeOf(() => readQuery(sent, sent.indexOf('?') + 1, LIMIT))).toEqual(outcomeOf(() => readPlainly(sent)));
  }
});
