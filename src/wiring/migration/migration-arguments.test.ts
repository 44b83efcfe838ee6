import { expect, test } from 'bun:test';
import { placeText, readMigrationArguments } from './migration-arguments.ts';

const BOTH = ['--from', './data', '--to', 'cluster://a:1,b:2'];

test('places, lists and flags are read; the rest is for the configuration', () => {
  const read = readMigrationArguments(
    [...BOTH, '--caches=a,b', '--counters', 'n', '--backups', '1', '--overwrite', '--config', 'x.ts'],
    '/home/me',
  );
  expect(read).toEqual({
    from: { kind: 'embedded', dataDir: '/home/me/data' },
    to: { kind: 'cluster', endpoints: 'a:1,b:2' },
    overwrite: true,
    caches: ['a', 'b'],
    counters: ['n'],
    backups: 1,
    progress: undefined,
    rest: ['--config', 'x.ts'],
  });
  expect(read && placeText(read.to)).toBe('cluster://a:1,b:2');
});

test('help is asked for', () => {
  expect(readMigrationArguments([...BOTH, '--help'], '/')).toBeUndefined();
});

for (const [title, args, message] of [
  ['no source', ['--to', 'x'], '--from: is missing'],
  ['no target', ['--from', 'x'], '--to: is missing'],
  ['a value is missing', ['--from', 'x', '--to'], '--to: needs a value'],
  ['one place for both', ['--from', './x', '--to', 'x'], '--to: must not be the same as --from'],
  ['another scheme', ['--from', 'http://x', '--to', 'x'], 'neither a folder nor cluster://'],
  ['no endpoint', ['--from', 'cluster://', '--to', 'x'], 'needs HOST:PORT after cluster://'],
  ['backups that are no number', [...BOTH, '--backups', '-1'], '--backups: must be a number'],
] as const) {
  test(`rejects ${title}`, () => {
    expect(() => readMigrationArguments(args, '/')).toThrow(message);
  });
}
