/** `svc sql` and `svc load-sql`: statements from arguments, standard input, files and a terminal. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { MAIN } from '../program.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { runSvcProcess } from './cli-process.ts';

const folder = newFolder();
let service: ServiceProcess;

beforeAll(async () => {
  service = await startService();
  const script = `
    CREATE TABLE City (id INT PRIMARY KEY, name VARCHAR, people INT);
    INSERT INTO City VALUES (1, 'Oslo', 709000), (2, 'São, Paulo', NULL);
    CREATE INDEX city_name ON City (name);
    CREATE VIEW big AS SELECT * FROM City WHERE people > 500000;
  `;
  writeFileSync(join(folder, 'city.sql'), script);
  const { exitCode, output } = await run(['load-sql', 'city.sql']);
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^4 statements executed, 0 failed, in /)]);
}, 60_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: readonly string[], input = '') =>
  runSvcProcess(args, { cwd: folder, env: { SVC_URL: service.url }, input });

const QUERY = 'SELECT id, name, people FROM City ORDER BY id';

describe('results', () => {
  const cases: ReadonlyArray<readonly [string, readonly string[], string]> = [
    [
      'as a table',
      ['-c', QUERY],
      '┌────┬────────────┬────────┐\n│ ID │ NAME       │ PEOPLE │\n├────┼────────────┼────────┤\n' +
        '│  1 │ Oslo       │ 709000 │\n│  2 │ São, Paulo │ (null) │\n└────┴────────────┴────────┘\n(2 rows)\n',
    ],
    ['as CSV', ['--csv', '-c', QUERY], 'ID,NAME,PEOPLE\r\n1,Oslo,709000\r\n2,"São, Paulo",\r\n'],
    [
      'as JSON',
      ['--json', '-c', QUERY],
      '[{"ID":1,"NAME":"Oslo","PEOPLE":709000},\n{"ID":2,"NAME":"São, Paulo","PEOPLE":null}]\n',
    ],
    [
      'of decimals with their scale, as JSON',
      ['--json', '-c', "SELECT CAST('2410611.00' AS DECIMAL(20, 2)) a, CAST(5 AS DECIMAL(10, 1)) b, 1.50 c"],
      '[{"A":2410611.00,"B":5.0,"C":1.50}]\n',
    ],
    ['as JSON without rows', ['--json', '-c', 'SELECT * FROM City WHERE id < 0'], '[]\n'],
    [
      'as NDJSON',
      ['--ndjson', '-c', QUERY],
      '{"ID":1,"NAME":"Oslo","PEOPLE":709000}\n{"ID":2,"NAME":"São, Paulo","PEOPLE":null}\n',
    ],
    ['as a list of columns', ['-x', '-c', 'SELECT 1 AS a, 2 AS bc'], '-[ row 1 ]-\nA  | 1\nBC | 2\n(1 row)\n'],
    ['of a change', ['-c', "UPDATE City SET name = 'Oslo' WHERE id = 1"], 'OK, 1 row changed\n'],
    ['of several statements', ['--ndjson', '-c', 'SELECT 1 a; SELECT 2 a'], '{"A":1}\n{"A":2}\n'],
    ['of statements without -c', ['--ndjson', 'SELECT 1 a; SELECT 2 a', 'SELECT 3 a'], '{"A":1}\n{"A":2}\n{"A":3}\n'],
  ];
  for (const [title, args, expected] of cases) {
    test(title, async () => expect(await run(['sql', ...args])).toMatchObject({ exitCode: 0, output: expected }));
  }

  test('of more rows than a page', async () => {
    const { output } = await run(['sql', '-c', 'SELECT x FROM SYSTEM_RANGE(1, 2500)']);
    expect(output).toContain('│ 2500 │');
    expect(output).toEndWith('(2500 rows)\n');
    const csv = await run(['sql', '--csv', '-c', 'SELECT x FROM SYSTEM_RANGE(1, 100000)']);
    expect(csv.output.trimEnd().split('\r\n')).toHaveLength(100_001);
  });

  test('end quietly when nobody reads them', async () => {
    const command = `"$0" "$1" sql --url ${service.url} -c 'SELECT x FROM SYSTEM_RANGE(1, 1000000)' --csv | head -2`;
    const child = Bun.spawn(['bash', '-c', command, process.execPath, MAIN], {
      cwd: folder,
      stdout: 'pipe',
      stderr: 'pipe',
    });
    expect([await child.stdout.text(), await child.stderr.text()]).toEqual(['X\r\n1\r\n', '']);
  });
});

describe('scripts', () => {
  const SCRIPT = 'SELECT 1 a;\n\nSELECT nothing;\nSELECT 2 a;\n';
  test('of standard input stop at the first failure', async () => {
    const { exitCode, output, errors } = await run(['sql', '--ndjson'], SCRIPT);
    expect([exitCode, output]).toEqual([1, '{"A":1}\n']);
    expect(errors).toBe('svc: line 3: Column "NOTHING" not found\nSELECT nothing\n       ^\n');
  });
  const PLACES: ReadonlyArray<readonly [title: string, statement: string, errors: string]> = [
    ['on a further line, behind a tab', 'SELECT 1,\n\tSUBSTR(nme, 1)', '\tSUBSTR(nme, 1)\n\t       ^'],
    ['at the first character', 'SELEC 1', 'SELEC 1\n^'],
    ['at the end', 'SELECT (1', 'SELECT (1\n         ^'],
    [
      'in a long line',
      `SELECT ${'1,'.repeat(100)}nme, ${'2,'.repeat(100)}3`,
      `${'1,'.repeat(30)}nme, ${'2,'.repeat(17)}2\n${' '.repeat(60)}^`,
    ],
  ];
  test.each(PLACES)('mark the place of an error: %s', async (_title, statement, place) => {
    const { exitCode, output, errors } = await run(['sql', '-c', statement]);
    expect([exitCode, output]).toEqual([1, '']);
    expect(errors).toMatch(/^svc: [^\n]+\n/);
    expect(errors).not.toContain('-197]');
    expect(errors.slice(errors.indexOf('\n') + 1)).toBe(`${place}\n`);
  });
  test('name what takes the place of a form of another database', async () => {
    const { errors } = await run(['sql', '-c', 'DELETE FROM City RETURNING id']);
    expect(errors).toEndWith(
      'A change returns the number of its rows. Select them in the same batch, with atomic=true.\n',
    );
  });
  test('or go on', async () => {
    expect(await run(['sql', '--ndjson', '--continue'], SCRIPT)).toMatchObject({
      exitCode: 1,
      output: '{"A":1}\n{"A":2}\n',
    });
  });
  test('of a file report file and line, and resume', async () => {
    writeFileSync(
      join(folder, 'broken.sql'),
      'CREATE TABLE t (a INT PRIMARY KEY, b INT);\nINSERT INTO t (a) VALUES (1);\noops;\n',
    );
    const { exitCode, errors } = await run(['load-sql', 'broken.sql']);
    expect([exitCode, errors]).toEqual([1, expect.stringMatching(/^broken\.sql:3: /)]);
    writeFileSync(join(folder, 'broken.sql'), `\n\nINSERT INTO t (a) VALUES (2);\n`);
    expect((await run(['load-sql', 'broken.sql', '--from-line', '3'])).output).toStartWith(
      '1 statement executed, 0 failed',
    );
    expect((await run(['sql', '--ndjson', '-c', 'SELECT SUM(a) s FROM t'])).output).toBe('{"S":3}\n');
  });
  test('of a compressed file, and of one that is no text in UTF-8', async () => {
    const script = "SELECT 'größe';\n";
    writeFileSync(join(folder, 'packed.sql.gz'), gzipSync(script));
    expect((await run(['load-sql', 'packed.sql.gz'])).output).toStartWith('1 statement executed, 0 failed');
    const files: ReadonlyArray<readonly [name: string, bytes: Uint8Array, error: string]> = [
      ['utf16.sql', Buffer.from(`\ufeff${script}`, 'utf16le'), 'the script is UTF-16: convert it'],
      ['unmarked.sql', Buffer.from(script, 'utf16le'), 'the script contains zero bytes'],
      ['packed.sql', gzipSync(script), 'the script is compressed with gzip'],
      ['latin1.sql', Buffer.from(script, 'latin1'), 'the script is not UTF-8: if it is Latin-1'],
    ];
    for (const [name, bytes, error] of files) {
      writeFileSync(join(folder, name), bytes);
      const { exitCode, errors } = await run(['load-sql', name]);
      expect([exitCode, errors]).toEqual([2, expect.stringContaining(error)]);
    }
    const piped = await run(['load-sql', '-'], script.split('').join('\0'));
    expect([piped.exitCode, piped.errors]).toEqual([2, expect.stringContaining('the script contains zero bytes')]);
  });
  test('of a file that does not exist', async () => {
    expect(await run(['load-sql', 'none.sql'])).toMatchObject({
      exitCode: 2,
      errors: `svc: there is no file ${join(folder, 'none.sql')}\n`,
    });
  });
});

describe('a file and commands of the prompt', () => {
  const script =
    "SELECT 'a\n\\\\dt' AS c;\n\\\\format ndjson\n  \\\\x on\nSELECT 1 a;\n-- note\n\\\\i more.sql\n\\\\q\nSELECT 2 a;\n";
  test('run in order, with what commands have set', async () => {
    writeFileSync(join(folder, 'script.sql'), script.replaceAll('\\\\', '\\'));
    writeFileSync(join(folder, 'more.sql'), 'SELECT 3 a;\nSELECT nothing;\nSELECT 4 a;');
    const { exitCode, output, errors } = await run(['sql', '--ndjson', '-f', 'script.sql']);
    expect([exitCode, errors]).toEqual([1, expect.stringMatching(/^more\.sql:2: Column "NOTHING" not found\n/)]);
    expect(output).toBe('{"C":"a\\n\\\\dt"}\nexpanded is on\n{"A":1}\n{"A":3}\n');
  });
  const cases: ReadonlyArray<readonly [args: readonly string[], output: RegExp, errors: RegExp]> = [
    [['-c', '\\dt'], /│ PUBLIC │ CITY *│ table │/, /^$/],
    [['\\d city', 'SELECT 5'], /│ ID {5}│ INTEGER │ not null │[\s\S]*│ 5 │/, /^$/],
    [['-c', '\\foo'], /^$/, /^svc: \\foo: unknown, see \\\?\n$/],
    [['-f', 'none.sql'], /^$/, /^svc: there is no file .*none\.sql\n$/],
    [['-f', 'city.sql', '-c', 'SELECT 1'], /^$/, /^svc: --file: cannot be combined with statements\n$/],
  ];
  test.each(cases)('%j', async (args, output, errors) => {
    expect(await run(['sql', ...args])).toMatchObject({
      output: expect.stringMatching(output),
      errors: expect.stringMatching(errors),
    });
  });
});

const wrongOptions: ReadonlyArray<readonly [readonly string[], RegExp]> = [
  [['--csv', '--json', '-c', 'SELECT 1'], /choose one of --csv and --json/],
  [['--timeout', 'soon', '-c', 'SELECT 1'], /--timeout: must be a number of milliseconds, not soon/],
  [['-c', 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 1000000000)', '--timeout', '50'], /\nRaise the time limit /],
];
for (const [args, message] of wrongOptions) {
  test(args.join(' '), async () => expect((await run(['sql', ...args])).errors).toMatch(message));
}

/** A terminal in which `svc sql` runs: the input, and the output without control sequences. */
class TestTerminal {
  #shown = '';
  readonly #child: Bun.Subprocess;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#child = Bun.spawn([process.execPath, MAIN, 'sql'], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', TERM: 'xterm', HOME: folder, SVC_URL: service.url, ...env },
      terminal: {
        cols: 100,
        rows: 30,
        data: (_, bytes) => {
          this.#shown += Buffer.from(bytes)
            .toString()
            .replace(/\u001b\[[0-9;]*[A-Za-z]/g, '');
        },
      },
    });
  }

  get exited(): Promise<number> {
    return this.#child.exited;
  }

  /** Waits until a text is shown; returns everything up to its end and discards it. */
  async shows(text: string): Promise<string> {
    const endMs = performance.now() + 10_000;
    while (!this.#shown.includes(text)) {
      if (performance.now() > endMs) throw new Error(`not shown: ${text}\n${this.#shown}`);
      await Bun.sleep(5);
    }
    const end = this.#shown.indexOf(text) + text.length;
    const shown = this.#shown.slice(0, end);
    this.#shown = this.#shown.slice(end);
    return shown;
  }

  type(keys: string): void {
    this.#child.terminal?.write(keys);
  }
}

