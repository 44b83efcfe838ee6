/** Refusals of statements: where in the text, and what would have been right. */
import { SqlFailure } from './sql-types.ts';

/** A refusal that knows the place in the statement and the nearest name that exists. */
export class StatementFailure extends SqlFailure {
  /** Offset of the place in the statement's text, from 0; undefined where there is none. */
  readonly at: number | undefined;
  readonly suggestion: string | undefined;

  constructor(
    text: string,
    h2Code: number | undefined,
    options: { at?: number; suggestion?: string | undefined; kind?: SqlFailure['kind'] } = {},
  ) {
    super(text, h2Code, options.kind);
    this.name = 'StatementFailure';
    this.at = options.at;
    this.suggestion = options.suggestion;
  }
}

/** A refusal without a code: the reference's own sentence, behind which nothing stands. */
export function refusal(text: string, kind: SqlFailure['kind'] = 'statement'): StatementFailure {
  return new StatementFailure(text, undefined, { kind });
}

/**
 * The whole text of a refusal for the client: the reference's sentence, the statement and the code, and behind them
 * what helps to mend it.
 */
export function describeFailure(failure: SqlFailure, statement: string): string {
  const hints: string[] = [];
  if (failure instanceof StatementFailure) {
    if (failure.at !== undefined) hints.push(`at ${placeOf(statement, failure.at)}`);
    if (failure.suggestion !== undefined) hints.push(`did you mean ${failure.suggestion}?`);
  }
  const hint = hints.length === 0 ? '' : ` (${hints.join('; ')})`;
  if (failure.h2Code === undefined) return failure.message + hint;
  return `${failure.message}; SQL statement:\n${statement} [${failure.h2Code}-197]${hint}`;
}

function placeOf(statement: string, at: number): string {
  const before = statement.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`;
}

/** The name among `names` that differs from `name` in the fewest letters; undefined when none is near. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toUpperCase(), candidate.toUpperCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, removals, replacements and swaps of neighbours between two names. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

export function tableNotFound(name: string, at: number, suggestion?: string): StatementFailure {
  return new StatementFailure(`Table "${name}" not found`, 42102, { at, suggestion, kind: 'notFound' });
}

export function columnNotFound(name: string, at: number, suggestion?: string): StatementFailure {
  return new StatementFailure(`Column "${name}" not found`, 42122, { at, suggestion, kind: 'notFound' });
}

export function schemaNotFound(name: string, at: number, suggestion?: string): StatementFailure {
  return new StatementFailure(`Schema "${name}" not found`, 90079, { at, suggestion, kind: 'notFound' });
}

export function functionNotFound(name: string, at: number, suggestion?: string): StatementFailure {
  return new StatementFailure(`Function "${name}" not found`, 90022, { at, suggestion, kind: 'notFound' });
}

export function columnCountMismatch(): StatementFailure {
  return new StatementFailure('Column count does not match', 21002);
}
