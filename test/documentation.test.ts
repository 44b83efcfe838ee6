/**
 * Checks what the documents name against the declarations: requests, shell commands, options, environment variables,
 * npm scripts and metrics. `test/system/documents/documented-requests.test.ts` executes the requests.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSubcommand } from '../src/cli/subcommands.ts';
import { BATCH_OPTIONS } from '../src/commands/batch-commands.ts';
import type { RegisteredCommand } from '../src/commands/command.ts';
import { findCommand } from '../src/commands/registry.ts';
import { OPTION_ROWS } from '../src/configuration/options.ts';
import { Problems } from '../src/configuration/problems.ts';
import { CLIENT_VARIABLES, readCommandLine } from '../src/configuration/sources.ts';
import { openApi } from '../src/documentation/openapi.ts';
import { addressOf, methodsOfResource } from '../src/resources/address.ts';
import { RESOURCES, type ResourceDeclaration } from '../src/resources/declarations.ts';
import { NUMBERED_BY_LIST } from '../src/values/json-parameters.ts';
import { readMigrationArguments } from '../src/wiring/migration/migration-arguments.ts';
import { blocksOf, shellCommands } from './documentation/shell.ts';
import { CLUSTER_TRANSCRIPT, TRANSCRIPTS } from './documentation/transcript.ts';

const root = join(import.meta.dir, '..');
const documents = ['*.md', 'docs/**/*.md']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
  .filter((path) => !path.includes('node_modules'))
  .sort();

// Everything that a guide names is executed, including its problems (test/system/guides/transcripts.long.test.ts).
const checkedDocuments = documents.filter((path) => !TRANSCRIPTS.includes(path) && path !== CLUSTER_TRANSCRIPT);

/** Parameters that every command accepts, besides the ones it declares. */
const COMMON = new Set([
  'cmd',
  'sessionToken',
  'httpStatus',
  'errors',
  'numbers',
  'dates',
  'keyType',
  'valueType',
  'svc.login',
  'svc.password',
]);
/** Types of arguments are separate parameters: `arg1Type`. */
const ARGUMENT_TYPE = /^arg\d+Type$/;

interface Request {
  readonly line: number;
  readonly text: string;
  readonly params: URLSearchParams;
}

