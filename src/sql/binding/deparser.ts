/** Prints bound expressions as Ignite does, for the names of columns without an alias and for error texts. */

import { bytesToHex, textOf } from '../types/convert.ts';
import type { SqlType } from '../types/sql-types.ts';
import { CLASS_OF_BLOB, CLASS_OF_CLOB } from '../types/type-order.ts';
import type { Bound, BoundAggregate, BoundConstant, BoundOrderItem, BoundWindow } from './bound.ts';

/** Returns the text of an expression without enclosing parentheses. */
export function deparse(bound: Bound): string {
  const text = print(bound);
  return text.startsWith('(') && closes(text) ? text.slice(1, -1) : text;
}

/** Returns whether the last character closes the first parenthesis. */
function closes(text: string): boolean {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === "'" || character === '"') {
      quote = character;
    } else if (character === '(') {
      depth += 1;
    } else if (character === ')') {
      depth -= 1;
      if (depth === 0) return at === text.length - 1;
    }
  }
  return false;
}

function list(items: readonly Bound[]): string {
  return items.map(print).join(', ');
}

function print(bound: Bound): string {
  switch (bound.kind) {
    case 'constant':
      return deparseConstant(bound);
    case 'parameter':
      return `?${bound.index + 1}`;
    case 'column': {
      const name = deparseName(bound.source.columns[bound.column]?.originalName ?? bound.name);
      return bound.qualifier === undefined ? name : `${deparseName(bound.qualifier)}.${name}`;
    }
    case 'negate':
      return `(- ${print(bound.operand)})`;
    case 'arithmetic':
      return `(${print(bound.left)} ${bound.operator} ${print(bound.right)})`;
    case 'concat':
      return bound.operands.map(print).reduce((left, right) => `(${left} || ${right})`);
    case 'comparison':
      return `(${print(bound.left)} ${deparseOperator(bound.operator)} ${print(bound.right)})`;
    case 'quantified':
      return `(${print(bound.left)} ${bound.operator} ${bound.quantifier}(SELECT ...))`;
    case 'and':
      return chain(bound.operands.map(print), 'AND');
    case 'or':
      return chain(bound.operands.map(print), 'OR');
    case 'not':
      return deparseNegation(bound.operand);
    case 'isNull':
      return `(${print(bound.operand)} IS ${bound.negated ? 'NOT ' : ''}NULL)`;
    case 'inList':
      return `(${print(bound.operand)} IN(${list(bound.items)}))`;
    case 'inQuery':
      return `(${print(bound.operand)} IN(SELECT ...))`;
    case 'like': {
      const ending = bound.escapedBy === undefined ? '' : ` ESCAPE ${print(bound.escapedBy)}`;
      return `(${print(bound.operand)} ${bound.ignoreCase ? 'ILIKE' : 'LIKE'} ${print(bound.pattern)}${ending})`;
    }
    case 'regexp':
      return `(${print(bound.operand)} REGEXP ${print(bound.pattern)})`;
    case 'exists':
      return 'EXISTS(SELECT ...)';
    case 'case': {
      const operand = bound.operand === undefined ? '' : ` ${print(bound.operand)}`;
      const branches = bound.branches.map(({ written: when, result }) => ` WHEN ${print(when)} THEN ${print(result)}`);
      const otherwise = bound.otherwise === undefined ? '' : ` ELSE ${print(bound.otherwise)}`;
      return `CASE${operand}${branches.join('')}${otherwise} END`;
    }
    case 'convert':
      return bound.written ? `CAST(${print(bound.operand)} AS ${deparseType(bound.type)})` : print(bound.operand);
    case 'call': {
      if (bound.function.group === 'json') return deparseJson(bound);
      const [unit, from] = bound.args;
      if (bound.name !== 'EXTRACT' || unit?.kind !== 'constant' || from === undefined)
        return `${bound.name}(${list(bound.args)})`;
      return `EXTRACT(${String(unit.data)} FROM ${print(from)})`;
    }
    case 'aggregate':
      return deparseAggregate(bound);
    case 'windowCall':
      return `${bound.name}(${list(bound.args)}) ${deparseWindow(bound.over)}`;
    case 'subquery':
      return '(SELECT ...)';
    case 'row':
      return `(${list(bound.items)})`;
  }
}

/** Prints a JSON function with its clauses, which are arguments. */
function deparseJson({ name, args }: Extract<Bound, { kind: 'call' }>): string {
  const [, , third, fourth, onEmpty, onError] = args;
  const isQuery = name === 'JSON_QUERY';
  const letters = isQuery ? third : fourth;
  if ((!isQuery && name !== 'JSON_VALUE') || letters?.kind !== 'constant') return `${name}(${list(args)})`;
  const [empty, error] = String(letters.data);
  const clause = (letter: string | undefined, value: Bound | undefined, on: string): string => {
    if (letter === 'D' && value !== undefined) return ` DEFAULT ${print(value)} ON ${on}`;
    return letter === 'E' ? ` ERROR ON ${on}` : '';
  };
  const returning =
    isQuery || third === undefined || third.type.name === 'VARCHAR' ? '' : ` RETURNING ${third.type.name}`;
  const clauses = clause(empty, onEmpty, 'EMPTY') + clause(error, onError, 'ERROR');
  return `${name}(${list(args.slice(0, 2))}${returning}${clauses})`;
}

