/** Recognizes expressions in one statement that have the same value for each row, in time linear in their sizes. */

/** Members that do not change the value of an expression: how it was written, and ids. */
const UNIMPORTANT: ReadonlySet<string> = new Set(['qualifier', 'written', 'id']);
/** Members that are declared only once. */
const DECLARED: ReadonlySet<string> = new Set(['table', 'function', 'aggregate']);

export class ExpressionForms {
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<object, number>();
  readonly #declared = new Map<unknown, number>();

  /** Returns a number that is equal for parts of a bound statement that differ only in names and ids. */
  of(part: object): number {
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    const members = Object.entries(part)
      .filter(([name, value]) => !UNIMPORTANT.has(name) && value !== undefined)
      .map(([name, value]) => `${name}=${DECLARED.has(name) ? this.#declaration(value) : this.#member(value)}`);
    const number = numberOf(this.#numbers, members.sort().join());
    this.#known.set(part, number);
    return number;
  }

  #member(value: unknown): string {
    if (typeof value === 'object' && value !== null) return String(this.of(value));
    return typeof value === 'string' ? JSON.stringify(value) : `${typeof value} ${Object.is(value, -0) ? '-0' : value}`;
  }

  #declaration(value: unknown): string {
    return String(numberOf(this.#declared, value));
  }
}

function numberOf<K>(numbers: Map<K, number>, key: K): number {
  const number = numbers.get(key) ?? numbers.size;
  numbers.set(key, number);
  return number;
}