/** Returns the query strings with `cmd` in a document, wherever the parameter is in them. */
function requestsOf(markdown: string): Request[] {
  return markdown.split('\n').flatMap((line, at) =>
    [...line.matchAll(/[^\s'"`()|]*\bcmd=[^\s'"`()|]*/g)].map(([found]) => {
      // A sentence may end right after a request.
      const text = found.replace(/^.*\?/, '').replace(/[.,;:]+$/, '');
      return { line: at + 1, text, params: new URLSearchParams(text) };
    }),
  );
}

function acceptedBy(command: RegisteredCommand, name: string): boolean {
  if (COMMON.has(name) || ARGUMENT_TYPE.test(name)) return true;
  return Object.values(command.params).some((parameter) =>
    parameter.numbered ? name.replace(/[1-9]\d*$/, '') === parameter.name && /\d$/.test(name) : parameter.name === name,
  );
}

/** Returns the problem with a request, or undefined if it is correct. */
function complaint({ params }: Pick<Request, 'params'>): string | undefined {
  const name = params.get('cmd') ?? '';
  const command = findCommand(name);
  if (command === undefined) return `there is no command "${name}"`;
  // The command whose parameters follow.
  const other = command.acceptsOthers === true ? findCommand(params.get('of') ?? '') : undefined;
  const unknown = [...params.keys()].find(
    (each) => !acceptedBy(command, each) && (other === undefined || !acceptedBy(other, each)),
  );
  return unknown === undefined ? undefined : `"${name}" has no parameter "${unknown}"`;
}

/** Paths of the service besides the endpoint. */
const PAGES = new Set(Object.keys(openApi('svc').paths));

/** Returns the problem with a shell command; undefined if it is correct. A command that no rule covers is an error. */
function shellComplaint(words: readonly string[]): string | undefined {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  // Variables of the service are checked as names; others belong to the example.
  if (start < 0) return undefined;
  const [program = '', ...args] = words.slice(start);
  if (program === 'curl') return curlComplaint(args);
  if (program === 'npm') return npmComplaint(args);
  const migrate = args.indexOf('migrate');
  if (
    program === 'svc' &&
    args[0] !== undefined &&
    !args[0].startsWith('-') &&
    !['serve', 'migrate'].includes(args[0])
  ) {
    return subcommandComplaint(args);
  }
  const isService = program === 'svc' || (program === 'npx' && args.slice(0, 2).join(' ') === 'bun src/main.ts');
  if (isService && migrate >= 0) {
    return thrownBy(() => checkCommandLine(readMigrationArguments(args.slice(migrate + 1), root)?.rest ?? [], root));
  }
  if (isService) return thrownBy(() => checkCommandLine(args[0] === 'serve' ? args.slice(1) : args, root));
  return `no rule checks the command "${program}"`;
}

/** Returns the problem with `svc SUBCOMMAND ...`; test/system/cli/documented-commands.test.ts executes them. */
function subcommandComplaint([name = '', ...args]: readonly string[]): string | undefined {
  if (findSubcommand(name) !== undefined) return undefined;
  const parameters = args.flatMap((word): Array<[string, string]> => {
    const [, parameter, value = ''] = /^([A-Za-z][\w.]*)[=@](.*)$/s.exec(word) ?? [];
    return parameter === undefined ? [] : [[parameter, value]];
  });
  return complaint({ params: new URLSearchParams([['cmd', name], ...parameters]) });
}

function npmComplaint([verb = '', ...args]: readonly string[]): string | undefined {
  const separator = args.indexOf('--');
  const own = separator < 0 ? args : args.slice(0, separator);
  const passed = separator < 0 ? [] : args.slice(separator + 1);
  const script = verb === 'run' ? (own[0] ?? '') : verb;
  if (!scripts.includes(script)) return `there is no npm script "${script}"`;
  if (script === 'svc') return shellComplaint(['svc', ...passed]);
  if (script === 'start') return thrownBy(() => checkCommandLine(passed, root));
  return passed.length === 0 ? undefined : `no rule checks the arguments of "npm run ${script}"`;
}

function curlComplaint(args: readonly string[]): string | undefined {
  const url = args.find((word) => /^https?:/.test(word));
  if (url === undefined) return 'curl has no URL';
  const { pathname, searchParams } = new URL(url);
  const params = new URLSearchParams(searchParams);
  const command = /^\/svc\/(\w+)$/.exec(pathname)?.[1];
  if (command !== undefined) params.set('cmd', command);
  else if (pathname !== '/svc') {
    if (!PAGES.has(pathname)) return resourceComplaint(pathname, methodIn(args), searchParams);
    return undefined;
  }
  for (const [at, word] of args.entries()) {
    const content = args[at + 1] ?? '';
    if (/^(?:-d|--data|--data-urlencode)$/.test(word))
      for (const pair of new URLSearchParams(content)) params.append(...pair);
    if (word !== '--json') continue;
    if (content.startsWith('[')) {
      params.append('commands', content);
      const wrong = batchComplaint(content);
      if (wrong !== undefined) return wrong;
    } else for (const pair of jsonParameters(content)) params.append(...pair);
  }
  return complaint({ params });
}

/** Returns the method that curl uses. */
function methodIn(args: readonly string[]): string {
  const at = args.findIndex((word) => word === '-X' || word === '--request');
  if (at >= 0) return args[at + 1] ?? '';
  return args.some((word) => /^(?:-d|--data.*|--json)$/.test(word)) ? 'POST' : 'GET';
}

/** Returns the problem with a request for an entry or for rows, whose columns no declaration knows. */
function resourceComplaint(path: string, method: string, params: URLSearchParams): string | undefined {
  const resource = addressOf(path, '/svc/'.length)?.resource;
  if (resource === undefined) return `there is no path "${path}"`;
  const declared: ResourceDeclaration = RESOURCES[resource];
  const operation = Object.entries(declared.methods).find(([name]) => name === method)?.[1];
  if (operation === undefined) return `"${path}" has ${methodsOfResource(resource)}`;
  const names = operation.parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const unknown = names.includes('COLUMN') ? undefined : [...params.keys()].find((name) => !names.includes(name));
  return unknown === undefined ? undefined : `${method} of "${path}" has no parameter "${unknown}"`;
}

/** Returns the problem with a command of a batch, or undefined if all are correct. */
function batchComplaint(body: string): string | undefined {
  const commands: ReadonlyArray<Readonly<Record<string, unknown>>> = JSON.parse(body);
  const complaints = commands.map((each) =>
    complaint({
      params: new URLSearchParams(
        Object.fromEntries(jsonParameters(JSON.stringify(each)).filter(([name]) => !BATCH_OPTIONS.has(name))),
      ),
    }),
  );
  return complaints.find((each) => each !== undefined);
}

function jsonParameters(body: string): ReadonlyArray<[name: string, value: string]> {
  const members: Readonly<Record<string, unknown>> = JSON.parse(body);
  return Object.entries(members).map(([name, value]) => [
    NUMBERED_BY_LIST[name] ? `${NUMBERED_BY_LIST[name]}1` : name,
    String(value),
  ]);
}

/** Throws ConfigurationError for arguments that the service rejects. */
function checkCommandLine(args: readonly string[], cwd: string): void {
  const problems = new Problems();
  readCommandLine(args, cwd, problems);
  problems.check();
}

function thrownBy(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
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
  ...CLIENT_VARIABLES,
  ...OPTION_ROWS.flatMap(({ environment, option }) =>
    option.secret ? [environment, `${environment}_FILE`] : [environment],
  ),
]);
const PATHS = new Set<string>(OPTION_ROWS.map(({ path }) => path));
const FOLDERS = new Set([...PATHS].filter((path) => path.includes('.')).map((path) => path.split('.')[0] ?? ''));

