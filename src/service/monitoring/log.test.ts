import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { systemClock } from '../../base/clock.ts';
import { createLog, type LogLevel, logLine, withStdout } from './log.ts';
import { createLogService } from './log-service.ts';
import { RotatingFile } from './rotating-file.ts';

let base = '';
let folder = '';
const service = () => createLogService({ folder, name: 'svc.log', maxBytes: 1_000_000 });

beforeAll(() => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-log-'));
  folder = path.join(base, 'log');
  fs.mkdirSync(path.join(folder, 'old'), { recursive: true });
  fs.mkdirSync(path.join(base, 'log-other'));
  fs.writeFileSync(path.join(folder, 'svc.log'), 'zero\none\r\ntwo ä\nthree\n');
  fs.writeFileSync(path.join(folder, 'old', 'x.log'), 'x\n\ny');
  fs.writeFileSync(path.join(folder, 'empty.log'), '');
  fs.writeFileSync(path.join(base, 'secret.txt'), 'secret\n');
  fs.writeFileSync(path.join(base, 'log-other', 'near.log'), 'secret\n');
  fs.symlinkSync(path.join(base, 'secret.txt'), path.join(folder, 'link.log'));
  fs.symlinkSync(base, path.join(folder, 'up'));
  fs.symlinkSync('svc.log', path.join(folder, 'inner.log'));
  const long = Array.from({ length: 20_000 }, (_, n) => `line ${n} ${'-'.repeat(n % 50)}`);
  fs.writeFileSync(path.join(folder, 'long.log'), `${long.join('\n')}\n`);
});
afterAll(() => fs.rmSync(base, { recursive: true, force: true }));

describe('lines returns', () => {
  const cases: ReadonlyArray<readonly [string, string | undefined, number | undefined, number | undefined, string[]]> =
    [
      ['the whole file', undefined, undefined, undefined, ['zero', 'one', 'two ä', 'three']],
      ['the first line', undefined, 0, 0, ['zero']],
      ['a range including both ends', undefined, 1, 2, ['one', 'two ä']],
      ['the existing lines of a range beyond the end', undefined, 3, 100, ['three']],
      ['a file in a subfolder', 'old/x.log', undefined, undefined, ['x', '', 'y']],
      ['a path that leaves the folder and returns', '../log/svc.log', 0, 0, ['zero']],
      ['a link within the folder', 'inner.log', 0, 0, ['zero']],
      ['an empty file', 'empty.log', undefined, undefined, []],
      [
        'lines that cross chunk borders',
        'long.log',
        19_998,
        19_999,
        [`line 19998 ${'-'.repeat(48)}`, `line 19999 ${'-'.repeat(49)}`],
      ],
    ];
  for (const [title, file, from, to, expected] of cases) {
    test(title, async () => expect(await service().lines(file, from, to)).toEqual(expected));
  }

  test('an absolute path in the folder', async () => {
    expect(await service().lines(path.join(folder, 'svc.log'), 0, 0)).toEqual(['zero']);
  });

  test('every line of a long file', async () => {
    expect(await service().lines('long.log', undefined, undefined)).toHaveLength(20_000);
  });
});

test('a long string in a line is cut', () => {
  const line = logLine('error', 'm', { detail: 'x'.repeat(1_000_000) }, 0);
  expect(line.length).toBeLessThan(10_200);
});

test('a long string that is escaped is cut after the escape', () => {
  const line = logLine('error', 'm', { detail: '\u0001'.repeat(9_000) }, 0);
  expect(line.length).toBeLessThan(10_200);
  expect(JSON.parse(line).detail).toBe('\u0001'.repeat(Math.floor(10_000 / 6)));
});

