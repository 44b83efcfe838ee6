/** The results of the statements of a tab: rows, plots, plans, numbers of changed rows, errors. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button, Choices, Failure } from '../elements/elements.tsx';
import { formatCount, formatMs, formatTenths } from '../elements/formats.ts';
import { Plan } from './plan.tsx';
import { ResultRows } from './result-rows.tsx';
import { cancel, type Explained, type Outcome, summaryOf, type TabRun } from './runs.ts';
import { titleOfStatement } from './statements.ts';

/** An error of a statement. It replaces the previous result. */
function Failed({
  outcome,
  hasOthers,
}: {
  readonly outcome: Outcome & { kind: 'failed' };
  readonly hasOthers: boolean;
}) {
  const { failure, sql } = outcome;
  return (
    <section aria-label="Error">
      <Failure text={failure.message} />
      {failure.remedy !== undefined && (
        <p class="hint">
          {failure.remedy}
          {failure.documentation !== undefined && (
            <>
              {' '}
              <a href={`.${failure.documentation}`} target="_blank" rel="noreferrer">
                More about this error
              </a>
            </>
          )}
        </p>
      )}
      {hasOthers && <pre>{sql}</pre>}
    </section>
  );
}

function Changed({ outcome }: { readonly outcome: Outcome & { kind: 'changed' } }) {
  const { isDefinition, rowCount, timeMs } = outcome;
  const rows = formatCount(rowCount, 'row was changed', 'rows were changed');
  return (
    <section aria-label="Result">
      <p class="notice notice-good" role="status">
        {isDefinition ? 'Done' : rows}
        {timeMs !== undefined && ` in ${formatMs(timeMs)}`}.
      </p>
    </section>
  );
}

/** Shows what is running and for how long. */
function Progress({ running }: { readonly running: Signal<TabRun['running']['value']> }) {
  const now = useSignal(Date.now());
  const current = running.value;
  const isRunning = current !== undefined;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 100);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (current === undefined) return null;
  const seconds = Math.max(0, now.value - current.beganMs) / 1_000;
  return (
    <p class="status" aria-hidden="true">
      {current.count > 1 && `Statement ${current.number} of ${current.count}, `}
      {formatTenths(seconds)} s
    </p>
  );
}

/** The height of the window is for rows; a page of anything else is scrolled. */
function classesOf(outcome: Outcome | undefined, isRunning: boolean): string {
  return ['outcome', outcome?.kind === 'rows' && 'filling', isRunning && 'outdated'].filter(Boolean).join(' ');
}

export interface OutcomesProps {
  readonly run: TabRun;
  readonly onMeasure: (explained: Explained) => void;
  readonly onCreate: (statement: string, explained: Explained) => void;
}

export function Outcomes({ run, onMeasure, onCreate }: OutcomesProps) {
  const { outcomes, shown, running, notExecuted } = run;
  const isRunning = running.value !== undefined;
  const outcome = outcomes.value[shown.value];
  const count = outcomes.value.length;
  return (
    <>
      <div class="running">
        <div role="status">{isRunning && <p class="status">Running …</p>}</div>
        <Progress running={running} />
        {isRunning && <Button onClick={() => cancel(run)}>Cancel</Button>}
      </div>
      {count > 1 && (
        <Choices
          label="Results"
          options={outcomes.value.map((each, at) => [
            `${at}`,
            `${at + 1} ${each.kind === 'failed' ? '✕ ' : ''}${titleOfStatement(each.sql)} · ${
              each.kind === 'failed' ? 'error' : summaryOf(each)
            }`,
          ])}
          value={`${shown.value}`}
          onValue={(at) => {
            shown.value = Number(at);
          }}
        />
      )}
      {notExecuted.value > 0 && (
        <p class="hint">
          {notExecuted.value === 1
            ? 'The statement after it was not executed.'
            : `The ${notExecuted.value} statements after it were not executed.`}
        </p>
      )}
      <div class={classesOf(outcome, isRunning)} key={`${outcome?.id}`}>
        {outcome?.kind === 'rows' && <ResultRows shown={outcome.result} />}
        {outcome?.kind === 'changed' && <Changed outcome={outcome} />}
        {outcome?.kind === 'failed' && <Failed outcome={outcome} hasOthers={count > 1} />}
        {outcome?.kind === 'plan' && (
          <Plan
            plan={outcome.plan}
            timeMs={outcome.timeMs}
            isRunning={isRunning}
            onMeasure={() => onMeasure(outcome.of)}
            onCreate={(statement) => onCreate(statement, outcome.of)}
          />
        )}
      </div>
    </>
  );
}
