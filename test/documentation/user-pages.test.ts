/** Handwritten pages state no values that are declared elsewhere, and nothing about tests and benchmarks. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outsideBlocks } from '../../scripts/pages/markdown.ts';
import { fixedLimits, handwrittenPages, withValues } from '../../scripts/pages/stated-values.ts';
import { OPTION_ROWS } from '../../src/configuration/options.ts';

const root = join(import.meta.dir, '../..');
const pages = handwrittenPages();

const OPTION_NAMES = new Set(OPTION_ROWS.flatMap(({ path, environment }) => [path, environment]));

/**
 * Returns the sentences that name an option and call a number its default in another form than `withValues` fills: a
 * table of options elsewhere may say something different tomorrow.
 */
function ownDefaults(markdown: string): string[] {
  const texts: string[] = [];
  outsideBlocks(markdown, (text) => {
    texts.push(text);
    return text;
  });
  const sentences = texts
    .join('\n')
    .replaceAll(/\n(?=\s*[^\s|#-])/g, ' ')
    .split(/(?<=[.:;|])\s|\n/);
  return sentences.filter((sentence) => {
    const names = [...sentence.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
    const words = sentence.replaceAll(/`[^`]*`(?: \(\d[^)]*\))?/g, '');
    return names.some((name) => OPTION_NAMES.has(name)) && /\d[^.;]{0,20}by default|default[^.;)]{0,12}\d/.test(words);
  });
}

describe('defaults of options in pages are those of the declarations', () => {
  test.each([...pages])('%s', (path) => {
    expect(ownDefaults(readFileSync(join(root, path), 'utf8'))).toEqual([]);
  });
  const cases: ReadonlyArray<readonly [title: string, text: string, filled: string]> = [
    ['a number', 'At most `limits.caches` (17) of them.', 'At most `limits.caches` (4,096) of them.'],
    ['a number in a list', '(`limits.caches` (1), x)', '(`limits.caches` (4,096), x)'],
    ['bytes', '`http.compressionMinBytes` (1 KiB)', '`http.compressionMinBytes` (4 KiB)'],
    ['characters', '`limits.valueCharacters` (1 Ki)', '`limits.valueCharacters` (4 Mi)'],
    ['milliseconds', '`limits.queueMs` (1 s)', '`limits.queueMs` (2 s)'],
    ['seconds', '`idempotency.retentionSeconds` (1 h)', '`idempotency.retentionSeconds` (24 h)'],
    ['a duration', '`backup.pitrWindow` (1 h)', '`backup.pitrWindow` (24 h)'],
    ['a variable', '`SVC_LIMITS_CACHES`\n(17)', '`SVC_LIMITS_CACHES`\n(4,096)'],
    ['one with an explanation', '`storage.minFreeBytes` (1, at most x)', '`storage.minFreeBytes` (128 MiB, at most x)'],
    ['a fixed limit', '255<!-- CHANGE_FEED_BOUNDS.columns -->', '400<!-- CHANGE_FEED_BOUNDS.columns -->'],
    [
      'a constant',
      '1 s<!-- src/wiring/cluster-start.ts MAX_DELAY_MS -->',
      '10 s<!-- src/wiring/cluster-start.ts MAX_DELAY_MS -->',
    ],
    [
      'a product of constants',
      '1 s<!-- src/service/security/last-known-users.ts EARLIER_COPY_WAITS_MS -->',
      '3 s<!-- src/service/security/last-known-users.ts EARLIER_COPY_WAITS_MS -->',
    ],
    [
      'a duration of Go',
      '1 s<!-- clients/go/attempts.go longestDelay -->',
      '10 s<!-- clients/go/attempts.go longestDelay -->',
    ],
    ['a fraction of a second', '1 s<!-- STOP_STEPS.exitMs -->', '4.2 s<!-- STOP_STEPS.exitMs -->'],
    [
      'a member of an object',
      '1 KiB<!-- src/engines/embedded/backup/continuous/s3-client.ts bytesPerSecond -->/s',
      '256 KiB<!-- src/engines/embedded/backup/continuous/s3-client.ts bytesPerSecond -->/s',
    ],
    ['a code', '`CACHE_NOT_FOUND` (404)', '`CACHE_NOT_FOUND` (404)'],
    ['a block', '```text\n`limits.caches` (17)\n```', '```text\n`limits.caches` (17)\n```'],
  ];
  test.each(cases)('generate fills %s', (_, text, filled) => expect(withValues(text)).toBe(filled));
  test('a limit that does not exist is an error', () => {
    expect(() => withValues('1<!-- NO_BOUNDS.columns -->')).toThrow('NO_BOUNDS.columns');
    expect(() => withValues('1<!-- src/base/limits.ts NOTHING -->')).toThrow('NOTHING');
  });
  test('other forms are found', () => {
    expect(ownDefaults('`limits.caches` bounds them. `limits.caches` is 17 by default.\n')).toEqual([
      '`limits.caches` is 17 by default.',
    ]);
  });
});

/** Pages about measurements, tests and other programs. */
const ABOUT_TESTS = new Set(['docs/compare.md', 'docs/proxies.md', 'docs/reliability.md', 'docs/scaling.md']);

const NUMBER = /\d(?:[\d.,]*\d)?(?: (?:Ki|Mi|Gi|[KMG]iB|ms|s|min|h|d|bytes)\b)?/.source;
const LIMIT = new RegExp(`(?:at most|up to|more than|longer than|the first|over|limit of)\\s(${NUMBER})`, 'g');
/** Numbers in front of a comment, which `withValues` has filled in. */
const FILLED = /\d(?:[\d.,]*\d)?(?: \w+)?<!-- .*? -->/g;
const FIXED = new Set([...fixedLimits().values()].filter((value) => /\D|\d{2}/.test(value)));

/** Returns the limits that a page writes out in digits, although a declaration has that number. */
function ownLimits(markdown: string): string[] {
  const found: string[] = [];
  outsideBlocks(markdown, (text) => {
    for (const [phrase, value = ''] of text.replaceAll(FILLED, '').matchAll(LIMIT))
      if (FIXED.has(value)) found.push(phrase.replace(/\s+/g, ' '));
    return text;
  });
  return found;
}

describe('fixed limits in pages are those of the declarations', () => {
  test.each(pages.filter((path) => !ABOUT_TESTS.has(path)))('%s', (path) => {
    const found = ownLimits(readFileSync(join(root, path), 'utf8'));
    expect(found.map((limit) => `${limit}: name its declaration in a comment, see CONTRIBUTING.md`)).toEqual([]);
  });
  test('other forms are found', () => {
    expect(ownLimits('It has at most 400 columns, and up to\n256 KiB of changes.')).toEqual([
      'at most 400',
      'up to 256 KiB',
    ]);
    expect(ownLimits('It has at most 400<!-- CHANGE_FEED_BOUNDS.columns --> columns.')).toEqual([]);
  });
});

const NUMERALS =
  'half an?|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|fifty|sixty|hundred';
const UNITS = 'milliseconds?|seconds?|minutes?|hours?|days?|weeks?';
const QUANTITY = new RegExp(
  [
    `(?<!about\\s)(?<![\\d.,])\\d(?:[\\d.,]*\\d)?\\s(?:ms|s|min|h|d|[KMG]i|[KMG]iB|${UNITS})\\b`,
    `(?<!about\\s)\\b(?:${NUMERALS})\\s(?:${UNITS})\\b`,
    `\\b(?:within|for|after|up to|at most)\\san?\\s(?:${UNITS})\\b`,
  ].join('|'),
  'gi',
);

/** Returns the times and sizes that a page states without naming their declaration. `about` marks what was measured. */
function ownQuantities(markdown: string): string[] {
  const found: string[] = [];
  outsideBlocks(markdown, (text) => {
    const prose = text
      .replaceAll(FILLED, '')
      .replaceAll(/`([\w.]+)`\s*\(\d[^),;\s]*(?: \w+)?/g, (all, name: string) => (OPTION_NAMES.has(name) ? '' : all))
      .replaceAll(/`[^`]*`/g, '`');
    for (const [quantity] of prose.matchAll(QUANTITY)) found.push(quantity.replace(/\s+/g, ' '));
    return text;
  });
  return found;
}

describe('times and sizes in pages are those of the declarations', () => {
  test.each(pages.filter((path) => !ABOUT_TESTS.has(path)))('%s', (path) => {
    const found = ownQuantities(readFileSync(join(root, path), 'utf8'));
    expect(found.map((each) => `${each}: name its declaration, or write "about", see CONTRIBUTING.md`)).toEqual([]);
  });
  const cases: ReadonlyArray<readonly [text: string, found: readonly string[]]> = [
    ['It ends within five seconds.', ['five seconds']],
    ['It waits 35 s, and holds 16\nMiB.', ['35 s', '16 MiB']],
    ['It is kept for a\nday, or half an hour.', ['for a day', 'half an hour']],
    ['`STATE_FILE` (35 s)', ['35 s']],
    ['It ends within 4.5 s<!-- STOP_STEPS.killMs -->; `query.timeout` (60 s)', []],
    ['It costs about 10 ms, once a second.', []],
  ];
  test.each(cases)('%s', (text, found) => expect(ownQuantities(text)).toEqual([...found]));
});

describe('pages say nothing about tests and benchmarks of svc', () => {
  test.each(pages.filter((path) => path.startsWith('docs/') && !ABOUT_TESTS.has(path)))('%s', (path) => {
    const text = readFileSync(join(root, path), 'utf8').replace(/^## Background$.*/ms, '');
    expect(text.match(/\bCI\b.*|npm run (?:bench|test|proof|abuse).*/g)).toBeNull();
  });
});

describe('no page installs a package from a registry, where it is not', () => {
  test.each([...pages])('%s', (path) => {
    const text = readFileSync(join(root, path), 'utf8');
    // The module is in a folder of the release.
    const own = text.replaceAll('GOPROXY=file://$PWD/go go get', '');
    expect(own.match(/npm (?:install|i) @svc-grid|pip install svc-grid|go get github\.com\/svc-grid/g)).toBeNull();
  });
});
