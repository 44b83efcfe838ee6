/** Statements executed for the tabs, one after another, and their results. */

import { batch, type Signal, signal } from '@preact/signals';
import { formatCount } from '../elements/formats.ts';
import { refreshCatalog } from '../requests/catalog.ts';
import { messageOf, SvcError } from '../requests/request.ts';
import { Result } from '../rows/result.ts';
import { failureIn, type SentStatement, type StatementFailure, type TextRange } from './failures.ts';
import { titleOfKey, translate } from './parameters.ts';
import { type ParsedPlan, parsePlan } from './plan-steps.ts';
import { readSchema } from './schema.ts';
import { explainedIn, kindOfStatement, type StatementLocation } from './statements.ts';
import { noteExecuted, type QueryTab, tabs } from './stored.ts';

interface OutcomeOf {
  /** Distinguishes outcomes: a view's state belongs to one of them. */
  readonly id: number;
  readonly sql: string;
  readonly timeMs: number | undefined;
}

/** The statement of a plan: the text may have changed since. */
export interface Explained {
  readonly tab: QueryTab;
  readonly place: StatementLocation;
}

export type Outcome =
  | (OutcomeOf & { readonly kind: 'rows'; readonly result: Result })
  | (OutcomeOf & { readonly kind: 'changed'; readonly rowCount: number; readonly isDefinition: boolean })
  | (OutcomeOf & { readonly kind: 'plan'; readonly plan: ParsedPlan; readonly of: Explained })
  | (OutcomeOf & { readonly kind: 'failed'; readonly failure: StatementFailure });

interface Running {
  readonly result: Result;
  /** Which of the statements of the run it is, from 1. */
  readonly number: number;
  readonly count: number;
  readonly beganMs: number;
}

/** The executed statements of a tab, kept while other screens are shown. */
export interface TabRun {
  readonly outcomes: Signal<readonly Outcome[]>;
  /** Which outcome is shown. */
  readonly shown: Signal<number>;
  readonly running: Signal<Running | undefined>;
  /** Statements after a failed one. */
  readonly notExecuted: Signal<number>;
  readonly mistake: Signal<Mistake | undefined>;
}

export interface Mistake extends TextRange {
  readonly message: string;
}

let nextId = 1;
const runs = new Map<number, TabRun>();

export function runOf(id: number): TabRun {
  const known = runs.get(id);
  if (known !== undefined) return known;
  const created: TabRun = {
    outcomes: signal([]),
    shown: signal(0),
    running: signal(undefined),
    notExecuted: signal(0),
    mistake: signal(undefined),
  };
  runs.set(id, created);
  return created;
}

/** Cancels a tab's statements, and forgets its results. */
export function forgetRun(id: number): void {
  const run = runs.get(id);
  if (run === undefined) return;
  run.running.value?.result.close();
  closeAll(run.outcomes.value);
  runs.delete(id);
}

function closeAll(outcomes: readonly Outcome[]): void {
  for (const each of outcomes) if (each.kind === 'rows') each.result.close();
}

/** Ends the statement; the service notices that its client is gone. */
export function cancel({ running }: TabRun): void {
  running.value?.result.close();
}

/** Shows a failure that is not from the service in place of the results. */
export function failWith(run: TabRun, message: string): void {
  closeAll(run.outcomes.value);
  batch(() => {
    run.outcomes.value = [
      { id: nextId++, kind: 'failed', sql: '', timeMs: undefined, failure: { message, place: undefined } },
    ];
    run.shown.value = 0;
    run.notExecuted.value = 0;
    run.mistake.value = undefined;
  });
}

export type Mode = 'run' | 'explain' | 'measure';
const PREFIXES: Readonly<Record<Mode, string>> = { run: '', explain: 'EXPLAIN ', measure: 'EXPLAIN ANALYZE ' };

