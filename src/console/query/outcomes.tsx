/** What came of the statements of a tab: rows, plots, plans, numbers of changed rows, errors. */
import { type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import { AsCurl } from '../elements/as-curl.tsx';
import { Button, bound, Choices, Failure, Status } from '../elements/elements.tsx';
import { formatBytes, formatCount, formatMs, formatTenths } from '../elements/formats.ts';
import { Menu } from '../elements/menu.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { rowsCurl } from '../elements/resource-curl.ts';
import { needsLogin } from '../requests/session.ts';
import { copyGroup, filterGroup } from '../rows/cell-menu.ts';
import { type GridLocation, textOf } from '../rows/grid-row.tsx';
import type { PagedRows } from '../rows/paged-rows.ts';
import { MAX_ROWS, type Result } from '../rows/result.ts';
import { RowGrid } from '../rows/row-grid.tsx';
import { sqlTypeOf } from '../rows/sql-types.ts';
import { ValueDialog } from '../rows/value-dialog.tsx';
import { ArrangedStatus, useArrangement } from './arrangement.tsx';
import { type Copying, CopyRows, FORMATS, useCopying } from './copy-rows.tsx';
import { Export } from './export.tsx';
import { Plan } from './plan.tsx';
import { ResultPlot } from './result-plot.tsx';
import { cancel, type Explained, type Outcome, summaryOf, type TabRun } from './runs.ts';
import { titleOfStatement } from './statements.ts';

const MORE = ' so far; scroll for more';
type View = 'rows' | 'plot';

interface CellMenuProps {
  readonly at: readonly [x: number, y: number];
  readonly place: GridLocation;
  readonly rows: PagedRows;
  /** Filters the result by a column. Undefined if it cannot be filtered. */
  readonly filter: ((column: number, text: string) => void) | undefined;
  readonly copying: Copying;
  readonly onOpen: (row: number, column: number) => void;
  readonly onClose: () => void;
}

/** What can be done with a cell of a result: as in the grid of a table, as far as nothing changes. */
function CellMenu({ at, place, rows, filter, copying, onOpen, onClose }: CellMenuProps) {
  const [row, column] = place;
  const shown = rows.columns.value[column];
  const values = rows.row(row);
  if (shown === undefined || values === undefined) return null;
  return (
    <Menu
      label={`Row, ${shown.name}`}
      at={at}
      onClose={onClose}
      groups={[
        copyGroup({
          rows: 'row',
          formats: FORMATS,
          copyValue: () => copying.copyValue(place),
          copyAs: (format) => copying.copyRow(row, format),
        }),
        filterGroup({
          text: textOf(values, column, shown),
          isNull: values[column] === null,
          isFilterable: filter !== undefined,
          filter: (text) => filter?.(column, text),
        }),
        [{ title: 'Show whole value', keys: 'Enter', onChoose: () => onOpen(row, column) }],
      ]}
    />
  );
}

function Rows({ shown }: { readonly shown: Result }) {
  const view = useSignal<View>('rows');
  const arranged = useArrangement(shown);
  const { rows: ordered } = arranged;
  // A single row has no order.
  const hasHead = shown.rowCount.value > 1 || arranged.of !== undefined || arranged.problem !== undefined;
  const open = (row: number, at: number): void => {
    const column = ordered.columns.peek()[at];
    const value = ordered.row(row)?.[at];
    if (column === undefined || value === undefined) return;
    const { name, type } = column;
    openDialog(<ValueDialog name={name} type={type} sqlType={sqlTypeOf(type).name} value={value} />);
  };
  const copying = useCopying(ordered);
  const active = useSignal<GridLocation | undefined>(undefined);
  const menuAt = useSignal<readonly [x: number, y: number] | undefined>(undefined);
  const closeMenu = useCallback(() => (menuAt.value = undefined), []);
  const rows = formatCount(shown.rowCount.value, 'row');
  const isFull = shown.rowCount.value >= MAX_ROWS;
  const more = shown.isComplete.value ? '' : isFull ? ', which are all that can be shown; export the others' : MORE;
  const time = shown.timeMs.value === undefined ? '' : `, first page in ${formatMs(shown.timeMs.value)}`;
  void shown.version.value;
  return (
    <section class={view.value === 'rows' ? 'filling' : ''} aria-labelledby="result">
      <div class="result-head">
        <h2 id="result">Result</h2>
        <Status text={`${rows}${more}${time}. ${formatBytes(shown.keptBytes)} kept.`} />
        <Choices
          label="View"
          options={[
            ['rows', 'Rows'],
            ['plot', 'Plot'],
          ]}
          {...bound(view)}
        />
      </div>
      <Failure text={shown.failure.value} />
      {shown.failure.value !== '' && <Button onClick={() => shown.retry()}>Read on</Button>}
      <ArrangedStatus result={shown} arranged={arranged} />
      {view.value === 'rows' ? (
        // A short result leaves no empty frame below its rows.
        <div
          class={`result-rows${hasHead ? ' with-head' : ''}`}
          style={{ '--rows': `${ordered.rowCount.value}` }}
          onCopy={(event) => copying.onCopy(event, active.peek())}
        >
          <RowGrid
            label="Result"
            result={ordered}
            active={active}
            onOpen={open}
            onMenu={(_, at) => (menuAt.value = at)}
            {...(hasHead && { head: arranged.head })}
          />
          {menuAt.value !== undefined && active.value !== undefined && (
            <CellMenu
              at={menuAt.value}
              place={active.value}
              rows={ordered}
              filter={hasHead ? arranged.filter : undefined}
              copying={copying}
              onOpen={open}
              onClose={closeMenu}
            />
          )}
        </div>
      ) : (
        <ResultPlot result={ordered} />
      )}
      <div class="result-foot">
        <CopyRows {...copying} />
        <Export statement={shown.statement} rowCount={shown.isComplete.value ? shown.rowCount.value : undefined} />
      </div>
      <AsCurl
        summary="Read the table with curl"
        textOf={(endpoint) => rowsCurl(endpoint, shown.columns.value, needsLogin)}
      />
    </section>
  );
}

/** An error of a statement. What was shown before is gone. */
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

/** Says what runs and for how long. */
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
        {outcome?.kind === 'rows' && <Rows shown={outcome.result} />}
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
