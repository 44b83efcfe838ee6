/** A standby's responses to every form of a request, and the things that it does not do. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pair } from '../../proof/failover/failover-pair.ts';
import { runSvcProcess } from '../cli/cli-process.ts';
import { until } from '../until.ts';

const LIMIT_MS = 60_000;
const PRIMARY = 'http://a.example:8080';
const TEXT = `This service is a standby, which answers no commands; the primary is ${PRIMARY}`;
const JSON_TYPE = { 'content-type': 'application/json' };
/** The clients would log in first; a standby knows no users. */
const CREDENTIALS = { authorization: `Basic ${btoa('svc:wrong')}` };

const pair = new Pair({
  env: {
    SVC_AUTHENTICATION: 'true',
    SVC_ADMIN_PASSWORD: 'admin-password',
    SVC_BACKUP_INTERVAL_MS: '1000',
  },
});
const services = {
  get primary() {
    return pair.service('a');
  },
  get standby() {
    return pair.service('b');
  },
};

beforeAll(async () => {
  const backups = (name: string) => ({ SVC_BACKUP_FOLDER: join(pair.root, `backups-${name}`) });
  await pair.start('a', backups('a'));
  await until('it is the primary', () => services.primary.output().includes('primary since'));
  await pair.start('b', backups('b'));
  await until('it has copied', async () => (await pair.metric('b', 'svc_standby_position')) !== 0);
}, LIMIT_MS);
afterAll(() => pair[Symbol.asyncDispose]());

const json = (body: unknown): RequestInit => ({ method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });
const REQUESTS: ReadonlyArray<[title: string, path: string, init?: RequestInit]> = [
  ['a command in the query string', '/svc?cmd=get&key=a'],
  ['a command in the path', '/svc/get?key=a'],
  ['a form', '/svc', { method: 'POST', body: new URLSearchParams({ cmd: 'put', key: 'a', val: '1' }) }],
  ['JSON', '/svc', json({ cmd: 'put', key: 'a', val: 1 })],
  ['a batch', '/svc', json({ cmd: 'batch', commands: [{ cmd: 'get', key: 'a' }] })],
  ['a batch that is an array', '/svc/batch', json([{ cmd: 'get', key: 'a' }])],
  ['a dry run', '/svc', json({ cmd: 'dryrun', of: 'batch', commands: [{ cmd: 'get', key: 'a' }] })],
  ['a large import', '/svc/import?cacheName=default', { method: 'POST', body: 'x'.repeat(20_000_000) }],
  ['a statement', `/svc?cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent('SELECT 1')}`],
  ['a page of a cursor', '/svc?cmd=qryfetch&pageSize=1&qryId=1'],
  ['an entry', '/svc/caches/default/entries/a'],
  ['entries', '/svc/caches/default/entries?limit=1'],
  ['a change of an entry', '/svc/caches/default/entries/a', { method: 'PUT', headers: JSON_TYPE, body: '1' }],
  ['rows', '/svc/tables/t/rows'],
  ['the change feed', '/svc?cmd=watch'],
  ['the change feed as events', '/svc?cmd=watch', { headers: { accept: 'text/event-stream' } }],
  ['an import', '/svc?cmd=import&cacheName=default', { method: 'POST', body: '{"key":1,"value":2}\n' }],
  ['an export', '/svc?cmd=export&cacheName=default'],
  ['a login', '/svc?cmd=authenticate&user=svc&password=admin-password'],
  ['the version', '/svc?cmd=version'],
  ['the log', '/svc?cmd=log'],
  ['credentials', '/svc?cmd=get&key=a', { headers: CREDENTIALS }],
];

test.each(REQUESTS)('%s is answered with STANDBY', async (_title, path, init = {}) => {
  const { standby } = services;
  const answer = await fetch(standby.origin + path, { ...init, redirect: 'manual' });
  const text = await answer.text();
  expect([answer.status, answer.headers.get('error-code')]).toEqual([503, 'STANDBY']);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answer.headers.get('location')).toBeNull();
  expect(text).toContain(TEXT);
});

test('a problem document has the code', async () => {
  const { standby } = services;
  const headers = { accept: 'application/problem+json' };
  const answer = await fetch(`${standby.origin}/svc?cmd=get&key=a`, { headers });
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'STANDBY' }]);
});

test('the command line says who the primary is', async () => {
  const { standby } = services;
  const { exitCode, errors } = await runSvcProcess(['get', 'a', '--url', standby.url], { cwd: pair.root });
  expect([exitCode, errors]).toEqual([1, expect.stringContaining(TEXT)]);
});

describe('without credentials, and without a word of the data', () => {
  const PAGES: ReadonlyArray<[path: string, status: number, text: RegExp]> = [
    ['/health/live', 200, /^\{"status":"up"\}$/],
    ['/health/ready', 503, /^\{"status":"down"\}$/],
    ['/health/role', 200, /^\{"role":"standby","epoch":1,"primary":"http:\/\/a\.example:8080"/],
    ['/metrics', 200, /^svc_failover_primary 0$/m],
    ['/', 200, /^standby of http:\/\/a\.example:8080\n$/],
  ];

  test.each(PAGES)('%s answers %i', async (path, status, text) => {
    const { standby } = services;
    await services.primary.send('cmd=getorcreate&cacheName=secret', { headers: CREDENTIALS });
    const answer = await fetch(standby.origin + path, { headers: { accept: '*/*' } });
    const body = await answer.text();
    expect([answer.status, body]).toEqual([status, expect.stringMatching(text)]);
    expect(body).not.toContain('default');
  });

  test('the primary tells its role, too', async () => {
    const answer = await fetch(`${services.primary.origin}/health/role`);
    expect(await answer.json()).toMatchObject({ role: 'primary', epoch: 1, primary: PRIMARY, isHeld: true });
  });
});

test(
  'scheduled work is that of the primary: backups, tasks, expiry and verification',
  async () => {
    const { standby } = services;
    const backupsOf = (name: string) => {
      const folder = join(pair.root, `backups-${name}`);
      return existsSync(folder) ? readdirSync(folder) : [];
    };
    await until('the primary has made two', () => backupsOf('a').length >= 2);
    expect(backupsOf('b')).toEqual([]);
    // A single process, which follows: nothing has the data open, so nothing sweeps it or runs tasks over it.
    const children = readFileSync(`/proc/${standby.pid}/task/${standby.pid}/children`, 'utf8').trim().split(' ');
    const commands = children.map((each) => readFileSync(`/proc/${each}/cmdline`, 'utf8'));
    expect(commands).toEqual([expect.stringContaining('--shipping-process')]);
    expect(readdirSync(standby.dataDir)).not.toContain('restore-check');
    expect(
      readdirSync(standby.dataDir).filter((name) => /-(wal|shm)$/.test(name) && name.startsWith('svc.db')),
    ).toEqual([]);
  },
  LIMIT_MS,
);
