/** Bound expressions as the reference spells them: names of columns without an alias, and parts of refusals. */

import { bytesToHex, textOf } from '../types/convert.ts';
import type { SqlType } from '../types/sql-types.ts';
import type { Bound, BoundAggregate, BoundConstant, BoundOrderItem, BoundWindow } from './bound.ts';

/** The text of an expression, without the parentheses around it. */
export function spell(bound: Bound): string {
  const text = spelled(bound);
  return text.startsWith('(') && closes(text) ? text.slice(1, -1) : text;
}

/** True when the first parenthesis is closed by the last character. */
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
  return items.map(spelled).join(', ');
}

function spelled(bound: Bound): string {
  switch (bound.kind) {
    case 'constant':
      return spellConstant(bound);
    case 'parameter':
      return `?${bound.index + 1}`;
    case 'column': {
      const name = spellName(bound.name);
      return bound.qualifier === undefined ? name : `${spellName(bound.qualifier)}.${name}`;
    }
    case 'negate':
      return `(- ${spelled(bound.operand)})`;
    case 'arithmetic':
      return `(${spelled(bound.left)} ${bound.operator} ${spelled(bound.right)})`;
    case 'concat':
      return bound.operands.map(spelled).reduce((left, right) => `(${left} || ${right})`);
    case 'comparison':
      return `(${spelled(bound.left)} ${spellOperator(bound.operator)} ${spelled(bound.right)})`;
    case 'quantified':
      return `(${spelled(bound.left)} ${bound.operator} ${bound.quantifier}(SELECT ...))`;
    case 'and':
      return chain(bound.operands.map(spelled), 'AND');
    case 'or':
      return chain(bound.operands.map(spelled), 'OR');
    case 'not':
      return spellNegation(bound.operand);
    case 'isNull':
      return `(${spelled(bound.operand)} IS ${bound.negated ? 'NOT ' : ''}NULL)`;
    case 'inList':
      return `(${spelled(bound.operand)} IN(${list(bound.items)}))`;
    case 'inQuery':
      return `(${spelled(bound.operand)} IN(SELECT ...))`;
    case 'like': {
      const ending = bound.escapedBy === undefined ? '' : ` ESCAPE ${spelled(bound.escapedBy)}`;
      return `(${spelled(bound.operand)} ${bound.ignoreCase ? 'ILIKE' : 'LIKE'} ${spelled(bound.pattern)}${ending})`;
    }
    case 'regexp':
      return `(${spelled(bound.operand)} REGEXP ${spelled(bound.pattern)})`;
    case 'exists':
      return 'EXISTS(SELECT ...)';
    case 'case': {
      const operand = bound.operand === undefined ? '' : ` ${spelled(bound.operand)}`;
      const branches = bound.branches.map(
        ({ spelled: when, result }) => ` WHEN ${spelled(when)} THEN ${spelled(result)}`,
      );
      const otherwise = bound.otherwise === undefined ? '' : ` ELSE ${spelled(bound.otherwise)}`;
      return `CASE${operand}${branches.join('')}${otherwise} END`;
    }
    case 'convert':
      return bound.written ? `CAST(${spelled(bound.operand)} AS ${spellType(bound.type)})` : spelled(bound.operand);
    case 'call': {
      const [unit, from] = bound.args;
      if (bound.name !== 'EXTRACT' || unit?.kind !== 'constant' || from === undefined)
        return `${bound.name}(${list(bound.args)})`;
      return `EXTRACT(${String(unit.data)} FROM ${spelled(from)})`;
    }
    case 'aggregate':
      return spellAggregate(bound);
    case 'windowCall':
      return `${bound.name}(${list(bound.args)}) ${spellWindow(bound.over)}`;
    case 'subquery':
      return '(SELECT ...)';
    case 'row':
      return `(${list(bound.items)})`;
  }
}

/** The reference begins a line with each further condition. */
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

/** NOT goes into what it stands before, as far as it can. */
function spellNegation(bound: Bound): string {
  switch (bound.kind) {
    case 'comparison':
      return `(${spelled(bound.left)} ${OPPOSITES[bound.operator]} ${spelled(bound.right)})`;
    case 'and':
      return chain(bound.operands.map(spellNegation), 'OR');
    case 'or':
      return chain(bound.operands.map(spellNegation), 'AND');
    case 'isNull':
      return spelled({ ...bound, negated: !bound.negated });
    case 'not':
      return spelled(bound.operand);
    case 'column':
      return `(${spelled(bound)} = FALSE)`;
    default:
      return `(NOT ${spelled(bound)})`;
  }
}

function spellOperator(operator: string): string {
  if (operator === 'is') return 'IS';
  return operator === 'is not' ? 'IS NOT' : operator;
}

function spellAggregate(bound: BoundAggregate): string {
  const distinct = bound.distinct ? 'DISTINCT ' : '';
  const [first, ...others] = bound.args;
  const order = bound.orderBy.length === 0 ? '' : ` ORDER BY ${spellOrder(bound.orderBy)}`;
  const joins = bound.name === 'GROUP_CONCAT' || bound.name === 'STRING_AGG';
  const separator = joins && others[0] !== undefined ? ` SEPARATOR ${spelled(others[0])}` : '';
  const argument = first === undefined ? '' : joins || bound.distinct ? spelled(first) : spell(first);
  const args = joins ? argument : [argument, ...others.map(spelled)].join(', ');
  const inside = bound.star ? '*' : `${distinct}${args}${order}${separator}`;
  const filter = bound.filter === undefined ? '' : ` FILTER (WHERE ${spelled(bound.filter)})`;
  const over = bound.over === undefined ? '' : ` ${spellWindow(bound.over)}`;
  return `${joins ? 'GROUP_CONCAT' : bound.name}(${inside})${filter}${over}`;
}

function spellOrder(items: readonly BoundOrderItem[]): string {
  return items.map((item) => `${spelled(item.expression)}${item.descending ? ' DESC' : ''}`).join(', ');
}

function spellWindow({ partitionBy, orderBy }: BoundWindow): string {
  const parts = [
    ...(partitionBy.length === 0 ? [] : [`PARTITION BY ${list(partitionBy)}`]),
    ...(orderBy.length === 0 ? [] : [`ORDER BY ${spellOrder(orderBy)}`]),
  ];
  return `OVER (${parts.join(' ')})`;
}

/** A name with quotes where it needs them. */
export function spellName(name: string): string {
  return /^[\p{Lu}_$][\p{Lu}\d_$]*$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

export function spellType(type: SqlType): string {
  const bounds = [type.precision, type.scale].filter((bound) => bound !== undefined);
  return bounds.length === 0 ? type.name : `${type.name}(${bounds.join(', ')})`;
}

function spellConstant({ type, data, written }: BoundConstant): string {
  if (written !== undefined) return spellConstant(written);
  if (data === null)
    return type.name === 'NULL' || type.name === 'UNKNOWN' ? 'NULL' : `CAST(NULL AS ${spellType(type)})`;
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
    case 'BINARY':
      return `X'${text}'`;
    default:
      return text;
  }
}