describe('lastLines returns', () => {
  test.each<[string, string | undefined, number, string[]]>([
    ['the last line', undefined, 1, ['three']],
    ['the last lines', undefined, 3, ['one', 'two ä', 'three']],
    ['all lines if there are fewer', undefined, 100, ['zero', 'one', 'two ä', 'three']],
    ['lines of a file that does not end in a line break', 'old/x.log', 2, ['', 'y']],
    ['no line of an empty file', 'empty.log', 5, []],
  ])('%s', async (_title, file, count, expected) => {
    expect(await service().lastLines(file, count)).toEqual(expected);
  });

  test('the same as the end of the whole file, across chunks', async () => {
    const all = await service().lines('long.log', undefined, undefined);
    for (const count of [1, 2, 1_999, 5_000, 19_999, 20_000, 20_001]) {
      expect(await service().lastLines('long.log', count)).toEqual(all.slice(-count));
    }
  });

  test('no more bytes than the limit', async () => {
    const small = createLogService({ folder, name: 'svc.log', maxBytes: 1_000 });
    await expect(small.lastLines('long.log', 1_000)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await small.lastLines('long.log', 2)).toHaveLength(2);
  });

  test('nothing outside of the folder', async () => {
    await expect(service().lastLines('../secret.txt', 1)).rejects.toMatchObject({ code: 'LOG_PATH_FORBIDDEN' });
  });
});

describe('lines rejects', () => {
  const cases: ReadonlyArray<readonly [string, () => string, string]> = [
    ['the parent folder', () => '..', 'LOG_PATH_FORBIDDEN'],
    ['a file in the parent folder', () => '../secret.txt', 'LOG_PATH_FORBIDDEN'],
    ['a missing file in the parent folder', () => '../nothing.txt', 'LOG_PATH_FORBIDDEN'],
    ['a path that leaves through a subfolder', () => 'old/../../secret.txt', 'LOG_PATH_FORBIDDEN'],
    ['an absolute path', () => '/etc/passwd', 'LOG_PATH_FORBIDDEN'],
    ['an absolute path with dots', () => `${folder}/../secret.txt`, 'LOG_PATH_FORBIDDEN'],
    ['a folder with the same name prefix', () => `${folder}-other/near.log`, 'LOG_PATH_FORBIDDEN'],
    ['a link to a file outside', () => 'link.log', 'LOG_PATH_FORBIDDEN'],
    ['a link to a folder outside', () => 'up/secret.txt', 'LOG_PATH_FORBIDDEN'],
    ['NUL', () => 'svc.log\0.txt', 'LOG_PATH_FORBIDDEN'],
    ['the log folder itself', () => '.', 'LOG_PATH_FORBIDDEN'],
    ['a folder', () => 'old', 'LOG_NOT_FOUND'],
    ['a missing file', () => 'nothing.log', 'LOG_NOT_FOUND'],
    ['dots that are encoded twice', () => '%2e%2e/secret.txt', 'LOG_NOT_FOUND'],
    ['dots in overlong encoding', () => '..%c0%afsecret.txt', 'LOG_NOT_FOUND'],
    ['full-width dots', () => '．．/secret.txt', 'LOG_NOT_FOUND'],
    ['a URL', () => 'file:///etc/passwd', 'LOG_NOT_FOUND'],
    ['a home folder', () => '~/x', 'LOG_NOT_FOUND'],
  ];
  for (const [title, file, code] of cases) {
    test(title, async () => {
      await expect(service().lines(file(), undefined, undefined)).rejects.toMatchObject({ code });
    });
  }

  test('any file, when the folder was removed', async () => {
    const gone = createLogService({ folder: `${folder}-removed`, name: 'svc.log', maxBytes: 1_000 });
    await expect(gone.lines(undefined, undefined, undefined)).rejects.toMatchObject({ code: 'LOG_NOT_FOUND' });
    await expect(gone.lastLines('svc.log', 1)).rejects.toMatchObject({ code: 'LOG_NOT_FOUND' });
    await expect(gone.lines('../x', undefined, undefined)).rejects.toMatchObject({ code: 'LOG_PATH_FORBIDDEN' });
  });

  test('a range beyond the end', async () => {
    await expect(service().lines(undefined, 4, 5)).rejects.toMatchObject({ code: 'LOG_RANGE_INVALID' });
  });

  test('more bytes than the limit', async () => {
    const small = createLogService({ folder, name: 'svc.log', maxBytes: 1_000 });
    await expect(small.lines('long.log', undefined, undefined)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await small.lines('long.log', 10_000, 10_001)).toHaveLength(2);
  });
});