/** Joins conditions. Ignite starts a new line before each one after the first. */
function chain(texts: readonly string[], word: 'AND' | 'OR'): string {
  return texts.reduce((left, right) => `(${left}\n    ${word} ${right})`);
}

const OPPOSITES: Readonly<Record<string, string>> = {
  '=': '<>',
  '<>': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  is: 'IS NOT',
  'is not': 'IS',
};

/** Prints a negation. Ignite moves NOT into its operand where it can. */
function deparseNegation(bound: Bound): string {
  switch (bound.kind) {
    case 'comparison':
      return `(${print(bound.left)} ${OPPOSITES[bound.operator]} ${print(bound.right)})`;
    case 'and':
      return chain(bound.operands.map(deparseNegation), 'OR');
    case 'or':
      return chain(bound.operands.map(deparseNegation), 'AND');
    case 'isNull':
      return print({ ...bound, negated: !bound.negated });
    case 'not':
      return print(bound.operand);
    case 'column':
      return `(${print(bound)} = FALSE)`;
    case 'constant':
    case 'parameter':
    case 'negate':
    case 'arithmetic':
    case 'concat':
    case 'quantified':
    case 'inList':
    case 'inQuery':
    case 'like':
    case 'regexp':
    case 'exists':
    case 'case':
    case 'convert':
    case 'call':
    case 'aggregate':
    case 'windowCall':
    case 'subquery':
    case 'row':
      return `(NOT ${print(bound)})`;
  }
}

function deparseOperator(operator: string): string {
  if (operator === 'is') return 'IS';
  return operator === 'is not' ? 'IS NOT' : operator;
}

function deparseAggregate(bound: BoundAggregate): string {
  const distinct = bound.distinct ? 'DISTINCT ' : '';
  const [first, ...others] = bound.args;
  const order = bound.orderBy.length === 0 ? '' : ` ORDER BY ${deparseOrder(bound.orderBy)}`;
  const joins = bound.name === 'GROUP_CONCAT' || bound.name === 'STRING_AGG';
  const separator = joins && others[0] !== undefined ? ` SEPARATOR ${print(others[0])}` : '';
  const argument = first === undefined ? '' : joins || bound.distinct ? print(first) : deparse(first);
  const args = joins ? argument : [argument, ...others.map(print)].join(', ');
  const inside = bound.star ? '*' : `${distinct}${args}${order}${separator}`;
  const filter = bound.filter === undefined ? '' : ` FILTER (WHERE ${print(bound.filter)})`;
  const over = bound.over === undefined ? '' : ` ${deparseWindow(bound.over)}`;
  return `${joins ? 'GROUP_CONCAT' : bound.name}(${inside})${filter}${over}`;
}

function deparseOrder(items: readonly BoundOrderItem[]): string {
  return items.map((item) => `${print(item.expression)}${item.descending ? ' DESC' : ''}`).join(', ');
}

function deparseWindow({ partitionBy, orderBy }: BoundWindow): string {
  const parts = [
    ...(partitionBy.length === 0 ? [] : [`PARTITION BY ${list(partitionBy)}`]),
    ...(orderBy.length === 0 ? [] : [`ORDER BY ${deparseOrder(orderBy)}`]),
  ];
  return `OVER (${parts.join(' ')})`;
}

/** Returns a name, quoted if necessary. */
export function deparseName(name: string): string {
  return /^[\p{Lu}_$][\p{Lu}\d_$]*$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

export function deparseType(type: SqlType): string {
  const bounds = [type.precision, type.scale].filter((bound) => bound !== undefined);
  const limits = bounds.length === 0 ? '' : `(${bounds.join(', ')})`;
  if (type.className === CLASS_OF_CLOB) return 'CLOB';
  if (type.className === CLASS_OF_BLOB) return 'BLOB';
  if (type.name === 'BINARY') return `VARBINARY${limits}`;
  return type.name === 'TIMESTAMP_TZ' ? `TIMESTAMP${limits} WITH TIME ZONE` : `${type.name}${limits}`;
}

function deparseConstant({ type, data, written }: BoundConstant): string {
  if (written !== undefined) return deparseConstant(written);
  if (data === null)
    return type.name === 'NULL' || type.name === 'UNKNOWN' ? 'NULL' : `CAST(NULL AS ${deparseType(type)})`;
  const text = data instanceof Uint8Array ? bytesToHex(data) : textOf(data, type);
  switch (type.name) {
    case 'VARCHAR':
    case 'CHAR':
    case 'UUID':
    case 'OTHER':
      return `'${text.replaceAll("'", "''")}'`;
    case 'VARCHAR_IGNORECASE':
      return `CAST('${text.replaceAll("'", "''")}' AS VARCHAR_IGNORECASE)`;
    case 'DATE':
    case 'TIME':
    case 'TIMESTAMP':
      return `${type.name} '${text}'`;
    case 'TIMESTAMP_TZ':
      return `TIMESTAMP WITH TIME ZONE '${text}'`;
    case 'BINARY':
      return `X'${text}'`;
    case 'NULL':
    case 'UNKNOWN':
    case 'BOOLEAN':
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
    case 'REAL':
    case 'DOUBLE':
    case 'DECIMAL':
    case 'ARRAY':
      return text;
  }
}
