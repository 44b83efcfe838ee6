/** Filters for rows, as in PostgREST: `city=eq.Oslo`, `age=not.lt.18`, `or=(age.lt.18,age.gt.65)`. */
import { gridError } from '../base/errors.ts';
import { nearestNames } from '../base/nearest.ts';
import type { Pairs } from './call.ts';
import { type Argument, argumentOf, joinedBy, type Sql, sql, valueList } from './sql.ts';
import type { Column, Table } from './tables.ts';

/** Names of row parameters that are not filters. A column with one of these names is filtered inside `and`. */
const ROW_PARAMETERS = ['select', 'order', 'limit', 'cursor'] as const;
export type RowParameter = (typeof ROW_PARAMETERS)[number];

/** Compares the names, because each request has new strings, which a set would have to hash. */
export function isRowParameter(name: string): name is RowParameter {
  return name === 'select' || name === 'order' || name === 'limit' || name === 'cursor';
}

/** Reports whether a parameter is a filter, but not on a column. */
function isLogic(name: string): boolean {
  return name === 'and' || name === 'or' || name === 'not.and' || name === 'not.or';
}

const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ['eq', '='],
  ['neq', '<>'],
  ['gt', '>'],
  ['gte', '>='],
  ['lt', '<'],
  ['lte', '<='],
]);

const STATES: Readonly<Record<string, string>> = {
  null: 'IS NULL',
  not_null: 'IS NOT NULL',
  true: 'IS TRUE',
  false: 'IS FALSE',
  unknown: 'IS NULL',
};

const OPERATORS = [...COMPARISONS.keys(), 'like', 'ilike', 'in', 'is'].join(', ');

/** Nested logic of a filter; deeper is a mistake. */
const MAX_DEPTH = 8;

/**
 * Returns the condition of the filter parameters, or undefined if there are none. `reads`: the request may also have
 * the parameters of reads. Throws RESOURCE_INVALID.
 */
export function filterOf(table: Table, pairs: Pairs, reads: boolean): Sql | undefined {
  const conditions: Sql[] = [];
  for (const [name, value] of pairs) {
    if (reads && isRowParameter(name)) continue;
    const part = `parameter ${name}`;
    if (name === 'offset' && table.column(name) === undefined) {
      throw gridError(
        'RESOURCE_INVALID',
        part,
        'there is none: the header Link of a page has the address of the next one',
      );
    }
    if (isLogic(name)) conditions.push(new LogicReader(table, value, part).readWhole(name));
    else conditions.push(conditionOf(columnNamed(table, name, part, reads ? ROW_PARAMETERS : []), value, part));
  }
  return conditions.length > 1 ? joinedBy(' AND ', conditions) : conditions[0];
}

/**
 * Returns the column with a name. Throws RESOURCE_INVALID, suggesting a similar column or one of the other names
 * allowed there.
 */
export function columnNamed(table: Table, written: string, part: string, others: Iterable<string> = []): Column {
  const column = table.column(written) ?? table.column(unquoted(written));
  if (column !== undefined) return column;
  const names = table.columns.map(({ name }) => name);
  const [, compared] = /^(\w+)\s*[<>!]/.exec(written) ?? [];
  if (compared !== undefined && table.column(compared) !== undefined) {
    throw gridError('RESOURCE_INVALID', `parameter ${compared}`, `operators are words, such as ${compared}=gt.5`);
  }
  const near = nearestNames(written, [...names, ...others]);
  const known = written.includes('(') ? 'functions and joins are SQL (qryfldexe)' : `it has ${listOf(names)}`;
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : known;
  throw gridError('RESOURCE_INVALID', part, `the table has no column ${written}, ${hint}`);
}

const QUOTED = /^"((?:[^"\\]|\\.)*)"$/s;

/** Returns a name without the double quotes in which it may be written, as inside `and` and `or`. */
export function unquoted(written: string): string {
  return QUOTED.exec(written)?.[1]?.replace(/\\(.)/gs, '$1') ?? written;
}

