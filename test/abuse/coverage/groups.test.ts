/** The patterns of the groups still match when sources move. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { GROUPS, isMeasured } from './groups.ts';

const root = join(import.meta.dir, '../../..');
const sources = [...new Bun.Glob('src/**/*.ts').scanSync({ cwd: root })];

test.each(Object.entries(GROUPS))('there are sources of the %s', (_, pattern) => {
  expect(sources.filter((path) => isMeasured(path) && pattern.test(path))).not.toBeEmpty();
});
