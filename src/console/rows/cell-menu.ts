/** The parts of the menu of a cell that every grid has. */
import type { MenuGroup } from '../elements/menu.tsx';
import type { CopyFormat } from './row-texts.ts';

export interface CopyMenu {
  /** The rows that are copied, in words: `row`, `3 entries`. */
  readonly rows: string;
  readonly formats: readonly CopyFormat[];
  readonly copyValue: () => void;
  readonly copyAs: (format: CopyFormat) => void;
}

export function copyGroup({ rows, formats, copyValue, copyAs }: CopyMenu): MenuGroup {
  return [
    { title: 'Copy value', onChoose: copyValue },
    ...formats.map((format) => ({ title: `Copy ${rows} as ${format}`, onChoose: () => copyAs(format) })),
  ];
}

export interface FilterMenu {
  /** The text in the cell. */
  readonly text: string;
  readonly isNull: boolean;
  /** Whether the column can be filtered. */
  readonly isFilterable: boolean;
  readonly filter: (text: string) => void;
}

/** Longer values are not filters, nor are values that a filter cannot express. */
const MAX_FILTER_CHARACTERS = 200;

function isFilter(text: string): boolean {
  return text !== '' && text.length <= MAX_FILTER_CHARACTERS && text.trim() === text && !/[\r\n]/.test(text);
}

export function filterGroup({ text, isNull, isFilterable, filter }: FilterMenu): MenuGroup {
  const isDisabled = !isFilterable || !(isNull || isFilter(text));
  return [
    { title: 'Filter by this value', onChoose: () => filter(isNull ? 'null' : `= ${text}`), isDisabled },
    { title: 'Filter out this value', onChoose: () => filter(isNull ? '!null' : `!= ${text}`), isDisabled },
  ];
}
