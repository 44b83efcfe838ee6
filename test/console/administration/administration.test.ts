/** The plain logic of the console's administration. */
import { describe, expect, test } from 'bun:test';
import { matchingLines, parseLogLine } from '../../../src/console/administration/log-lines.ts';
import { byPart, matchingOptions, optionText, sourceKind } from '../../../src/console/administration/options.ts';
import { partsOf, shownPart } from '../../../src/console/administration/parts.ts';
import {
  backupPath,
  checkedRestore,
  fieldOfInstant,
  instantOfField,
  restoreContinuousCommands,
} from '../../../src/console/administration/restore-commands.ts';
import {
  describedRights,
  editedRights,
  missingRight,
  namesIn,
  newGrant,
  rightsJson,
} from '../../../src/console/administration/rights.ts';
import { formatDistance } from '../../../src/console/elements/times.ts';
import { CHANGE, matches, permitOn, permitOnCache, rolesOfUser } from '../../../src/console/requests/roles.ts';

const ADMIN = { commands: null, administration: ['state', 'users', 'log', 'backup', 'metrics'] };
const USER = { commands: null, administration: ['log', 'metrics'] };

describe('rights', () => {
  test('are sent as they are edited; a pattern that is there twice has the rights of both', () => {
    const edited = editedRights({ commands: ['@entry'], caches: { stock: ['read'] }, counters: ['a', 'b'] });
    const caches = [...edited.caches, newGrant(' stock ', ['put', 'read']), newGrant('', ['destroy'])];
    expect(JSON.parse(rightsJson({ ...edited, caches, tasks: 'svc.echo,  x*' }))).toEqual({
      commands: ['@entry'],
      caches: { stock: ['read', 'put'] },
      tables: {},
      counters: ['a', 'b'],
      tasks: ['svc.echo', 'x*'],
      administration: [],
    });
    expect(JSON.parse(rightsJson(editedRights()))).not.toHaveProperty('commands');
    expect(namesIn(' a, b\tc ')).toEqual(['a', 'b', 'c']);
  });

  test('are described by kind, also those of a scope with one word', () => {
    expect(describedRights({ caches: { '*': 'read', x: [] }, administration: ['log'] })).toEqual([
      ['Commands', ['all']],
      ['Caches', ['*: read', 'x: none']],
      ['Administration', ['log']],
    ]);
  });

  test('that are missing are named as the service names them', () => {
    expect(missingRight([ADMIN], 'adduser')).toBeUndefined();
    expect(missingRight([USER], 'adduser')).toBe('administration users');
    expect(missingRight([USER], 'exe')).toBeUndefined();
    expect(missingRight([{ commands: ['noop'], administration: ['users'] }], 'adduser')).toBe('command adduser');
    expect(missingRight([{ commands: ['@user'], administration: ['users'] }], 'adduser')).toBeUndefined();
    expect(missingRight([USER, { commands: ['backup'], administration: ['backup'] }], 'backup')).toBeUndefined();
    expect(missingRight([], 'exe')).toBe('command exe');
  });

  test('of a user are those of the roles that name the user, else those of all others', () => {
    const admin = { name: 'admin', users: ['svc'], others: false };
    const others = { name: 'user', users: ['ann'], others: true };
    expect(rolesOfUser([admin, others], 'svc')).toEqual([admin]);
    expect(rolesOfUser([admin, others], 'ben')).toEqual([others]);
  });
});

describe('options', () => {
  const option = (path: string, source: string, value: string | number = 'x') => ({
    ...{ path, source, value },
    ...{ help: 'What it does.', default: 'none', environment: 'SVC_X', flag: null },
  });

  test('have a kind of source', () => {
    const kinds = ['default', '--http-port', 'SVC_HTTP_PORT', '/etc/svc.config.ts: http.port'];
    expect(kinds.map((source) => sourceKind({ source }))).toEqual(['default', 'flag', 'environment', 'file']);
  });

  test('are found by all words, and by parts', () => {
    const all = [option('workers', 'default', 3), option('http.port', '--http-port', 80), option('http.host', 'SVC_X')];
    const paths = (text: string, onlyChanged = false) =>
      matchingOptions(all, text, onlyChanged).map(({ path }) => path);
    expect(paths('http 80')).toEqual(['http.port']);
    expect(paths('', true)).toEqual(['http.port', 'http.host']);
    expect(paths('nothing')).toEqual([]);
    expect([...byPart(all).keys()]).toEqual(['', 'http']);
    expect(optionText(['a', 'b'])).toBe('a, b');
    expect(optionText('')).toBe('(empty)');
  });
});