describe('createLog', () => {
  const levels: ReadonlyArray<readonly [LogLevel, string[]]> = [
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
  ];
  for (const [level, kept] of levels) {
    test(`level ${level} keeps ${kept.join(', ')}`, () => {
      const lines: string[] = [];
      const log = createLog({ append: (line) => lines.push(line) }, level, new ManualClock());
      log.error('m');
      log.warn('m');
      log.info('m');
      log.debug('m');
      expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(kept);
    });
  }

  test('a line is a single JSON object', () => {
    const line = logLine('info', 'two\nlines "quoted"', { user: 'ann', count: 3 }, 0);
    expect(line).toBe(
      '{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"two\\nlines \\"quoted\\"","user":"ann","count":3}',
    );
  });

  test('passwords and tokens are masked', () => {
    const token = 'ABABABABABABABABABABABABABABABAB';
    const line = logLine('info', `session ${token} ended`, { password: 'p1', sessionToken: 'x', note: token }, 0);
    expect(line).not.toContain(token);
    expect(line).not.toContain('p1');
    expect(JSON.parse(line)).toMatchObject({ password: '***', sessionToken: '***', note: '***' });
  });
});

describe('RotatingFile', () => {
  test('keeps the configured number of files without losing lines', () => {
    const clock = new ManualClock();
    const own = fs.mkdtempSync(path.join(base, 'rotating-'));
    const file = new RotatingFile({ folder: own, name: 'a.log', maxBytes: 100, keep: 2, clock });
    for (let n = 0; n < 10; n++) {
      file.append(`line ${n} ${'x'.repeat(32)}`);
      file.flush();
    }
    file.close();
    expect(fs.readdirSync(own).sort()).toEqual(['a.1.log', 'a.2.log', 'a.log']);
    const numbers = ['a.2.log', 'a.1.log', 'a.log'].map((name) =>
      fs
        .readFileSync(path.join(own, name), 'utf8')
        .match(/line \d/g)
        ?.map((text) => Number(text.slice(5))),
    );
    expect(numbers).toEqual([
      [4, 5],
      [6, 7],
      [8, 9],
    ]);
  });

  test('appends to the existing file', () => {
    const own = fs.mkdtempSync(path.join(base, 'rotating-'));
    for (const line of ['one', 'two']) {
      const file = new RotatingFile({ folder: own, name: 'a.log', maxBytes: 100, keep: 2, clock: systemClock });
      file.append(line);
      file.close();
    }
    expect(fs.readFileSync(path.join(own, 'a.log'), 'utf8')).toBe('one\ntwo\n');
  });

  test('is readable only by its owner', () => {
    const own = fs.mkdtempSync(path.join(base, 'rotating-'));
    const file = new RotatingFile({ folder: own, name: 'a.log', maxBytes: 100, keep: 2, clock: systemClock });
    file.close();
    expect(fs.statSync(file.path).mode & 0o077).toBe(0);
  });
});

describe('lines on standard output', () => {
  const cases = [
    ['none', ''],
    ['json', '{"time":"2020-01-02T03:04:05.000Z","level":"warn","message":"Full","disk":"a b","free":0}\n'],
    ['text', '2020-01-02T03:04:05.000Z WARN Full disk="a b" free=0\n'],
  ] as const;
  for (const [form, expected] of cases) {
    test(form, () => {
      const stored: string[] = [];
      let written = '';
      const sink = withStdout({ append: (line) => stored.push(line) }, form, (text) => {
        written += text;
      });
      sink.append(logLine('warn', 'Full', { disk: 'a b', free: 0 }, Date.UTC(2020, 0, 2, 3, 4, 5)));
      expect([stored.length, written]).toEqual([1, expected]);
    });
  }
});
