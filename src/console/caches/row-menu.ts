/** The menu of a cell: actions for its value, its row, and the selected rows. */
import { formatNumber } from '../elements/formats.ts';
import type { MenuGroup, MenuItem } from '../elements/menu.tsx';
import { copyGroup, filterGroup } from '../rows/cell-menu.ts';
import type { CopyFormat } from '../rows/row-texts.ts';
import { mayBeNull, type RowKind, type RowRights, type StoredColumn } from './stored-rows.ts';

export interface RowMenu {
  readonly kind: RowKind;
  readonly may: RowRights;
  readonly column: StoredColumn;
  /** The text in the cell. */
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

export function menuGroups(menu: RowMenu): readonly MenuGroup[] {
  const { kind, may, column, text, isNull, mayEdit, selectedCount, isUndoable, do: actions } = menu;
  const [one, several] = kind.nouns;
  const rows = selectedCount > 1 ? `${formatNumber(selectedCount)} ${several}` : one;
  const formats: readonly CopyFormat[] = kind.isTable ? ['JSON', 'CSV', 'INSERT'] : ['JSON', 'CSV'];
  const item = (title: string, onChoose: () => void, others: Partial<MenuItem> = {}): MenuItem => {
    return { title, onChoose, ...others };
  };
  return [
    copyGroup({ rows, formats, copyValue: actions.copyValue, copyAs: actions.copyAs }),
    filterGroup({ text, isNull, isFilterable: isNull || column.isDerived !== true, filter: actions.filter }),
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
