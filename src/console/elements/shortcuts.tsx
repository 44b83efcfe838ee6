/** The keyboard shortcuts of all screens, which `?` opens. */
import { Dialog, Table } from './elements.tsx';
import { openDialog } from './opened-dialog.tsx';

const SHORTCUTS: ReadonlyArray<readonly [where: string, keys: ReadonlyArray<readonly [keys: string, what: string]>]> = [
  [
    'Everywhere',
    [
      ['Control+K', 'goes to a table, a cache, a command, a saved query or a screen'],
      ['?', 'shows this list'],
      ['Escape', 'closes a dialog'],
    ],
  ],
  [
    'Rows and entries',
    [
      ['Arrows, Page Up, Page Down, Home, End', 'move the active cell'],
      ['Typing', 'replaces the value of the cell'],
      ['F2', 'changes the value of the cell'],
      ['Enter, double click', 'opens the row, or saves the changed cell'],
      ['Escape', 'leaves the cell as it was'],
      ['Space', 'selects the row'],
      ['Shift or Control with arrows or a click', 'selects several rows'],
      ['Control+A', 'selects all rows, up to the maximum'],
      ['Control+C', 'copies the value, or the rows that are selected'],
      ['Control+V', 'pastes a value, or a block of cells from the active one on'],
      ['Control+Z', 'undoes the last change saved by this page, after a preview'],
      ['Shift+F10, right click', 'opens the menu of the cell'],
      ['Delete', 'asks whether to delete the rows'],
      ['Alt+Left, Alt+Right', 'resize the column; a double click on its edge fits it'],
    ],
  ],
  [
    'Query',
    [
      ['Control+Enter', 'runs the statement at the cursor, or the selection'],
      ['Control+Shift+Enter', 'runs all statements, until one fails'],
      ['Control+S', 'saves the query'],
      ['Tab, Enter', 'accepts a completion'],
      ['Delete on the name of a query', 'closes it'],
    ],
  ],
];

function Shortcuts() {
  return (
    <Dialog title="Keyboard shortcuts">
      <p class="hint">On a Mac, Command stands for Control.</p>
      {SHORTCUTS.map(([where, keys]) => (
        <Table
          key={where}
          caption={where}
          columns={['Keys', 'What they do']}
          empty=""
          rows={keys.map(([pressed, what]) => ({ key: pressed, cells: [<kbd key="keys">{pressed}</kbd>, what] }))}
        />
      ))}
    </Dialog>
  );
}

export function openShortcuts(): void {
  openDialog(<Shortcuts />);
}
