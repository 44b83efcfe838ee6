/** Statements for resources: quoted identifiers and parameters; a value never becomes part of the text. */
import { gridError } from '../base/errors.ts';
import { numberedNames } from '../base/numbered-names.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { type JsonNode, writeNode } from '../values/json.ts';
import { compareScalars, parseText } from '../values/scalar-traits.ts';
import { typedText } from '../values/typed-text.ts';
import type { ScalarTypeName } from '../values/value.ts';
import type { Column } from './tables.ts';

/** A value of a column. */
export interface Argument {
  /** As in responses, or undefined for NULL. */
  readonly text: string | undefined;
  readonly type: ScalarTypeName;
}

/** A part of a statement, with the arguments of its parameters in order. */
export interface Sql {
  readonly text: string;
  readonly args: readonly Argument[];
}

export function sql(text: string, args: readonly Argument[] = []): Sql {
  return { text, args };
}

export function joinedBy(separator: string, parts: readonly Sql[]): Sql {
  let joined = '';
  const all: Argument[] = [];
  parts.forEach(({ text, args }, at) => {
    joined += at === 0 ? text : `${separator}${text}`;
    for (const each of args) all.push(each);
  });
  return { text: joined, args: all };
}

/** Returns the quoted names of columns. */
export function columnList(columns: readonly Column[]): string {
  let list = '';
  for (const { quoted } of columns) list += list === '' ? quoted : `, ${quoted}`;
  return list;
}

/** Returns a list of parameters, one for each value. */
export function valueList({ length }: readonly unknown[]): string {
  return `(?${', ?'.repeat(length - 1)})`;
}

const nameOf = numberedNames('arg');
/** The type names of the first arguments, built once: most statements have no others. */
const TYPE_NAMES = Array.from({ length: 33 }, (_, number) => `arg${number}Type`);

/** Returns the parameters of qryfldexe. */
export function statementParameters({ text: statement, args }: Sql, pageSize: number): Map<string, string> {
  const params = new Map<string, string>();
  params.set('qry', statement);
  params.set('pageSize', pageSize === 1 ? '1' : String(pageSize));
  for (let index = 0; index < args.length; index++) {
    const argument = args[index];
    if (argument === undefined) break;
    const name = nameOf(index + 1);
    const typeName = TYPE_NAMES[index + 1] ?? `${name}Type`;
    if (argument.text === undefined) {
      params.set(typeName, 'null');
      continue;
    }
    const { text, type } = typedText(argument.type, argument.text);
    params.set(typeName, type);
    params.set(name, text);
  }
  return params;
}

/** A date, which is also the timestamp of its midnight, as in SQL and imports. */
const DATE = /^[+-]?\d{4,}-\d{1,2}-\d{1,2}$/;

/** Returns a string as a value of a column. `part` is what an error names. Throws RESOURCE_INVALID. */
export function argumentOf(column: Column, text: string, part: string): Argument {
  const type = scalarTypeOf(column, part);
  const full = type === 'timestamp' && DATE.test(text) ? `${text} 00:00:00` : text;
  try {
    parseText(type, full);
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error;
    throw gridError('RESOURCE_INVALID', part, `"${text}" is no ${type}: ${error.reason}`);
  }
  return { text: full, type };
}

/** Returns a member of a JSON object as a value of a column. Throws RESOURCE_INVALID. */
export function argumentOfNode(column: Column, node: JsonNode, part: string): Argument {
  switch (node.kind) {
    case 'null':
      return { text: undefined, type: 'string' };
    case 'string':
      return argumentOf(column, node.value, part);
    case 'number':
    case 'boolean':
      return argumentOf(column, writeNode(node), part);
    case 'array':
    case 'object':
      throw gridError('RESOURCE_INVALID', part, `a value of the column cannot be a JSON ${node.kind}`);
  }
}

/**
 * Reports whether two values of a column are equal, however they are written: 1.50 and 1.5, the same
 * moment in two zones.
 */
export function isSameValue(a: Argument, b: Argument): boolean {
  if (a.text === b.text) return true;
  if (a.text === undefined || b.text === undefined) return false;
  return compareScalars(a.type, parseText(a.type, a.text), parseText(a.type, b.text)) === 0;
}

function scalarTypeOf({ name, type }: Column, part: string) {
  if (type === undefined)
    throw gridError('RESOURCE_INVALID', part, `the column ${name} has no values that can be sent`);
  return type;
}
