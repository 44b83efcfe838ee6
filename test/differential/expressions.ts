/** Creates random expressions of a kind: the text and, where the evaluator knows it, a function that computes it. */
import type { Random } from '../simulation/random.ts';
import {
  addExact,
  and,
  compareData,
  exactText,
  fit,
  isExact,
  isLike,
  isNumber,
  isWhole,
  type Kind,
  keyOf,
  multiplyExact,
  not,
  or,
  type ResultValue,
  type Truth,
  toExact,
  truthOf,
  Unknown,
  wider,
} from './result-value.ts';
import { TEMPLATES } from './templates.ts';

/** The values of a row by `alias.COLUMN`. */
export type Row = ReadonlyMap<string, ResultValue>;
export type Meaning = (row: Row) => ResultValue;

export interface Expression {
  readonly text: string;
  readonly kind: Kind;
  /** Undefined when the evaluator does not know the result. */
  readonly meaning: Meaning | undefined;
}

/** A column that an expression may refer to. */
export interface ScopeColumn {
  readonly name: string;
  readonly kind: Kind;
}

const TEXTS = [
  '',
  'a',
  'b',
  'ab',
  'Ab',
  'B',
  'aa',
  'x y',
  "it's",
  'zebra',
  'äö',
  'É',
  '10',
  '-3',
  '2.5',
  '%',
  '_a',
] as const;
const PATTERNS = ['%', 'a%', '%b', '_', '_b', '%a%', 'A_', '', 'x y', '\\%'] as const;
const DATES = ['1969-12-31', '1970-01-01', '2000-02-29', '2020-01-31', '2020-12-31', '2021-06-15'] as const;
const TIMES = ['00:00:00', '01:02:03', '12:00:00', '23:59:59'] as const;
const STAMPS = [
  '1970-01-01 00:00:00.0',
  '2000-02-29 12:30:45.5',
  '2020-12-31 23:59:59.0',
  '2021-06-15 08:00:00.125',
] as const;
const UUIDS = [
  '00000000-0000-0000-0000-000000000000',
  '123e4567-e89b-12d3-a456-426614174000',
  '7fffffff-ffff-ffff-7fff-ffffffffffff',
] as const;
const DOUBLES = ['0.0', '1.5', '-2.25', '100.0', '0.125', '1000000.0'] as const;
const DECIMALS = ['0.5', '1.25', '-3.75', '10.00', '99.99', '0.001'] as const;
const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='] as const;

export const KINDS = [
  'INT',
  'BIGINT',
  'SMALLINT',
  'TINYINT',
  'DECIMAL',
  'DOUBLE',
  'VARCHAR',
  'BOOLEAN',
  'DATE',
  'TIME',
  'TIMESTAMP',
  'UUID',
] as const;

/** Kinds whose order the evaluator knows. */
const ORDERED = ['INT', 'BIGINT', 'DECIMAL', 'DOUBLE', 'VARCHAR', 'BOOLEAN', 'DATE', 'TIME', 'TIMESTAMP'] as const;

/** Returns a parameter with its argument. */
export function argument(text: string): string {
  return `?<${text}>`;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Creates a random literal and its value. */
export function literal(random: Random, kind: Kind): Expression & { readonly value: ResultValue } {
  const create = (text: string, value: ResultValue) => ({ text, kind, value, meaning: () => value });
  switch (kind) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT': {
      const number = random.below(14) - 3;
      // A plain number is an INT; smaller kinds need a CAST.
      return create(kind === 'INT' ? String(number) : `CAST(${number} AS ${kind})`, BigInt(number));
    }
    case 'BIGINT': {
      const number = random.pick([0n, 1n, -1n, 5n, 3_000_000_000n, -3_000_000_000n]);
      return create(`CAST(${number} AS BIGINT)`, number);
    }
    case 'DECIMAL': {
      const text = random.pick(DECIMALS);
      const [whole = '', fraction = ''] = text.split('.');
      return create(text, { unscaled: BigInt(whole + fraction), scale: fraction.length });
    }
    case 'DOUBLE': {
      const text = random.pick(DOUBLES);
      return create(`CAST(${text} AS DOUBLE)`, Number(text));
    }
    case 'VARCHAR': {
      const text = random.pick(TEXTS);
      return create(quoted(text), text);
    }
    case 'BOOLEAN': {
      const truth = random.below(2) === 0;
      return create(truth ? 'TRUE' : 'FALSE', truth);
    }
    case 'DATE': {
      const text = random.pick(DATES);
      return create(`DATE '${text}'`, text);
    }
    case 'TIME': {
      const text = random.pick(TIMES);
      return create(`TIME '${text}'`, text);
    }
    case 'TIMESTAMP': {
      const text = random.pick(STAMPS);
      return create(`TIMESTAMP '${text}'`, text);
    }
    case 'UUID': {
      const text = random.pick(UUIDS);
      return create(`CAST('${text}' AS UUID)`, text);
    }
  }
}