/** Splits a list of names at the commas outside double quotes. */
export function splitNames(list: string): readonly string[] {
  if (!list.includes('"')) return list.split(',');
  const names = [''];
  for (const [part] of list.matchAll(/"(?:[^"\\]|\\.)*"|,|[^,"]+|"/gs)) {
    if (part === ',') names.push('');
    else names.push(`${names.pop()}${part}`);
  }
  return names;
}

/** Maximum number of columns that an error lists. */
const LISTED = 20;

function listOf(names: readonly string[]): string {
  return names.length > LISTED ? `${names.slice(0, LISTED).join(', ')} and others` : names.join(', ');
}

/** Returns the condition `eq.Oslo` or `not.in.(a,b)` on a column. */
function conditionOf(column: Column, text: string, part: string): Sql {
  const isNegated = text.startsWith('not.');
  const condition = isNegated ? text.slice(4) : text;
  const dot = condition.indexOf('.');
  const operator = dot < 0 ? condition : condition.slice(0, dot);
  const operand = dot < 0 ? undefined : condition.slice(dot + 1);
  if (operand === undefined) {
    const example = COMPARISONS.has(operator) ? `${text}.5` : `eq.${text}`;
    throw gridError('RESOURCE_INVALID', part, `write an operator and a value, such as ${example}`);
  }
  const positive = comparison(column, operator, operand, part);
  return isNegated ? sql(`NOT (${positive.text})`, positive.args) : positive;
}

function comparison(given: Column, operator: string, operand: string, part: string): Sql {
  const column = formOf(given, operator, operand);
  const symbol = COMPARISONS.get(operator);
  if (symbol !== undefined) {
    // A string may equal the keyword.
    if (operand === 'null' && column.type !== 'string') {
      const state = operator === 'neq' ? 'is.not_null' : 'is.null';
      throw gridError('RESOURCE_INVALID', part, `NULL equals no value: write ${state}`);
    }
    return sql(`${column.quoted} ${symbol} ?`, [argumentOf(column, operand, part)]);
  }
  switch (operator) {
    case 'like':
      return sql(`${column.quoted} LIKE ?`, [pattern(column, operand, part)]);
    case 'ilike':
      return sql(`LOWER(${column.quoted}) LIKE LOWER(?)`, [pattern(column, operand, part)]);
    case 'in':
      return inList(column, operand, part);
    case 'is': {
      const word = operand.toLowerCase();
      const state = Object.hasOwn(STATES, word) ? STATES[word] : undefined;
      if (state === undefined)
        throw gridError(
          'RESOURCE_INVALID',
          part,
          `write ${Object.keys(STATES)
            .map((each) => `is.${each}`)
            .join(', ')}`,
        );
      return sql(`${column.quoted} ${state}`);
    }
    default:
      throw gridError(
        'RESOURCE_INVALID',
        part,
        `there is no operator ${operator}, use ${OPERATORS}, or not. before one`,
      );
  }
}

/** A number as in JSON. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns the type as which a path is compared: a number with numbers, a string with anything else. */
function formOf(column: Column, operator: string, operand: string): Column {
  const { forms } = column;
  if (forms === undefined) return column;
  if (operator === 'is') return operand === 'true' || operand === 'false' ? forms.boolean : forms.text;
  if (operator === 'in') {
    const items = operand.slice(1, -1).split(',');
    return items.every((item) => NUMBER.test(item)) ? forms.number : forms.text;
  }
  return COMPARISONS.has(operator) && NUMBER.test(operand) ? forms.number : forms.text;
}

/** Returns the LIKE pattern. An asterisk represents a percent sign, which addresses would have to encode. */
function pattern(column: Column, operand: string, part: string): Argument {
  if (column.type !== 'string')
    throw gridError('RESOURCE_INVALID', part, `like and ilike compare texts, and the column ${column.name} is none`);
  return { text: operand.replaceAll('*', '%'), type: 'string' };
}

