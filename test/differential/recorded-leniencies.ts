/** Ignite's recorded answers to the statements of leniencies.ts, and svc's where they differ. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { differenceBetween, outcomeText } from './difference.ts';
import { LENIENCIES, LENIENCY_TABLES } from './leniencies.ts';
import type { Outcome, Target } from './targets.ts';

export const LENIENCIES_FILE = join(import.meta.dir, 'leniencies.jsonl');

export interface RecordedLeniency {
  readonly sql: string;
  readonly ignite: Outcome;
  /** The answer of svc as text, where it differs. */
  readonly svc?: string;
}

export function readLeniencies(): ReadonlyMap<string, RecordedLeniency> {
  const lines = readFileSync(LENIENCIES_FILE, 'utf8').trim().split('\n');
  const recorded = lines.map((line): RecordedLeniency => JSON.parse(line));
  return new Map(recorded.map((each) => [each.sql, each]));
}

/** Runs all statements in their order, because some change rows, and returns the outcomes by statement. */
export async function outcomesOf(target: Target): Promise<ReadonlyMap<string, Outcome>> {
  await target.run('DROP TABLE IF EXISTS LEN_L');
  await target.run('DROP TABLE IF EXISTS LEN_M');
  for (const sql of LENIENCY_TABLES) await target.run(sql);
  const outcomes = new Map<string, Outcome>();
  for (const sql of Object.values(LENIENCIES).flat()) outcomes.set(sql, await target.run(sql));
  await target.run('DROP TABLE LEN_L');
  await target.run('DROP TABLE LEN_M');
  return outcomes;
}

export function isOrdered(sql: string): boolean {
  return / ORDER BY /.test(sql);
}

/** Returns svc's answer as text where it differs from Ignite's. Errors with the same code are equal. */
export function differingAnswer(sql: string, svc: Outcome, ignite: Outcome): string | undefined {
  const difference = differenceBetween(sql, { svc, ignite, ordered: isOrdered(sql) });
  if (difference === undefined) return undefined;
  if (svc.kind === 'rejected' && ignite.kind === 'rejected' && codeOf(svc.text) === codeOf(ignite.text))
    return undefined;
  return outcomeText(svc, isOrdered(sql));
}

/** Returns the code of an error. Codes of syntax errors are the same. */
function codeOf(text: string): string | undefined {
  const [, code] = /\[(\d{5})-197\]/.exec(text) ?? [];
  return code === '42001' ? '42000' : code;
}
