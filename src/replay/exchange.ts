/**
 * A recorded request with its response: one line of the NDJSON that `svc record` writes and `svc replay` and `svc
 * report` read. Secrets are removed before a line is written.
 */
import { analyze, isUserStatement } from '../sql/analysis/analysis.ts';
import { type JsonNode, readJson, writeNode, writeText } from '../values/json.ts';

/** A request with its response. Times are in milliseconds. */
export interface Exchange {
  /** Time since the recording began. */
  readonly atMs: number;
  readonly method: string;
  /** The rest of the address after the endpoint: a path (`/get`) and a query string, without secrets. */
  readonly target: string;
  readonly body?: RecordedBody;
  /** Names of parameters and headers with a secret, which are not recorded. */
  readonly removed?: readonly string[];
  /**
   * Whether the request cannot be sent again, because its body was too long or neither a form nor JSON, or because a
   * statement with a password was removed.
   */
  readonly isIncomplete?: true;
  readonly client: { readonly address: string; readonly agent: string };
  readonly answer: RecordedAnswer;
}

export interface RecordedBody {
  readonly type: string;
  readonly text: string;
}

export interface RecordedAnswer {
  readonly status: number;
  readonly timeMs: number;
  /** undefined if it was too long, contained a secret, or responses were not to be recorded. */
  readonly text?: string;
  /** The id of the cursor that the response names. */
  readonly cursor?: string;
}

/** The parameters of a request, by name. A JSON array, the body of a batch, is the parameter `commands`. */
export interface RequestParameters {
  /** Value of `cmd` in lower case; empty without one. */
  readonly cmd: string;
  readonly params: ReadonlyMap<string, string>;
}

/** Names of parameters whose values are secrets. The user name is part of the credentials `svc.login`. */
const SECRET_PARAMETER = /passw|token|secret|signature|\.login$/i;
/** Headers whose values are secrets. */
const SECRET_HEADERS = ['authorization', 'cookie', 'x-signature', 'x-api-key'];
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const SESSION_TOKEN = /("sessionToken"\s*:\s*")[^"]*"/g;
const HIDDEN = '***';

/** The parameter with a statement, and the one with a batch's commands: their texts may contain passwords. */
const STATEMENT = 'qry';
const COMMANDS = 'commands';

/** Reports whether a request whose secrets had these names lacks a part without which its meaning changes. */
export function lacksStatement(removed: readonly string[]): boolean {
  return removed.includes(STATEMENT) || removed.includes(COMMANDS);
}

/** Reports whether a statement may contain a password: CREATE and ALTER USER, or a text that cannot be parsed. */
function mayHoldPassword(sql: string): boolean {
  const { kind } = analyze(sql);
  return isUserStatement(kind) || (kind === 'unknown' && /passw/i.test(sql));
}

/** Returns a parameter's value without its secrets, or undefined if nothing is left. */
function valueWithoutSecrets(name: string, value: string, removed: string[]): string | undefined {
  const isSecret = SECRET_PARAMETER.test(name) || (name === STATEMENT && mayHoldPassword(value));
  if (!isSecret && name !== COMMANDS) return value;
  try {
    if (!isSecret) return writeNode(batchWithoutSecrets(readJson(value), removed));
  } catch {
    // Whatever it holds, the service has rejected it.
  }
  removed.push(name);
  return undefined;
}

/** Returns a batch's commands without their secrets. Without them, the batch cannot be sent again. */
function batchWithoutSecrets(node: JsonNode, removed: string[]): JsonNode {
  const before = removed.length;
  const recorded = nodeWithoutSecrets(node, removed);
  if (removed.length > before) removed.push(COMMANDS);
  return recorded;
}

/** Reports whether the value of a parameter with that name is a secret. */
export function isSecretParameter(name: string): boolean {
  return SECRET_PARAMETER.test(name);
}

/** Returns a query string or a form's text without its secrets; adds their names to `removed`. */
export function withoutSecrets(query: string, removed: string[]): string {
  return query
    .split('&')
    .flatMap((pair) => {
      const name = nameOf(pair);
      const isRead = name === STATEMENT || name === COMMANDS;
      const value = isRead ? decoded(splitOnce(pair, '=')[1]) : pair;
      const recorded = valueWithoutSecrets(name, value, removed);
      if (recorded === undefined) return [];
      return [recorded === value ? pair : `${name}=${encodeURIComponent(recorded)}`];
    })
    .join('&');
}

