/**
 * Compares two services' responses by meaning: what a client would act on. The order of rows without ORDER BY, the
 * order of members, the form of a number, tokens, cursor ids and node ids are ignored.
 */
import { compareTexts } from '../base/text-order.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import { type JsonNode, readJson, writeNode } from '../values/json.ts';

/** A response: the HTTP status and the body. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * The kind of difference. `failure`: one service executed the request and the other did not; `text`: both rejected it,
 * with different words; `response`: both executed it, with different results; `form`: one of the bodies is not an
 * envelope, or the HTTP statuses differ.
 */
export type DifferenceKind = 'failure' | 'text' | 'response' | 'form';

export interface Difference {
  readonly kind: DifferenceKind;
  /** Location in the envelope, such as `response.items[0][1]`. */
  readonly path: string;
  /** The JSON of both sides, shortened. */
  readonly left: string;
  readonly right: string;
}

/**
 * How a response is compared. `value`: unchanged; `rows`: its items in any order, unless the statement orders them;
 * `set`: all arrays in any order; `shape`: it depends on the moment or the service itself, so only its JSON type is
 * compared; `task`: without the id of the execution.
 */
type Compared = 'value' | 'rows' | 'set' | 'shape' | 'task';

/** By kind of reply; others are compared by value. */
const COMPARED_AS: Readonly<Record<string, Compared>> = {
  page: 'rows',
  entries: 'set',
  metadata: 'set',
  cachelist: 'set',
  metrics: 'shape',
  regions: 'shape',
  node: 'shape',
  nodes: 'shape',
  lines: 'shape',
  task: 'task',
  drain: 'shape',
  backup: 'shape',
  backups: 'shape',
  baseline: 'shape',
  apiKeys: 'shape',
  savedQuery: 'shape',
  savedQueries: 'shape',
  users: 'set',
  roles: 'set',
  sessions: 'shape',
};

/** Members that have no meaning for a client, or a different value in every service. */
const IGNORED = new Set(['queryId', 'affinityNodeId', 'sessionToken', 'securitySubjectId', 'rowCount', 'timeMs']);
/** Commands that return a text about the service: its version and name are expected to differ. */
const ABOUT_SERVICE = new Set<string>(['server']);
const SHOWN_CHARACTERS = 80;
const ORDERED = /\border\s+by\b/i;

/**
 * Returns the first difference between two responses to a request, or undefined if they mean the same. `sql` is the
 * text of the statement, if the request has one.
 */
export function compareAnswers(
  command: Pick<RegisteredCommand, 'reply' | 'group'> | undefined,
  sql: string | undefined,
  left: Answer,
  right: Answer,
): Difference | undefined {
  const [first, second] = [envelopeOf(left.text), envelopeOf(right.text)];
  if (first === undefined || second === undefined) {
    if (left.text === right.text && left.status === right.status) return undefined;
    return { kind: 'form', path: '', left: shown(left.text), right: shown(right.text) };
  }
  if (first.isSuccess !== second.isSuccess) {
    return { kind: 'failure', path: 'error', left: errorText(first), right: errorText(second) };
  }
  if (!first.isSuccess) {
    if (left.status !== right.status) {
      return { kind: 'form', path: 'HTTP status', left: String(left.status), right: String(right.status) };
    }
    if (first.error === second.error) return undefined;
    return { kind: 'text', path: 'error', left: errorText(first), right: errorText(second) };
  }
  return compareResponses(comparedAs(command), sql, first.response, second.response);
}

function comparedAs(command: Pick<RegisteredCommand, 'reply' | 'group'> | undefined): Compared {
  if (command === undefined) return 'value';
  if (command.reply.kind === 'string' && ABOUT_SERVICE.has(command.group)) return 'shape';
  return COMPARED_AS[command.reply.kind] ?? 'value';
}

interface Envelope {
  readonly isSuccess: boolean;
  readonly error: string;
  readonly response: JsonNode;
}

