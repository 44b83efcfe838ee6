/**
 * Requests for entries and rows by their addresses in other languages. TypeScript uses `fetch`, Python the package
 * requests, and Go and Java the function `send` that docs/resources.md shows.
 */
import { blocks, codeBlock } from './markdown.ts';

/** A request in a shell block, and what curl prints of the response. */
interface ResourceRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: string | undefined;
  readonly shown: readonly Shown[];
}

type Shown =
  | { readonly part: 'body' }
  | { readonly part: 'status' }
  | { readonly part: 'header'; readonly title: string; readonly name: string };

/** How a language writes a request, and what is printed. */
interface ResourceLanguage {
  readonly fence: string;
  readonly send: (request: ResourceRequest, isFirst: boolean) => string;
  readonly show: (shown: Shown) => string;
}

const quoted = (text: string): string => JSON.stringify(text);
/** A text in single quotes, unless it contains some. */
const single = (text: string): string =>
  text.includes("'") ? quoted(text) : `'${quoted(text).slice(1, -1).replaceAll('\\"', '"')}'`;

const TYPESCRIPT: ResourceLanguage = {
  fence: 'ts',
  send({ method, url, headers, body }, isFirst) {
    const list = headers.map(([name, value]) => `${/^\w+$/.test(name) ? name : `'${name}'`}: ${single(value)}`);
    const options = [
      ...(method === 'GET' ? [] : [`method: '${method}'`]),
      ...(list.length === 0 ? [] : [`headers: { ${list.join(', ')} }`]),
      ...(body === undefined ? [] : [`body: ${single(body)}`]),
    ];
    const last = options.length === 0 ? '' : `, {\n${options.map((each) => `  ${each},\n`).join('')}}`;
    return `${isFirst ? 'let ' : ''}answer = await fetch(${single(url)}${last});`;
  },
  show(shown) {
    if (shown.part === 'body') return 'console.log(await answer.text());';
    if (shown.part === 'status') return 'console.log(answer.status);';
    return `console.log(${single(`${shown.title}: `)} + answer.headers.get('${shown.name}'));`;
  },
};

const PYTHON: ResourceLanguage = {
  fence: 'python',
  send({ method, url, headers, body }) {
    const list = headers.map(
      ([name, value]) => `${quoted(name)}: ${value.includes('"') ? single(value) : quoted(value)}`,
    );
    const options = [
      ...(headers.length === 0 ? [] : [`headers={${list.join(', ')}}`]),
      ...(body === undefined ? [] : [`data=${body.includes('"') ? single(body) : quoted(body)}`]),
    ];
    const last = options.length === 0 ? '' : `,\n${options.map((each) => `    ${each},\n`).join('')}`;
    return `answer = requests.${method.toLowerCase()}(${last === '' ? '' : '\n    '}${quoted(url)}${last})`;
  },
  show(shown) {
    if (shown.part === 'body') return 'print(answer.text)';
    if (shown.part === 'status') return 'print(answer.status_code)';
    return `print(${quoted(`${shown.title}:`)}, answer.headers[${quoted(shown.name)}])`;
  },
};

function sendCall({ method, url, headers, body }: ResourceRequest, text: (value: string) => string): string {
  const names = headers.flatMap(([name, value]) => [text(name), text(value)]);
  return `send(${[quoted(method), quoted(url), text(body ?? ''), ...names].join(', ')})`;
}

const GO: ResourceLanguage = {
  fence: 'go',
  send(request, isFirst) {
    const sent = sendCall(request, (value) => (value.includes('"') ? `\`${value}\`` : quoted(value)));
    return `answer ${isFirst ? ':=' : '='} ${sent}`;
  },
  show(shown) {
    if (shown.part === 'body') return 'fmt.Println(answer.Body)';
    if (shown.part === 'status') return 'fmt.Println(answer.Status)';
    return `fmt.Println(${quoted(`${shown.title}:`)}, answer.Header.Get(${quoted(shown.name)}))`;
  },
};

const JAVA: ResourceLanguage = {
  fence: 'java',
  send: (request, isFirst) => `${isFirst ? 'var ' : ''}answer = ${sendCall(request, quoted)};`,
  show(shown) {
    if (shown.part === 'body') return 'System.out.println(answer.body());';
    if (shown.part === 'status') return 'System.out.println(answer.statusCode());';
    const { title, name } = shown;
    return `System.out.println(${quoted(`${title}: `)} + answer.headers().firstValue(${quoted(name)}).get());`;
  },
};

const LANGUAGES: readonly ResourceLanguage[] = [TYPESCRIPT, PYTHON, GO, JAVA];

/** Returns whether a shell command of curl asks for an entry or for rows. */
export function isForResource(words: readonly string[]): boolean {
  return words.some((word) => /^http:.*\/svc\/(?:caches|tables)\//.test(word));
}

/** Returns the requests of commands of curl in the language of a fence, as statements of a program. */
export function resourceStatements(commands: ReadonlyArray<readonly string[]>, fence: string): string {
  const language = LANGUAGES.find((each) => each.fence === fence);
  if (language === undefined) throw new Error(`There is no language ${fence}`);
  return commands
    .map(requestOf)
    .flatMap((request, index) => [language.send(request, index === 0), ...request.shown.map(language.show)])
    .join('\n');
}

/** Returns the element `details` with the requests in the other languages. */
export function resourceDetails(commands: ReadonlyArray<readonly string[]>, summary: string): string {
  return blocks(
    `<details>\n<summary>${summary}</summary>`,
    ...LANGUAGES.map(({ fence }) => codeBlock(fence, [resourceStatements(commands, fence)])),
    '</details>',
  );
}

function requestOf(words: readonly string[]): ResourceRequest {
  const after = (...names: readonly string[]): string | undefined =>
    words.find((_, index) => names.includes(words[index - 1] ?? ''));
  const headers = words.flatMap((word, index): Array<[string, string]> => {
    const [, name, value] = (words[index - 1] === '-H' && /^([^:]+): (.*)$/.exec(word)) || [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
  const json = after('--json');
  const body = json ?? after('-d');
  return {
    method: after('-X') ?? (body === undefined ? 'GET' : 'POST'),
    url: words.find((word) => word.startsWith('http:')) ?? '',
    headers: json === undefined ? headers : [...headers, ['Content-Type', 'application/json']],
    // Lines are for readers.
    body: body?.replaceAll(/\n\s*/g, ' '),
    shown: shownBy(after('-w')),
  };
}

/** Returns what curl prints with a format; the body is there unless the format continues in its line. */
function shownBy(format: string | undefined): readonly Shown[] {
  const body: Shown = { part: 'body' };
  if (format === undefined) return [body];
  const parts = format.split('\\n').flatMap((line): readonly Shown[] => {
    if (line === '%{http_code}') return [{ part: 'status' }];
    const [, title, name] = /^(\w+): %header\{(\w+)\}$/.exec(line) ?? [];
    return title === undefined || name === undefined ? [] : [{ part: 'header', title, name }];
  });
  return format.startsWith('\\n') ? [body, ...parts] : parts;
}
