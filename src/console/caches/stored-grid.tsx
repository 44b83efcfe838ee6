/** A grid of stored rows, in which these are opened, added, changed, copied, deleted and followed. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useCallback, useMemo } from 'preact/hooks';
import { Button, Failure } from '../elements/elements.tsx';
import { formatMs, formatNumber } from '../elements/formats.ts';
import { Loading } from '../elements/loading.tsx';
import { Menu } from '../elements/menu.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { ChangedRows } from '../live/changed-rows.ts';
import { LiveRows } from '../live/live-rows.tsx';
import { textOf } from '../rows/grid-row.tsx';
import type { PagedRows } from '../rows/paged-rows.ts';
import type { RowTexts } from '../rows/row.ts';
import { GridView, RowGrid } from '../rows/row-grid.tsx';
import { MAX_SELECTED, type Selection } from '../rows/row-selection.ts';
import { ColumnDialog, useLayout } from './column-dialog.tsx';
import type { ColumnHeads } from './column-heads.tsx';
import { GridFoot } from './grid-foot.tsx';
import { menuGroups } from './row-menu.ts';
import { capitalized, mayNotChange, type RowKind, type RowRights } from './stored-rows.ts';
import type { OpenedRows } from './use-opened-rows.ts';
import { useStoredRows } from './use-stored-rows.tsx';

function countText({ rowCount, isComplete, timeMs }: PagedRows, nouns: RowKind['nouns']): string {
  if (hasNoRows({ rowCount, isComplete })) return '';
  const rows = `${formatNumber(rowCount.value)} ${nouns[rowCount.value === 1 ? 0 : 1]}`;
  const time = timeMs.value === undefined ? '' : `, the first in ${formatMs(timeMs.value)}`;
  return `${rows}${isComplete.value ? '' : ' so far'}${time}.`;
}

function hasNoRows({ rowCount, isComplete }: Pick<PagedRows, 'rowCount' | 'isComplete'>): boolean {
  return isComplete.value && rowCount.value === 0;
}

function selectionText({ size }: Selection, [one, several]: RowKind['nouns']): string {
  if (size === 0) return '';
  const most = size === MAX_SELECTED ? ', the maximum' : '';
  return `${formatNumber(size)} ${size === 1 ? `${one} is` : `${several} are`} selected${most}.`;
}

export interface StoredGridProps {
  readonly kind: RowKind;
  readonly may: RowRights;
  readonly cacheName: string;
  readonly opened: OpenedRows<PagedRows>;
  readonly heads: ColumnHeads;
  /** Why the requested rows are not shown; undefined if they are. */
  readonly problem?: string | undefined;
  readonly goTo?: Signal<number | undefined>;
  /** Buttons before and after those of every grid. */
  readonly firstActions?: ComponentChildren;
  readonly lastActions?: ComponentChildren;
  /** The text in place of rows. */
  readonly empty: ComponentChildren;
  /** The statement that reads the rows; undefined if none does. */
  readonly statement?: string;
  /** Additional information in a row's dialog. */
  readonly details?: (row: RowTexts) => ComponentChildren;
}

