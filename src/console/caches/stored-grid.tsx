/** A grid of stored rows, in which these are opened, added, changed, copied, deleted and followed. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { Button, Failure } from '../elements/elements.tsx';
import { formatMs, formatNumber } from '../elements/formats.ts';
import { openDialog } from '../elements/opened-dialog.tsx';
import { ChangedRows } from '../live/changed-rows.ts';
import { LiveRows } from '../live/live-rows.tsx';
import { messageOf } from '../requests/request.ts';
import type { GridPlace } from '../rows/grid-row.tsx';
import type { PagedRows } from '../rows/paged-rows.ts';
import type { RowTexts } from '../rows/row.ts';
import { GridView, RowGrid } from '../rows/row-grid.tsx';
import { MAX_SELECTED, rowsAsText, type Selection } from '../rows/row-selection.ts';
import { ValueDialog } from '../rows/value-dialog.tsx';
import { ColumnDialog, useLayout } from './column-dialog.tsx';
import type { ColumnHeads } from './column-heads.tsx';
import { DeleteRows } from './delete-rows.tsx';
import { GridFoot } from './grid-foot.tsx';
import { RowDialog } from './row-dialog.tsx';
import { capitalized, type RowKind, type RowRights } from './stored-rows.ts';
import type { OpenedRows } from './use-opened-rows.ts';
import { useSelection } from './use-selection.ts';
import { useValueEdit } from './use-value-edit.tsx';

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
  const most = size === MAX_SELECTED ? ', which are all that can be' : '';
  return `${formatNumber(size)} ${size === 1 ? `${one} is` : `${several} are`} selected${most}.`;
}

export interface StoredGridProps {
  readonly kind: RowKind;
  readonly may: RowRights;
  readonly cacheName: string;
  readonly opened: OpenedRows<PagedRows>;
  readonly heads: ColumnHeads;
  /** Why what the user asks for is not shown; undefined: it is. */
  readonly problem?: string | undefined;
  readonly goTo?: Signal<number | undefined>;
  /** Buttons before and behind those of every grid. */
  readonly firstActions?: ComponentChildren;
  readonly lastActions?: ComponentChildren;
  /** What is said in place of rows. */
  readonly empty: ComponentChildren;
  /** The statement that reads the rows; undefined: none does. */
  readonly statement?: string;
  /** What else the dialog of a row shows. */
  readonly details?: (row: RowTexts) => ComponentChildren;
}

