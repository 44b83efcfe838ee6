/** Rewords error texts from Ignite that name Java classes and internal parameters (Differences, row 42). */
import type { ErrorCode, GridError } from '../base/errors.ts';
import { SCALAR_TRAITS } from '../values/scalar-traits.ts';

/** Errors whose texts can come from Ignite's SQL engine or a cluster node. */
const OF_IGNITE: ReadonlySet<ErrorCode> = new Set([
  'SQL',
  'SQL_OBJECT_NOT_FOUND',
  'SQL_CONFLICT',
  'VALUE_REJECTED',
  'OPERATION_FAILED',
]);

/** The statement follows as the client sent it. */
const STATEMENT = '; SQL statement:';

const JAVA_CLASS = /(?:\bclass )?\b(?:java|javax|org\.apache|org\.h2)(?:\.\w+)*\.([A-Z][\w$]*)(: )?/g;

/** The key type of a table with several key columns, before one of them. */
const KEY_TYPE = /\bSQL_\w+_[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}_KEY (?=\[)/g;

/** A batch reports a command's error after its own text. */
const INCOMPATIBLE = /Incompatible types \[appendVal=(.*),type=(.*), oldType=(.*)\]$/s;

/** Type names by the simple names of their classes. */
const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SCALAR_TRAITS).map(
    ([type, { javaClass, names }]) => [javaClass.slice(javaClass.lastIndexOf('.') + 1), names[0] ?? type] as const,
  ),
  ...['ArrayList', 'LinkedList'].map((name) => [name, 'list'] as const),
  ...['HashSet', 'LinkedHashSet', 'TreeSet'].map((name) => [name, 'set'] as const),
  ...['HashMap', 'LinkedHashMap', 'TreeMap'].map((name) => [name, 'map'] as const),
]);

/** Returns an error's text without internal names. The statement that it quotes is unchanged. */
export function contractText({ code, message }: GridError): string {
  if (code === 'INCOMPATIBLE_TYPES') return message.replace(INCOMPATIBLE, incompatibleText);
  if (code === 'STATE_MISSING') return `${message} (send state)`;
  if (code === 'UUID_INVALID' && !message.endsWith(')')) return `${message} (id must be one that exe returned)`;
  if (!OF_IGNITE.has(code)) return message;
  const end = message.indexOf(STATEMENT);
  const [sentence, rest] = end < 0 ? [message, ''] : [message.slice(0, end), message.slice(end)];
  return sentence.replace(JAVA_CLASS, nameOfClass).replace(KEY_TYPE, '') + rest;
}

function incompatibleText(_: string, value: string, type: string, storedType: string): string {
  return `Incompatible types [val=${value}, type=${typeName(type)}, storedType=${typeName(storedType)}]`;
}

function typeName(className: string): string {
  return TYPE_NAMES.get(className) ?? className;
}

/** Returns a class name without its package; the empty string for an exception class before its text. */
function nameOfClass(_: string, name: string, colon = ''): string {
  return colon !== '' && /(?:Exception|Error)$/.test(name) ? '' : `${name}${colon}`;
}