/** Returns a literal for a value of a table. */
export function literalText(kind: Kind, value: ResultValue): string {
  if (value === null) return 'NULL';
  // A CAST would change the scale.
  if (isExact(value)) return exactText(value);
  const text = keyOf(value);
  if (kind === 'VARCHAR') return quoted(String(value));
  return isNumber(kind) ? `CAST(${text} AS ${kind})` : `CAST('${String(value)}' AS ${kind})`;
}

/** Returns a function that is NULL when an operand is. */
function strict(
  parts: readonly Expression[],
  apply: (...data: Exclude<ResultValue, null>[]) => ResultValue,
): Meaning | undefined {
  return lifted(parts, (...data) => {
    const present = data.filter((value) => value !== null);
    return present.length < data.length ? null : apply(...present);
  });
}

function lifted(parts: readonly Expression[], apply: (...data: ResultValue[]) => ResultValue): Meaning | undefined {
  const meanings = parts.map((part) => part.meaning);
  if (!meanings.every((meaning) => meaning !== undefined)) return undefined;
  return (row) => apply(...meanings.map((meaning) => meaning(row)));
}

function textOf(value: Exclude<ResultValue, null>): string {
  if (typeof value !== 'string') throw new Unknown('no text');
  return value;
}

function wholeOf(value: Exclude<ResultValue, null>): bigint {
  if (typeof value !== 'bigint') throw new Unknown('no whole number');
  return value;
}

export class ExpressionMaker {
  readonly random: Random;
  readonly #columns: readonly ScopeColumn[];
  /** Creates a query of one column of the kind; undefined where subqueries are not allowed. */
  readonly #subquery: ((kind: Kind) => string) | undefined;

  constructor(random: Random, columns: readonly ScopeColumn[], subquery?: (kind: Kind) => string) {
    this.random = random;
    this.#columns = columns;
    this.#subquery = subquery;
  }

  /** Creates an expression of the kind with at most `depth` nested operations. */
  create(kind: Kind, depth: number): Expression {
    const { random } = this;
    if (depth <= 0 || random.below(4) === 0) return this.#leaf(kind);
    if (random.below(8) === 0) return this.#anyKind(kind, depth - 1);
    if (random.below(10) === 0) return this.#template(kind, depth - 1);
    if (isWhole(kind)) return this.#whole(kind, depth - 1);
    switch (kind) {
      case 'DECIMAL':
        return this.#decimal(depth - 1);
      case 'DOUBLE':
        return this.#double(depth - 1);
      case 'VARCHAR':
        return this.#text(depth - 1);
      case 'BOOLEAN':
        return this.condition(depth - 1);
      case 'DATE':
      case 'TIMESTAMP':
        return this.#dateTime(kind, depth - 1);
      default:
        return this.#leaf(kind);
    }
  }

  column(kind: Kind): Expression | undefined {
    const fitting = this.#columns.filter((column) => column.kind === kind);
    const [first, ...others] = fitting;
    if (first === undefined) return undefined;
    const { name } = this.random.pick([first, ...others]);
    return { text: name, kind, meaning: (row) => row.get(name) ?? null };
  }

