/** `svc import` and `svc export`: real processes against a real service. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { freePort } from '../../free-port.ts';
import { MAIN } from '../program.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { type CliProcessOptions, runSvcProcess } from './cli-process.ts';

// Each case starts a process or several, which a busy machine delays.
setDefaultTimeout(60_000);

const folder = newFolder();
const path = (name: string): string => join(folder, name);
let service: ServiceProcess;

beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const svc = (args: readonly string[], options: Partial<CliProcessOptions> = {}) =>
  runSvcProcess(args, { cwd: folder, env: { SVC_URL: service.url }, ...options });

async function sql(qry: string, of = service): Promise<unknown[]> {
  const { response, error } = await of.send(queryOf({ cmd: 'qryfldexe', pageSize: 1_000, qry }));
  if (error !== null) throw new Error(error);
  return (response as { items: unknown[] }).items;
}

let tables = 0;
async function newTable(): Promise<string> {
  const name = `T${++tables}`;
  await sql(`CREATE TABLE ${name}(id BIGINT PRIMARY KEY, name VARCHAR, amount DECIMAL(12, 2))`);
  return name;
}

const SECONDS = /in \d+\.\d s\n$/;
const ROWS = 'id,name,amount\n1,"Smith, Ann",10.50\n2,,\n3,"",-1\n';
const STORED = [
  [1, 'Smith, Ann', 10.5],
  [2, null, null],
  [3, '', -1],
];

test('days and numbers of Germany are guessed and said; what is not clear is left to options', async () => {
  writeFileSync(path('umsatz.csv'), 'nr;tag;betrag\n1;31.12.2025;1.234,56\n2;01.02.2026;7,5\n');
  const created = await svc(['import', 'umsatz.csv', '--yes']);
  expect(created.output).toContain(
    'delimiter semicolon, the first line names the columns, dates dd.MM.yyyy, decimal comma, thousands separated by point',
  );
  expect(await sql('SELECT nr, tag, betrag FROM umsatz ORDER BY nr')).toEqual([
    [1, '2025-12-31', 1234.56],
    [2, '2026-02-01', 7.5],
  ]);
  const again = await svc(['import', 'umsatz.csv', '--on-duplicate', 'replace']);
  expect([again.exitCode, again.errors]).toEqual([
    0,
    'umsatz.csv: inferred dates dd.MM.yyyy, decimal comma, thousands separated by point\n',
  ]);
  writeFileSync(path('either.csv'), 'id,born,n\n1,01/02/2025,"1,234"\n');
  const planned = await svc(['import', 'either.csv', '--dry-run']);
  expect(planned.errors).toContain(
    'note: BORN stays text: 01/02/2025 may be 2025-02-01 (--date-format dd/MM/yyyy) or 2025-01-02 ' +
      '(--date-format MM/dd/yyyy)\nnote: N stays text: 1,234 may be 1234 (--thousands ,) or 1.234 (--decimal-separator ,)\n',
  );
  const named = await svc(['import', 'either.csv', '--yes', '--date-format', 'MM/dd/yyyy', '--thousands', ',']);
  expect(named.exitCode).toBe(0);
  expect(await sql('SELECT born, n FROM either')).toEqual([['2025-01-02', 1234]]);
  writeFileSync(path('umsatz.csv'), 'nr;tag;betrag\n3;31.12.2025;1,5\n4;13/31/2025;2,5\n');
  const wrong = await svc(['import', 'umsatz.csv', '--date-format', 'dd.MM.yyyy']);
  expect(wrong.errors).toContain(
    'Line 3 was rejected: column TAG: "13/31/2025" is not a date (--date-format dd.MM.yyyy)',
  );
  const options: ReadonlyArray<readonly [option: string, value: string, message: string]> = [
    ['--date-format', 'dd.MM', '--date-format must be dd, MM and yyyy'],
    ['--thousands', '.', '--thousands must be another character than the decimal separator'],
  ];
  for (const [option, value, message] of options) {
    const refused = await svc(['import', 'umsatz.csv', option, value, '--decimal-separator', '.']);
    expect([refused.exitCode, refused.errors]).toEqual([expect.any(Number), expect.stringContaining(message)]);
  }
});

describe('round trips of files', () => {
  for (const name of ['rows.csv', 'rows.tsv', 'rows.ndjson', 'rows.jsonl.gz', 'rows.csv.gz']) {
    test(name, async () => {
      const [from, to] = [await newTable(), await newTable()];
      writeFileSync(path('source.csv'), ROWS);
      const imported = await svc(['import', 'source.csv', '--table', from]);
      expect(imported).toEqual({
        exitCode: 0,
        output: expect.stringMatching(/^3 imported, 0 skipped, 0 rejected, /),
        errors: '',
      });
      expect(imported.output).toMatch(SECONDS);
      expect(await svc(['export', name, '--table', from])).toEqual({
        exitCode: 0,
        output: expect.stringMatching(/^3 rows exported, in \d+\.\d s\n$/),
        errors: '',
      });
      if (name.endsWith('.gz')) expect(gunzipSync(readFileSync(path(name))).toString()).toContain('Smith');
      expect((await svc(['import', name, '--table', to])).errors).toBe('');
      expect(await sql(`SELECT * FROM ${to} ORDER BY id`)).toEqual(STORED);
    }, 30_000);
  }

  test('of a cache, through standard output and input', async () => {
    await service.command('cmd=getorcreate&cacheName=from');
    await service.command('cmd=put&cacheName=from&key=1&keyType=int&val=x');
    const { output } = await svc(['export', '--cache', 'from', '--format', 'csv']);
    expect(output).toBe('key,value,keyType,valueType,expires\r\n1,x,integer,string,\r\n');
    await service.command('cmd=getorcreate&cacheName=to');
    const imported = await svc(['import', '-', '--cache', 'to', '--format', 'csv'], { input: output });
    expect([imported.exitCode, imported.errors]).toEqual([0, '']);
    expect(await service.command('cmd=get&cacheName=to&key=1&keyType=int')).toBe('x');
  });

  test('the same file can be imported again, because a complete import is forgotten', async () => {
    const table = await newTable();
    writeFileSync(path('again.csv'), ROWS);
    expect((await svc(['import', 'again.csv', '--table', table])).exitCode).toBe(0);
    const again = await svc(['import', 'again.csv', '--table', table, '--on-duplicate', 'skip']);
    expect(again.output).toStartWith('0 imported, 3 skipped, 0 rejected');
    await sql(`DELETE FROM ${table}`);
    expect((await svc(['import', 'again.csv', '--table', table])).output).toStartWith('3 imported');
  });
});

describe('errors', () => {
  test('name the line and show its text', async () => {
    const table = await newTable();
    writeFileSync(path('wrong.csv'), 'id,name,amount\n1,a,1\nx,b,2\n3,c,3\ny,d,4\n');
    const stopped = await svc(['import', 'wrong.csv', '--table', table]);
    expect([stopped.exitCode, stopped.output]).toEqual([1, '']);
    expect(stopped.errors).toContain('wrong.csv:3: x,b,2\nwrong.csv: rows stored before the error: 1\n');
    expect(stopped.errors).toContain('svc: Line 3 was rejected: column ID');
    const options = ['--on-error', 'skip', '--on-duplicate', 'skip'];
    const skipped = await svc(['import', 'wrong.csv', '--table', table, ...options]);
    expect([skipped.exitCode, skipped.output]).toEqual([
      1,
      expect.stringMatching(/^1 imported, 1 skipped, 2 rejected/),
    ]);
    expect(skipped.errors).toMatch(/^wrong\.csv:3: column ID.*\n {4}x,b,2\nwrong\.csv:5: column ID.*\n {4}y,d,4\n$/);
  });

  test('with --atomic, nothing is stored after one', async () => {
    const table = await newTable();
    writeFileSync(path('wrong.csv'), 'id,name,amount\n1,a,1\nx,b,2\n');
    const failed = await svc(['import', 'wrong.csv', '--table', table, '--atomic']);
    expect([failed.exitCode, failed.errors]).toEqual([1, expect.stringContaining('rows stored before the error: 0\n')]);
    expect(await sql(`SELECT COUNT(*) FROM ${table}`)).toEqual([[0]]);
    writeFileSync(path('right.csv'), ROWS);
    expect((await svc(['import', 'right.csv', '--table', table, '--atomic'])).output).toStartWith('3 imported');
    expect(await sql(`SELECT * FROM ${table} ORDER BY id`)).toEqual(STORED);
  });

  const CASES: ReadonlyArray<readonly [args: readonly string[], exitCode: number, errors: string]> = [
    [['import', 'none.csv', '--table', 't'], 2, 'there is no file'],
    [['import', '.', '--format', 'csv', '--table', 't'], 2, 'is a folder: name a file'],
    [['import', '.'], 2, 'is a folder: name a file'],
    [['import', '/dev/null', '--format', 'csv', '--table', 't'], 2, 'send its contents to standard input, and write -'],
    [['import', 'rows.txt', '--table', 't'], 2, '.txt is not supported; files end in .csv'],
    [['import', '-', '--format', 'csv'], 2, '--table'],
    [['import', 'source.csv', '--cache', 'c', '--key', 'id'], 2, '--key: applies to tables'],
    [['import', 'rows.json'], 2, "jq -c '.[]'"],
    [['import', 'rows.xlsx'], 2, 'save the sheet as CSV'],
    [['import', 'source.csv', '--table', 't', '--format', 'xml'], 2, 'must be csv or ndjson'],
    [['import', 'source.csv', '--table', 'none'], 2, 'there is no table none'],
    [['import', 'source.csv', '--table', 'none'], 2, '--yes creates this table'],
    [['import', 'source.csv', '--table', 'none', '--on-error', 'x'], 1, 'onError must be stop or skip'],
    [['import', 'broken.csv.gz', '--table', 'T1'], 1, 'cannot read broken.csv.gz'],
    [['import', 'source.csv', '--table', 't', '--url', 'http://127.0.0.1:1/svc'], 3, 'no service answers'],
    [['import', 'source.csv', '--table', 't', '--atomic', '--import-id', 'a'], 2, 'cannot be continued'],
    [['import', 'rows.parquet', '--table', 'T1'], 2, 'DuckDB writes it as CSV: duckdb -c "COPY '],
    [['export', 'out.csv', '--table', 'none'], 1, 'There is no table none'],
    [['export', 'out.csv'], 2, '--table'],
    [['export', 'out.txt', '--table', 'T1'], 2, '.txt is not supported'],
    [['export', 'out.tsv', '--query', 'SELECT 1'], 2, 'with commas and a header'],
    [['export', 'out.csv', '--query', 'DELETE FROM T1'], 2, 'must be a SELECT, not DELETE'],
    [['export', 'out.csv', '--query', 'SELECT 1; SELECT 2'], 2, 'must be one SELECT: Multiple statements'],
    [['export', 'out.csv', '--query', 'SELECT * FROM none'], 1, 'not found'],
    [['export', 'out.csv', '--query', 'SELECT 1', '--table', 'T1'], 2, 'cannot be combined with --table'],
    [['export', 'source.csv', '--table', 'T1'], 2, 'exists; --replace replaces it'],
    [['export', '.', '--table', 'T1', '--replace'], 2, 'is not a file that can be replaced'],
    [['export', '/dev/null', '--table', 'T1', '--replace'], 2, 'is not a file that can be replaced'],
    [['export', 'none/out.csv', '--table', 'T1'], 2, 'cannot write'],
  ];
  for (const [args, exitCode, errors] of CASES) {
    test(`svc ${args.join(' ')}`, async () => {
      writeFileSync(path('rows.txt'), ROWS);
      writeFileSync(path('source.csv'), ROWS);
      writeFileSync(path('broken.csv.gz'), gzipSync(ROWS.repeat(100)).subarray(0, 40));
      const run = await svc(args);
      expect([run.exitCode, run.errors]).toEqual([exitCode, expect.stringContaining(errors)]);
      expect(readdirSync(folder).filter((name) => name.startsWith('out') || name.endsWith('.partial'))).toEqual([]);
    });
  }
});

describe('interruptions', () => {
  const lines = (to: number) => Array.from({ length: to }, (_, id) => `${id},"Name, ${id}",${id % 100}\n`).join('');

  for (const name of ['many.csv', 'many.csv.gz']) {
    test(`${name} goes on by itself when the service is killed and starts again`, async () => {
      const dataDir = path(`data-${name}`);
      const port = freePort();
      let own = await startService({ dataDir, port });
      try {
        await sql('CREATE TABLE Many(id BIGINT PRIMARY KEY, name VARCHAR, amount DECIMAL(12, 2))', own);
        const text = `id,name,amount\n${lines(60_000)}`;
        writeFileSync(path(name), name.endsWith('.gz') ? gzipSync(text) : text);
        const running = svc(['import', name, '--table', 'many'], { env: { SVC_URL: own.url } });
        for (let tries = 0; tries < 500; tries++) {
          const [count] = (await sql('SELECT COUNT(*) FROM Many', own)) as [[number]];
          if (count[0] > 0) break;
          await Bun.sleep(5);
        }
        await own.kill();
        own = await startService({ dataDir, port });
        const { exitCode, output, errors } = await running;
        expect([exitCode, output]).toEqual([0, expect.stringMatching(/^60000 imported, 0 skipped, 0 rejected/)]);
        expect(errors).toContain('retrying');
        expect(await sql('SELECT COUNT(*), SUM(id) FROM Many', own)).toEqual([[60_000, (60_000 * 59_999) / 2]]);
      } finally {
        await own[Symbol.asyncDispose]();
        rmSync(dataDir, { recursive: true, force: true });
      }
    }, 60_000);
  }

  test('a new table without a key keeps the numbers of its records when the service is killed', async () => {
    const dataDir = path('data-numbered');
    const port = freePort();
    let own = await startService({ dataDir, port });
    try {
      writeFileSync(path('numbered.csv'), `text,more\n${'x,y\n'.repeat(200_000)}`);
      const running = svc(['import', 'numbered.csv', '--yes'], { env: { SVC_URL: own.url } });
      for (let tries = 0; tries < 1_000; tries++) {
        const [count] = (await sql('SELECT COUNT(*) FROM numbered', own).catch(() => [])) as [[number]?];
        if (count !== undefined && count[0] > 0) break;
        await Bun.sleep(2);
      }
      await own.kill();
      own = await startService({ dataDir, port });
      const { exitCode, output, errors } = await running;
      expect([exitCode, output]).toEqual([0, expect.stringContaining('\n200000 imported, 0 skipped, 0 rejected')]);
      expect(errors).toContain('retrying');
      const counts = await sql('SELECT COUNT(*), MIN(row_number), MAX(row_number) FROM numbered', own);
      expect(counts).toEqual([[200_000, 1, 200_000]]);
    } finally {
      await own[Symbol.asyncDispose]();
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 60_000);

  test('a run that was interrupted is continued by the next one', async () => {
    const table = await newTable();
    const importId = 'interrupted';
    const text = `id,name,amount\n${lines(20_000)}`;
    writeFileSync(path('half.csv'), text);
    // The first half, as an earlier run would have left it.
    const half = await service.send(queryOf({ cmd: 'import', table, importId, last: 'false' }), {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv' },
      body: text.slice(0, text.length / 2),
    });
    expect(half.error).toBeNull();
    const { exitCode, errors, output } = await svc(['import', 'half.csv', '--table', table, '--import-id', importId]);
    expect([exitCode, output]).toEqual([0, expect.stringMatching(/^20000 imported, 0 skipped, 0 rejected/)]);
    expect(errors).toMatch(/^half\.csv: continues; rows stored already: \d+\n$/);
    expect(await sql(`SELECT COUNT(*), SUM(id) FROM ${table}`)).toEqual([[20_000, (20_000 * 19_999) / 2]]);
  });
});

describe('import of a file whose table does not exist', () => {
  const GUESTS = 'Id;Full Name;zip\n1;Ann;01234\n2;Bob;99999\n';
  const CREATE =
    'CREATE TABLE GUESTS (\n  ID INTEGER NOT NULL,\n  "Full Name" VARCHAR NOT NULL,\n  ZIP VARCHAR NOT NULL,\n' +
    '  PRIMARY KEY (ID)\n)';

  test('shows what it would create, creates it with --yes, and adds to it afterwards', async () => {
    writeFileSync(path('guests.csv'), GUESTS);
    const dry = await svc(['import', 'guests.csv', '--dry-run']);
    expect([dry.exitCode, dry.output]).toEqual([0, `${CREATE};\n`]);
    expect(dry.errors).toContain('from all of its 2 records; delimiter semicolon, the first line names the columns');
    const unasked = await svc(['import', 'guests.csv']);
    expect([unasked.exitCode, unasked.errors]).toEqual([2, expect.stringContaining(CREATE)]);
    expect(unasked.errors).toContain('--yes creates this table');
    const created = await svc(['import', 'guests.csv', '--create']);
    const note = 'note: statements write "Full Name" in double quotes';
    expect([created.exitCode, created.output]).toEqual([0, expect.stringContaining(`${CREATE}\n${note}\n2 imported`)]);
    const again = await svc(['import', 'guests.csv']);
    expect([again.exitCode, again.errors]).toEqual([1, expect.stringContaining('--on-duplicate replace or skip')]);
    const replaced = await svc(['import', 'guests.csv', '--on-duplicate', 'replace']);
    expect([replaced.exitCode, replaced.errors]).toEqual([0, '']);
    const options = ['--on-duplicate', 'replace', '--types', 'zip=varchar', '--key', 'id'];
    const typed = await svc(['import', 'guests.csv', ...options]);
    expect([typed.exitCode, typed.errors]).toEqual([0, 'table guests exists; ignoring --types and --key\n']);
    expect(await sql('SELECT id, "Full Name", zip FROM guests ORDER BY id')).toEqual([
      [1, 'Ann', '01234'],
      [2, 'Bob', '99999'],
    ]);
  });

  const UNCLEAR = 'Ann,Oslo\nBob,Rome\n';
  const ANSWERS: ReadonlyArray<
    readonly [content: string, question: string, answer: string, exitCode: number, shown: string]
  > = [
    ['id,x\n1,2\n', '[Y/n]', 'n\r', 2, 'nothing was imported'],
    ['id,x\n1,2\n', '[Y/n]', '\u0003', 130, 'interrupted'],
    ['id,x\n1,2\n', '[Y/n]', '\r', 0, '1 imported'],
    [UNCLEAR, '[y/n]', '\r', 2, 'nothing was imported'],
    [UNCLEAR, '[y/n]', 'y\r', 0, '1 imported'],
    [UNCLEAR, '[y/n]', 'n\r', 0, '2 imported'],
  ];
  for (const [at, [content, question, answer, exitCode, shown]] of ANSWERS.entries()) {
    test(`asks on a terminal: ${JSON.stringify([content, answer])}`, async () => {
      const name = `asked${at}`;
      writeFileSync(path(`${name}.csv`), content);
      let text = '';
      const child = Bun.spawn([process.execPath, MAIN, 'import', `${name}.csv`], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', TERM: 'xterm', HOME: folder, SVC_URL: service.url },
        terminal: {
          cols: 100,
          rows: 30,
          data(terminal, bytes) {
            const isAsked = text.includes(question);
            text += Buffer.from(bytes).toString();
            if (!isAsked && text.includes(question)) terminal.write(answer);
          },
        },
      });
      expect([await child.exited, text]).toEqual([exitCode, expect.stringContaining(shown)]);
      const [existing] = (await sql(`SELECT COUNT(*) FROM SYS.TABLES WHERE TABLE_NAME = '${name.toUpperCase()}'`)) as [
        [number],
      ];
      expect(existing[0]).toBe(exitCode === 0 ? 1 : 0);
    }, 30_000);
  }

  test('without asking, a first line that may be either is an error that names the options', async () => {
    writeFileSync(path('pairs.csv'), UNCLEAR);
    const unclear = await svc(['import', 'pairs.csv', '--yes']);
    expect([unclear.exitCode, unclear.errors]).toEqual([
      1,
      expect.stringContaining('send --header for columns called ANN, OSLO, or --no-header for columns called C1, C2'),
    ]);
    expect((await svc(['import', 'pairs.csv', '--yes', '--no-header'])).output).toContain('\n2 imported');
    writeFileSync(path('divided.csv'), 'a|b;c\nx|y;z\n');
    const divided = await svc(['import', 'divided.csv', '--yes']);
    expect(divided.errors).toContain("send --delimiter ';' or --delimiter '|'");
  });

  test('with the names of options in errors, and no table after one', async () => {
    const numbers = Array.from({ length: 20_000 }, (_, id) => `${id},${id}\n`).join('');
    writeFileSync(path('2024 counts.csv'), `id,people\n${numbers}20000,many\n`);
    const args = ['import', '2024 counts.csv', '--yes'];
    const failed = await svc(args);
    expect([failed.exitCode, failed.errors]).toEqual([
      1,
      expect.stringContaining('--types people=varchar keeps texts'),
    ]);
    expect(failed.errors).toContain('2024 counts.csv:20002: 20000,many\n');
    expect(failed.errors).toContain('the new table t_2024_counts was removed');
    expect((await svc([...args, '--types', 'people=varchar'])).output).toContain('\n20001 imported');
    expect(await sql('SELECT people FROM t_2024_counts WHERE id = 20000')).toEqual([['many']]);
  }, 30_000);

  test('from standard input, without a key, and compressed NDJSON', async () => {
    const args = ['import', '-', '--format', 'csv', '--table', 'lines', '--yes'];
    expect((await svc(args, { input: 'level,text\nwarn,a\nwarn,b\n' })).output).toContain('\n2 imported');
    expect(await sql('SELECT row_number, text FROM lines ORDER BY 1')).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
    writeFileSync(path('moves.ndjson.gz'), gzipSync('{"a":1,"b":"2024-01-02"}\n{"a":1,"b":null}\n'));
    const options = ['--key', 'a,b', '--types', 'a=bigint', '--types', 'b=varchar'];
    const only = await svc(['import', 'moves.ndjson.gz', '--yes', ...options]);
    expect([only.exitCode, only.errors]).toEqual([1, expect.stringContaining('besides its key')]);
    expect((await svc(['import', 'moves.ndjson.gz', '--yes', '--row-number', 'n'])).output).toContain('\n2 imported');
    expect(await sql('SELECT n, a, b FROM moves ORDER BY 1')).toEqual([
      [1, 1, '2024-01-02'],
      [2, 1, null],
    ]);
  });
});

describe('export of a query', () => {
  const QUERY = "SELECT 1 AS id, 'a, b' AS name UNION ALL SELECT 2, NULL";
  const CASES: ReadonlyArray<readonly [file: string, content: string]> = [
    ['query.csv', 'ID,NAME\r\n1,"a, b"\r\n2,\r\n'],
    ['query.ndjson', '{"ID":1,"NAME":"a, b"}\n{"ID":2,"NAME":null}\n'],
    ['query.json', '[{"ID":1,"NAME":"a, b"},\n{"ID":2,"NAME":null}]\n'],
  ];
  for (const [file, content] of CASES) {
    test(file, async () => {
      expect(await svc(['export', file, '--query', QUERY])).toEqual({
        exitCode: 0,
        output: expect.stringMatching(/^2 rows exported, in /),
        errors: '',
      });
      expect(readFileSync(path(file), 'utf8')).toBe(content);
      expect((await svc(['export', `${file}.gz`, '--query', QUERY])).exitCode).toBe(0);
      expect(gunzipSync(readFileSync(path(`${file}.gz`))).toString()).toBe(content);
    });
  }

  test('a table as one JSON array', async () => {
    const table = await newTable();
    await sql(`INSERT INTO ${table} VALUES (1, 'a', 0.5)`);
    const { output } = await svc(['export', '--table', table, '--format', 'json']);
    expect(JSON.parse(output)).toEqual([{ ID: 1, NAME: 'a', AMOUNT: 0.5 }]);
  });
});
