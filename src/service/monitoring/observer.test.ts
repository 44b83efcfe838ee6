import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { rateMemory, SharedRates } from '../../base/shared-rates.ts';
import { COMMANDS, findCommand } from '../../commands/registry.ts';
import type { Grid } from '../../grid/grid.ts';
import type { Outcome, RawRequest } from '../request.ts';
import { createAudit } from './audit.ts';
import { createHealth, HEALTH_BYTES } from './health.ts';
import { createLog } from './log.ts';
import { Metrics } from './metrics.ts';
import { createObserver } from './observer.ts';
import { WatchedThreads } from './watched-threads.ts';

function outcome(successStatus: Outcome['successStatus'], error: string | null): Outcome {
  return {
    successStatus,
    http: 200,
    error,
    response: 'null',
    affinityNodeId: undefined,
    sessionToken: null,
    securitySubjectId: null,
  };
}

function request(params: Readonly<Record<string, string>>, address = '10.0.0.1'): RawRequest {
  return {
    cmd: params.cmd,
    params: new Map(Object.entries(params)),
    header: () => null,
    peerAddress: () => address,
    peerNetwork: () => ({ name: address, isConnection: false }),
    method: 'GET',
    signal: () => new AbortController().signal,
    end: () => {},
  };
}

/** Returns an audit that appends what succeeded to `done` and everything else to `failures`, by default the same. */
function auditTo(done: string[], clock = new ManualClock(), failures = done) {
  return createAudit({
    sinks: { done: { append: (line) => done.push(line) }, failures: { append: (line) => failures.push(line) } },
    clock,
    rates: new SharedRates(clock, rateMemory()),
    defaultCache: 'main',
  });
}

function commandOf(name: string) {
  const found = findCommand(name);
  if (found === undefined) throw new Error(`no command ${name}`);
  return found;
}

const DONE = outcome(0, null);
const FAILED = outcome(1, 'Failed to handle request: [req=X, err=no]');
const REJECTED = outcome(3, 'Authorization failed [user=ann, missing=x]');
const WRONG = outcome(2, 'The user name or password is incorrect [userName=bob]');
const UNKNOWN = outcome(
  1,
  'Failed to handle request - unknown session token (maybe expired session) [sesTok=ABABABABABABABABABABABABABABABAB]',
);

