/** Copies rows and values as text, to paste them elsewhere. */
import { type Signal, useSignal } from '@preact/signals';
import { useAttempt } from '../elements/attempt.ts';
import { copyText } from '../elements/copied.tsx';
import { Button, Failure, Status } from '../elements/elements.tsx';
import { formatCount, formatValue } from '../elements/formats.ts';
import type { Json } from '../requests/request.ts';
import type { GridLocation } from '../rows/grid-row.tsx';
import type { PagedRows } from '../rows/paged-rows.ts';
import { COPY_FORMATS, type CopyFormat } from '../rows/row-texts.ts';
import { sqlTypeOf } from '../rows/sql-types.ts';
import { BYTES, editedText } from '../rows/value-input.ts';

/** More rows are exported to a file. */
const MAX_COPIED = 10_000;
export const FORMATS = Object.keys(COPY_FORMATS) as readonly CopyFormat[];

export interface Copying {
  /** The result of the last copy. */
  readonly status: Signal<string>;
  readonly error: Signal<string>;
  readonly copyRows: (format: CopyFormat) => Promise<void>;
  readonly copyRow: (row: number, format: CopyFormat) => Promise<void>;
  readonly copyValue: (place: GridLocation) => Promise<void>;
  /** Handles the event `copy` in a grid: the active value. */
  readonly onCopy: (event: ClipboardEvent, active: GridLocation | undefined) => void;
}

const VALUE_COPIED = 'The value is copied.';

export function useCopying(result: PagedRows): Copying {
  const status = useSignal('');
  const { error, attempt } = useAttempt();
  const textOf = ([row, at]: GridLocation): string => {
    const value = result.row(row)?.[at] ?? null;
    if (value === null) return '';
    const isBytes = sqlTypeOf(result.columns.peek()[at]?.type ?? '').argument === BYTES;
    return (isBytes ? editedText(BYTES, formatValue(value)) : undefined) ?? formatValue(value);
  };
  const copy = (textAndStatus: () => readonly [text: string, status: string]): Promise<void> => {
    status.value = '';
    return attempt(async () => {
      const [text, said] = textAndStatus();
      await copyText(text);
      status.value = said;
    });
  };
  const rowsFrom = (first: number, end: number): Array<readonly Json[]> => {
    const rows: Array<readonly Json[]> = [];
    for (let at = first; at < end; at++) {
      const row = result.row(at);
      if (row !== undefined) rows.push(row);
    }
    if (rows.length < end - first)
      throw new Error('The first rows are no longer kept. Scroll to them, or export all rows.');
    return rows;
  };
  const written = (rows: ReadonlyArray<readonly Json[]>, format: CopyFormat) =>
    [
      COPY_FORMATS[format](result.columns.peek(), rows),
      `${formatCount(rows.length, 'row')} copied as ${format}.`,
    ] as const;
  return {
    status,
    error,
    copyRows: (format) =>
      copy(() => {
        const count = Math.min(MAX_COPIED, result.rowCount.peek());
        const [text, copied] = written(rowsFrom(0, count), format);
        const isAll = result.isComplete.peek() && count === result.rowCount.peek();
        return [text, isAll ? copied : `The first ${copied}`];
      }),
    copyRow: (row, format) => copy(() => written(rowsFrom(row, row + 1), format)),
    copyValue: (place) => copy(() => [textOf(place), VALUE_COPIED]),
    onCopy(event, active) {
      // The browser copies text that is selected in the page or in fields.
      const isText = event.target instanceof HTMLInputElement || getSelection()?.isCollapsed === false;
      if (active === undefined || isText || event.clipboardData === null) return;
      event.clipboardData.setData('text/plain', textOf(active));
      event.preventDefault();
      status.value = VALUE_COPIED;
    },
  };
}

export function CopyRows({ status, error, copyRows }: Copying) {
  return (
    <div class="actions">
      <span>Copy</span>
      {FORMATS.map((format) => (
        <Button key={format} aria-label={`Copy ${format}`} onClick={() => copyRows(format)}>
          {format}
        </Button>
      ))}
      <Status text={status.value} />
      <Failure text={error.value} />
    </div>
  );
}