function nameOf(pair: string): string {
  return decoded(splitOnce(pair, '=')[0]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/**
 * Returns the recorded form of a body, without its secrets, or undefined if it is neither a form nor JSON, so that the
 * request cannot be sent again.
 */
export function recordedBody(type: string, text: string, removed: string[]): RecordedBody | undefined {
  const mediaType = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType === FORM) return { type, text: withoutSecrets(text, removed) };
  if (mediaType !== JSON_TYPE) return undefined;
  try {
    const node = readJson(text);
    const recorded = node.kind === 'array' ? batchWithoutSecrets(node, removed) : nodeWithoutSecrets(node, removed);
    return { type, text: writeNode(recorded) };
  } catch {
    return undefined;
  }
}

function nodeWithoutSecrets(node: JsonNode, removed: string[]): JsonNode {
  if (node.kind === 'array') return { ...node, items: node.items.map((item) => nodeWithoutSecrets(item, removed)) };
  if (node.kind !== 'object') return node;
  const members = new Map<string, JsonNode>();
  for (const [name, member] of node.members) {
    const recorded = memberWithoutSecrets(name, member, removed);
    if (recorded !== undefined) members.set(name, recorded);
  }
  return { ...node, members };
}

function memberWithoutSecrets(name: string, member: JsonNode, removed: string[]): JsonNode | undefined {
  if (member.kind === 'string') {
    const value = valueWithoutSecrets(name, member.value, removed);
    return value === undefined ? undefined : { ...member, value };
  }
  if (name === COMMANDS) return batchWithoutSecrets(member, removed);
  if (!SECRET_PARAMETER.test(name)) return nodeWithoutSecrets(member, removed);
  removed.push(name);
  return undefined;
}

/** Returns the names of the headers with a secret. */
export function secretHeaders(headers: Headers): string[] {
  return SECRET_HEADERS.filter((name) => headers.has(name));
}

/** Returns the text of an envelope without its session token. */
export function withoutToken(envelope: string): string {
  return envelope.replace(SESSION_TOKEN, `$1${HIDDEN}"`);
}

/** The cursor that a response names. */
export interface NamedCursor {
  readonly id: string;
  /** Whether more pages follow, so that it is open. */
  readonly isOpen: boolean;
}

/** Returns the cursor that an envelope names, or undefined if there is none. */
export function cursorOf(envelope: string): NamedCursor | undefined {
  if (!envelope.includes('"queryId"')) return undefined;
  try {
    const node = readJson(envelope);
    const response = node.kind === 'object' ? node.members.get('response') : undefined;
    if (response?.kind !== 'object') return undefined;
    const id = response.members.get('queryId');
    const last = response.members.get('last');
    return id?.kind === 'number' ? { id: id.text, isOpen: last?.kind === 'boolean' && !last.value } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns an exchange's line, with its line end. */
export function writeExchange(exchange: Exchange): string {
  return `${JSON.stringify(exchange)}\n`;
}

/** Parses a line. Throws an Error that describes the problem. */
export function readExchange(line: string): Exchange {
  const parsed: unknown = JSON.parse(line);
  if (!isExchange(parsed)) throw new Error('it is not a request that svc record has written');
  return parsed;
}

function isExchange(value: unknown): value is Exchange {
  if (typeof value !== 'object' || value === null) return false;
  const { atMs, method, target, client, answer }: Partial<Record<keyof Exchange, unknown>> = value;
  const hasTexts = typeof method === 'string' && typeof target === 'string';
  return typeof atMs === 'number' && hasTexts && isObject(client) && isObject(answer);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns a recorded request's parameters: those in the path, the query string and the body. */
export function parametersOf({ target, body }: Pick<Exchange, 'target' | 'body'>): RequestParameters {
  const [path = '', query = ''] = splitOnce(target, '?');
  const params = new Map<string, string>();
  const command = /^\/([^/]+)$/.exec(path)?.[1];
  if (command !== undefined) params.set('cmd', command);
  const add = (pairs: Iterable<readonly [string, string]>): void => {
    for (const [name, value] of pairs) if (!params.has(name)) params.set(name, value);
  };
  add(new URLSearchParams(query));
  if (body !== undefined) add(body.type.toLowerCase().startsWith(FORM) ? new URLSearchParams(body.text) : json(body));
  return { cmd: (params.get('cmd') ?? '').toLowerCase(), params };
}

function json({ text }: RecordedBody): Array<readonly [string, string]> {
  const node = readJson(text);
  if (node.kind === 'array') {
    return [
      ['cmd', 'batch'],
      ['commands', text],
    ];
  }
  if (node.kind !== 'object') return [];
  return [...node.members].map(([name, member]) => [name, parameterText(member)] as const);
}

function parameterText(node: JsonNode): string {
  return node.kind === 'string' ? node.value : node.kind === 'null' ? '' : writeNode(node);
}

/** Returns the target with a different value for a parameter in its query string. */
export function withParameter(target: string, name: string, value: string): string {
  const [path = '', query = ''] = splitOnce(target, '?');
  const others = query.split('&').filter((pair) => pair !== '' && nameOf(pair) !== name);
  return `${path}?${[...others, `${name}=${encodeURIComponent(value)}`].join('&')}`;
}

/** Returns the body with a different value for a parameter that it has. */
export function bodyWith(body: RecordedBody, name: string, value: string): RecordedBody {
  if (body.type.toLowerCase().startsWith(FORM)) {
    const pairs = body.text.split('&');
    const isIn = pairs.some((pair) => nameOf(pair) === name);
    if (!isIn) return body;
    const others = pairs.filter((pair) => nameOf(pair) !== name);
    return { ...body, text: [...others, `${name}=${encodeURIComponent(value)}`].join('&') };
  }
  const node = readJson(body.text);
  if (node.kind !== 'object' || !node.members.has(name)) return body;
  const members = [...node.members].map(([each, member]) =>
    each === name ? `${writeText(each)}:${writeText(value)}` : `${writeText(each)}:${writeNode(member)}`,
  );
  return { ...body, text: `{${members.join(',')}}` };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