describe('the audit log', () => {
  const password = { password: 'pw1' };
  /** Command, parameters, outcome, members of the line; undefined: no line. */
  const cases: ReadonlyArray<readonly [string, Record<string, string>, Outcome, Record<string, unknown> | undefined]> =
    [
      ['get', { key: '1' }, DONE, undefined],
      ['get', { key: '1' }, FAILED, undefined],
      ['get', { key: '1' }, REJECTED, { message: 'rejected', command: 'get', user: 'ann', status: 3 }],
      ['put', { key: 'k1', val: 'v1', cacheName: 'c' }, UNKNOWN, { message: 'rejected', cacheName: 'c', status: 1 }],
      ['authenticate', { 'svc.login': 'bob', 'svc.password': 'pw1' }, WRONG, { message: 'rejected', status: 2 }],
      ['authenticate', { 'svc.login': 'ann', 'svc.password': 'pw1' }, DONE, { message: 'done', user: 'ann' }],
      ['adduser', { user: 'bob', ...password }, DONE, { message: 'done', about: 'bob', address: '10.0.0.1' }],
      ['adduser', { user: 'bob', ...password }, FAILED, { message: 'failed', about: 'bob', status: 1 }],
      ['updateuser', { user: 'ann', ...password }, DONE, { message: 'done', about: 'ann' }],
      ['removeuser', { user: 'bob' }, DONE, { message: 'done', about: 'bob' }],
      ['setstate', { state: 'INACTIVE', force: 'true' }, DONE, { message: 'done', state: 'INACTIVE', force: 'true' }],
      ['deactivate', {}, FAILED, { message: 'failed', command: 'deactivate' }],
      ['log', { path: 'x.log' }, DONE, { message: 'done', path: 'x.log' }],
      ['getorcreate', { cacheName: 'c' }, DONE, { message: 'done', cacheName: 'c' }],
      ['destcache', { cacheName: 'c' }, DONE, { message: 'done', cacheName: 'c' }],
      ['clear', { cacheName: 'c' }, DONE, { message: 'done', cacheName: 'c' }],
      ['exe', { name: 'svc.echo', p1: 'pw1' }, DONE, undefined],
      ['exe', { name: 'svc.echo', p1: 'pw1' }, REJECTED, { message: 'rejected', name: 'svc.echo' }],
      ['qryfldexe', { qry: "select 'pw1'" }, DONE, undefined],
      ['qryfldexe', { qry: "create user bob with password 'pw1'" }, DONE, { statement: 'CREATE USER' }],
      [
        'qryfldexe',
        { qry: "create user bob with 'pw1'" },
        outcome(1, "Syntax error in SQL statement: create user bob with 'pw1'"),
        { statement: 'CREATE USER', message: 'failed' },
      ],
      [
        'qryfldexe',
        { qry: "create table t(v varchar default 'pw1')" },
        FAILED,
        { statement: 'CREATE TABLE', objects: 'T', cacheName: 'main' },
      ],
      ['qryfldexe', { qry: 'drop table s.t' }, DONE, { statement: 'DROP TABLE', objects: 'S.T' }],
      ['qryfldexe', { qry: 'create index i on t(a)' }, DONE, { statement: 'CREATE INDEX', objects: 'T' }],
      ['qryfldexe', { qry: 'drop index i' }, DONE, { statement: 'DROP INDEX', objects: 'I' }],
      ['qryfldexe', { qry: 'create view v as select * from t' }, DONE, { statement: 'CREATE VIEW', objects: 'V, T' }],
      ['qryfldexe', { qry: "kill query '12-3'" }, DONE, { statement: 'KILL QUERY', objects: '12-3' }],
      ['qryfldexe', { qry: 'alter user "bob" with password \'pw1\'' }, DONE, { statement: 'ALTER USER', about: 'bob' }],
      ['qryfldexe', { qry: 'drop user bob' }, DONE, { statement: 'DROP USER', about: 'BOB' }],
      ['qryfldexe', { qry: "select a from t where b = 'pw1'" }, REJECTED, { objects: 'T' }],
      ['qryfldexe', { qry: 'insert into t select * from s.u' }, REJECTED, { objects: 'T, S.U' }],
      ['qryfldexe', { qry: "select 'pw1" }, REJECTED, { message: 'rejected' }],
      ['get', { key: '1' }, REJECTED, { cacheName: 'main' }],
      ['get', { key: '1', cacheName: '' }, REJECTED, { cacheName: 'main' }],
      ['incr', { key: 'visits' }, REJECTED, { counter: 'visits' }],
      ['qrykill', { qryId: '12' }, DONE, { qryId: '12' }],
      ['import', { table: 'person', importId: 'p-1' }, REJECTED, { table: 'person', importId: 'p-1' }],
      ['importrmv', { importId: 'p-1' }, REJECTED, { importId: 'p-1' }],
      ['backup', { name: 'b-1' }, DONE, { name: 'b-1' }],
    ];
  for (const [name, params, result, expected] of cases) {
    test(`${name} ${JSON.stringify(params)}, status ${result.successStatus}`, () => {
      const lines: string[] = [];
      const audit = auditTo(lines);
      const caller = { user: 'ann', token: 'ABABABABABABABABABABABABABABABAB', subjectId: null };
      audit.ended(commandOf(name), result, caller, request(params));
      expect(lines).toHaveLength(expected === undefined ? 0 : 1);
      for (const line of lines) {
        expect(JSON.parse(line)).toMatchObject({ level: 'audit', time: '2023-11-14T22:13:20.000Z', ...expected });
        for (const secret of ['pw1', 'v1', 'k1', 'ABABAB']) expect(line).not.toContain(secret);
      }
    });
  }

  test('keeps what succeeded apart from what was rejected or failed, and never leaves it out', () => {
    const done: string[] = [];
    const failures: string[] = [];
    const audit = auditTo(done, new ManualClock(), failures);
    const caller = { user: 'ann', token: null, subjectId: null };
    for (let n = 0; n < 1_000; n++) audit.ended(commandOf('setstate'), FAILED, caller, request({ state: 'x' }));
    for (let n = 0; n < 1_000; n++) audit.ended(commandOf('setstate'), REJECTED, caller, request({ state: 'x' }));
    audit.rejected(WRONG, request({}));
    expect([done.length, failures.length]).toEqual([0, 60]);
    for (let n = 0; n < 1_000; n++) audit.ended(commandOf('clear'), DONE, caller, request({ cacheName: 'c' }));
    expect([done.length, failures.length]).toEqual([1_000, 60]);
  });

  test('limits the lines about logins and reads of a network, apart from its failures, and never those of changes', () => {
    const done: string[] = [];
    const failures: string[] = [];
    const clock = new ManualClock();
    const audit = auditTo(done, clock, failures);
    const caller = { user: 'ann', token: null, subjectId: null };
    for (let n = 0; n < 1_000; n++) audit.ended(commandOf('adduser'), FAILED, caller, request({ user: 'bob' }));
    for (let n = 0; n < 1_000; n++) audit.ended(commandOf('rolelist'), DONE, caller, request({}));
    for (let n = 0; n < 10; n++) audit.ended(commandOf('authenticate'), DONE, caller, request({}, '10.0.0.2'));
    expect([done.length, failures.length]).toEqual([70, 60]);
    for (let n = 0; n < 100; n++) audit.ended(commandOf('clear'), DONE, caller, request({ cacheName: 'c' }));
    const drop = request({ qry: 'drop user bob' });
    for (let n = 0; n < 100; n++) audit.ended(commandOf('qryfldexe'), DONE, caller, drop);
    expect([done.length, failures.length]).toEqual([270, 60]);
    clock.advance(60_000);
    const [inDone = '', inFailures = ''] = [done[270], failures[60]];
    expect(JSON.parse(inDone)).toMatchObject({ message: 'suppressed', address: '10.0.0.1', suppressed: 940 });
    expect(JSON.parse(inFailures)).toMatchObject({ message: 'suppressed', address: '10.0.0.1', suppressed: 940 });
  });

  test.each([
    ['control characters', '\u0001'],
    ['quotes', '"'],
    ['unpaired surrogates', '\ud800'],
    ['characters of three bytes', '\u20ac'],
    ['characters of four bytes', '\u{1f600}'],
  ])('bounds a line after it has been escaped: %s', (_title, character) => {
    const lines: string[] = [];
    const text = character.repeat(200);
    const audit = auditTo(lines);
    const result = outcome(2, `The user name or password is incorrect [userName=${text}]`);
    const caller = { user: text, token: null, subjectId: null };
    audit.ended(commandOf('roleassign'), result, caller, request({ user: text, roles: text }));
    audit.ended(commandOf('roleassign'), DONE, caller, request({ user: text, roles: text }));
    audit.rejected(result, request({}));
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThan(4 * 200 + 200);
    expect(JSON.parse(lines[0] ?? '').roles).toStartWith(character.repeat(33));
  });

  test('escapes and truncates what clients send', () => {
    const lines: string[] = [];
    const audit = auditTo(lines);
    const caller = { user: '', token: null, subjectId: null };
    const forged = 'x\r\n{"level":"audit","message":"done","user":"svc"}\u2028';
    const result = outcome(2, `The user name or password is incorrect [userName=${forged}${'y'.repeat(1_000_000)}]`);
    audit.ended(commandOf('adduser'), result, caller, request({ user: forged + 'y'.repeat(1_000_000) }));
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/[\r\n]/);
    expect(lines[0]?.length).toBeLessThan(2_000);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'rejected', user: '' });
  });

  test('limits the lines of a network, and records how many were left out', () => {
    const lines: string[] = [];
    const clock = new ManualClock();
    const audit = auditTo(lines, clock);
    const caller = { user: '', token: null, subjectId: null };
    const reject = (address: string) => audit.ended(commandOf('get'), WRONG, caller, request({}, address));
    for (let n = 0; n < 1_000; n++) reject(`2001:db8::${n}`);
    expect(lines).toHaveLength(60);
    for (let n = 0; n < 20; n++) reject('10.0.0.2');
    expect(lines).toHaveLength(80);
    clock.advance(60_000);
    expect(lines.slice(80).map((line) => JSON.parse(line))).toMatchObject([
      { level: 'audit', message: 'suppressed', address: '2001:db8:0:0::/64', suppressed: 940 },
    ]);
    reject('2001:db8::1');
    clock.advance(60_000);
    expect(lines.slice(81).map((line) => JSON.parse(line))).toMatchObject([{ message: 'rejected' }]);
  });

  test('shows the failures of a network while a flood comes from many others', () => {
    const lines: string[] = [];
    const clock = new ManualClock();
    const audit = auditTo(lines, clock);
    const reject = (address: string) => audit.rejected(WRONG, request({}, address));
    for (let n = 0; n < 100_000; n++) reject(`10.1.${n % 8}.${n % 251}`);
    const flooded = lines.length;
    // The limit for all networks, and ten for each of the 2,008.
    expect(flooded).toBeLessThanOrEqual(3_000 + 2_008 * 10);
    for (let n = 0; n < 20; n++) reject('10.0.0.2');
    expect(lines.slice(flooded).map((line) => JSON.parse(line).address)).toEqual(
      Array.from({ length: 10 }, () => '10.0.0.2'),
    );
    lines.length = 0;
    clock.advance(60_000);
    // Beyond a thousand networks, they are counted together.
    expect(lines).toHaveLength(1_001);
    const suppressed = lines.map((line) => Number(JSON.parse(line).suppressed));
    expect(suppressed.reduce((sum, each) => sum + each)).toBe(100_000 + 20 - flooded - 10);
  });
});