describe('the prompt', () => {
  test('reads statements of several lines, completes names, describes, times and cancels', async () => {
    const terminal = new TestTerminal();
    await terminal.shows('svc> ');
    terminal.type('select name\r');
    await terminal.shows('-> ');
    terminal.type('from cit\t');
    await terminal.shows('city');
    terminal.type(' where id = 1;\r');
    await terminal.shows('│ Oslo │');
    await terminal.shows('svc> ');
    terminal.type('\\d\r');
    await terminal.shows('│ PUBLIC │ BIG  │ view  │');
    terminal.type('\\d city\r');
    await terminal.shows('│ ID     │ INTEGER │ not null │');
    await terminal.shows('CITY_NAME');
    terminal.type('\\timing\r');
    await terminal.shows('timing is on');
    terminal.type('select count(*) from system_range(1, 1000000000);\r');
    await terminal.shows('1000000000);');
    await Bun.sleep(200);
    terminal.type('\u0003');
    await terminal.shows('cancelled');
    terminal.type('select oops;\r');
    await terminal.shows('Column "OOPS" not found\r\nselect oops\r\n       ^');
    terminal.type('show tables;\r');
    await terminal.shows('did you mean SELECT * FROM SYS.TABLES?');
    await terminal.shows('at the prompt, \\d and \\d NAME do');
    terminal.type('help\r');
    await terminal.shows('\\di ');
    terminal.type('\\foo\r');
    await terminal.shows('\\foo: unknown');
    terminal.type("create user ann with password 'secret';\r");
    await terminal.shows('svc> ');
    terminal.type('\\q\r');
    expect(await terminal.exited).toBe(0);
  }, 30_000);

  test('keeps the history in a file of the user, without passwords', async () => {
    const file = join(folder, '.local/state/svc/sql-history');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('\\timing\n');
    expect(readFileSync(file, 'utf8')).toStartWith('select name from city where id = 1;\n');
    expect(readFileSync(file, 'utf8')).not.toContain('secret');
    const terminal = new TestTerminal();
    await terminal.shows('svc> ');
    terminal.type('\u001b[A');
    await terminal.shows('\\q');
    terminal.type('\r');
    expect(await terminal.exited).toBe(0);
  }, 30_000);

  test('shows long results in a pager', async () => {
    const pager = join(folder, 'pager.sh');
    writeFileSync(pager, '#!/bin/sh\necho PAGED\nwc -l\n', { mode: 0o755 });
    const terminal = new TestTerminal({ PAGER: pager });
    await terminal.shows('svc> ');
    terminal.type('select x from system_range(1, 5000);\r');
    await terminal.shows('PAGED');
    // Five pages with head and frame, and the number of rows.
    await terminal.shows('5021');
    terminal.type('\\pager off\r');
    await terminal.shows('pager is off');
    terminal.type('select x from system_range(1, 50);\r');
    await terminal.shows('(50 rows)');
    terminal.type('\u0004');
    expect(await terminal.exited).toBe(0);
  }, 30_000);
});