function inList(column: Column, operand: string, part: string): Sql {
  if (!operand.startsWith('('))
    throw gridError('RESOURCE_INVALID', part, 'write a list in parentheses, such as in.(a,b)');
  const reader = new ListReader(operand, part);
  reader.expect('(');
  const args: Argument[] = [];
  while (!reader.accept(')')) {
    if (args.length > 0) reader.expect(',', '"," or ")"');
    args.push(argumentOf(column, reader.readItem(',)'), part));
  }
  reader.expectEnd();
  // An empty list contains no value.
  if (args.length === 0) return sql('1 = 0');
  return sql(`${column.quoted} IN ${valueList(args)}`, args);
}

/** Reads lists in parentheses. Items with reserved characters are in double quotes. */
class ListReader {
  protected readonly text: string;
  protected readonly part: string;
  protected at = 0;

  constructor(text: string, part: string) {
    this.text = text;
    this.part = part;
  }

  accept(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  expect(character: string, expected = `"${character}"`): void {
    if (!this.accept(character)) throw this.unexpected(expected);
  }

  expectEnd(): void {
    if (this.at < this.text.length) throw this.unexpected('the end');
  }

  /** Reads an item up to one of the characters in `ends`, or a quoted one. */
  readItem(ends: string): string {
    if (!this.accept('"')) {
      const start = this.at;
      while (this.at < this.text.length && !ends.includes(this.text[this.at] ?? '')) this.at++;
      return this.text.slice(start, this.at);
    }
    let item = '';
    for (;;) {
      const character = this.text[this.at++];
      if (character === '"') return item;
      if (character === undefined) throw this.unexpected('a closing quote');
      item += character === '\\' ? (this.text[this.at++] ?? '') : character;
    }
  }

  protected unexpected(expected: string) {
    return gridError('RESOURCE_INVALID', this.part, `expected ${expected} at character ${this.at + 1}`);
  }
}

/** Reads the conditions inside `and` and `or`. */
class LogicReader extends ListReader {
  readonly #table: Table;

  constructor(table: Table, text: string, part: string) {
    super(text, part);
    this.#table = table;
  }

  readWhole(name: string): Sql {
    if (!this.text.startsWith('(')) {
      const reason = `write conditions in parentheses, such as ${name}=(${this.#table.columns[0]?.name}.is.null)`;
      throw gridError('RESOURCE_INVALID', this.part, reason);
    }
    const condition = this.#readLogic(name, 1);
    this.expectEnd();
    return condition;
  }

  /** Reads the list of conditions combined by `and`, `or`, `not.and` or `not.or`. */
  #readLogic(name: string, depth: number): Sql {
    if (depth > MAX_DEPTH) throw gridError('RESOURCE_INVALID', this.part, `it is nested more than ${MAX_DEPTH} deep`);
    this.expect('(');
    const conditions: Sql[] = [];
    do conditions.push(this.#readCondition(depth));
    while (this.accept(','));
    this.expect(')');
    const { text, args } = joinedBy(name.endsWith('and') ? ' AND ' : ' OR ', conditions);
    return sql(name.startsWith('not.') ? `NOT (${text})` : `(${text})`, args);
  }

  #readCondition(depth: number): Sql {
    const logic = /^(?:not\.)?(?:and|or)(?=\()/.exec(this.text.slice(this.at, this.at + 8))?.[0];
    if (logic !== undefined) {
      this.at += logic.length;
      return this.#readLogic(logic, depth + 1);
    }
    const column = columnNamed(this.#table, this.readItem('.,)'), this.part);
    this.expect('.');
    return conditionOf(column, this.#readOperation(), this.part);
  }

  /** Reads `eq.Oslo`, `in.(a,b)` or `not.eq."a,b"`, without the quotes of a value that is not in a list. */
  #readOperation(): string {
    const operator = /^(?:not\.)?[a-z]+\./.exec(this.text.slice(this.at, this.at + 16))?.[0];
    if (operator === undefined) throw this.unexpected(`an operator: ${OPERATORS}`);
    this.at += operator.length;
    if (this.text[this.at] !== '(' || !operator.endsWith('in.')) return operator + this.readItem(',)');
    const start = this.at++;
    while (!this.accept(')')) {
      this.readItem(',)');
      if (this.at >= this.text.length) throw this.unexpected('")"');
      this.accept(',');
    }
    return operator + this.text.slice(start, this.at);
  }
}
