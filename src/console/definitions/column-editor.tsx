/** The columns of a new table: name, type, size, key, NOT NULL and default. */

import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../elements/elements.tsx';
import { COLUMN_TYPES, EMPTY_COLUMN, mayHaveSize, type NewColumn } from './statements.ts';

export interface ColumnEditorProps {
  readonly columns: readonly NewColumn[];
  readonly onColumns: (columns: readonly NewColumn[]) => void;
}

export function ColumnEditor({ columns, onColumns }: ColumnEditorProps) {
  const change = (at: number, changes: Partial<NewColumn>): void =>
    onColumns(columns.map((column, index) => (index === at ? { ...column, ...changes } : column)));
  const names = useRef<HTMLFieldSetElement>(null);
  const count = useRef(columns.length);
  useLayoutEffect(() => {
    const inputs = names.current?.querySelectorAll<HTMLInputElement>('.column-row > input:first-child');
    if (columns.length > count.current) inputs?.[columns.length - 1]?.focus();
    count.current = columns.length;
  }, [columns.length]);
  return (
    <fieldset class="columns-editor" ref={names}>
      <legend>Columns</legend>
      <div class="column-row column-heads" aria-hidden="true">
        <span>Name</span>
        <span>Type</span>
        <span>Size</span>
        <span>Default</span>
        <span>Key</span>
        <span>Not NULL</span>
        <span />
      </div>
      {columns.map((column, at) => {
        const title = column.name === '' ? `column ${at + 1}` : column.name;
        return (
          <div class="column-row" key={`${at}`}>
            <input
              type="text"
              aria-label={`Name of column ${at + 1}`}
              placeholder="name"
              value={column.name}
              spellcheck={false}
              onInput={({ currentTarget }) => change(at, { name: currentTarget.value })}
            />
            <select
              aria-label={`Type of ${title}`}
              value={column.type}
              onChange={({ currentTarget }) => change(at, { type: currentTarget.value })}
            >
              {COLUMN_TYPES.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </select>
            <input
              type="text"
              aria-label={`Size of ${title}`}
              placeholder={column.type === 'DECIMAL' ? '9, 2' : mayHaveSize(column.type) ? 'any' : ''}
              disabled={!mayHaveSize(column.type)}
              value={mayHaveSize(column.type) ? column.size : ''}
              onInput={({ currentTarget }) => change(at, { size: currentTarget.value })}
            />
            <input
              type="text"
              aria-label={`Default of ${title}`}
              placeholder={column.isKey || column.isNotNull ? 'none' : 'NULL'}
              value={column.defaultText}
              spellcheck={false}
              onInput={({ currentTarget }) => change(at, { defaultText: currentTarget.value })}
            />
            <label class="column-flag">
              <input
                type="checkbox"
                aria-label={`${title} is part of the key`}
                checked={column.isKey}
                onChange={({ currentTarget }) => change(at, { isKey: currentTarget.checked })}
              />
              <span aria-hidden="true">Key</span>
            </label>
            <label class="column-flag">
              <input
                type="checkbox"
                aria-label={`${title} is not NULL`}
                checked={column.isNotNull || column.isKey}
                disabled={column.isKey}
                onChange={({ currentTarget }) => change(at, { isNotNull: currentTarget.checked })}
              />
              <span aria-hidden="true">Not NULL</span>
            </label>
            <Button
              class="plain"
              aria-label={`Remove ${title}`}
              disabled={columns.length === 1}
              onClick={() => onColumns(columns.filter((_, index) => index !== at))}
            >
              ✕
            </Button>
          </div>
        );
      })}
      <p class="actions">
        <Button onClick={() => onColumns([...columns, EMPTY_COLUMN])}>Add a column</Button>
      </p>
    </fieldset>
  );
}
