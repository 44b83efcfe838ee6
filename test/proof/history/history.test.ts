/** Short form of `npm run proof history`, and tests that the checker rejects invalid histories. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../system/service-process.ts';
import { buildChecker, checkHistories, findGo, type Verdict } from './checker.ts';
import { checkFeed, parseFeed, parseHistory } from './feed-check.ts';
import { reportOn } from './feed-report.ts';
import { PLANTED_FAULTS, plantStaleRead } from './planted.ts';
import { recordHistory } from './record.ts';

const SEED = Number(process.env.PROOF_SEED ?? 20_262);
const OPERATIONS = 30_000;
/** The first build compiles Go's own library too. */
const BUILD_LIMIT_MS = 240_000;
const LIMIT_MS = 600_000;

const go = findGo();
const inCi = process.env.SVC_TEST_CI === 'true' || process.env.CI === 'true';
if (go === undefined && !inCi)
  process.stdout.write('(skip) recorded histories: there is no Go (go) to build the checker\n');

describe.skipIf(go === undefined && !inCi)('recorded histories', () => {
  const folder = newFolder();
  let program = '';
  beforeAll(async () => {
    if (go === undefined) throw new Error('there is no Go (go) to build the checker');
    program = await buildChecker(go);
  }, BUILD_LIMIT_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** An operation: client, call, return (-1: no answer), name, argument, expected, result. */
  type Line = readonly [number, number, number, string, string | null, string | null, string | null];

  async function verdictOf(lines: readonly Line[]): Promise<Verdict> {
    const path = join(folder, 'table.tsv');
    const texts = lines.map(([client, call, end, name, ...rest]) =>
      ['k', client, call, end, name, ...rest.map((text) => JSON.stringify(text))].join('\t'),
    );
    writeFileSync(path, `${texts.join('\n')}\n`);
    return checkHistories(program, [path]);
  }

  const write: Line = [0, 0, 10, 'put', 'a', null, 'true'];
  const cases: ReadonlyArray<readonly [string, readonly Line[], boolean]> = [
    ['a read of a written value', [write, [1, 20, 30, 'read', null, null, 'a']], true],
    ['a read of the old value during a write', [write, [1, 5, 30, 'read', null, null, null]], true],
    ['a stale read', [write, [1, 20, 30, 'read', null, null, null]], false],
    [
      'a value that is seen and then not',
      [
        [0, 0, 100, 'put', 'a', null, 'true'],
        [1, 10, 20, 'read', null, null, 'a'],
        [1, 30, 40, 'read', null, null, null],
      ],
      false,
    ],
    ['a value that nobody wrote', [write, [1, 20, 30, 'read', null, null, 'b']], false],
    [
      'two adds that both stored',
      [
        [0, 0, 10, 'putifabs', 'a', null, 'true'],
        [1, 5, 20, 'putifabs', 'b', null, 'true'],
      ],
      false,
    ],
    [
      'two swaps of one value',
      [write, [0, 20, 40, 'cas', 'b', 'a', 'true'], [1, 25, 45, 'cas', 'c', 'a', 'true']],
      false,
    ],
    ['a swap of a value that was never stored', [write, [0, 20, 40, 'cas', 'b', 'x', 'true']], false],
    [
      'two removals of one entry',
      [write, [0, 20, 40, 'rmv', null, null, 'true'], [1, 25, 45, 'rmv', null, null, 'true']],
      false,
    ],
    [
      'a number that is given twice',
      [
        [0, 0, 10, 'incr', '1', null, '1'],
        [1, 5, 20, 'incr', '1', null, '1'],
      ],
      false,
    ],
    [
      'numbers in the order of an overlap',
      [
        [0, 0, 10, 'incr', '1', null, '2'],
        [1, 5, 20, 'incr', '1', null, '1'],
      ],
      true,
    ],
    [
      'a counter that goes back',
      [
        [0, 0, 10, 'incr', '1', null, '2'],
        [1, 15, 20, 'incr', '1', null, '1'],
      ],
      false,
    ],
    [
      'an unanswered write that is seen',
      [
        [0, 0, -1, 'put', 'a', null, null],
        [1, 20, 30, 'read', null, null, 'a'],
      ],
      true,
    ],
    [
      'an unanswered write that is not',
      [
        [0, 0, -1, 'put', 'a', null, null],
        [1, 20, 30, 'read', null, null, null],
      ],
      true,
    ],
    [
      'an unanswered write that comes late',
      [
        [0, 0, -1, 'put', 'a', null, null],
        [1, 20, 30, 'read', null, null, null],
        [1, 40, 50, 'read', null, null, 'a'],
      ],
      true,
    ],
    [
      'a write that is seen before it was sent',
      [
        [0, 50, -1, 'put', 'a', null, null],
        [1, 20, 30, 'read', null, null, 'a'],
      ],
      false,
    ],
    [
      'an unanswered write that is undone',
      [
        [0, 0, -1, 'put', 'a', null, null],
        [1, 20, 30, 'read', null, null, 'a'],
        [1, 40, 50, 'read', null, null, null],
      ],
      false,
    ],
  ];
  for (const [title, lines, fits] of cases) {
    test(`${fits ? 'accepts' : 'rejects'} ${title}`, async () => {
      const { rejected, unknown, operations } = await verdictOf(lines);
      expect({ rejected, unknown, operations }).toEqual({
        rejected: fits ? [] : ['k'],
        unknown: [],
        operations: lines.length,
      });
    });
  }

  for (const workers of [1, 2]) {
    test(
      `every key is linearizable, and the change feed explains it, workers=${workers}, seed ${SEED + workers}`,
      async () => {
        const path = join(folder, `history-${workers}.tsv`);
        const feedPath = join(folder, `feed-${workers}.tsv`);
        const options = {
          seed: SEED + workers,
          operations: OPERATIONS,
          clients: 24,
          workers,
          kills: 2,
          path,
          feedPath,
        };
        const result = await recordHistory(options);
        expect(result.operations).toBeGreaterThanOrEqual(OPERATIONS);
        const { wrong = [], contents = new Map<string, string>(), streams = [] } = result.feed ?? {};
        const [history, changes] = [
          parseHistory(readFileSync(path, 'utf8')),
          parseFeed(readFileSync(feedPath, 'utf8')),
        ];
        const violations = checkFeed(history, changes, contents);
        const report = reportOn(violations, { history, changes, streams });
        expect({ wrong, violations, report }).toEqual({ wrong: [], violations: [], report: [] });
        expect(changes.length).toBeGreaterThan(OPERATIONS / 4);
        expect(streams.length).toBeGreaterThan(options.kills);
        for (const [title, plant] of Object.entries(PLANTED_FAULTS)) {
          const violations = checkFeed(history, plant(changes, history), contents);
          expect([title, violations.length > 0]).toEqual([title, true]);
        }

        const pages = join(folder, 'pages');
        mkdirSync(pages, { recursive: true });
        const verdict = await checkHistories(program, [path], pages);
        expect({ rejected: verdict.rejected, unknown: verdict.unknown }).toEqual({ rejected: [], unknown: [] });
        expect(verdict.operations).toBe(result.operations);

        // The same history with one read made stale must be rejected for the key of that read.
        const planted = plantStaleRead(readFileSync(path, 'utf8'));
        const spoiled = join(folder, `planted-${workers}.tsv`);
        writeFileSync(spoiled, planted.history);
        expect((await checkHistories(program, [spoiled])).rejected).toEqual([planted.key]);
      },
      LIMIT_MS,
    );
  }
});