function observe(grid: Grid | undefined = undefined) {
  const lines: string[] = [];
  const sink = { append: (line: string) => lines.push(line) };
  const clock = new ManualClock();
  const own = grid ?? openModelGrid({ clock });
  const health = createHealth({
    grid: () => own,
    clock,
    memory: new SharedArrayBuffer(HEALTH_BYTES),
    writesFiles: true,
  });
  const present = new WatchedThreads(1).commandOf(0);
  const metrics = new Metrics(
    COMMANDS.map((each) => each.name),
    1,
  );
  const log = createLog(sink, 'info', clock);
  const audit = auditTo([], clock);
  return {
    lines,
    clock,
    grid: own,
    health,
    metrics,
    observer: createObserver({ metrics, audit, log, health, slowMs: 5_000, commands: { names: [], present } }),
  };
}

const ANN = { user: 'ann', token: null, subjectId: null };

describe('ignored parameters', () => {
  test('are counted, and each name is logged once, up to a bound', () => {
    const { observer, metrics, lines } = observe();
    for (let round = 0; round < 2; round++) {
      for (let each = 0; each < 150; each++) observer.ignored('get', `tag${each}`);
    }
    expect(metrics.counted('ignored')).toBe(300);
    expect(lines).toHaveLength(100);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', parameter: 'tag0', command: 'get' });
  });

  test('are logged with the beginning of a long name', () => {
    const { observer, lines } = observe();
    observer.ignored('get', 'x'.repeat(1_000));
    expect(JSON.parse(lines[0] ?? '').parameter).toBe('x'.repeat(100));
  });
});

describe('the observer', () => {
  test('counts a slow command and logs it without its parameters', () => {
    const { observer, metrics, lines } = observe();
    observer.begin(commandOf('get'));
    observer.end(commandOf('get'), DONE, 6_000.4, ANN, request({ key: 'k1' }));
    observer.end(commandOf('get'), DONE, 1, ANN, request({ key: 'k1' }));
    expect(metrics.commands()[0]?.outcomes[0]).toBe(2);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', command: 'get', durationMs: 6000, user: 'ann' });
    expect(lines[0]).not.toContain('k1');
  });

  test('logs an unexpected error under the id that the response contains', () => {
    const { observer, lines } = observe();
    const id = observer.unexpected(commandOf('get'), new Error('broken'));
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', id, command: 'get' });
    expect(lines[0]).toContain('broken');
  });
});
