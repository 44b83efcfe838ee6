/** The rows of a result: as a grid with a menu, or as a plot; copied, exported, sorted and filtered. */
import { useSignal } from '@preact/signals';
import { useCallback } from 'preact/hooks';
import { AsCurl } from '../elements/as-curl.tsx';
import { Button, bound, Choices, Failure, Status } from '../elements/elements.tsx';
import { formatBytes, formatCount, formatMs } from '../elements/formats.ts';
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
import { ResultPlot } from './result-plot.tsx';

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

/** The menu of a cell of a result: the actions of the grid of a table that change nothing. */
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

export function ResultRows({ shown }: { readonly shown: Result }) {
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
  const more = shown.isComplete.value ? '' : isFull ? ', the maximum that can be shown; export the rest' : MORE;
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
        <AsCurl
          summary="Read the table with curl"
          textOf={(endpoint) => rowsCurl(endpoint, shown.columns.value, needsLogin)}
        />
      </div>
    </section>
  );
}
