/** Compares the outcomes of a statement. */
import type { Outcome } from './targets.ts';

/** What differs. `evaluator` and `change` are differences from the evaluator, most others from Ignite. */
export type DifferenceKind =
  | 'rows'
  | 'types'
  | 'error text'
  | 'only svc rejects'
  | 'only Ignite rejects'
  | 'evaluator'
  | 'change'
  /** svc's answer is an error of SQLite. */
  | 'text of SQLite';

/** A statement about which svc and Ignite, or svc and the evaluator, disagree. */
export interface Difference {
  /** Arguments are written after their parameter: `?<5>`. */
  readonly sql: string;
  readonly what: DifferenceKind;
  /** The answers as text, by the name of the target. */
  readonly answers: Readonly<Record<string, string>>;
  /** The outcomes in the engines; undefined if svc differs from the evaluator. */
  readonly outcomes: Outcomes | undefined;
}

export interface Outcomes {
  readonly svc: Outcome;
  readonly ignite: Outcome;
  /** True when the statement determines the order of the rows. */
  readonly ordered: boolean;
}

/** Returns how the outcomes of a statement differ, or undefined if they are equal. */
export function differenceBetween(sql: string, outcomes: Outcomes): Difference | undefined {
  const { svc, ignite, ordered } = outcomes;
  const what = kindOf(svc, ignite, ordered);
  if (what === undefined) return undefined;
  return { sql, what, outcomes, answers: { svc: outcomeText(svc, ordered), ignite: outcomeText(ignite, ordered) } };
}

function kindOf(svc: Outcome, ignite: Outcome, ordered: boolean): DifferenceKind | undefined {
  if (svc.kind === 'rejected') {
    if (ignite.kind !== 'rejected') return 'only svc rejects';
    return errorTextOf(svc.text) === errorTextOf(ignite.text) ? undefined : 'error text';
  }
  if (ignite.kind === 'rejected') return 'only Ignite rejects';
  if (!haveSameRows(svc.rows, ignite.rows, ordered)) return 'rows';
  return svc.types.join() === ignite.types.join() ? undefined : 'types';
}

/** Equal decimals of different scales, such as 1.0 and 1.00, may be in any order. */
function haveSameRows(left: Rows, right: Rows, ordered: boolean): boolean {
  if (rowsText(left, ordered) === rowsText(right, ordered)) return true;
  return ordered && rowsText(left, false) === rowsText(right, false) && haveSameNumbers(left, right);
}

type Rows = readonly (readonly string[])[];

/** Returns whether the rows are equal, in the same order, except for the scales of their decimals. */
export function haveSameNumbers(left: Rows, right: Rows): boolean {
  return rowsText(left.map(withoutScales), true) === rowsText(right.map(withoutScales), true);
}

function withoutScales(row: readonly string[]): string[] {
  return row.map((value) => {
    if (/^0(\.0+|E-\d+)$/.test(value)) return '0';
    return /^-?\d+\.\d+$/.test(value) ? value.replace(/\.?0+$/, '') : value;
  });
}

export function outcomeText(outcome: Outcome, ordered: boolean): string {
  if (outcome.kind === 'rejected') return outcome.text;
  return `${outcome.types.map((type) => type.split('.').at(-1)).join(',')}: ${rowsText(outcome.rows, ordered)}`;
}

export function rowsText(rows: Rows, ordered: boolean): string {
  const lines = rows.map((row) => `[${row.join(',')}]`);
  return (ordered ? lines : lines.toSorted()).join(' ');
}

/** Codes of conversion and overflow errors. */
const DATA_CODES: ReadonlySet<string> = new Set(['22003', '22004', '22007', '22012', '22018', '90003', '90004']);

/** Returns the sentence of an error, without the statement and the envelope around it. */
function errorTextOf(text: string): string {
  const [, inner = text] = /errMsg=([\s\S]*)\]$/.exec(text) ?? [];
  const [, code = ''] = /\[(\d{5})-197\]/.exec(inner) ?? [];
  // The plan determines which invalid value is found first.
  if (DATA_CODES.has(code)) return 'data';
  const sentence = inner.replace(/;? SQL statement:[\s\S]*$/, '').replace(/ \[\d{5}-197\]$/, '');
  // Long statements are shortened around the error.
  const [near] = /.{0,40}\[\*\]/s.exec(sentence) ?? [];
  if (near !== undefined) return `Syntax error near ${near} ${code}`;
  // The list of expected words depends on the parser's implementation.
  const plain = withoutAliases(sentence.replace(/; expected "[\s\S]*$/, ''));
  return `${plain} ${code}`.trim();
}

/**
 * Writes columns as the statement does: Ignite adds `__Z0` to the aliases of tables, and qualifies columns in errors
 * about GROUP BY.
 */
function withoutAliases(sentence: string): string {
  const plain = sentence.replaceAll(/(\w*)__Z\d+\./g, (_, alias: string) => (alias === '' ? '' : `${alias}.`));
  return plain.replace(/^Column "(?:\w+\.)?(\w+)" (?=must be in the GROUP BY list)/, 'Column "$1" ');
}
