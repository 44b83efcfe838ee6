/**
 * Checks what the documents name against the declarations: requests, options, environment variables, npm scripts and
 * metrics.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RegisteredCommand } from '../src/commands/command.ts';
import { findCommand } from '../src/commands/registry.ts';
import { OPTION_ROWS } from '../src/configuration/options.ts';

const root = join(import.meta.dir, '..');
const documents = ['*.md', 'docs/**/*.md']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
  .filter((path) => !path.includes('node_modules'))
  .sort();

/** Parameters that every command accepts, beside the ones it declares. */
const COMMON = new Set(['cmd', 'sessionToken', 'httpStatus', 'keyType', 'valueType', 'svc.login', 'svc.password']);
/** Types of arguments are parameters of their own: `arg1Type`. */
const ARGUMENT_TYPE = /^arg\d+Type$/;

interface Request {
  readonly line: number;
  readonly text: string;
  readonly params: URLSearchParams;
}

/** Query strings with `cmd=` in a document, with the form fields of the curl command that they are part of. */
function requestsOf(markdown: string): Request[] {
  return markdown.split('\n').flatMap((line, at) => {
    // A sentence may end right behind a request.
    const found = [...line.matchAll(/(?:^|[?'"`\s])(cmd=[^\s'"`)]+?)[.,;:]*(?=[\s'"`)]|$)/g)];
    const only = found.length === 1 ? formFieldsOf(line) : [];
    return found.map(([, query = '']) => ({
      line: at + 1,
      text: query,
      params: new URLSearchParams([query, ...only.filter((field) => field !== query)].join('&')),
    }));
  });
}

/** The fields that `-d` and `--data-urlencode` add. */
function formFieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:-d|--data|--data-urlencode)\s+(?:'([^']*)'|"([^"]*)")/g)].map(
    ([, single, double]) => single ?? double ?? '',
  );
}

function acceptedBy(command: RegisteredCommand, name: string): boolean {
  if (COMMON.has(name) || ARGUMENT_TYPE.test(name)) return true;
  return Object.values(command.params).some((parameter) =>
    parameter.numbered ? name.replace(/[1-9]\d*$/, '') === parameter.name && /\d$/.test(name) : parameter.name === name,
  );
}

/** What is wrong with a request; undefined when it is right. */
function complaint({ params }: Pick<Request, 'params'>): string | undefined {
  const name = params.get('cmd') ?? '';
  const command = findCommand(name);
  if (command === undefined) return `there is no command "${name}"`;
  const unknown = [...params.keys()].find((each) => !acceptedBy(command, each));
  return unknown === undefined ? undefined : `"${name}" has no parameter "${unknown}"`;
}

const scripts = Object.keys(
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }).scripts,
);
const sources = [...new Bun.Glob('src/**/*.ts').scanSync({ cwd: root })]
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n');

const ENVIRONMENT = new Set([
  'SVC_CONFIG',
  ...OPTION_ROWS.flatMap(({ environment, option }) =>
    option.secret ? [environment, `${environment}_FILE`] : [environment],
  ),
]);
const PATHS = new Set<string>(OPTION_ROWS.map(({ path }) => path));
const FOLDERS = new Set([...PATHS].filter((path) => path.includes('.')).map((path) => path.split('.')[0] ?? ''));

/** Names in a line of a document that no declaration has. */
function unknownNames(line: string): string[] {
  const variables = matches(line, /\bSVC_[A-Z0-9_]*[A-Z0-9]\b(?![_*])/g).filter(
    (name) => !ENVIRONMENT.has(name) && !name.startsWith('SVC_TEST_'),
  );
  // An option in code marks: `query.timeout`, but neither a file nor a pattern.
  const options = matches(line, /(?<=`)[a-z]+(?:\.[A-Za-z]+)+(?=`)/g).filter(
    (name) => FOLDERS.has(name.split('.')[0] ?? '') && !PATHS.has(name) && !isFolder(name),
  );
  const npm = matches(line, /(?<=npm run )[a-z][a-z:-]*[a-z]/g).filter((name) => !scripts.includes(name));
  const metrics = matches(line, /\bsvc_[a-z_]*[a-z]\b(?![_*{]?\*)/g).filter(
    (name) => !sources.includes(name.replace(/_(?:bucket|sum|count)$/, '')),
  );
  return [...variables, ...options, ...npm, ...metrics];
}

function isFolder(name: string): boolean {
  return [...PATHS].some((path) => path.startsWith(`${name}.`));
}

function matches(line: string, pattern: RegExp): string[] {
  return [...line.matchAll(pattern)].map(([found]) => found);
}

describe('options, variables, npm scripts and metrics in the documents exist', () => {
  for (const path of documents) {
    test(path, () => {
      const lines = readFileSync(join(root, path), 'utf8').split('\n');
      const found = lines.flatMap((line, at) => unknownNames(line).map((name) => `${path}:${at + 1}: ${name}`));
      expect(found.join('\n')).toBe('');
    });
  }
});

describe('unknownNames reports', () => {
  const cases: ReadonlyArray<readonly [string, string, readonly string[]]> = [
    ['nothing for declared names', 'Set SVC_HTTP_PORT or `query.timeout`, then npm run check.', []],
    ['a variable', 'Set SVC_HTTP_PRT.', ['SVC_HTTP_PRT']],
    ['an option', 'Set `query.timeuot`.', ['query.timeuot']],
    ['an npm script', 'Use `npm run chekc`.', ['chekc']],
    ['a metric', 'Watch svc_no_such_metric.', ['svc_no_such_metric']],
  ];
  for (const [title, line, expected] of cases) test(title, () => expect(unknownNames(line)).toEqual([...expected]));
});

describe('requests in the documents', () => {
  for (const path of documents) {
    const requests = requestsOf(readFileSync(join(root, path), 'utf8'));
    if (requests.length === 0) continue;
    test(path, () => {
      const complaints = requests.flatMap((request) => {
        const wrong = complaint(request);
        return wrong === undefined ? [] : [`${path}:${request.line}: ${request.text}: ${wrong}`];
      });
      expect(complaints.join('\n')).toBe('');
    });
  }
});

describe('the check finds', () => {
  const cases: ReadonlyArray<readonly [string, string, string | undefined]> = [
    ['nothing in a right request', 'cmd=put&key=a&val=b', undefined],
    ['nothing in numbered parameters', 'cmd=putall&k1=a&v1=b', undefined],
    ['an unknown command', 'cmd=putt&key=a', 'there is no command "putt"'],
    ['an unknown parameter', 'cmd=getorcreate&backupsCount=1', '"getorcreate" has no parameter "backupsCount"'],
    ['a numbered parameter without a number', 'cmd=getall&k=a', '"getall" has no parameter "k"'],
  ];
  for (const [title, query, expected] of cases) {
    test(title, () => expect(complaint({ params: new URLSearchParams(query) })).toBe(expected));
  }
  test('form fields of a curl command', () => {
    const [request] = requestsOf("curl 'http://localhost:8080/svc?cmd=putall' -d 'k1=a&v1=1' --data-urlencode 'x=y'");
    expect([...(request?.params.keys() ?? [])]).toEqual(['cmd', 'k1', 'v1', 'x']);
  });
});
