import { Decimal } from '../client/exact-json.ts';
import { BESIDE_OTHERS, GO_TYPES, WITHOUT_RESULT } from './go-fields.ts';
import { goName } from './go-name.ts';
import { LINE_CHARACTERS } from './literals.ts';
import {
  type Language,
  memberIn,
  type ProgramNeeds,
  type ProgramRequest,
  usedMember,
  watchOptions,
} from './program.ts';

/** Programs with the Go client. */
export const GO: Language = {
  name: 'Go',
  fence: 'go',
  indent: '\t',
  setup: (needs) => ({ before: headOf(needs), after: '}\n' }),
  calls: (requests) => requests.map((request, index) => statement(request, requests, index)).join('\n'),
};

function headOf({ endpoint, needsLogin, usesFile, usesText, readsStream }: ProgramNeeds): string {
  const login = needsLogin ? ', User: "USER", Password: "PASSWORD"' : '';
  const packages = ['context', 'fmt', ...(readsStream ? ['io'] : []), 'log', ...(usesFile ? ['os'] : [])];
  if (usesText) packages.push('strings');
  return `package main

import (
${packages.map((each) => `\t"${each}"\n`).join('')}
	"github.com/svc-grid/svc-go"
)

// must returns a result, and ends the program if there is none.
func must[T any](result T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return result
}

func main() {
	ctx := context.Background()
	client := svc.New(svc.Options{URL: ${JSON.stringify(endpoint)}${login}})
`;
}

const FAILED = '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}';

function statement(request: ProgramRequest, requests: readonly ProgramRequest[], index: number): string {
  const { cmd, params } = request;
  const isLast = index === requests.length - 1;
  if (isLast && request.asRows === true) {
    const { qry, args } = params;
    const options = structText('QueryOptions', args === undefined ? [] : [['Args', goLiteral(args)]]);
    const loop = (last: string) =>
      `for row, err := range client.Query(ctx, ${goLiteral(qry)}, ${last}) {\n${FAILED}\n\tfmt.Println(row)\n}`;
    const isLong = loop(options).indexOf('\n') > LINE_CHARACTERS;
    return isLong ? `options := ${options}\n${loop('options')}` : loop(options);
  }
  if (isLast && cmd === 'watch') {
    return `for change, err := range client.Watch(ctx, ${watchText(request)}) {\n${FAILED}\n\tfmt.Println(change)\n}`;
  }
  const sent = call(request, index > 0);
  if (isLast && cmd === 'export')
    return `rows := must(${sent})\ndefer rows.Close()\nfmt.Print(string(must(io.ReadAll(rows))))`;
  if (WITHOUT_RESULT.has(cmd)) {
    return isLast ? `fmt.Println(${sent})` : `if err := ${sent}; err != nil {\n\tlog.Fatal(err)\n}`;
  }
  if (usedMember(requests, index) !== undefined) return `first := must(${sent})`;
  return isLast ? `fmt.Println(must(${sent}))` : `must(${sent})`;
}

type Field = readonly [name: string, value: string];

function watchText({ params }: ProgramRequest): string {
  const { caches, from, operations, withOldValues, follow } = watchOptions(params);
  return structText('WatchOptions', [
    ...(caches === undefined ? [] : [field('Caches', texts(caches))]),
    ...(from === undefined ? [] : [field('From', goLiteral(from))]),
    ...(operations === undefined ? [] : [field('Operations', texts(operations))]),
    ...(withOldValues === true ? [field('WithOldValues', 'true')] : []),
    ...(follow === false ? [field('UntilNow', 'true')] : []),
  ]);
}

function field(name: string, value: string): Field {
  return [name, value];
}

function texts(list: readonly unknown[]): string {
  return `[]string{${list.map((each) => goText(String(each))).join(', ')}}`;
}

