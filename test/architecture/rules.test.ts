/** Tests the rules themselves: each must reject its bad samples and accept the good ones. */
import { describe, expect, test } from 'bun:test';
import { blankOut } from './blank.ts';
import { type ModuleRule, readModules } from './modules.ts';
import {
  type Complaint,
  checkDocuments,
  checkImports,
  checkLines,
  checkNames,
  checkRestricted,
  checkTable,
  type SourceFile,
} from './rules.ts';

const TABLE = `
| module | responsibility | may import | exclusive use |
|---|---|---|---|
| \`src/base\` | time | - | \`Date.now\`, \`Math.random\`, timers |
| \`src/grid\` | the port | base | |
| \`src/http\` | bytes | base, grid | sockets |
| \`src/engines/embedded\` | SQLite | base, grid | \`bun:sqlite\` |
| \`src/engines/cluster\` | the wire | base | sockets |
| \`src/service\` | order | base | child processes |
| \`src/main.ts\`, \`src/wiring\` | wiring | all | \`process.*\` |

Text behind the table.
`;
const rules: ModuleRule[] = readModules(TABLE);

function file(path: string, text: string): SourceFile {
  return { path, text };
}

/** Title, file, and the expected part of the complaint; undefined if none is expected. */
type Case = readonly [title: string, file: SourceFile, complaint: string | undefined];

function table(title: string, check: (files: readonly SourceFile[]) => Complaint[], cases: readonly Case[]): void {
  describe(title, () => {
    for (const [sentence, sample, complaint] of cases) {
      test(sentence, () => {
        const complaints = check([sample]);
        if (complaint === undefined) expect(complaints).toEqual([]);
        else expect(complaints.join('\n')).toContain(complaint);
      });
    }
  });
}

test('the table of modules is read row by row', () => {
  expect(rules).toHaveLength(7);
  expect(rules[2]).toEqual({
    paths: ['src/http'],
    mayImport: ['base', 'grid'],
    exclusiveUses: ['sockets'],
  });
  expect(rules[6]?.mayImport).toBe('all');
  expect(checkTable(rules)).toEqual([]);
});

test('a word in the table that no rule knows is a complaint', () => {
  const odd = readModules(TABLE.replace('sockets', 'carrier pigeons'));
  expect(checkTable(odd).join('\n')).toContain('no rule knows what "carrier pigeons" means');
});

table('imports', (files) => checkImports(files, rules), [
  ['an allowed import passes', file('src/grid/a.ts', "import { b } from '../base/b.ts';"), undefined],
  ['a module may import itself', file('src/grid/a.ts', "import { b } from './b.ts';"), undefined],
  [
    'a forbidden import is named with the allowed ones',
    file('src/grid/a.ts', "\nimport { b } from '../http/b.ts';"),
    'src/grid/a.ts:2: imports src/http/b.ts; src/grid may import only: base',
  ],
  [
    'a type goes through no forbidden import either',
    file('src/grid/a.ts', "import type { B } from '../http/b.ts';"),
    'may import only: base',
  ],
  ['nor does a re-export', file('src/grid/a.ts', "export * from '../http/b.ts';"), 'may import only: base'],
  ['nor a dynamic import', file('src/grid/a.ts', "await import('../http/b.ts');"), 'may import only: base'],
  ['nor a worker', file('src/grid/a.ts', "new Worker(new URL('../http/b.ts', import.meta.url));"), 'may import only'],
  ['nor an import over several lines', file('src/grid/a.ts', "import {\n  b,\n} from '../http/b.ts';"), 'may import'],
  ['the base may import nothing', file('src/base/a.ts', "import '../grid/a.ts';"), 'may import only: nothing'],
  ['the wiring may import all', file('src/wiring/a.ts', "import '../http/a.ts';"), undefined],
  ['a test may import all', file('src/base/a.test.ts', "import '../http/a.ts';"), undefined],
  ['an import in a comment is none', file('src/base/a.ts', "// import '../http/a.ts';"), undefined],
  ['a file outside of every module', file('src/stuff/a.ts', ''), 'belongs to no module'],
]);

