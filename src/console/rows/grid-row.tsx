/** A row of a grid: its number, a box that selects it, and its cells. */
import { Component, type ComponentChildren } from 'preact';
import { formatNumber, formatValue } from '../elements/formats.ts';
import type { Json } from '../requests/request.ts';
import type { Column, Row } from './row.ts';
import { isNumeric, sqlTypeOf } from './sql-types.ts';
import { withoutZeros } from './time-texts.ts';
import { BYTES, shownBytes } from './value-input.ts';

/** Maximum number of characters of a text that a cell shows. */
export const SHOWN_CHARACTERS = 500;
const TITLE_CHARACTERS = 2_000;
/** Longer texts may not fit, and are shown under the pointer. */
const TITLED_CHARACTERS = 40;

/** The location of a cell: its row and column. */
export type GridLocation = readonly [row: number, column: number];

interface RowProps {
  readonly id: string;
  readonly index: number;
  /** Its position in pixels from the top; if undefined, it is below the previous row, as on paper. */
  readonly top: number | undefined;
  readonly values: Row | undefined;
  readonly columns: readonly Column[];
  /** The columns to show, and their widths. */
  readonly shown: readonly number[];
  readonly widths: readonly number[];
  /** The width of the cell with the number of the row. */
  readonly numberPixels: number;
  /** Where columns stay when others are scrolled, in pixels from the left; undefined for columns that do not. */
  readonly pins: ReadonlyArray<number | undefined>;
  /** Undefined if no cell of the row is active. */
  readonly activeColumn: number | undefined;
  /** Undefined if rows cannot be selected. */
  readonly isSelected: boolean | undefined;
  /** Grows when the row has just changed; undefined for other rows. */
  readonly mark: number | undefined;
  /** Replaces the active cell, such as a field. */
  readonly editor: ComponentChildren;
  readonly onPress: (place: GridLocation, event: MouseEvent) => void;
  readonly onOpen: (place: GridLocation) => void;
  /** Opens the menu of a cell. Undefined if there is none. */
  readonly onMenu: ((place: GridLocation, at: readonly [x: number, y: number]) => void) | undefined;
  /** Selects the row, or all up to it, or no longer. Returns whether it is selected. */
  readonly onSelect: (row: number, isRange: boolean) => boolean;
}

/** A row, which is redrawn only when part of it changes. */
export class GridRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { props } = this;
    return (Object.keys(next) as (keyof RowProps)[]).some((name) => next[name] !== props[name]);
  }

  override render() {
    const { id, index, top, values, columns, shown, widths, activeColumn, isSelected, editor, mark } = this.props;
    const { numberPixels, pins, onPress, onOpen, onSelect, onMenu } = this.props;
    // Two alternating names, so the marking of a row restarts when the row changes again.
    const marked = mark === undefined ? '' : mark % 2 === 0 ? ' changed' : ' changed-again';
    return (
      // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned
      // biome-ignore lint/a11y/useFocusableInteractive: the grid keeps the focus
      <div
        class={`grid-row${isSelected === true ? ' selected' : ''}${marked}`}
        role="row"
        aria-rowindex={index + 2}
        {...(isSelected !== undefined && { 'aria-selected': isSelected })}
        {...(top !== undefined && { style: { transform: `translateY(${top}px)` } })}
      >
        <RowNumber index={index} width={numberPixels} isSelected={isSelected} onSelect={onSelect} />
        {shown.map((column, at) => {
          const isActive = activeColumn === column;
          const isEdited = isActive && editor !== undefined;
          const text = textOf(values, column, columns[column]);
          const pin = pins[at];
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            <div
              key={column}
              id={`${id}-${index}-${column}`}
              role="gridcell"
              class={[kindOf(values?.[column], columns[column]), pin !== undefined && 'pinned', isActive && 'active']
                .filter(Boolean)
                .join(' ')}
              style={{ width: `${widths[at]}px`, ...(pin !== undefined && { left: `${pin}px` }) }}
              title={isEdited || text.length <= TITLED_CHARACTERS ? undefined : text.slice(0, TITLE_CHARACTERS)}
              onMouseDown={(event) => isEdited || onPress([index, column], event)}
              onDblClick={() => isEdited || onOpen([index, column])}
              onContextMenu={(event) => {
                if (isEdited || onMenu === undefined) return;
                event.preventDefault();
                onMenu([index, column], [event.clientX, event.clientY]);
              }}
            >
              {isEdited ? editor : text.slice(0, SHOWN_CHARACTERS)}
            </div>
          );
        })}
      </div>
    );
  }
}

/** The number of a row, with a box where rows can be selected. */
function RowNumber({ index, width, isSelected, onSelect }: NumberProps) {
  const number = formatNumber(index + 1);
  // The style sheet shows the number: it is not part of the text of the row.
  const attributes = { class: 'row-number', 'data-number': number };
  const style = { width: `${width}px`, left: 0 };
  if (isSelected === undefined) {
    // The index of the row says the same to screen readers.
    return (
      <div class="pinned" style={style} aria-hidden="true">
        <span {...attributes} />
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned
    // biome-ignore lint/a11y/useFocusableInteractive: the grid keeps the focus
    <div role="rowheader" class="pinned" style={style} aria-label={`Row ${number}`}>
      {/* The grid keeps the focus. */}
      <label {...attributes} onMouseDown={(event) => event.preventDefault()}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select row ${number}`}
          checked={isSelected}
          onClick={(event) => {
            // A range can include rows that are already selected.
            event.currentTarget.checked = onSelect(index, event.shiftKey);
          }}
        />
      </label>
    </div>
  );
}

type NumberProps = Pick<RowProps, 'index' | 'isSelected' | 'onSelect'> & { readonly width: number };

/** Returns the contents of a cell; `row` is undefined until it has been read. */
export function textOf(row: Row | undefined, at: number, column: Column | undefined): string {
  const value = row?.[at];
  if (row === undefined || value === undefined) return '…';
  const text = column?.format?.(value, row);
  if (text !== undefined) return text;
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return shownText(value);
  const argument = argumentOf(column);
  return argument === BYTES ? shownBytes(value) : withoutZeros(argument, value);
}

/** Texts of drawn objects and lists: a row is drawn again at every key of a change, and these take long to write. */
const drawn = new WeakMap<object, string>();

function shownText(value: NonNullable<Json>): string {
  if (typeof value !== 'object') return formatValue(value);
  const text = drawn.get(value) ?? formatValue(value).slice(0, TITLE_CHARACTERS);
  drawn.set(value, text);
  return text;
}

function argumentOf(column: Column | undefined): string | undefined {
  return sqlTypeOf(column?.type ?? '').argument;
}

/** Returns the class of a cell, or of a head. */
export function kindOf(value: Json | undefined, column: Column | undefined): string {
  const side = isNumeric(argumentOf(column)) ? 'number' : '';
  return value === null ? `null ${side}` : side;
}