/** Executes statements of a tab in order, until one fails. The previous results stay until the first has ended. */
export async function execute(tab: QueryTab, statements: readonly StatementLocation[], asked: Mode): Promise<void> {
  const run = runOf(tab.id);
  cancel(run);
  run.mistake.value = undefined;
  const before = run.outcomes.peek();
  const outcomes: Outcome[] = [];
  let changes = false;
  for (const [index, given] of statements.entries()) {
    const { place, mode } = explainedIn(given) ?? { place: given, mode: asked };
    const translated = translate(tab.sql, place.from, place.to);
    const missing = translated.keys.find((key) => tab.values[key] === undefined);
    if (missing !== undefined) {
      return failWith(
        run,
        `The parameter ${titleOfKey(missing)} has no value. Type it into its field below the editor.`,
      );
    }
    const args = translated.keys.map((key) => tab.values[key] ?? { type: 'null', value: '' });
    const result = new Result({ sql: `${PREFIXES[mode]}${translated.sql}`, args, schema: tab.schema });
    const beganMs = Date.now();
    const sent = { text: tab.sql, translated, prefix: PREFIXES[mode] };
    run.running.value = { result, number: index + 1, count: statements.length, beganMs };
    const outcome = await outcomeOf(result, sent, { tab, place }, mode);
    if (run.running.peek()?.result !== result) {
      result.close();
      return;
    }
    outcomes.push(outcome);
    changes ||= kindOfStatement(place.sql) !== 'read';
    if (index === 0) closeAll(before);
    const isLast = outcome.kind === 'failed' || index === statements.length - 1;
    batch(() => {
      run.outcomes.value = [...outcomes];
      run.shown.value = outcomes.length - 1;
      run.notExecuted.value = isLast ? statements.length - outcomes.length : 0;
      if (isLast) run.running.value = undefined;
      const failed = outcome.kind === 'failed' ? outcome.failure : undefined;
      if (failed?.place !== undefined && isUnchanged(tab))
        run.mistake.value = { ...failed.place, message: failed.message };
    });
    if (asked === 'run') note(outcome, given.sql);
    if (isLast) break;
  }
  if (changes && asked === 'run') {
    void readSchema();
    void refreshCatalog();
  }
}

async function outcomeOf(result: Result, sent: SentStatement, of: Explained, mode: Mode): Promise<Outcome> {
  const { sql } = of.place;
  const id = nextId++;
  try {
    await result.open();
  } catch (error) {
    return { id, kind: 'failed', sql, timeMs: undefined, failure: failureOf(error, sent) };
  }
  const timeMs = result.timeMs.value;
  if (mode !== 'run') {
    const text = [...result.cachedRows(100)].map(([line]) => String(line)).join('\n');
    result.close();
    return { id, kind: 'plan', sql, timeMs, plan: parsePlan(text, sent.translated.sql), of };
  }
  const kind = kindOfStatement(sql);
  const [first] = result.columns.value;
  if (kind === 'read' || first?.name !== 'UPDATED') return { id, kind: 'rows', sql, timeMs, result };
  const rowCount = Number(result.row(0)?.[0] ?? 0);
  return { id, kind: 'changed', sql, timeMs, rowCount, isDefinition: kind === 'definition' };
}

/** Returns whether the text of a tab is still the one that was executed. */
function isUnchanged({ id, sql }: QueryTab): boolean {
  return tabs.peek().some((each) => each.id === id && each.sql === sql);
}

function failureOf(error: unknown, sent: SentStatement): StatementFailure {
  if (error instanceof DOMException && error.name === 'AbortError')
    return failureIn({ message: 'The statement was cancelled.' }, sent);
  const { position, remedy, documentation } = error instanceof SvcError ? error : {};
  return failureIn({ position, remedy, documentation, message: messageOf(error) }, sent);
}

function note(outcome: Outcome, sql: string): void {
  noteExecuted({
    sql,
    at: Date.now(),
    isFailed: outcome.kind === 'failed',
    outcome: summaryOf(outcome),
    ...(outcome.timeMs !== undefined && { timeMs: outcome.timeMs }),
  });
}

/** Returns the result of a statement, in a few words. */
export function summaryOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'rows':
      return `${formatCount(outcome.result.rowCount.value, 'row')}${outcome.result.isComplete.value ? '' : ' so far'}`;
    case 'changed':
      return outcome.isDefinition ? 'done' : `${formatCount(outcome.rowCount, 'row')} changed`;
    case 'plan':
      return 'plan';
    case 'failed':
      return outcome.failure.message.slice(0, 200);
  }
}
