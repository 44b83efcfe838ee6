/** Checks the requests that the documents show against the declarations of commands and parameters. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RegisteredCommand } from '../src/commands/command.ts';
import { findCommand } from '../src/commands/registry.ts';

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
