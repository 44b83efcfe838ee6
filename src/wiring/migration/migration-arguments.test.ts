import { expect, test } from 'bun:test';
import { endpointText, readMigrationArguments } from './migration-arguments.ts';

const BOTH = ['--from', './data', '--to', 'cluster://a:1,b:2'];

test('reads places, lists and flags, and leaves the rest to the configuration', () => {
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
  expect(read && endpointText(read.to)).toBe('cluster://a:1,b:2');
});

test('returns undefined for --help', () => {
  expect(readMigrationArguments([...BOTH, '--help'], '/')).toBeUndefined();
});

for (const [title, args, message] of [
  ['no source', ['--to', 'x'], '--from: is missing'],
  ['no target', ['--from', 'x'], '--to: is missing'],
  ['a value is missing', ['--from', 'x', '--to'], '--to: needs a value'],
  ['the same source and target', ['--from', './x', '--to', 'x'], '--to: must not be the same as --from'],
  ['an unknown scheme', ['--from', 'http://x', '--to', 'x'], 'neither a folder nor cluster://'],
  ['no endpoint', ['--from', 'cluster://', '--to', 'x'], 'needs HOST:PORT after cluster://'],
  ['an invalid number of backups', [...BOTH, '--backups', '-1'], '--backups: must be a number'],
] as const) {
  test(`rejects ${title}`, () => {
    expect(() => readMigrationArguments(args, '/')).toThrow(message);
  });
}
