/** What the menu of a cell offers: for its value, its row, and the rows that are selected. */
import { formatNumber } from '../elements/formats.ts';
import type { MenuGroup, MenuItem } from '../elements/menu.tsx';
import type { CopyFormat } from '../rows/row-texts.ts';
import { mayBeNull, type RowKind, type RowRights, type StoredColumn } from './stored-rows.ts';

export interface RowMenu {
  readonly kind: RowKind;
  readonly may: RowRights;
  readonly column: StoredColumn;
  /** What the cell shows. */
  readonly text: string;
  readonly isNull: boolean;
  /** Why the value cannot be changed in its cell; undefined if it can. */
  readonly mayEdit: boolean;
  readonly selectedCount: number;
  readonly isUndoable: boolean;
  readonly do: {
    readonly copyValue: () => void;
    readonly copyAs: (format: CopyFormat) => void;
    readonly filter: (text: string) => void;
    readonly edit: () => void;
    readonly setNull: () => void;
    readonly showValue: () => void;
    readonly open: () => void;
    readonly undo: () => void;
    readonly remove: () => void;
  };
}

/** Longer values are not filters, nor are values that a filter cannot express. */
const MAX_FILTER_CHARACTERS = 200;

function isFilter(text: string, { isDerived }: StoredColumn): boolean {
  return isDerived !== true && text.length <= MAX_FILTER_CHARACTERS && text.trim() === text && !/[\r\n]/.test(text);
}

export function menuGroups(menu: RowMenu): readonly MenuGroup[] {
  const { kind, may, column, text, isNull, mayEdit, selectedCount, isUndoable, do: actions } = menu;
  const [one, several] = kind.nouns;
  const rows = selectedCount > 1 ? `${formatNumber(selectedCount)} ${several}` : one;
  const formats: readonly CopyFormat[] = kind.isTable ? ['JSON', 'CSV', 'INSERT'] : ['JSON', 'CSV'];
  const filters = (isNull || isFilter(text, column)) && (isNull || text !== '');
  const item = (title: string, onChoose: () => void, others: Partial<MenuItem> = {}): MenuItem => {
    return { title, onChoose, ...others };
  };
  return [
    [
      item('Copy value', actions.copyValue),
      ...formats.map((format) => item(`Copy ${rows} as ${format}`, () => actions.copyAs(format))),
    ],
    [
      item('Filter by this value', () => actions.filter(isNull ? 'null' : `= ${text}`), { isDisabled: !filters }),
      item('Filter out this value', () => actions.filter(isNull ? '!null' : `!= ${text}`), { isDisabled: !filters }),
    ],
    [
      ...(may.change ? [item('Edit value', actions.edit, { keys: 'F2', isDisabled: !mayEdit })] : []),
      ...(may.change && mayBeNull(column) && !isNull
        ? [item('Set to NULL …', actions.setNull, { isDisabled: !mayEdit })]
        : []),
      item('Show whole value', actions.showValue),
      item(`Open ${one}`, actions.open, { keys: 'Enter' }),
    ],
    may.add || may.change || may.remove
      ? [item('Undo the last change …', actions.undo, { keys: 'Control+Z', isDisabled: !isUndoable })]
      : [],
    may.remove ? [item(`Delete ${rows} …`, actions.remove, { keys: 'Delete', isDangerous: true })] : [],
  ];
}
