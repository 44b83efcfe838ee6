import { beforeAll, describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { GridError, gridError } from '../../base/errors.ts';
import { findCommand } from '../../commands/registry.ts';
import type { AuthenticationCheck, RawRequest } from '../request.ts';
import { findAccount } from './accounts.ts';
import { Attempts } from './attempts.ts';
import { createAuthentication, readHeader } from './authentication.ts';
import { createAuthenticator } from './authenticator.ts';
import { Passwords } from './passwords.ts';
import { SecurityEpoch } from './security-epoch.ts';
import { Sessions } from './sessions.ts';
import { seedUsers } from './users.ts';

const KEY = `svck_${'0'.repeat(16)}_${'1'.repeat(64)}`;
const OTHER_KEY = `svck_${'0'.repeat(16)}_${'2'.repeat(64)}`;
const KEY_PLACE = 'an API key belongs in the header Authorization: Bearer KEY, because addresses are logged';
const UNKNOWN = 'abababababababababababababababab';
const REJECTED = 'Failed to handle request - session token not found or invalid';
const NO_BEARER =
  'Failed to handle request - the header Authorization: Bearer has neither an API key (svck_ID_SECRET, as apikeyadd ' +
  'returned it) nor a session token (authenticate)';
const NO_SCHEME = 'Failed to handle request - the header Authorization has an API key without Bearer in front of it';
const UNKNOWN_TEXT = `Failed to handle request - unknown session token (maybe expired session) [sesTok=${UNKNOWN.toUpperCase()}]`;
const wrong = (name: string | null) => `The user name or password is incorrect [userName=${name}]`;
const missing = (name: string | null, part: 'login' | 'password') =>
  `${wrong(name)}: the parameter svc.${part} is missing`;
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

let authentication: AuthenticationCheck;
let lenient: AuthenticationCheck;
let token = '';
let svcId = '';

beforeAll(async () => {
  const clock = new ManualClock();
  const records = openModelGrid({ clock }).records;
  const passwords = new Passwords({ clock, targetMs: 100 });
  const sessions = new Sessions({
    records,
    findAccount: (user) => findAccount(records, user),
    clock,
    epoch: new SecurityEpoch(),
    timeoutMs: 30_000,
    consoleTimeoutMs: 3_600_000,
    maxSessions: 1_000,
    trustMs: Number.MAX_SAFE_INTEGER,
    onRenewalFailed: () => {},
    onEvicted: () => {},
  });
  const attempts = new Attempts({
    clock,
    clients: { isShared: () => false },
    maxFailures: 1_000,
    maxNetworkFailures: 1_000,
    maxBackoffMs: 60_000,
  });
  const authenticator = createAuthenticator({ records, clock, attempts, passwords });
  await seedUsers({
    records,
    passwords,
    defaultUser: 'svc',
    adminPassword: 'secret',
    users: [{ name: 'ann', password: 'pass:wörd' }],
    generated: { create: () => '', tell: () => {} },
  });
  const account = await findAccount(records, 'svc');
  if (account === undefined) throw new Error('svc is missing');
  svcId = account.id;
  token = (await sessions.open(account)).token;
  const certificateUsers = new Map([
    ['CN=ann', 'ann'],
    ['CN=gone', 'gone'],
  ]);
  const apiKeys = {
    find(text: string) {
      if (text !== KEY) throw gridError('API_KEY_UNKNOWN', text);
      return { user: 'keyed', token: null, subjectId: 'keyed-id', key: { id: 'k', scope: undefined } };
    },
    cached: () => undefined,
  };
  const options = { serviceName: 'svc', records, sessions, apiKeys, authenticator, certificateUsers };
  authentication = createAuthentication({ ...options, compatibility: 'contract' });
  lenient = createAuthentication({ ...options, compatibility: 'reference' });
});

interface Case {
  readonly title: string;
  readonly cmd?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly authorization?: string;
  readonly subject?: string;
  readonly lenient?: boolean;
  /** `user`: a session of that user is expected; otherwise the text of the error. */
  readonly expected: string;
}

const LIVE = '<live token>';
const cases: readonly Case[] = [
  { title: 'nothing', expected: REJECTED },
  { title: 'nothing, on the command that is open', cmd: 'probe', expected: '' },
  { title: 'nothing, on version', cmd: 'version', expected: REJECTED },
  { title: 'nothing, on version in Ignite mode', cmd: 'version', lenient: true, expected: '' },
  { title: 'user and password', params: { user: 'svc', password: 'secret' }, expected: 'svc' },
  ...['adduser', 'updateuser', 'removeuser'].flatMap((cmd): Case[] => {
    const params = { user: 'other', password: 'other' };
    return [
      { title: `${cmd} with a token`, cmd, params: { ...params, sessionToken: LIVE }, expected: 'svc' },
      {
        title: `${cmd} with credentials`,
        cmd,
        params: { ...params, 'svc.login': 'svc', 'svc.password': 'secret' },
        expected: 'svc',
      },
      { title: `${cmd} with Basic`, cmd, params, authorization: basic('svc:secret'), expected: 'svc' },
      { title: `${cmd} with Bearer`, cmd, params, authorization: `Bearer ${LIVE}`, expected: 'svc' },
      { title: `${cmd} with a certificate`, cmd, params, subject: 'CN=ann', expected: 'ann' },
      { title: `${cmd} with nothing else`, cmd, params, expected: wrong('other') },
    ];
  }),
  { title: 'nothing, on authenticate', cmd: 'authenticate', expected: wrong(null) },
  { title: 'a live token, on authenticate', cmd: 'authenticate', params: { sessionToken: LIVE }, expected: 'svc' },
  ...[LIVE, UNKNOWN].flatMap((sessionToken): Case[] =>
    [false, true].flatMap((lenient): Case[] => {
      const beside = `on authenticate beside ${sessionToken === LIVE ? 'a live' : 'an unknown'} token`;
      const common = { cmd: 'authenticate', lenient };
      const mode = lenient ? ' in Ignite mode' : '';
      return [
        {
          ...common,
          title: `wrong credentials, ${beside}${mode}`,
          params: { sessionToken, 'svc.login': 'ann', 'svc.password': 'x' },
          expected: wrong('ann'),
        },
        {
          ...common,
          title: `other credentials, ${beside}${mode}`,
          params: { sessionToken, 'svc.login': 'ann', 'svc.password': 'pass:wörd' },
          expected: 'ann',
        },
        {
          ...common,
          title: `other credentials by the other names, ${beside}${mode}`,
          params: { sessionToken, user: 'ann', password: 'pass:wörd' },
          expected: 'ann',
        },
        {
          ...common,
          title: `a login without password, ${beside}${mode}`,
          params: { sessionToken, 'svc.login': 'svc' },
          expected: lenient ? wrong('svc') : missing('svc', 'password'),
        },
        {
          ...common,
          title: `a wrong Basic header, ${beside}${mode}`,
          params: { sessionToken },
          authorization: basic('ann:x'),
          expected: wrong('ann'),
        },
      ];
    }),
  ),
  {
    title: 'credentials, on authenticate beside a Bearer header',
    cmd: 'authenticate',
    params: { 'svc.login': 'ann', 'svc.password': 'x' },
    authorization: `Bearer ${LIVE}`,
    expected: wrong('ann'),
  },
  {
    title: 'a token beside a Basic header, elsewhere',
    params: { sessionToken: LIVE },
    authorization: basic('ann:x'),
    expected: 'svc',
  },
  { title: 'a live token', params: { sessionToken: LIVE }, expected: 'svc' },
  { title: 'a live token beside wrong credentials', params: { sessionToken: LIVE, 'svc.login': 'x' }, expected: 'svc' },
  { title: 'an unknown token', params: { sessionToken: UNKNOWN }, expected: UNKNOWN_TEXT },
  {
    title: 'an unknown token beside right credentials',
    params: { sessionToken: UNKNOWN, 'svc.login': 'svc', 'svc.password': 'secret' },
    expected: UNKNOWN_TEXT,
  },
  { title: 'an empty token', params: { sessionToken: '' }, expected: REJECTED },
  { title: 'a token of 31 characters', params: { sessionToken: UNKNOWN.slice(1) }, expected: REJECTED },
  {
    title: 'a token that is none, beside right credentials',
    params: { sessionToken: 'zz', 'svc.login': 'svc', 'svc.password': 'secret' },
    expected: 'svc',
  },
  { title: 'credentials', params: { 'svc.login': 'svc', 'svc.password': 'secret' }, expected: 'svc' },
  { title: 'credentials by the other names', params: { user: 'svc', password: 'secret' }, expected: 'svc' },
  {
    title: 'the own names win over the other ones',
    params: { 'svc.login': 'svc', 'svc.password': 'secret', user: 'x', password: 'y' },
    expected: 'svc',
  },
  {
    title: 'one of the own names is enough to win',
    params: { 'svc.password': 'secret', user: 'svc', password: 'secret' },
    expected: `${wrong(null)}: the parameter user is unknown, did you mean svc.login?`,
  },
  { title: 'a wrong password', params: { 'svc.login': 'svc', 'svc.password': 'x' }, expected: wrong('svc') },
  { title: 'a login without password', params: { 'svc.login': 'svc' }, expected: missing('svc', 'password') },
  {
    title: 'adduser without a token logs in as the user it names',
    cmd: 'adduser',
    params: { user: 'bob', password: 'p' },
    expected: wrong('bob'),
  },
  { title: 'a Bearer header', authorization: `Bearer ${LIVE}`, expected: 'svc' },
  { title: 'a Bearer header with an unknown token', authorization: `Bearer ${UNKNOWN}`, expected: UNKNOWN_TEXT },
  { title: 'a Bearer header with no token', authorization: 'Bearer zz', expected: NO_BEARER },
  { title: 'a Bearer header with a part of an API key', authorization: 'Bearer svck_12', expected: NO_BEARER },
  { title: 'a Bearer header with an API key', authorization: `Bearer ${KEY}`, expected: 'keyed' },
  {
    title: 'a Bearer header with a wrong API key',
    authorization: `Bearer ${OTHER_KEY}`,
    expected: `The API key is unknown, expired or revoked [id=${OTHER_KEY}]`,
  },
  { title: 'an API key as a token', params: { sessionToken: KEY }, expected: `${REJECTED}: ${KEY_PLACE}` },
  {
    title: 'an API key as a token beside right credentials',
    params: { sessionToken: KEY, 'svc.login': 'svc', 'svc.password': 'secret' },
    expected: 'svc',
  },
  {
    title: 'a live token beside a wrong API key',
    params: { sessionToken: LIVE },
    authorization: `Bearer ${OTHER_KEY}`,
    expected: 'svc',
  },
  { title: 'a Bearer header with half an API key', authorization: `Bearer ${KEY.slice(0, 40)}`, expected: NO_BEARER },
  { title: 'an API key without Bearer', authorization: KEY, expected: NO_SCHEME },
  { title: 'an API key after another word', authorization: `ApiKey ${KEY}`, expected: NO_SCHEME },
  { title: 'half an API key without Bearer', authorization: KEY.slice(0, 40), expected: NO_SCHEME },
  { title: 'a header with something else', authorization: 'svc secret', expected: REJECTED },
  { title: 'a Basic header', authorization: basic('svc:secret'), expected: 'svc' },
  {
    title: 'a Basic header, the password with a colon and not ASCII',
    authorization: basic('ann:pass:wörd'),
    expected: 'ann',
  },
  { title: 'a Basic header with a wrong password', authorization: basic('ann:x'), expected: wrong('ann') },
  { title: 'a Basic header that is no base64', authorization: 'Basic %%%', expected: REJECTED },
  { title: 'another scheme', authorization: 'Digest abc', expected: REJECTED },
  {
    title: 'parameters win over the header',
    params: { 'svc.login': 'ann', 'svc.password': 'x' },
    authorization: basic('svc:secret'),
    expected: wrong('ann'),
  },
  { title: 'a certificate that maps to a user', subject: 'CN=ann', expected: 'ann' },
  { title: 'a certificate of a removed user', subject: 'CN=gone', expected: wrong('gone') },
  { title: 'a certificate of nobody', subject: 'CN=other', expected: REJECTED },
];

function request(each: Case): RawRequest {
  const live = (text: string) => text.replace(LIVE, token);
  const params = new Map(Object.entries(each.params ?? {}).map(([name, value]) => [name, live(value)]));
  return {
    cmd: each.cmd ?? 'state',
    params,
    header: (name) => (name === 'authorization' && each.authorization !== undefined ? live(each.authorization) : null),
    peerAddress: () => '10.0.0.1',
    peerNetwork: () => ({ name: '10.0.0.1', isConnection: false }),
    certificateSubject: each.subject,
    method: 'GET',
    signal: () => new AbortController().signal,
    end: () => {},
  };
}

async function authenticate(each: Case): Promise<string> {
  const command = findCommand(each.cmd ?? 'state');
  if (command === undefined) throw new Error('no such command');
  const by = each.lenient === true ? lenient : authentication;
  try {
    return (await by.authenticate(request(each), command)).user;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('the head of a request says of its sender', () => {
  const HEADS: ReadonlyArray<readonly [title: string, head: Omit<Case, 'title' | 'expected'>, string]> = [
    ['nothing without credentials', {}, 'unknown'],
    ['the owner of a live token', { params: { sessionToken: LIVE } }, 'known'],
    ['that an unknown token is wrong', { params: { sessionToken: UNKNOWN } }, UNKNOWN_TEXT],
    ['nothing where the command is open', { cmd: 'probe', params: { sessionToken: UNKNOWN } }, 'unknown'],
    ['the same where the body names the command', { cmd: '', params: { sessionToken: UNKNOWN } }, UNKNOWN_TEXT],
    ['the owner of a live Bearer token', { authorization: `Bearer ${LIVE}` }, 'known'],
    ['that an unknown Bearer token is wrong', { authorization: `Bearer ${UNKNOWN}` }, UNKNOWN_TEXT],
    ['the user of an API key', { authorization: `Bearer ${KEY}` }, 'known'],
    [
      'that an API key is wrong',
      { authorization: `Bearer ${OTHER_KEY}` },
      `The API key is unknown, expired or revoked [id=${OTHER_KEY}]`,
    ],
    ['nothing by a Bearer header without a token', { authorization: 'Bearer zz' }, 'unknown'],
    ['the user of a Basic header', { authorization: basic('svc:secret') }, 'known'],
    ['that a wrong Basic header is wrong', { authorization: basic('svc:wrong') }, wrong('svc')],
    [
      'nothing by a wrong Basic header where the command is open',
      { cmd: 'probe', authorization: basic('svc:wrong') },
      'unknown',
    ],
    [
      'nothing by a wrong Basic header beside credentials in parameters, which outrank it',
      { params: { user: 'svc' }, authorization: basic('svc:wrong') },
      'unknown',
    ],
    ['the user of a certificate', { subject: 'CN=ann' }, 'known'],
    ['nothing by a certificate of nobody', { subject: 'CN=other' }, 'unknown'],
  ];
  for (const [title, head, preAuthentication] of HEADS) {
    test(title, async () => {
      const each = { title, expected: '', ...head };
      const result = await authentication.preAuthenticate(request(each), findCommand(each.cmd ?? 'state'));
      expect(result instanceof GridError ? result.message : result).toBe(preAuthentication);
    });
  }
});

test('a header that was rejected with the head is not verified again, and counts beside no other credentials', async () => {
  const command = findCommand('state');
  if (command === undefined) throw new Error('no such command');
  const preAuthentication = new GridError('CREDENTIALS_WRONG', 'rejected before');
  const authorization = basic('svc:secret');
  const ask = async (params: Record<string, string>) => {
    const each = { ...request({ title: '', params, authorization, expected: '' }), preAuthentication };
    return authentication.authenticate(each, command);
  };
  await expect(ask({})).rejects.toThrow('rejected before');
  expect((await ask({ sessionToken: LIVE })).user).toBe('svc');
});

describe('who asks', () => {
  for (const each of cases) test(each.title, async () => expect(await authenticate(each)).toBe(each.expected));

  test('every login starts a session of its own with the same subject', async () => {
    const command = findCommand('authenticate');
    if (command === undefined) throw new Error('no such command');
    const login: Case = { title: '', params: { 'svc.login': 'svc', 'svc.password': 'secret' }, expected: '' };
    const first = await authentication.authenticate(request(login), command);
    const second = await authentication.authenticate(request(login), command);
    expect(first.token).toMatch(/^[0-9A-F]{32}$/);
    expect(second.token).not.toBe(first.token);
    expect([first.subjectId, second.subjectId]).toEqual([svcId, svcId]);
  });
});

describe('Authorization header', () => {
  const headers: ReadonlyArray<readonly [string | null, unknown]> = [
    [null, undefined],
    ['', undefined],
    ['Bearer', undefined],
    [`bearer ${UNKNOWN}`, UNKNOWN],
    [`  BEARER   ${UNKNOWN} `, UNKNOWN],
    [basic('a:b:c'), { name: 'a', password: 'b:c' }],
    [basic(':'), { name: '', password: '' }],
    [basic('nocolon'), undefined],
    ['Basic /////w==', undefined],
  ];
  for (const [value, expected] of headers) {
    test(JSON.stringify(value), () => expect(readHeader(value)).toEqual(expected as ReturnType<typeof readHeader>));
  }
});

const textOf = async (name: string, params: Record<string, string>, by = authentication): Promise<string> => {
  const command = findCommand(name);
  if (command === undefined) throw new Error('no such command');
  try {
    await by.authenticate(request({ title: '', params, expected: '' }), command);
    return 'logged in';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('a login whose parameters have other names', () => {
  const WRONG = 'The user name or password is incorrect [userName=null]';
  test.each([
    ['none at all: the recorded text', {}, WRONG],
    ['login', { login: 'x' }, `${WRONG}: the parameter login is unknown, did you mean svc.login?`],
    [
      'username and password',
      { username: 'x', password: 'y' },
      `${WRONG}: the parameter username is unknown, did you mean svc.login?`,
    ],
    [
      'of another service',
      { 'ignite.login': 'x' },
      `${WRONG}: the parameter ignite.login is unknown, did you mean svc.login?`,
    ],
    ['pwd', { pwd: 'y' }, `${WRONG}: the parameter pwd is unknown, did you mean svc.password?`],
    ['a parameter of no login', { color: 'x' }, WRONG],
    ['the right ones', { 'svc.login': 'svc', 'svc.password': 'secret', login: 'x' }, 'logged in'],
  ] as ReadonlyArray<readonly [string, Record<string, string>, string]>)('%s', async (_, params, expected) => {
    expect(await textOf('authenticate', params)).toBe(expected);
  });
});

describe('incomplete credentials of any command', () => {
  const cases: ReadonlyArray<readonly [command: string, params: Record<string, string>, expected: string]> = [
    ['get', { 'svc.password': 'x' }, missing(null, 'login')],
    ['get', { password: 'x' }, missing(null, 'login')],
    ['get', { user: 'svc' }, missing('svc', 'password')],
    ['authenticate', { 'svc.login': 'svc' }, missing('svc', 'password')],
    ['get', { login: 'svc', password: 'x' }, `${wrong(null)}: the parameter login is unknown, did you mean svc.login?`],
    [
      'get',
      { 'svc.login': 'svc', password: 'secret' },
      `${wrong('svc')}: the parameter password is unknown, did you mean svc.password?`,
    ],
    ['adduser', { 'svc.login': 'svc', user: 'ann', password: 'x' }, missing('svc', 'password')],
    ['exe', { 'svc.password': 'x', name: 'task' }, missing(null, 'login')],
  ];
  test.each(cases)('%s %j', async (command, params, expected) => {
    expect(await textOf(command, params)).toBe(expected);
  });
  test("with the flag for misspelt names, the text is Ignite's", async () => {
    expect(await textOf('get', { login: 'svc', password: 'x' }, lenient)).toBe(wrong(null));
  });
});
