import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../base/manual-clock.ts';
import { COMMANDS, findCommand } from '../../commands/registry.ts';
import { openModelGrid } from '../../engines/model/model-grid.ts';
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

function request(params: Readonly<Record<string, string>>): RawRequest {
  return {
    cmd: params.cmd,
    params: new Map(Object.entries(params)),
    header: () => null,
    peerAddress: () => '10.0.0.1',
    peerNetwork: () => ({ name: '10.0.0.1', isConnection: false }),
    method: 'GET',
    signal: () => new AbortController().signal,
  };
}

function auditTo(lines: string[], clock = new ManualClock()) {
  return createAudit({ sink: { append: (line) => lines.push(line) }, clock, defaultCache: 'main' });
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

  test('limits failed administrative commands but records all successful ones', () => {
    const lines: string[] = [];
    const audit = auditTo(lines);
    const caller = { user: 'ann', token: null, subjectId: null };
    for (let n = 0; n < 1_000; n++) audit.ended(commandOf('setstate'), FAILED, caller, request({ state: 'x' }));
    expect(lines).toHaveLength(50);
    for (let n = 0; n < 100; n++) audit.ended(commandOf('clear'), DONE, caller, request({ cacheName: 'c' }));
    expect(lines).toHaveLength(150);
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

  test('limits rejected requests and records how many were left out', () => {
    const lines: string[] = [];
    const clock = new ManualClock();
    const audit = auditTo(lines, clock);
    const caller = { user: '', token: null, subjectId: null };
    const reject = () => audit.ended(commandOf('get'), WRONG, caller, request({}));
    for (let n = 0; n < 1_000; n++) reject();
    expect(lines).toHaveLength(50);
    clock.advance(1_000);
    reject();
    expect(JSON.parse(lines[50] ?? '')).toMatchObject({ suppressed: 950 });
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
  const noted = new WatchedThreads(1).commandsOf(0);
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
    observer: createObserver({ metrics, audit, log, health, slowMs: 5_000, commands: { names: [], noted } }),
  };
}

const ANN = { user: 'ann', token: null, subjectId: null };

describe('ignored parameters', () => {
  test('are counted, and each name is logged once, up to a bound', () => {
    const { observer, metrics, lines } = observe();
    for (let round = 0; round < 2; round++) {
      for (let each = 0; each < 150; each++) observer.ignored('get', `tag${each}`);
    }
    expect(metrics.ignoredParameters()).toBe(300);
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