describe('lines of the log', () => {
  const LINES = [
    '{"time":"2026-11-22T10:00:00.000Z","level":"info","message":"Listening","url":"http://x"}\n',
    '{"time":"2026-11-22T10:00:01.000Z","level":"error","message":"A backup failed","detail":"full","name":""}',
    '{"time":"2026-11-22T10:00:02.000Z","user":"ann","command":"put","keys":2}',
    'no JSON',
    '{broken',
  ].map(parseLogLine);

  test('are parsed; the command is the message of the audit log', () => {
    expect(LINES[0]).toMatchObject({ level: 'info', message: 'Listening', fields: [['url', 'http://x']] });
    expect(LINES[0]?.timeMs).toBe(Date.parse('2026-11-22T10:00:00Z'));
    expect(LINES[1]?.fields).toEqual([['detail', 'full']]);
    expect(LINES[2]).toMatchObject({ level: undefined, message: 'put' });
    expect(LINES[2]?.fields).toEqual([
      ['user', 'ann'],
      ['keys', '2'],
    ]);
    expect(LINES[3]).toMatchObject({ message: 'no JSON', timeMs: undefined });
    expect(LINES[4]?.message).toBe('{broken');
  });

  test('are found by words and level, the newest first', () => {
    const found = (text: string, level: 'error' | 'info' | 'debug') =>
      matchingLines(LINES, text, level).map(({ message }) => message);
    expect(found('', 'debug')).toHaveLength(5);
    expect(found('', 'debug')[4]).toBe('Listening');
    expect(found('', 'error')).not.toContain('Listening');
    expect(found('BACKUP full', 'info')).toEqual(['A backup failed']);
  });
});

describe('command lines', () => {
  test('restore a backup of a folder or of a bucket', () => {
    const path = backupPath('/var/backups/', 'a.svcbackup');
    expect(checkedRestore(path).split('\n')).toEqual([
      'svc verify /var/backups/a.svcbackup',
      'svc restore /var/backups/a.svcbackup --to restored',
      'SVC_DATA_DIR=restored svc serve',
    ]);
    expect(backupPath('s3://b/p?region=eu', 'a.svcbackup')).toBe('s3://b/p/a.svcbackup?region=eu');
    expect(backupPath('C:\\backups', 'a.svcbackup')).toBe('C:\\backups\\a.svcbackup');
    expect(checkedRestore("/it's here/a")).toStartWith(`svc verify '/it'\\''s here/a'\n`);
  });

  test('restore a time of a continuous backup', () => {
    expect(restoreContinuousCommands({ url: 's3://b/p?x=1&y=2', isEncrypted: false, at: undefined })).toStartWith(
      "svc restore --from 's3://b/p?x=1&y=2' --to restored\n",
    );
    const at = instantOfField(fieldOfInstant(Date.parse('2026-11-23T12:34:56Z')));
    expect(restoreContinuousCommands({ url: 'file:///b', isEncrypted: true, at })).toStartWith(
      'svc restore --from file:///b --to restored --at 2026-11-23T12:34:56Z --key-file KEY_FILE\n',
    );
    expect(instantOfField('')).toBeUndefined();
  });
});

test('a distance in time has the two largest units', () => {
  expect([-90_000, 7_200_000, 86_400_000 * 2, 500].map((ms) => formatDistance(ms, 0))).toEqual([
    '1 min 30 s ago',
    'in 2 h',
    'in 2 d',
    'now',
  ]);
});

test('parts that need a login are left out without one, and an unknown name is the first part', () => {
  expect(partsOf(false).map(({ name }) => name)).not.toContain('roles');
  expect(shownPart('log', false)).toBe('log');
  expect(shownPart('roles', false)).toBe('tasks');
  expect(shownPart(null, true)).toBe('users');
});

test.each([
  ['TRIP', 'PUBLIC.TRIP', false],
  ['*', '', true],
  ['S*', 'STATION', true],
  ['*a*a*', 'aa', true],
  ['*a*a*', 'a', false],
  ['a*a', 'a', false],
])('the pattern %s and the name %s', (pattern, name, does) => {
  expect(matches(pattern, name)).toBe(does);
});

test('rights on a table suffice for its rows, and not for commands on its cache', () => {
  const roles = [{ caches: { stock: ['read'] }, tables: { TRIP: ['read'], 'S.*': ['read', 'put', 'remove'] } }];
  const trip = { name: 'SQL_PUBLIC_TRIP', table: { schema: 'PUBLIC', name: 'TRIP' } };
  const other = { name: 'SQL_S_A', table: { schema: 'S', name: 'A' } };
  expect([
    permitOn(roles, trip, ['read']),
    permitOn(roles, trip, CHANGE),
    permitOn(roles, other, CHANGE),
    permitOn(roles, { name: 'stock' }, ['read']),
    permitOnCache(roles, trip.name, ['read']),
    permitOnCache(roles, '*', ['read']),
  ]).toEqual([true, false, true, true, false, false]);
});
