/** Each rule of the structure finds a violation of it. */
import { describe, expect, test } from 'bun:test';
import { checkCitations, sectionsOf } from './citations.ts';
import { checkErrorTexts } from './error-texts.ts';
import { checkFolders, MAX_FOLDER_LINES } from './folders.ts';
import { checkLimits } from './limits.ts';
import { readModules } from './modules.ts';
import { checkUnneeded, type SourceFile } from './rules.ts';
import { checkStart } from './start.ts';
import { checkRead } from './unread-options.ts';

const file = (path: string, text: string): SourceFile => ({ path, text });

describe('citations', () => {
  const sections = new Map([['contract', sectionsOf('# T\n\n## 2. Resources\n\n1. One.\n\n### 2.4a Task result\n')]]);
  const exists = (path: string) => ['src/a.ts', 'DESIGN.md', 'docs/guide.md'].includes(path);
  const cases: ReadonlyArray<readonly [string, string, string | undefined]> = [
    ['a section that exists', '// docs/spec/contract.md 2.4a', undefined],
    ['a rule of a section', '// docs/spec/contract.md 2.1', undefined],
    ['a rule that does not exist', '// docs/spec/contract.md 2.2', 'docs/spec/contract.md has no section 2.2'],
    ['a path with variable parts', '// src/commands/GROUP/NAME.ts', undefined],
    ['a document without a section', '// see docs/spec/contract.md.', undefined],
    ['a section that does not exist', '// docs/spec/contract.md 3', 'docs/spec/contract.md has no section 3'],
    ['a document that does not exist', '// docs/spec/none.md 3', 'there is no docs/spec/none.md'],
    ['a file that does not exist', ' * as in src/b.ts', 'there is no src/b.ts'],
    ['a file that exists', ' * as in src/a.ts and guide.md', undefined],
    ['a document by its name', '// OTHER.md has the reasons', 'there is no OTHER.md'],
    ['code is not prose', "read('src/b.ts')", undefined],
  ];
  for (const [title, line, expected] of cases) {
    test(title, () => {
      const found = checkCitations(
        [file('src/x.ts', line)],
        (path) => path.startsWith('docs/spec/contract') || exists(path),
        sections,
      );
      expect(found[0]).toBe(expected === undefined ? undefined : `src/x.ts:1: ${expected}`);
    });
  }
});

describe('what a service loads at its start', () => {
  const entry = (text: string) => file('src/serve.ts', text);
  const guide = file('src/documentation/guide.ts', 'export const GUIDE = 1;');
  const between = file('src/base/a.ts', "import { GUIDE } from '../documentation/guide.ts';\nexport const a = GUIDE;");
  const cases: ReadonlyArray<readonly [string, readonly SourceFile[], string | undefined]> = [
    [
      'code through another module',
      [entry("import { a } from './base/a.ts';\na;"), between, guide],
      'src/base/a.ts:1:',
    ],
    ['types', [entry("import type { GUIDE } from './documentation/guide.ts';"), guide], undefined],
    ['code on demand', [entry("await import('./documentation/guide.ts');"), guide], undefined],
  ];
  for (const [title, files, expected] of cases) {
    test(title, () => expect(checkStart(files, 'src/serve.ts')[0]?.split(' ')[0]).toBe(expected));
  }
});

describe('options and limits that no code reads', () => {
  const cases: ReadonlyArray<readonly [string, string, string, string | undefined]> = [
    ['an option', 'src/a.ts', "values['query.other']", 'no code reads the option query.rows'],
    [
      'an option that only a test reads',
      'src/a.test.ts',
      "values['query.rows']",
      'no code reads the option query.rows',
    ],
    ['a limit', 'src/a.ts', "values['query.rows']", 'no code reads the limit keys'],
    ['both are read', 'src/a.ts', "values['query.rows'] + limits.keys", undefined],
  ];
  for (const [title, path, text, expected] of cases) {
    test(title, () => {
      const [found] = checkRead([file(path, text)], ['query.rows'], ['keys']);
      expect(found?.replace(/^\S+ /, '')).toBe(expected);
    });
  }
});

describe('limits', () => {
  const cases: ReadonlyArray<readonly [string, SourceFile, string | undefined]> = [
    ['the table', file('src/base/limits.ts', 'export const MAX_NAME = 1;'), undefined],
    ['a bound with a comment', file('src/a.ts', '/** Evicts the oldest. */\nconst MAX_CACHED = 10;'), undefined],
    ['a comment of two', file('src/a.ts', '/** Evicts. */\nconst MAX_ROWS = 10;\nconst MAX_BYTES = 1;'), undefined],
    ['a bound without', file('src/a.ts', '\nconst MAX_CACHED = 10;'), 'src/a.ts:2: MAX_CACHED has no comment'],
    ['a time limit', file('src/a.ts', 'export const CANCEL_LIMIT_MS = 5_000;'), 'src/a.ts:1: CANCEL_LIMIT_MS has no'],
    ['a size', file('src/a.ts', 'const HEADER_BYTES = 24;'), 'src/a.ts:1: HEADER_BYTES has no comment'],
    ['a conversion', file('src/a.ts', 'const DAY_MS = 86_400_000;'), undefined],
    ['a constant that bounds nothing', file('src/a.ts', 'const FIRST = 24;'), undefined],
    ['a test', file('src/a.test.ts', 'const MAX_CACHED = 10;'), undefined],
  ];
  for (const [title, source, expected] of cases) {
    test(title, () => {
      const found = checkLimits([source]).join();
      if (expected === undefined) expect(found).toBe('');
      else expect(found).toStartWith(expected);
    });
  }
});

