/** The command line over sockets: a real process of the program against a real service. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndedProgram } from '../../ended-program.ts';
import { BUN, MAIN } from '../program.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { runSvcProcess } from './cli-process.ts';

// Each case starts a process or several, which a busy machine delays.
setDefaultTimeout(60_000);
let open: ServiceProcess;
let closed: ServiceProcess;
const folder = newFolder();

beforeAll(async () => {
  open = await startService();
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'admin-password' } });
}, 60_000);
afterAll(async () => {
  await Promise.all([open, closed].map((service) => service[Symbol.asyncDispose]()));
  rmSync(folder, { recursive: true, force: true });
});

const svc = (...args: string[]): Promise<EndedProgram> =>
  runSvcProcess(args, { cwd: folder, env: { SVC_URL: open.url } });

describe('commands of the interface', () => {
  const cases: ReadonlyArray<readonly [string, readonly string[], number, RegExp, RegExp]> = [
    ['a write', ['put', 'key=a', 'val=b'], 0, /^true\n$/, /^$/],
    ['JSON unless on a terminal', ['get', 'key=a'], 0, /^"b"\n$/, /^$/],
    ['a string without quotes', ['get', 'key=a', '--raw'], 0, /^b\n$/, /^$/],
    ['an object as a table', ['getall', 'k1=a', '--table'], 0, /│ a │ b │/, /^$/],
    ['digits of a long', ['incr', 'key=big', 'init=9007199254740993', 'delta=0'], 0, /^9007199254740993\n$/, /^$/],
    ['a long as a string', ['incr', 'key=big', 'delta=0', 'numbers=string'], 0, /^"9007199254740993"\n$/, /^$/],
    ['a misspelt notation', ['get', 'key=a', 'number=string'], 2, /^$/, /did you mean numbers\?/],
    ['a time to live', ['put', 'key=t', 'val=b', 'ttlMs=3600000'], 0, /^true\n$/, /^$/],
    ['what is left of it', ['ttl', 'key=t'], 0, /^3[0-9]{6}\n$/, /^$/],
    ['a request with a key', ['incr', 'key=once', 'delta=1', '--idempotency-key', 'k1'], 0, /^1\n$/, /^$/],
    ['the same request again', ['incr', 'key=once', 'delta=1', '--idempotency-key', 'k1'], 0, /^1\n$/, /^$/],
    [
      'another one with its key',
      ['incr', 'key=once', 'delta=2', '--idempotency-key', 'k1'],
      1,
      /^$/,
      /a different request/,
    ],
    ['an atomic batch', ['batch', 'atomic=true', 'commands@batch.json'], 0, /"response":true.*"response":2/, /^$/],
    [
      'one whose condition is not met',
      ['batch', 'atomic=true', 'commands@batch.json'],
      1,
      /^$/,
      /Command 1 of the batch/,
    ],
    ['a file without its @', ['batch', 'batch.json'], 2, /^$/, /^svc: batch: .*: commands@batch\.json sends/],
    [
      'a file of commands that is no JSON',
      ['batch', 'commands@broken.json'],
      2,
      /^$/,
      /^svc: batch: broken\.json is not a JSON array: .* at line 2, column 15: \{"cmd":"put" "key":"b", "val":"x+\.\.\.\n$/,
    ],
    [
      'a long text as a file of commands',
      ['batch', 'commands@long.txt'],
      2,
      /^$/,
      /^svc: batch: long\.txt is not a JSON array: .{40,90} at line 1, column 1: a{40}\.\.\.\n$/,
    ],
    ['the JSON type of its values', ['get', 'number'], 0, /^5\n$/, /^$/],
    ['a value of a file', ['put', 'key=f', 'val@value.txt'], 0, /^true\n$/, /^$/],
    ['whose content is kept', ['get', 'key=f'], 0, /^"x=1\\n"\n$/, /^$/],
    ['a missing file', ['put', 'key=f', 'val@none.txt'], 2, /^$/, /val: cannot read none\.txt/],
    ['a misspelt parameter', ['get', 'kee=a'], 2, /^$/, /^svc: get: unknown parameter kee, did you mean key\?\n$/],
    ['a key like a parameter', ['put', 'a=b', 'c'], 2, /^$/, /needs its name: key=a=b\n$/],
    ['one of many keys, with a short name', ['getall', 'k', 'a=b'], 2, /^$/, /; a value .* needs its name: k2=a=b\n$/],
    ['one of many keys', ['getall', 'k', 'zz=b'], 2, /^$/, /needs its name: k2=zz=b\n$/],
    ['a key without a name', ['get', 'a'], 0, /^"b"\n$/, /^$/],
    ['a key and a value', ['put', '7', 'seven', 'keyType=int'], 0, /^true\n$/, /^$/],
    ['a key of a type', ['get', 'keyType=int', '7', '--raw'], 0, /^seven\n$/, /^$/],
    ['several keys', ['getall', 'a', 'f', '--raw'], 0, /a.*b[\s\S]*x=1/, /^$/],
    ['a value beside a named key', ['put', 'key=mail', 'ann@example.com'], 0, /^true\n$/, /^$/],
    ['one value too many', ['get', 'a', 'b'], 2, /^$/, /^svc: get: b is one value too many: it accepts KEY; other /],
    ['a password without its name', ['adduser', 'ann', 'x'], 2, /^$/, /it accepts USER; .* such as password=x /],
    [
      'a password that is missing',
      ['adduser', 'ann'],
      2,
      /^$/,
      /password is missing: svc adduser USER password=PASSWORD /,
    ],
    ['no statement', ['qryfldexe'], 2, /^$/, /^svc: qryfldexe: the parameter qry is missing: svc qryfldexe QRY /],
    ['a value with an equals sign', ['put', 'k', 'a=b'], 2, /^$/, /a value that contains = needs its name: val=a=b/],
    ['a command without values', ['size', 'a', 'b'], 2, /^$/, /it accepts no values without names/],
    [
      'a value that is missing',
      ['put', 'a'],
      2,
      /^$/,
      /^svc: put: the parameter val is missing: svc put KEY VAL \(svc help put\)\n$/,
    ],
    [
      'a value that a command of a batch misses',
      ['batch', 'commands=[{"cmd":"put","key":"a"}]', 'atomic=true'],
      1,
      /^$/,
      /^svc: Command 1 of the batch \(put\) failed.*mandatory parameter in request: val/,
    ],
    ['keys that are missing', ['getall'], 2, /^$/, /^svc: getall: the parameter k1 is missing: svc getall K1 \.\.\. /],
    [
      'a wrong position of the feed',
      ['watch', '--from', 'yesterday'],
      1,
      /^$/,
      /yesterday\nName now, start, or a position /,
    ],
    ['a word of Redis', ['set', 'a', 'b'], 2, /^$/, /did you mean svc put\?/],
    [
      'a failure, with what to do on a second line',
      ['get', 'cacheName=none', 'key=a'],
      1,
      /^$/,
      /^svc: .*none\nCreate the cache with getorcreate\.\n$/,
    ],
    ['a duration', ['put', 'a', 'b', 'exp=5s'], 1, /^$/, /^svc: .*exp=5s\]\nSend milliseconds: exp=5000 for 5s\.\n$/],
    ['a failure whose text says all', ['get', 'x', 'keyType=int'], 1, /^$/, /^svc: .*\n$/],
    ['a misspelt command', ['gett'], 2, /^$/, /did you mean svc get/],
    ['help of a command', ['get', '--help'], 0, /keyType/, /^$/],
    ['help of the service', ['serve', '--help'], 0, /--http-port, SVC_HTTP_PORT/, /^$/],
    ['the version of the service', ['serve', '--version'], 0, /^\d+\.\d+\.\d+\n$/, /^$/],
  ];
  for (const [title, args, exitCode, output, errors] of cases) {
    test(title, async () => {
      writeFileSync(join(folder, 'value.txt'), 'x=1\n');
      const batch = [
        { cmd: 'putifabs', key: 'batched', val: 'x' },
        { cmd: 'incr', key: 'once', delta: 1 },
        { cmd: 'put', key: 'number', val: 5 },
      ];
      writeFileSync(join(folder, 'batch.json'), JSON.stringify(batch));
      writeFileSync(
        join(folder, 'broken.json'),
        `[{"cmd":"version"},\n {"cmd":"put" "key":"b", "val":"${'x'.repeat(200)}"}]\n`,
      );
      writeFileSync(join(folder, 'long.txt'), 'a'.repeat(100_000));
      expect(await svc(...args)).toEqual({
        exitCode,
        output: expect.stringMatching(output),
        errors: expect.stringMatching(errors),
      });
    });
  }

  test('a value from standard input', async () => {
    const env = { SVC_URL: open.url };
    const text = 'line 1\nline 2';
    expect(await runSvcProcess(['put', 'key=i', 'val@-'], { cwd: folder, env, input: text })).toMatchObject({
      exitCode: 0,
    });
    expect(await open.command('cmd=get&key=i')).toBe(text);
  });

  test('a service that is not there', async () => {
    const run = await runSvcProcess(['get', 'key=a', '--url', 'http://127.0.0.1:1/svc'], { cwd: folder });
    expect([run.exitCode, run.errors]).toEqual([
      3,
      expect.stringContaining('no service answers at http://127.0.0.1:1'),
    ]);
  });

  test('a service without a certificate, asked for one', async () => {
    const url = open.url.replace('http:', 'https:');
    const run = await runSvcProcess(['get', 'key=a', '--url', url], { cwd: folder });
    expect([run.exitCode, run.errors]).toEqual([3, expect.stringContaining('write http:// if it is the service')]);
  });
});

describe('credentials', () => {
  const run = (args: readonly string[], input = '') =>
    runSvcProcess(args, { cwd: folder, env: { SVC_URL: closed.url }, input });

  test('are required', async () => {
    const { exitCode, errors } = await run(['get', 'key=a']);
    expect([exitCode, errors]).toEqual([4, expect.stringMatching(/session token.*\nLog in with svc login, .*\n$/)]);
  });

  test('of another user come from a file, without its line break', async () => {
    writeFileSync(join(folder, 'new-password'), 'secret\n');
    const env = { SVC_URL: closed.url, SVC_PASSWORD: 'admin-password' };
    const added = await runSvcProcess(['adduser', 'fred', 'password@new-password', 'roles=user', '--user', 'svc'], {
      cwd: folder,
      env,
    });
    expect(added.output).toBe('true\n');
    const used = await runSvcProcess(['size', '--user', 'fred'], {
      cwd: folder,
      env: { ...env, SVC_PASSWORD: 'secret' },
    });
    expect([used.exitCode, used.errors]).toEqual([0, '']);
  });

  test('come from standard input, a file or the environment', async () => {
    writeFileSync(join(folder, 'password'), 'admin-password\n');
    const [asked, ofFile, wrong] = await Promise.all([
      run(['size', '--user', 'svc'], 'admin-password\n'),
      run(['size', '--user', 'svc', '--password-file', 'password']),
      run(['size', '--user', 'svc'], 'other\n'),
    ]);
    expect([asked.output, ofFile.output, wrong.exitCode]).toEqual(['0\n', '0\n', 4]);
  });

  test('are stored by login in a file of the user, and removed by logout', async () => {
    const file = join(folder, '.config/svc/logins.json');
    const login = await run(['login', '--user', 'svc'], 'admin-password\n');
    expect(login).toMatchObject({ exitCode: 0, output: `logged in to ${closed.url} as svc, stored in ${file}\n` });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(['size'])).output).toBe('0\n');
    expect((await run(['logout'])).exitCode).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toContain('admin-password');
    expect((await run(['size'])).exitCode).toBe(4);
  });

  test('are not stored for a service without authentication', async () => {
    const { exitCode, errors } = await runSvcProcess(['login'], {
      cwd: folder,
      env: { SVC_URL: open.url, SVC_PASSWORD: 'x' },
    });
    expect([exitCode, errors]).toEqual([1, expect.stringContaining('needs no login')]);
  });
});

test('an API key takes the place of a login', async () => {
  const admin = { SVC_URL: closed.url, SVC_PASSWORD: 'admin-password' };
  const scope = 'scope={"caches":{"*":"read"}}';
  const added = await runSvcProcess(['apikeyadd', 'name=cli', scope, '--user', 'svc'], { cwd: folder, env: admin });
  const { key, id } = JSON.parse(added.output) as { readonly key: string; readonly id: string };
  const run = (args: readonly string[]) =>
    runSvcProcess(args, { cwd: folder, env: { SVC_URL: closed.url, SVC_API_KEY: key } });
  expect((await run(['size'])).output).toBe('0\n');
  const denied = await run(['put', 'key=a', 'val=1']);
  expect([denied.exitCode, denied.errors]).toEqual([4, expect.stringContaining(`in the scope of the API key ${id}`)]);
  expect(denied.errors).toContain('Use an API key whose scope has it: apikeyadd creates one.');
  await runSvcProcess(['apikeyrmv', `id=${id}`, '--user', 'svc'], { cwd: folder, env: admin });
  expect((await run(['size'])).errors).toContain('unknown, expired or revoked');
});

describe('the service of a data folder', () => {
  test('status and stop find it', async () => {
    await using service = await startService();
    const env = { SVC_DATA_DIR: service.dataDir };
    const status = await runSvcProcess(['status'], { cwd: folder, env });
    expect(JSON.parse(status.output)).toMatchObject({ state: 'ready', url: service.url, process: service.pid });
    expect((await runSvcProcess(['put', 'key=a', 'val=1'], { cwd: folder, env })).output).toBe('true\n');
    const stop = await runSvcProcess(['stop'], { cwd: folder, env });
    expect([stop.exitCode, stop.output]).toEqual([0, `stopped process ${service.pid}\n`]);
    expect(await service.exited).toBe(0);
  });

  // Only Linux tells which files other processes have open.
  test.if(process.platform === 'linux')('stop finds it when the folder was removed', async () => {
    await using service = await startService();
    rmSync(service.dataDir, { recursive: true });
    const env = { SVC_DATA_DIR: service.dataDir };
    const status = await runSvcProcess(['status'], { cwd: folder, env });
    expect([status.exitCode, status.errors]).toEqual([
      1,
      `svc: process ${service.pid} runs on ${service.dataDir}, which was removed: end it with svc stop\n`,
    ]);
    expect(await runSvcProcess(['stop'], { cwd: folder, env })).toEqual({
      exitCode: 0,
      output: `stopped process ${service.pid}\n`,
      errors: `svc: ${service.dataDir} was removed while the service ran on it\n`,
    });
    await service.exited;
  });

  test('without one, status fails and stop has nothing to do', async () => {
    const empty = { cwd: folder };
    const [status, stop] = await Promise.all([
      runSvcProcess(['status', '--data-dir', 'data'], empty),
      runSvcProcess(['stop'], empty),
    ]);
    const nowhere = `no service runs on ${join(folder, 'data')}`;
    expect([status.exitCode, status.errors]).toEqual([3, `svc: ${nowhere}: start one with svc serve\n`]);
    expect([stop.exitCode, stop.output]).toEqual([0, `${nowhere}\n`]);
    const elsewhere = { cwd: folder, env: { SVC_URL: open.url } };
    const named = await runSvcProcess(['status', '--data-dir', 'data'], elsewhere);
    expect([named.exitCode, named.errors]).toEqual([3, `svc: ${nowhere}: start one with svc serve\n`]);
  });

  test('without one, status finds the service that commands are sent to', async () => {
    const home = newFolder();
    mkdirSync(join(home, '.config/svc'), { recursive: true });
    const status = (url: string) => {
      writeFileSync(join(home, '.config/svc/logins.json'), JSON.stringify({ default: url, services: {} }), {
        mode: 0o600,
      });
      return runSvcProcess(['status'], { cwd: home });
    };
    expect(await status(open.url)).toEqual({
      exitCode: 0,
      output: `{"state":"ready","url":"${open.url}"}\n`,
      errors: '',
    });
    const nowhere = `no service runs on ${join(home, 'data')}, and none answers at http://127.0.0.1:1/svc`;
    expect(await status('http://127.0.0.1:1/svc')).toEqual({
      exitCode: 3,
      output: '',
      errors: `svc: ${nowhere}: start one with svc serve\n`,
    });
    rmSync(home, { recursive: true });
  });

  test('a service that was killed does not count as running', async () => {
    const dataDir = newFolder();
    const service = await startService({ dataDir });
    await service.kill();
    const { exitCode } = await runSvcProcess(['status'], { cwd: folder, env: { SVC_DATA_DIR: dataDir } });
    expect(exitCode).toBe(3);
    rmSync(dataDir, { recursive: true });
  });
});

describe('standard output', () => {
  const run = async (words: string, output: string) => {
    const child = Bun.spawn(['bash', '-c', `"$BUN" "$MAIN" ${words} ${output}; echo "\${PIPESTATUS[0]}" >&2`], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', BUN: process.execPath, MAIN: join(import.meta.dir, '../../../src/main.ts') },
      stdout: 'ignore',
      stderr: 'pipe',
    });
    return child.stderr.text();
  };

  test.each(['version', 'help sql'])('of svc %s ends it without an error when its reader ends', async (words) => {
    expect(await run(words, '| true')).toBe('0\n');
  });

  test
    .skipIf(process.platform !== 'linux')
    .each([
      'version',
      'help',
      'help get',
      'sql --help',
      'serve --help',
      'migrate --help',
      'completion bash',
      'doctor',
      'config show',
    ])('of svc %s that is lost is an error', async (words) => {
    expect(await run(words, '> /dev/full')).toMatch(/^svc: standard output cannot be written: ENOSPC.*\n1\n$/);
  });

  test('is appended to a file that others write, too', async () => {
    const file = join(folder, 'shared.txt');
    await run('version', `> ${file}; { echo first; "$BUN" "$MAIN" version -h; "$BUN" "$MAIN" version; } > ${file}`);
    expect(readFileSync(file, 'utf8')).toMatch(/^first\nUsage: svc version [\s\S]*\n\d+\.\d+\.\d+\n$/);
  });
});

describe('the completion script of bash', () => {
  test('completes with the program itself, without the package bash-completion', async () => {
    await svc('put', 'room:1:2', 'free');
    const script = `
      svc() { "$BUN" "$MAIN" "$@"; }
      source <(svc completion bash)
      for COMP_LINE in 'svc sta' 'svc get cacheName=users ke' 'svc get keyType=lo' 'svc get key=ro' 'svc get room:1:'; do
        COMP_POINT=\${#COMP_LINE}
        __svc_complete_values
        echo "\${COMPREPLY[@]}"
      done
    `;
    const child = Bun.spawn(['bash', '-c', script], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', SVC_URL: open.url, BUN, MAIN },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    // Outside of a real completion, bash says that compopt has nothing to change.
    expect(await child.stdout.text()).toBe('status state\nkey= keyType=\nlong\nroom:1:2\n2\n');
  });

  test('is printed for every shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { exitCode, output } = await svc('completion', shell);
      expect([exitCode, output]).toEqual([0, expect.stringContaining(`svc completion ${shell} complete -- `)]);
    }
  });
});

describe('tables', () => {
  beforeAll(async () => {
    await svc(
      'sql',
      '-c',
      'CREATE TABLE Town (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL, area DECIMAL(8, 2), note VARCHAR)',
    );
    await svc('getorcreate', 'cacheName=towns');
    await svc('put', 'user:1', 'Oslo', 'cacheName=towns');
    await svc('put', '7', '1', 'cacheName=towns', 'keyType=long', 'valueType=int');
    await svc('put', 'not one word', 'b', 'cacheName=towns');
  });

  test('svc tables lists them, and svc describe shows one', async () => {
    expect((await svc('tables')).output).toMatch(/PUBLIC │ TOWN │ table │ SQL_PUBLIC_TOWN/);
    const { output } = await svc('describe', 'town');
    expect(output).toMatch(/ID +│ INTEGER .*primary key[\s\S]*NAME +│ VARCHAR\(40\) .*not null/);
    expect(output).toMatch(/AREA +│ DECIMAL\(8, 2\) [\s\S]*NOTE +│ VARCHAR /);
    expect((await svc('tables', '--table')).output).toBe((await svc('tables')).output);
    expect(JSON.parse((await svc('tables', '--json')).output)).toContainEqual({
      schema: 'PUBLIC',
      name: 'TOWN',
      kind: 'table',
      cacheName: 'SQL_PUBLIC_TOWN',
    });
    expect(JSON.parse((await svc('describe', 'town', '--json')).output)).toMatchObject({
      name: 'TOWN',
      columns: [
        { name: 'ID', primaryKey: true },
        { name: 'NAME', type: 'VARCHAR(40)', nullable: false },
        { name: 'AREA', type: 'DECIMAL(8, 2)' },
        { name: 'NOTE', type: 'VARCHAR' },
      ],
    });
    const nameless = await svc('describe');
    expect([nameless.exitCode, nameless.errors]).toEqual([
      2,
      "svc: missing required argument 'table': the table or view, written as in a statement; svc tables lists them\n" +
        'Usage: svc describe [options] <table> (svc help describe)\n',
    ]);
    const unknown = await svc('describe', 'twon');
    expect([unknown.exitCode, unknown.errors]).toEqual([
      1,
      'svc: there is no table or view twon, did you mean TOWN?\n',
    ]);
  });

  const COMPLETIONS: ReadonlyArray<readonly [words: readonly string[], candidates: string]> = [
    [['describe', 'TO'], 'TOWN\t\n:4\n'],
    [['export', '--table', 'T'], 'TOWN\t\n:4\n'],
    [['export', '--cache', 'to'], 'towns\t\n:4\n'],
    [['get', 'cacheName=to'], 'cacheName=towns\t\n:4\n'],
    [['get', 'cacheName=towns', 'user:'], 'user:1\t\n:4\n'],
    [['getall', 'cacheName=towns', '7', 'u'], 'user:1\t\n:4\n'],
    [['get', 'cacheName=towns', 'key=u'], 'key=user:1\t\n:4\n'],
    [['get', 'cacheName=towns', '7', 'keyType='], 'keyType=long\t\n:4\n'],
    [['get', 'cacheName=towns', 'keyType=l'], 'keyType=long\t\n:4\n'],
    [['get', 'cacheName=towns', 'keyType=u'], 'keyType=uuid\t\n:4\n'],
    [['cas', 'cacheName=towns', 'user:1', 'Turku', 'O'], 'Oslo\t\n:4\n'],
    [['cas', 'cacheName=towns', 'key=7', 'val2='], 'val2=1\t\n:4\n'],
    [['incr', 'cacheName=towns', 'u'], ':4\n'],
    [['get', 'cacheName=none', 'u'], ':4\n'],
  ];
  for (const [words, candidates] of COMPLETIONS) {
    test(`completes svc ${words.join(' ')} from the service`, async () => {
      expect((await svc('completion', 'zsh', 'complete', '--', ...words)).output).toBe(candidates);
    });
  }
});
