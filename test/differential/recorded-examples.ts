/**
 * Recorded examples of the known differences: tables, a statement, and its outcomes in svc and Ignite. A run replays
 * them in svc, and in Ignite if there is a node, so that a known difference that has gone is noticed.
 * `record-examples.ts` records them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Difference, differenceBetween, outcomeText } from './difference.ts';
import type { Outcome, Target } from './targets.ts';

export const EXAMPLES_FILE = join(import.meta.dir, 'recorded-examples.jsonl');

export interface Example {
  /** The reason of the known difference. */
  readonly reason: string;
  /** Statements that create the tables T_A, T_B and T_C and their rows. */
  readonly setup: readonly string[];
  readonly sql: string;
  /** True when the statement determines the order of the rows. */
  readonly ordered?: boolean;
  /** What the evaluator returns, for a difference from it; svc and Ignite agree then. */
  readonly evaluator?: string;
  readonly svc: Outcome;
  /** Ignite's outcomes of the statement and of those that the known differences ask for. */
  readonly ignite: Readonly<Record<string, Outcome>>;
}

export function readExamples(): Example[] {
  const lines = readFileSync(EXAMPLES_FILE, 'utf8').trim().split('\n');
  return lines.map((line): Example => JSON.parse(line));
}

/** Returns a target that returns the recorded outcomes of Ignite, and rejects all other statements. */
export function recordedIgnite({ ignite }: Example): Target {
  return {
    name: 'ignite',
    run: (statement) => Promise.resolve(ignite[statement] ?? { kind: 'rejected', text: 'not recorded' }),
    close: () => Promise.resolve(),
  };
}

/** Creates the tables of an example, calls `use`, and drops them. `use` gets the targets with the example's names. */
export async function withTables<T>(
  targets: readonly Target[],
  example: Example,
  use: (targets: readonly Target[]) => Promise<T>,
): Promise<T> {
  const prefix = uniquePrefix();
  const renamed = targets.map((target) => withPrefix(target, prefix));
  try {
    for (const statement of example.setup) await Promise.all(renamed.map((target) => target.run(statement)));
    return await use(renamed);
  } finally {
    const drop = ['A', 'B', 'C'].map((table) => `DROP TABLE IF EXISTS T_${table}`);
    for (const statement of drop) await Promise.all(renamed.map((target) => target.run(statement)));
  }
}

let prefixes = 0;

/** Returns a prefix of table names. Ignite remembers names that were dropped. */
function uniquePrefix(): string {
  return `RE_${process.pid.toString(36).toUpperCase()}_${++prefixes}_`;
}

/** Returns a target whose tables T_A, T_B and T_C have other names. */
function withPrefix(target: Target, prefix: string): Target {
  return {
    ...target,
    async run(statement) {
      const outcome = await target.run(statement.replaceAll(/\bT_(?=[ABC]\b)/g, prefix));
      const restored = (text: string): string => text.replaceAll(prefix, 'T_');
      if (outcome.kind === 'rows') return { ...outcome, names: outcome.names.map(restored) };
      const text = restored(outcome.text).replaceAll(/nodeId=[-0-9a-f]+/g, 'nodeId=1');
      return { kind: 'rejected', text: text.replaceAll(/(?<=at line 1, column )\d+/g, '1') };
    },
  };
}

/** Returns the difference that an example shows, or undefined if the outcomes are equal. */
export function differenceOf(example: Example, svc: Outcome, ignite: Outcome): Difference | undefined {
  const { sql, ordered = false, evaluator } = example;
  if (evaluator === undefined) return differenceBetween(sql, { svc, ignite, ordered });
  const answers = { evaluator, svc: outcomeText(svc, ordered) };
  // An evaluator's answer is only known together with Ignite's, which must be svc's.
  if (differenceBetween(sql, { svc, ignite, ordered }) !== undefined) return undefined;
  return { sql, what: 'evaluator', answers, outcomes: undefined };
}