/** Returns the names in a line of a document that no declaration has. */
function unknownNames(line: string): string[] {
  const variables = matches(line, /\bSVC_[A-Z0-9_]*[A-Z0-9]\b(?![_*])/g).filter(
    (name) => !ENVIRONMENT.has(name) && !name.startsWith('SVC_TEST_'),
  );
  // An option in code marks: `query.timeout`, but neither a file nor a pattern.
  const options = matches(line, /(?<=`)[a-z]+(?:\.[A-Za-z]+)+(?=`)/g).filter(
    (name) => FOLDERS.has(name.split('.')[0] ?? '') && !PATHS.has(name) && !isFolder(name),
  );
  const npm = matches(line, /(?<=npm run )[a-z][a-z:-]*[a-z]/g).filter((name) => !scripts.includes(name));
  // The module of the Python client, and its fixtures for pytest.
  const metrics = matches(line, /\bsvc_(?!(?:grid|service|fixtures|options)\b)[a-z_]*[a-z]\b(?![_*{]?\*)/g).filter(
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
      const text = readFileSync(join(root, path), 'utf8');
      // It says which names the new ones replace.
      const lines = (path === 'docs/upgrade.md' ? text.replace(/\breplaces? [^.\n]*/g, '') : text).split('\n');
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
  for (const path of checkedDocuments) {
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

describe('code blocks in the documents', () => {
  for (const path of checkedDocuments) {
    // test/system/documents/example-programs.test.ts executes them.
    if (path.startsWith('docs/reference/')) continue;
    const blocks = blocksOf(readFileSync(join(root, path), 'utf8'));
    if (blocks.length === 0) continue;
    test(path, () => {
      const complaints = blocks.flatMap(({ line, language, text }) => {
        const at = `${path}:${line}`;
        if (
          ![
            'sh',
            'json',
            'sql',
            'csv',
            'ts',
            'js',
            'python',
            'go',
            'java',
            'text',
            'yaml',
            'ini',
            'nginx',
            'haproxy',
            'caddy',
          ].includes(language)
        )
          return [`${at}: the block names no known language`];
        const commands = language === 'sh' ? shellCommands(text) : [];
        return commands.flatMap((words) => {
          const wrong = shellComplaint(words);
          return wrong === undefined ? [] : [`${at}: ${words.join(' ')}: ${wrong}`];
        });
      });
      expect(complaints.join('\n')).toBe('');
    });
  }
});

describe('shellComplaint reports', () => {
  const cases: ReadonlyArray<readonly [string, string, string | undefined]> = [
    ['nothing for a right request', "curl 'http://localhost:8080/svc?cmd=get&key=a'", undefined],
    ['an unknown parameter in the URL', "curl 'http://h/svc?cmd=get&kee=a'", '"get" has no parameter "kee"'],
    [
      'one in form fields',
      "curl 'http://h/svc?cmd=get' \\\n  --data-urlencode 'kee=a'",
      '"get" has no parameter "kee"',
    ],
    ['one in a JSON body', `curl 'http://h/svc' --json '{"cmd": "get", "kee": 1}'`, '"get" has no parameter "kee"'],
    ['nothing for lists in a JSON body', `curl 'http://h/svc' --json '{"cmd": "getall", "keys": ["a"]}'`, undefined],
    ['nothing for the path of a command', "curl 'http://h/svc/get?key=a'", undefined],
    ['an unknown parameter of a path', "curl 'http://h/svc/get?kee=a'", '"get" has no parameter "kee"'],
    ['an unknown path', "curl 'http://h/healthy'", 'there is no path "/healthy"'],
    ['nothing for a resource', "curl -X PUT 'http://h/svc/caches/a/entries/b?ttlMs=5' -d 1", undefined],
    [
      'an unknown parameter of a resource',
      "curl 'http://h/svc/caches/a/entries/b?kee=1'",
      'GET of "/svc/caches/a/entries/b" has no parameter "kee"',
    ],
    [
      'a method that a resource lacks',
      "curl -X PUT 'http://h/svc/tables/a/rows'",
      '"/svc/tables/a/rows" has HEAD, GET, POST, PATCH, DELETE',
    ],
    ['nothing for a page', "curl 'http://h/health/live'", undefined],
    ['an unknown flag', 'npm start -- --endpiont a:1', '--endpiont: unknown, did you mean --endpoints?'],
    ['nothing for known flags after variables', 'SVC_NAME=a \\\n  npm start -- --engine cluster', undefined],
    ['an npm script', 'npm run strat', 'there is no npm script "strat"'],
    ['arguments that nothing checks', 'npm run proof -- --x', 'no rule checks the arguments of "npm run proof"'],
    ['a command that nothing checks', 'wget http://h/', 'no rule checks the command "wget"'],
  ];
  for (const [title, command, expected] of cases) {
    test(title, () => expect(shellCommands(command).map(shellComplaint)).toEqual([expected]));
  }
  test('an unknown option of migrate', () => {
    expect(shellComplaint('svc migrate --from a --to b --backup 1'.split(' '))).toContain('--backup');
  });
});

test('CONTRIBUTING.md lists every npm script, and bench/README.md the benchmarks', () => {
  const listedIn = (page: string, line: RegExp) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(line)].map(([, name = '']) => name);
  const listed = [
    ...listedIn('CONTRIBUTING.md', /^npm (?:run )?([a-z:-]+) /gm),
    ...listedIn('bench/README.md', /^\| `npm run (bench:[a-z-]+)/gm),
  ];
  expect(listed.sort()).toEqual(scripts.filter((name) => name !== 'prepack').sort());
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
  test('requests wherever cmd is in them', () => {
    const texts = requestsOf('Send `key=a&cmd=get`, or /svc?b=1&cmd=put.').map(({ text }) => text);
    expect(texts).toEqual(['key=a&cmd=get', 'b=1&cmd=put']);
  });
});