function envelopeOf(text: string): Envelope | undefined {
  try {
    const node = readJson(text);
    if (node.kind !== 'object') return undefined;
    const status = node.members.get('successStatus');
    if (status?.kind !== 'number') return undefined;
    const error = node.members.get('error');
    return {
      isSuccess: status.text === '0',
      error: error === undefined ? '' : error.kind === 'string' ? error.value : writeNode(error),
      response: node.members.get('response') ?? { kind: 'null' },
    };
  } catch {
    return undefined;
  }
}

function errorText({ isSuccess, error }: Envelope): string {
  return isSuccess ? 'success' : shown(error);
}

function compareResponses(
  compared: Compared,
  sql: string | undefined,
  left: JsonNode,
  right: JsonNode,
): Difference | undefined {
  if (compared === 'shape') {
    return left.kind === right.kind ? undefined : differenceOf('response', left, right);
  }
  const rowsAreOrdered = sql !== undefined && ORDERED.test(sql);
  const isSorted = (path: string): boolean =>
    compared === 'set' || (compared === 'rows' && !rowsAreOrdered && path === 'response.items');
  const isIgnored = (path: string): boolean => compared === 'task' && path === 'response.id';
  return difference('response', left, right, { isSorted, isIgnored });
}

/** Paths of arrays whose items have no order, and of members that are not compared. */
interface Rules {
  isSorted(path: string): boolean;
  isIgnored(path: string): boolean;
}

/** Returns the first difference. */
function difference(path: string, left: JsonNode, right: JsonNode, rules: Rules): Difference | undefined {
  if (left.kind === 'array' && right.kind === 'array') {
    const [first, second] = rules.isSorted(path)
      ? [sorted(left.items), sorted(right.items)]
      : [left.items, right.items];
    if (first.length !== second.length) {
      return { kind: 'response', path: `${path}.length`, left: String(first.length), right: String(second.length) };
    }
    for (const [index, item] of first.entries()) {
      const other = second[index];
      const found = other && difference(`${path}[${index}]`, item, other, rules);
      if (found) return found;
    }
    return undefined;
  }
  if (left.kind === 'object' && right.kind === 'object') {
    for (const name of new Set([...left.members.keys(), ...right.members.keys()])) {
      const where = `${path}.${name}`;
      if (IGNORED.has(name) || rules.isIgnored(where)) continue;
      const [first, second] = [left.members.get(name), right.members.get(name)];
      if (first === undefined || second === undefined) {
        return { kind: 'response', path: where, left: shownNode(first), right: shownNode(second) };
      }
      const found = difference(where, first, second, rules);
      if (found) return found;
    }
    return undefined;
  }
  return canonical(left) === canonical(right) ? undefined : differenceOf(path, left, right);
}

function differenceOf(path: string, left: JsonNode, right: JsonNode): Difference {
  return { kind: 'response', path, left: shownNode(left), right: shownNode(right) };
}

function sorted(items: readonly JsonNode[]): JsonNode[] {
  return items
    .map((item) => ({ item, text: canonical(item) }))
    .sort((a, b) => compareTexts(a.text, b.text))
    .map(({ item }) => item);
}

/** Returns a string that is equal for two nodes with the same meaning. */
function canonical(node: JsonNode): string {
  switch (node.kind) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(node.value);
    case 'number':
      return canonicalNumber(node.text);
    case 'string':
      return JSON.stringify(node.value);
    case 'array':
      return `[${node.items.map(canonical).join(',')}]`;
    case 'object':
      return `{${[...node.members]
        .filter(([name]) => !IGNORED.has(name))
        .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
        .sort()
        .join(',')}}`;
  }
}

/** Returns the same string for the same number: 1, 1.0 and 1E0 are equal, with any number of digits. */
export function canonicalNumber(text: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (parts === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${scale}`;
}

function shownNode(node: JsonNode | undefined): string {
  return node === undefined ? 'absent' : shown(writeNode(node));
}

function shown(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;
}