describe('error texts', () => {
  const OWN_TEXT = 'an error with a text of its own: declare it in src/base/errors or src/base/sql-errors.ts';
  const cases: ReadonlyArray<readonly [string, SourceFile, string | undefined]> = [
    ['the table', file('src/base/errors.ts', "{ text: () => 'Two words', }, new GridError(code, text)"), undefined],
    [
      'a text twice in the tables',
      file('src/base/sql-errors.ts', "{ text: () => 'Two words' },\n{ text: (a: string) =>\n 'Two words' },"),
      'src/base/sql-errors.ts:2: this text is declared twice: Two words',
    ],
    ['the groups', file('src/base/errors/a.ts', '  ONE: {},\n  TWO: {},'), undefined],
    [
      'a name twice in a group',
      file('src/base/errors/a.ts', '  ONE: {},\n  ONE: {},'),
      'src/base/errors/a.ts: ONE is declared in src/base/errors/a.ts, too',
    ],
    [
      'two texts',
      file('src/base/errors/tasks.ts', "{ text: () => 'Two words' }, { text: () => 'Two more' }"),
      undefined,
    ],
    ['an error of the table', file('src/a.ts', "throw fail('CACHE_NOT_FOUND', 'a name');"), undefined],
    [
      'an error with a text of its own',
      file('src/a.ts', "\nthrow new GridError(\n  'SQL',\n  `No table`,\n);"),
      `src/a.ts:2: ${OWN_TEXT}`,
    ],
    [
      'a function that hides one',
      file('src/a.ts', "const wrong = (text: string) => new GridError('SQL', text);"),
      `src/a.ts:1: ${OWN_TEXT}`,
    ],
    [
      'an own text for a code that passes texts on',
      file('src/a.ts', "throw fail('OPERATION_FAILED', text);"),
      `src/a.ts:1: ${OWN_TEXT}`,
    ],
    ['a failure of SQL', file('src/a.ts', "new SqlFailure('No such thing')"), `src/a.ts:1: ${OWN_TEXT}`],
    [
      'the text of a node, where errors of nodes are translated',
      file('src/engines/cluster/protocol/status.ts', "new GridError('SQL', message, { cause })"),
      undefined,
    ],
    [
      'an own text there',
      file('src/engines/cluster/protocol/status.ts', "new GridError('SQL', 'No such thing')"),
      `src/engines/cluster/protocol/status.ts:1: ${OWN_TEXT}`,
    ],
    ['a test', file('src/a.test.ts', "new GridError('SQL', 'No such thing')"), undefined],
  ];
  for (const [title, source, expected] of cases) {
    test(title, () => expect(checkErrorTexts([source], ['OPERATION_FAILED']).join()).toBe(expected ?? ''));
  }
});

describe('folders', () => {
  const long = '\n'.repeat(MAX_FOLDER_LINES / 2);
  test('two long files in different folders are fine', () => {
    expect(checkFolders([file('src/a/b.ts', long), file('src/a/d/e.ts', long)])).toEqual([]);
  });
  test('tests in src do not count', () => {
    expect(checkFolders([file('src/a/b.ts', long), file('src/a/c.test.ts', long)])).toEqual([]);
  });
  test('two long files in one folder are reported', () => {
    expect(checkFolders([file('src/a/b.ts', long), file('src/a/c.ts', long)])).toHaveLength(1);
  });
  test('so are two tests in a folder of tests', () => {
    expect(checkFolders([file('test/a/b.test.ts', long), file('test/a/c.test.ts', long)])).toHaveLength(1);
  });
});

describe('what the table of modules allows and nobody needs', () => {
  const rules = readModules(`
| module | responsibility | may import | exclusive use |
|---|---|---|---|
| \`src/base\` | time | - | timers |
| \`src/grid\` | the port | base | |
`);
  const clock = file('src/base/clock.ts', 'setTimeout(f, 1)');
  const cases: ReadonlyArray<readonly [string, readonly SourceFile[], readonly string[]]> = [
    ['nothing when both are needed', [clock, file('src/grid/a.ts', "import '../base/clock.ts';")], []],
    ['an import', [clock], ['base']],
    ['an import that only a test needs', [clock, file('src/grid/a.test.ts', "import '../base/clock.ts';")], ['base']],
    ['an exclusive use', [file('src/grid/a.ts', "import '../base/clock.ts';")], ['timers']],
  ];
  for (const [title, files, expected] of cases) {
    test(title, () => {
      const found = checkUnneeded(files, rules);
      expect(found).toHaveLength(expected.length);
      for (const [index, word] of expected.entries()) expect(found[index]).toContain(word);
    });
  }
});