  #leaf(kind: Kind): Expression {
    const { random } = this;
    const column = random.below(10) < 7 ? this.column(kind) : undefined;
    if (column !== undefined) return column;
    if (random.below(12) === 0) return { text: `CAST(NULL AS ${kind})`, kind, meaning: () => null };
    return literal(random, kind);
  }

  #template(kind: Kind, depth: number): Expression {
    const templates = TEMPLATES[kind];
    if (templates === undefined) return this.#leaf(kind);
    const text = this.random.pick(templates).replaceAll(/\{([A-Z]+)\}/g, (_, name: string) => {
      const hole = KINDS.find((each) => each === name);
      if (hole === undefined) throw new Error(`no kind ${name}`);
      return this.create(hole, depth).text;
    });
    return { text, kind, meaning: undefined };
  }

  #anyKind(kind: Kind, depth: number): Expression {
    const { random } = this;
    const a = this.create(kind, depth);
    const b = this.create(kind, depth);
    switch (random.below(6)) {
      case 0: {
        const test = this.condition(depth);
        return {
          text: `CASE WHEN ${test.text} THEN ${a.text} ELSE ${b.text} END`,
          kind,
          meaning: chosen(test, a, b),
        };
      }
      case 1: {
        const test = this.condition(depth);
        return { text: `CASEWHEN(${test.text}, ${a.text}, ${b.text})`, kind, meaning: chosen(test, a, b) };
      }
      case 2:
        return { text: `NULLIF(${a.text}, ${b.text})`, kind, meaning: undefined };
      case 3:
        return {
          text: `GREATEST(${a.text}, ${b.text})`,
          kind,
          meaning: undefined,
        };
      case 4:
        if (this.#subquery !== undefined && kind !== 'BOOLEAN' && kind !== 'UUID') {
          return { text: `(${this.#subquery(kind)})`, kind, meaning: undefined };
        }
        return this.#leaf(kind);
      default:
        return {
          text: `COALESCE(${a.text}, ${b.text})`,
          kind,
          meaning: lifted([a, b], (x, y) => x ?? y),
        };
    }
  }

  #whole(kind: Kind, depth: number): Expression {
    const { random } = this;
    const narrower = random.pick(['INT', kind]);
    const other = isNarrower(narrower, kind) ? narrower : kind;
    const a = this.create(kind, depth);
    const b = this.create(other, depth);
    const binary = (operator: string, apply: (x: bigint, y: bigint) => bigint): Expression => ({
      text: `(${a.text} ${operator} ${b.text})`,
      kind: wider(kind, other),
      meaning: strict([a, b], (x, y) => fit(wider(kind, other), apply(wholeOf(x), wholeOf(y)))),
    });
    switch (random.below(kind === 'INT' ? 12 : 6)) {
      case 0:
        return binary('+', (x, y) => x + y);
      case 1:
        return binary('-', (x, y) => x - y);
      case 2:
        return binary('*', (x, y) => x * y);
      case 3:
        return { text: `(- ${a.text})`, kind, meaning: strict([a], (x) => fit(kind, -wholeOf(x))) };
      case 4:
        return {
          text: `ABS(${a.text})`,
          kind,
          meaning: strict([a], (x) => fit(kind, wholeOf(x) < 0n ? -wholeOf(x) : wholeOf(x))),
        };
      case 5: {
        const divisor = random.pick([1, 2, 3, 7, -2]);
        return {
          text: `(${a.text} / CAST(${divisor} AS ${kind}))`,
          kind,
          meaning: strict([a], (x) => fit(kind, wholeOf(x) / BigInt(divisor))),
        };
      }
      case 6: {
        const divisor = random.pick([2, 3, 7]);
        return {
          text: `MOD(${a.text}, ${divisor})`,
          kind: 'INT',
          meaning: strict([a], (x) => wholeOf(x) % BigInt(divisor)),
        };
      }
      case 7:
        return { text: `SIGN(${a.text})`, kind, meaning: strict([a], (x) => sign(wholeOf(x))) };
      case 8: {
        const text = this.create('VARCHAR', depth);
        return {
          text: `CAST(LENGTH(${text.text}) AS INT)`,
          kind,
          meaning: strict([text], (x) => BigInt(textOf(x).length)),
        };
      }
      case 9: {
        const text = this.create('VARCHAR', depth);
        const part = literal(random, 'VARCHAR');
        return {
          text: `LOCATE(${part.text}, ${text.text})`,
          kind,
          meaning: undefined,
        };
      }
      case 10: {
        const date = this.create(random.pick(['DATE', 'TIMESTAMP']), depth);
        const part = random.pick(['YEAR', 'MONTH', 'DAY_OF_MONTH', 'DAY_OF_WEEK', 'DAY_OF_YEAR', 'QUARTER', 'WEEK']);
        return { text: `${part}(${date.text})`, kind, meaning: undefined };
      }
      default: {
        const from = this.create(random.pick(['SMALLINT', 'TINYINT']), depth);
        return { text: `CAST(${from.text} AS INT)`, kind, meaning: lifted([from], (x) => x) };
      }
    }
  }

  #decimal(depth: number): Expression {
    const { random } = this;
    const a = this.create('DECIMAL', depth);
    const b = this.create(random.pick(['DECIMAL', 'INT']), depth);
    const kind = 'DECIMAL';
    switch (random.below(8)) {
      case 0:
        return {
          text: `(${a.text} + ${b.text})`,
          kind,
          meaning: strict([a, b], (x, y) => addExact(toExact(x), toExact(y), 1n)),
        };
      case 1:
        return {
          text: `(${a.text} - ${b.text})`,
          kind,
          meaning: strict([a, b], (x, y) => addExact(toExact(x), toExact(y), -1n)),
        };
      case 2:
        return {
          text: `(${a.text} * ${b.text})`,
          kind,
          meaning: strict([a, b], (x, y) => multiplyExact(toExact(x), toExact(y))),
        };
      case 3:
        return { text: `(${a.text} / ${random.pick(['3', '7', '1.5', '0.25'])})`, kind, meaning: undefined };
      case 4:
        return { text: `CAST(${b.text} AS DECIMAL(20, 4))`, kind, meaning: undefined };
      case 5:
        return {
          text: `(- ${a.text})`,
          kind,
          meaning: strict([a], (x) => ({ ...toExact(x), unscaled: -toExact(x).unscaled })),
        };
      default:
        return { text: `ABS(${a.text})`, kind, meaning: strict([a], absolute) };
    }
  }

  #double(depth: number): Expression {
    const { random } = this;
    const a = this.create('DOUBLE', depth);
    const b = this.create(random.pick(['DOUBLE', 'INT']), depth);
    const kind = 'DOUBLE';
    const binary = (operator: string, apply: (x: number, y: number) => number): Expression => ({
      text: `(${a.text} ${operator} ${b.text})`,
      kind,
      meaning: strict([a, b], (x, y) => apply(Number(x), Number(y))),
    });
    switch (random.below(9)) {
      case 0:
        return binary('+', (x, y) => x + y);
      case 1:
        return binary('-', (x, y) => x - y);
      case 2:
        return binary('*', (x, y) => x * y);
      case 3:
        return { text: `(${a.text} / 4)`, kind, meaning: strict([a], (x) => Number(x) / 4) };
      case 4:
        return { text: `ROUND(${a.text}, ${random.below(4)})`, kind, meaning: undefined };
      case 5:
        return { text: `${random.pick(['FLOOR', 'CEIL'])}(${a.text})`, kind, meaning: undefined };
      case 6:
        return { text: `SQRT(ABS(${a.text}))`, kind, meaning: undefined };
      case 7:
        return { text: `CAST(${this.create('DECIMAL', depth).text} AS DOUBLE)`, kind, meaning: undefined };
      default:
        return { text: `CAST(${b.text} AS DOUBLE)`, kind, meaning: strict([b], (x) => Number(x)) };
    }
  }

  #text(depth: number): Expression {
    const { random } = this;
    const kind = 'VARCHAR';
    const a = this.create('VARCHAR', depth);
    const b = this.create('VARCHAR', depth);
    const one = (name: string, apply: (text: string) => string): Expression => ({
      text: `${name}(${a.text})`,
      kind,
      meaning: strict([a], (x) => apply(textOf(x))),
    });
    switch (random.below(13)) {
      case 0:
        return { text: `(${a.text} || ${b.text})`, kind, meaning: strict([a, b], (x, y) => textOf(x) + textOf(y)) };
      case 1:
        return one('UPPER', (text) => text.toUpperCase());
      case 2:
        return one('LOWER', (text) => text.toLowerCase());
      case 3:
        return one('TRIM', (text) => text.replace(/^ +| +$/g, ''));
      case 4:
        return one('RTRIM', (text) => text.replace(/ +$/, ''));
      case 5: {
        const start = 1 + random.below(3);
        const length = random.below(4);
        return {
          text: `SUBSTRING(${a.text}, ${start}, ${length})`,
          kind,
          meaning: strict([a], (x) => textOf(x).slice(start - 1, start - 1 + length)),
        };
      }
      case 6:
        return { text: `LEFT(${a.text}, ${random.below(4)})`, kind, meaning: undefined };
      case 7:
        return {
          text: `${random.pick(['LPAD', 'RPAD'])}(${a.text}, ${random.below(6)}, '*')`,
          kind,
          meaning: undefined,
        };
      case 8: {
        const whole = this.create(random.pick(['INT', 'BIGINT', 'SMALLINT']), depth);
        return { text: `CAST(${whole.text} AS VARCHAR)`, kind, meaning: strict([whole], (x) => String(wholeOf(x))) };
      }
      case 9: {
        const other = this.create(
          random.pick(['DECIMAL', 'DOUBLE', 'BOOLEAN', 'DATE', 'TIMESTAMP', 'TIME', 'UUID']),
          depth,
        );
        return { text: `CAST(${other.text} AS VARCHAR)`, kind, meaning: undefined };
      }
      case 10:
        return { text: `REPLACE(${a.text}, 'a', ${b.text})`, kind, meaning: undefined };
      case 11:
        return { text: `CONCAT(${a.text}, ${b.text})`, kind, meaning: undefined };
      default:
        return { text: `REPEAT(${a.text}, ${random.below(3)})`, kind, meaning: undefined };
    }
  }

  #dateTime(kind: 'DATE' | 'TIMESTAMP', depth: number): Expression {
    const { random } = this;
    const a = this.create(kind, depth);
    switch (random.below(4)) {
      case 0:
        return {
          text: `DATEADD('${random.pick(['DAY', 'MONTH', 'YEAR'])}', ${random.below(40) - 10}, ${a.text})`,
          kind,
          meaning: undefined,
        };
      case 1:
        return {
          text: `CAST(${this.create(kind === 'DATE' ? 'TIMESTAMP' : 'DATE', depth).text} AS ${kind})`,
          kind,
          meaning: undefined,
        };
      default:
        return a;
    }
  }

  /** Creates a condition. */
  condition(depth: number): Expression {
    const { random } = this;
    const kind = 'BOOLEAN';
    const truths = (parts: readonly Expression[], apply: (...truth: Truth[]) => Truth): Meaning | undefined =>
      lifted(parts, (...data) => apply(...data.map(truthOf)));
    switch (random.below(depth <= 0 ? 8 : 14)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return this.#comparison(depth - 1);
      case 4: {
        const a = this.create(random.pick(KINDS), depth - 1);
        const negated = random.below(2) === 0;
        return {
          text: `(${a.text} IS ${negated ? 'NOT ' : ''}NULL)`,
          kind,
          meaning: lifted([a], (x) => (x === null) !== negated),
        };
      }
      case 5:
        return this.#membership(depth - 1);
      case 6: {
        const a = this.create('VARCHAR', depth - 1);
        const pattern = random.pick(PATTERNS);
        const negated = random.below(3) === 0;
        return {
          text: `(${a.text} ${negated ? 'NOT ' : ''}LIKE ${quoted(pattern)})`,
          kind,
          // `%` matches every string, so the test is only for NULL.
          meaning:
            pattern === '%'
              ? lifted([a], (x) => (x !== null) !== negated)
              : strict([a], (x) => isLike(textOf(x), pattern) !== negated),
        };
      }
      case 7: {
        const column = this.column('BOOLEAN');
        return column ?? this.#comparison(depth - 1);
      }
      case 8:
      case 9: {
        const [a, b] = [this.condition(depth - 1), this.condition(depth - 1)];
        return { text: `(${a.text} AND ${b.text})`, kind, meaning: truths([a, b], (x = null, y = null) => and(x, y)) };
      }
      case 10:
      case 11: {
        const [a, b] = [this.condition(depth - 1), this.condition(depth - 1)];
        return { text: `(${a.text} OR ${b.text})`, kind, meaning: truths([a, b], (x = null, y = null) => or(x, y)) };
      }
      case 12: {
        const a = this.condition(depth - 1);
        return { text: `(NOT ${a.text})`, kind, meaning: truths([a], (x = null) => not(x)) };
      }
      default:
        return this.#withSubquery(depth - 1);
    }
  }

  #withSubquery(depth: number): Expression {
    const { random } = this;
    const subquery = this.#subquery;
    if (subquery === undefined) return this.#comparison(depth);
    const inner = random.pick(['INT', 'VARCHAR', 'BIGINT', 'DECIMAL']);
    const a = this.create(inner, depth);
    const kind = 'BOOLEAN';
    const text = random.pick([
      `(${a.text} IN (${subquery(inner)}))`,
      `(${a.text} NOT IN (${subquery(inner)}))`,
      `EXISTS (${subquery(inner)})`,
      `(${a.text} ${random.pick(COMPARISONS)} ANY (${subquery(inner)}))`,
      `(${a.text} ${random.pick(COMPARISONS)} ALL (${subquery(inner)}))`,
    ]);
    return { text, kind, meaning: undefined };
  }

  #comparison(depth: number): Expression {
    const { random } = this;
    const left = random.pick(ORDERED);
    const right = isNumber(left) ? random.pick([left, 'INT', 'BIGINT', 'DECIMAL']) : left;
    const a = this.create(left, depth);
    const b = random.below(6) === 0 ? this.#argument(left) : this.create(right, depth);
    const operator = random.pick(COMPARISONS);
    const holds: Readonly<Record<(typeof COMPARISONS)[number], (order: number) => boolean>> = {
      '=': (order) => order === 0,
      '<>': (order) => order !== 0,
      '<': (order) => order < 0,
      '<=': (order) => order <= 0,
      '>': (order) => order > 0,
      '>=': (order) => order >= 0,
    };
    return {
      text: `(${a.text} ${operator} ${b.text})`,
      kind: 'BOOLEAN',
      meaning: strict([a, b], (x, y) => holds[operator](compareData(x, y))),
    };
  }

  /** Creates an expression to compare with one of the same kind. */
  #argument(kind: Kind): Expression {
    const { value } = literal(this.random, kind);
    const text = typeof value === 'string' ? value : keyOf(value);
    return { text: argument(text), kind, meaning: () => value };
  }

  #membership(depth: number): Expression {
    const { random } = this;
    const kind = random.pick(ORDERED);
    const a = this.create(kind, depth);
    if (random.below(2) === 0) {
      const [low, high] = [this.create(kind, depth), this.create(kind, depth)];
      return {
        text: `(${a.text} BETWEEN ${low.text} AND ${high.text})`,
        kind: 'BOOLEAN',
        meaning: lifted([a, low, high], (x, l, h) => and(atLeast(x, l), atLeast(h, x))),
      };
    }
    const items = Array.from({ length: 1 + random.below(3) }, () => this.create(kind, depth - 1));
    const negated = random.below(3) === 0;
    return {
      text: `(${a.text} ${negated ? 'NOT ' : ''}IN (${items.map((item) => item.text).join(', ')}))`,
      kind: 'BOOLEAN',
      meaning: lifted([a, ...items], (x, ...others) => {
        const found = others.map((other) => (x === null || other === null ? null : compareData(x, other) === 0));
        const truth = found.reduce<Truth>(or, false);
        return negated ? not(truth) : truth;
      }),
    };
  }
}

function atLeast(high: ResultValue, low: ResultValue): Truth {
  return high === null || low === null ? null : compareData(high, low) >= 0;
}

function absolute(value: Exclude<ResultValue, null>): ResultValue {
  if (!isExact(value)) throw new Unknown('no decimal');
  return { ...value, unscaled: value.unscaled < 0n ? -value.unscaled : value.unscaled };
}

function sign(number: bigint): bigint {
  return number < 0n ? -1n : number > 0n ? 1n : 0n;
}

function isNarrower(kind: Kind, than: Kind): boolean {
  return wider(kind, than) === than;
}

/** Returns the first where the condition is true, otherwise the second. Evaluates only that one. */
function chosen(test: Expression, yes: Expression, no: Expression): Meaning | undefined {
  const { meaning: condition } = test;
  const { meaning: first } = yes;
  const { meaning: second } = no;
  if (condition === undefined || first === undefined || second === undefined) return undefined;
  return (row) => (truthOf(condition(row)) === true ? first(row) : second(row));
}