export function StoredGrid(props: StoredGridProps) {
  const { kind, may, cacheName, heads, goTo } = props;
  const { rows, error } = props.opened;
  const [noun, several] = kind.nouns;
  const layout = useLayout(kind);

  const active = useSignal<GridPlace | undefined>(undefined);
  const message = useSignal('');
  const shown = rows.value;
  useEffect(() => {
    // It was about the rows before.
    message.value = '';
  }, [shown]);
  const changed = useMemo(() => new ChangedRows(), [cacheName]);
  void changed.version.value;
  const view = useMemo(() => new GridView(), []);
  const { selected, select, onPress, onSelect, onSelectAll, onKey: onSelectionKey } = useSelection(shown, active);
  // The active row may have been read again.
  void shown?.version.value;
  /** Reads the rows again. Other ones may then be in the places of those that were selected. */
  const readAgain = (): void => {
    select(new Set());
    edit.noteReadAgain();
    // Those that a dialog was opened over may have been replaced since, for example when filters were cleared.
    rows.peek()?.readAgain();
  };
  const remove = (removed: readonly RowTexts[]): void => {
    if (removed.length === 0 || !may.remove) return;
    openDialog(
      <DeleteRows
        kind={kind}
        rows={removed}
        onDeleted={(text) => {
          message.value = text;
          readAgain();
        }}
      />,
    );
  };
  const open = (row: RowTexts | undefined, column: string | undefined): void =>
    openDialog(
      <RowDialog
        kind={kind}
        may={may}
        row={row}
        column={column}
        details={props.details}
        onDelete={(removed) => remove([removed])}
        onChanged={readAgain}
      />,
    );
  const edit = useValueEdit({
    kind,
    isReadOnly: !may.change,
    rows: shown,
    active,
    async onSaved(text, [index]) {
      select(new Set());
      await shown?.refreshAround(index);
      message.value = text;
    },
    onOpen: open,
  });
  const isHeld = selected.value.size > 0 || edit.editor !== undefined;
  useLayoutEffect(() => shown?.hold(isHeld, selected.value), [shown, isHeld, selected.value]);
  const refresh = useCallback(() => rows.peek()?.refresh(), []);
  const readMs = useCallback(() => rows.peek()?.lastReadMs ?? 0, []);
  const activeRow = active.value === undefined ? undefined : shown?.texts(active.value[0]);
  const activeColumn = active.value === undefined ? undefined : kind.columns[active.value[1]];
  // Texts of objects have line ends that their values have not.
  const activeValue =
    activeColumn?.choices !== undefined || activeColumn?.isDerived === true
      ? activeRow?.[activeColumn.name]
      : active.value && shown?.row(active.value[0])?.[active.value[1]];
  const isActive = activeRow !== undefined && activeColumn !== undefined;
  const showValue = (): void => {
    if (!isActive) return;
    const { type, title } = kind.typeOf(activeColumn, activeRow);
    openDialog(<ValueDialog name={activeColumn.name} type={type} sqlType={title} value={activeValue ?? null} />);
  };
  const chosenRows = (): readonly number[] =>
    selected.value.size > 0
      ? [...selected.value].sort((a, b) => a - b)
      : active.value === undefined
        ? []
        : [active.value[0]];
  const askDelete = async (): Promise<void> => {
    message.value = '';
    try {
      remove((await shown?.load(chosenRows())) ?? []);
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  const copy = (event: ClipboardEvent): void => {
    if (shown === undefined || event.clipboardData === null || event.target instanceof HTMLInputElement) return;
    const texts = chosenRows()
      .map((index) => shown.texts(index))
      .filter((each) => each !== undefined);
    if (texts.length === 0 || getSelection()?.isCollapsed === false) return;
    const names = layout.arrangement.shown.map((at) => kind.columns[at]?.name ?? '');
    const [only] = texts;
    const text =
      selected.value.size === 0 && only !== undefined && activeColumn !== undefined
        ? (only[activeColumn.name] ?? '')
        : rowsAsText(names, texts);
    event.clipboardData.setData('text/plain', text);
    event.preventDefault();
    message.value =
      selected.value.size === 0 ? 'The value is copied.' : `Copied ${formatNumber(texts.length)} ${several}.`;
  };
  const onKey = (event: KeyboardEvent, place: GridPlace): boolean => {
    if (event.key === 'Delete' && may.remove) void askDelete();
    else return onSelectionKey(event, place) || edit.onKey(event);
    return true;
  };
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
      {shown === undefined && <p class="hint">Loading …</p>}
      {shown !== undefined && (
        <div onCopy={copy} class={hasNoRows(shown) ? 'filling without-rows' : 'filling'}>
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
            onKey={onKey}
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
            whyFixed={edit.whyFixed ?? (may.change ? '' : `You may read these ${several}, but not change them.`)}
            statement={props.statement}
          >
            {edit.actions ?? (
              <>
                {may.change && (
                  <Button disabled={!edit.mayEdit} onClick={edit.begin}>
                    Edit cell
                  </Button>
                )}
                <Button disabled={!isActive} onClick={showValue}>
                  Show whole value
                </Button>
                <Button disabled={!isActive} onClick={() => open(activeRow, activeColumn?.name)}>
                  Open {noun}
                </Button>
                {may.remove && (
                  <Button class="danger" disabled={!isActive && selected.value.size === 0} onClick={askDelete}>
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
