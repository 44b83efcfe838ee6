/** Parameters of statements by name, `:name`, which are sent as `?` by position. */
import { tokensOf } from './tokens.ts';

export interface Parameter {
  /** The name, or for each `?` its number in the text: `?1`. */
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the parameters of a text, in order; a name as often as it occurs. */
export function parametersIn(text: string): Parameter[] {
  let positional = 0;
  return tokensOf(text)
    .filter(({ kind }) => kind === 'parameter')
    .map(({ from, to, text: found }) => ({
      key: found.startsWith(':') ? found.slice(1) : `?${++positional}`,
      from,
      to,
    }));
}

/** Returns the keys of parameters, each once, in the order of their first occurrence. */
export function keysOf(parameters: readonly Parameter[]): string[] {
  return [...new Set(parameters.map(({ key }) => key))];
}

/** Returns the name shown for a parameter without a label. */
export function titleOfKey(key: string): string {
  return key.startsWith('?') ? `argument ${key.slice(1)}` : key;
}

export interface Translated {
  /** The statement with `?` for each parameter. */
  readonly sql: string;
  /** The key of each `?`, in order. */
  readonly keys: readonly string[];
  /** Returns the position in the text of the editor of a position in `sql`; both from 0. */
  readonly positionOf: (sent: number) => number;
}

/** Translates the part of a text between two positions. */
export function translate(text: string, from: number, to: number): Translated {
  const parameters = parametersIn(text).filter((each) => each.from >= from && each.to <= to);
  let sql = '';
  let at = from;
  /** How much each `?` has shortened the text, and where. */
  const shifts: Array<{ readonly sent: number; readonly by: number }> = [];
  for (const { from: start, to: end } of parameters) {
    sql += `${text.slice(at, start)}?`;
    shifts.push({ sent: sql.length, by: end - start - 1 });
    at = end;
  }
  sql += text.slice(at, to);
  return {
    sql,
    keys: parameters.map(({ key }) => key),
    positionOf: (sent) => shifts.reduce((sum, shift) => (sent >= shift.sent ? sum + shift.by : sum), from + sent),
  };
}