function call(request: ProgramRequest, mayUseMember: boolean): string {
  const { cmd, params, body, idempotencyKey: key } = request;
  const method = cmd.charAt(0).toUpperCase() + cmd.slice(1);
  const own = BESIDE_OTHERS[cmd];
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  const fields: Field[] = [];
  for (const [name, value] of own === undefined ? given : given.filter(([name]) => own.includes(name))) {
    const text = fieldValue(GO_TYPES[`${cmd}.${name}`] ?? GO_TYPES[name], value, mayUseMember);
    // Something for which the method has no place.
    if (text === undefined) return `client.Call(ctx, ${goText(cmd)}, ${goLiteral(Object.fromEntries(given))})`;
    fields.push([goName(name), text]);
  }
  const others = own === undefined ? [] : given.filter(([name]) => !own.includes(name));
  if (others.length > 0) fields.push(['Others', goLiteral(Object.fromEntries(others))]);
  if (key !== undefined) fields.push(['IdempotencyKey', goText(key)]);
  if (body === undefined) return `client.${method}(ctx, ${structText(`${method}Parameters`, fields)})`;
  const format = field('Format', goText(body.type === 'text/csv' ? 'csv' : 'ndjson'));
  const rows =
    'file' in body.rows ? `must(os.Open(${goText(body.rows.file)}))` : `strings.NewReader(${goText(body.rows.text)})`;
  const all = [format, ...fields.filter(([name]) => name !== 'Format')];
  return `client.Import(ctx, ${rows}, ${structText('ImportParameters', all)})`;
}

const WHOLE = /^-?\d+$/;

/** Returns the value of a parameter with a type, or undefined if that type has no such value. */
function fieldValue(type: string | undefined, value: unknown, mayUseMember: boolean): string | undefined {
  const member = mayUseMember ? memberIn(value) : undefined;
  if (member !== undefined) {
    const used = `first.${goName(member)}`;
    return type === 'string' && member === 'queryId' ? `fmt.Sprint(${used})` : used;
  }
  const text = String(value);
  switch (type) {
    case 'string':
      return typeof value === 'object' ? undefined : goText(text);
    case 'int':
    case 'int64':
      return WHOLE.test(text) ? text : undefined;
    case '*int':
      return WHOLE.test(text) ? `svc.Ptr(${text})` : undefined;
    case '*int64':
      return WHOLE.test(text) ? `svc.Ptr(int64(${text}))` : undefined;
    case '*bool':
      return text === 'true' || text === 'false' ? `svc.Ptr(${text})` : undefined;
    case '[]string':
      return Array.isArray(value) ? texts(value) : undefined;
    case '[]map[string]any':
      return Array.isArray(value) ? commandList(value) : undefined;
    case '[]any':
      return Array.isArray(value) ? goLiteral(value) : undefined;
    case 'any':
      return goLiteral(value);
    default:
      return undefined;
  }
}

function commandList(commands: readonly unknown[]): string {
  const each = commands.map((command) => goLiteral(command).replace(/^map\[string\]any/, ''));
  const line = `[]map[string]any{${each.join(', ')}}`;
  return line.length <= LINE_CHARACTERS
    ? line
    : `[]map[string]any{\n${each.map((text) => `\t\t${text},\n`).join('')}\t}`;
}

/** Returns a struct of the client, on one line if it is short. */
function structText(type: string, fields: readonly Field[]): string {
  const line = `svc.${type}{${fields.map(([name, value]) => `${name}: ${value}`).join(', ')}}`;
  if (line.length <= LINE_CHARACTERS && !line.includes('\n')) return line;
  return `svc.${type}{\n${aligned(fields)}}`;
}

/** Returns fields aligned as by gofmt: a field of several lines starts a new column. */
function aligned(fields: readonly Field[]): string {
  const lines: string[] = [];
  let from = 0;
  while (from < fields.length) {
    const end = fields.findIndex(([, value], index) => index >= from && value.includes('\n'));
    const to = end < 0 ? fields.length : Math.max(end, from + 1);
    const part = fields.slice(from, to);
    const width = Math.max(...part.map(([name]) => name.length)) + 1;
    lines.push(...part.map(([name, value]) => `\t${`${name}:`.padEnd(width)} ${value},\n`));
    from = to;
  }
  return lines.join('');
}

/** Returns a value with all its digits. */
function goLiteral(value: unknown): string {
  if (typeof value === 'string') return goText(value);
  if (value instanceof Decimal) return `svc.Decimal(${JSON.stringify(value.text)})`;
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value) return `svc.Decimal("${value}")`;
  if (typeof value === 'number' && !Number.isInteger(value)) return String(value);
  if (typeof value !== 'object') return String(value);
  if (value === null) return 'nil';
  if (Array.isArray(value)) return `[]any{${value.map(goLiteral).join(', ')}}`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `map[string]any{${members.map(([name, member]) => `${goText(name)}: ${goLiteral(member)}`).join(', ')}}`;
}

/** Returns a string as a literal: raw if it contains quotes, if possible. */
function goText(text: string): string {
  return /["\\]/.test(text) && !/[`\r\n]/.test(text) ? `\`${text}\`` : JSON.stringify(text);
}
