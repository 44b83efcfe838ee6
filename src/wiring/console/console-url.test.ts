import { expect, test } from 'bun:test';
import { consoleUrl } from './console-url.ts';

const URL = 'http://localhost:8080/svc';
const cases: ReadonlyArray<readonly [boolean, number | undefined, string | undefined]> = [
  [true, undefined, 'http://localhost:8080/console'],
  [true, 9_090, 'http://localhost:9090/console'],
  [false, undefined, undefined],
  [false, 9_090, undefined],
];

for (const [console, consolePort, expected] of cases) {
  test(`${console ? 'on' : 'off'}, port ${consolePort ?? 'of the service'}: ${expected}`, () => {
    expect(consoleUrl(URL, { console, consolePort })).toBe(expected);
  });
}