table('things for one module', (files) => checkRestricted(files, rules), [
  ['the clock may ask for the time', file('src/base/clock.ts', 'Date.now();'), undefined],
  ['nobody else may', file('src/grid/a.ts', 'const now = Date.now();'), 'src/grid/a.ts:1: Date.now'],
  ['not by a new Date either', file('src/grid/a.ts', 'const now = new Date();'), 'Date.now is not allowed here'],
  ['a date of a number is fine', file('src/grid/a.ts', 'const day = new Date(0);'), undefined],
  ['chance', file('src/grid/a.ts', 'Math.random()'), 'Math.random'],
  ['timers', file('src/grid/a.ts', 'setTimeout(f, 1)'), 'take a Clock'],
  ['sleeping', file('src/grid/a.ts', 'await Bun.sleep(1)'), 'take a Clock'],
  ['SQLite in its engine', file('src/engines/embedded/a.ts', "import 'bun:sqlite';"), undefined],
  ['SQLite elsewhere', file('src/http/a.ts', "import { Database } from 'bun:sqlite';"), 'use the Grid interface'],
  ['a server, which no row allows', file('src/http/a.ts', 'Bun.serve({})'), 'HTTP servers'],
  ['child processes', file('src/http/a.ts', "import { spawn } from 'node:child_process';"), 'leave it to src/service'],
  ['sockets', file('src/grid/a.ts', "import net from 'node:net';"), 'node:net is not allowed here'],
  ['the process', file('src/grid/a.ts', 'process.exit(1)'), 'process.*'],
  ['the process in the wiring', file('src/wiring/a.ts', 'process.exit(1)'), undefined],
  ['the process where one begins', file('src/service/task-process.ts', 'process.exit(1)'), undefined],
  ['a member of that name is another thing', file('src/grid/a.ts', 'this.process.run()'), undefined],
  ['nor is a variable', file('src/grid/a.ts', 'const { process } = options; process.memory()'), undefined],
  ['a text is no use', file('src/grid/a.ts', "const hint = 'Date.now()';"), undefined],
  [
    'nor is a template, but its code is',
    file('src/grid/a.ts', 'const t = `Date.now @{Date.now()}`;'.replace('@', '$')),
    'Date.now',
  ],
]);

table('names', checkNames, [
  ['a folder that says nothing', file('src/base/utils/a.ts', ''), '"utils" says nothing'],
  ['a file that says nothing', file('src/base/helpers.ts', ''), '"helpers.ts" says nothing'],
  ['its test does not either', file('src/base/types.test.ts', ''), 'says nothing'],
  ['a name that says something', file('src/values/type-names.ts', ''), undefined],
]);

table('lines', checkLines, [
  ['120 columns fit', file('a.ts', 'x'.repeat(120)), undefined],
  ['121 do not', file('a.ts', `\n${'x'.repeat(121)}`), 'a.ts:2: 121 columns'],
  ['a long text cannot be broken', file('a.ts', `x = '${'y '.repeat(60)}';`), undefined],
  ['a long comment can', file('a.ts', `// ${'y '.repeat(60)}`), '123 columns'],
  ['a mark', file('a.ts', ['// TO', 'DO later'].join('')), 'left-over mark'],
]);

table('documents', checkDocuments, [
  ['a path of one machine', file('a.md', 'see /home/ann/svc'), 'a path of one machine: /home/ann'],
  ['a path of the interface', file('a.md', 'ask /svc?cmd=version'), undefined],
  ['a registry', file('a.md', 'https://registry.example.org/x'), "a registry's host"],
]);

test('blanks keep every position', () => {
  const source = "a = 'x'; // c\nb = /[/']/.test(`t@{c + `u@{d}`}v`) / 2; /* e\n */ f".replaceAll('@', '$');
  const blank = blankOut(source);
  expect(blank).toHaveLength(source.length);
  expect(blank.split('\n')).toHaveLength(3);
  expect(blank.replace(/\s+/g, '')).toBe('a=;b=.test(c+d)/2;f');
});