export function StoredGrid(props: StoredGridProps) {
  const { kind, may, cacheName, heads, goTo } = props;
  const { rows, error } = props.opened;
  const [noun, several] = kind.nouns;
  const layout = useLayout(kind);

  const stored = useStoredRows({
    ...{ kind, may, opened: props.opened, details: props.details },
    columns: layout.arrangement.shown,
  });
  const { active, message, edit, clipboard, cell, readAgain, open } = stored;
  const { selected, onPress, onSelect, onSelectAll } = stored.selection;
  const shown = rows.value;
  const changed = useMemo(() => new ChangedRows(), [cacheName]);
  void changed.version.value;
  const view = useMemo(() => new GridView(), []);
  const refresh = useCallback(() => rows.peek()?.refresh(), []);
  const readMs = useCallback(() => rows.peek()?.lastReadMs ?? 0, []);
  const menuAt = useSignal<readonly [x: number, y: number] | undefined>(undefined);
  const closeMenu = useCallback(() => (menuAt.value = undefined), []);
  return (
    <section class="filling" aria-labelledby={several}>
      <h2 id={several} class="hidden">
        {capitalized(several)}
      </h2>
      <p class="actions">
        {may.add && (
          <Button
            class="primary add-row"
            title={`Add ${noun} to ${kind.title}`}
            onClick={() => open(undefined, undefined)}
          >
            Add {noun} to {kind.title}
          </Button>
        )}
        {props.firstActions}
        <Button onClick={() => openDialog(<ColumnDialog kind={kind} layout={layout} />)}>Columns …</Button>
        <Button onClick={readAgain}>Refresh</Button>
        {may.follow && <LiveRows cacheName={cacheName} rows={changed} onRefresh={refresh} readMs={readMs} />}
        {heads.clear}
        {props.lastActions}
      </p>
      <Failure text={props.problem ?? (error.value || (shown?.failure.value ?? ''))} />
      {shown === undefined && <Loading />}
      {shown !== undefined && (
        <div
          onCopy={clipboard.onCopy}
          onPaste={clipboard.onPaste}
          class={hasNoRows(shown) ? 'filling without-rows' : 'filling'}
        >
          <RowGrid
            label={capitalized(several)}
            selected={selected.value}
            onSelect={(row, isRange) => {
              edit.cancel();
              return onSelect(row, isRange);
            }}
            onSelectAll={onSelectAll}
            view={view}
            onPress={(place, event) => {
              edit.cancel();
              onPress(place, event);
            }}
            onKey={stored.onKey}
            onMenu={(_, at) => (menuAt.value = at)}
            editor={edit.editor}
            result={shown}
            arrangement={layout.arrangement}
            active={active}
            place={heads.place}
            {...(goTo !== undefined && { goTo })}
            markOf={(row) => changed.markOf(kind.identityOf(row))}
            head={heads.head}
            onOpen={(index, at) => {
              const row = shown.texts(index);
              if (row !== undefined) open(row, kind.columns[at]?.name);
            }}
          />
          {menuAt.value !== undefined && cell !== undefined && (
            <Menu
              label={`${capitalized(noun)}, ${cell.column.name}`}
              at={menuAt.value}
              onClose={closeMenu}
              groups={menuGroups({
                ...{ kind, may, column: cell.column, isUndoable: stored.isUndoable, mayEdit: edit.mayEdit },
                text: textOf(cell.values, cell.at, shown.columns.value[cell.at]),
                isNull: cell.row[cell.column.name] === null,
                selectedCount: selected.value.size,
                do: {
                  copyValue: clipboard.copyValue,
                  copyAs: clipboard.copyAs,
                  filter: (text) => heads.filter(cell.column.name, text),
                  edit: edit.begin,
                  setNull: () => edit.beginWith(null),
                  showValue: stored.showValue,
                  open: () => open(cell.row, cell.column.name),
                  undo: stored.undo,
                  remove: stored.askDelete,
                },
              })}
            />
          )}
          {hasNoRows(shown) && error.value === '' && props.problem === undefined && (
            <p class="hint" role="status">
              {props.empty}
            </p>
          )}
          <GridFoot
            status={[countText(shown, kind.nouns), selectionText(selected.value, kind.nouns), message.value]}
            progress={shown.progress.value}
            view={view}
            change={edit.change}
            whyFixed={edit.whyFixed ?? (may.change ? '' : mayNotChange(kind))}
            statement={props.statement}
          >
            {edit.actions ?? (
              <>
                {stored.isUndoable && <Button onClick={stored.undo}>Undo …</Button>}
                {may.change && (
                  <Button disabled={!edit.mayEdit} onClick={edit.begin}>
                    Edit cell
                  </Button>
                )}
                <Button disabled={cell === undefined} onClick={stored.showValue}>
                  Show whole value
                </Button>
                <Button disabled={cell === undefined} onClick={() => open(cell?.row, cell?.column.name)}>
                  Open {noun}
                </Button>
                <Button
                  class="more"
                  disabled={cell === undefined}
                  aria-haspopup="menu"
                  onClick={({ currentTarget }) => {
                    const { left, top } = currentTarget.getBoundingClientRect();
                    menuAt.value = [left, top];
                  }}
                >
                  More …
                </Button>
                {may.remove && (
                  <Button
                    class="danger"
                    disabled={cell === undefined && selected.value.size === 0}
                    onClick={stored.askDelete}
                  >
                    {selected.value.size > 1
                      ? `Delete ${formatNumber(selected.value.size)} ${several} …`
                      : `Delete ${noun} …`}
                  </Button>
                )}
              </>
            )}
          </GridFoot>
        </div>
      )}
    </section>
  );
}
