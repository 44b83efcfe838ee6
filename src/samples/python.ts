import { brokenLiteral, LINE_CHARACTERS, literal, PYTHON_NOTATION } from './literals.ts';
import { type Language, memberIn, type ProgramRequest, usedMember, watchOptions } from './program.ts';

const { text } = PYTHON_NOTATION;

/** Programs with the Python client. */
export const PYTHON: Language = {
  name: 'Python',
  fence: 'python',
  indent: '',
  setup: ({ endpoint, needsLogin }) => {
    const login = needsLogin ? ', user="USER", password="PASSWORD"' : '';
    return { before: `from svc_grid import SvcClient\n\nclient = SvcClient(${text(endpoint)}${login})\n`, after: '' };
  },
  calls: (requests) => requests.map((request, index) => statement(request, requests, index)).join('\n'),
};

function statement(request: ProgramRequest, requests: readonly ProgramRequest[], index: number): string {
  const isLast = index === requests.length - 1;
  if (isLast && request.cmd === 'watch') {
    return `for change in client.watch(${keywords(watchOptions(request.params), false)}):\n    print(change)`;
  }
  if (isLast && request.asRows === true) {
    const { qry, args } = request.params;
    const values = args === undefined ? '' : `, ${literal(args, PYTHON_NOTATION)}`;
    return `for row in client.query(${text(String(qry))}${values}):\n    print(row)`;
  }
  if (isLast && request.cmd === 'export') {
    return `for chunk in client.export(${keywords(request.params, false)}):\n    print(chunk.decode(), end="")`;
  }
  const sent = call(request, index > 0);
  if (usedMember(requests, index) !== undefined) return `first = ${sent}`;
  return isLast ? `print(${sent})` : sent;
}

function call({ cmd, params, body, idempotencyKey }: ProgramRequest, mayUseMember: boolean): string {
  if (body === undefined) return `client.${methodOf(cmd)}(${keywords({ ...params, idempotencyKey }, mayUseMember)})`;
  const { type, rows } = body;
  const content = 'file' in rows ? `open(${text(rows.file)}, "rb")` : text(rows.text);
  const { table, cacheName, ...others } = params;
  // The other parameters of an import have the names in the reference.
  const names = { format: type === 'text/csv' ? 'csv' : 'ndjson', table, cacheName };
  const further = Object.entries(others).map(([name, value]) => `, ${name}=${literal(value, PYTHON_NOTATION)}`);
  return `client.import_(${content}, ${keywords(names, false)}${further.join('')})`;
}

/** Keywords of the language that are names of parameters or commands. */
const RESERVED: ReadonlySet<string> = new Set(['async', 'from', 'import']);

function methodOf(cmd: string): string {
  return RESERVED.has(cmd) ? `${cmd}_` : cmd;
}

function keywords(params: object, mayUseMember: boolean): string {
  const replaced = (value: unknown) => {
    const member = mayUseMember ? memberIn(value) : undefined;
    return member === undefined ? undefined : `first[${text(member)}]`;
  };
  const all = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${nameOf(name)}=${brokenLiteral(value, PYTHON_NOTATION, '    ', replaced)}`);
  const line = all.join(', ');
  return line.length <= LINE_CHARACTERS && !line.includes('\n')
    ? line
    : `\n${all.map((each) => `    ${each},\n`).join('')}`;
}

/** Returns a parameter's name in the client: `cache_name`, `from_`, `login`. */
function nameOf(name: string): string {
  const own = name.replace(/^.*\./, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return RESERVED.has(own) ? `${own}_` : own;
}
