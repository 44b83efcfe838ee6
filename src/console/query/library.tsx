/** Saved queries and the history of the browser, with a search. */
import { useSignal } from '@preact/signals';
import { Button, bound, Dialog, TextField } from '../elements/elements.tsx';
import { FormDialog } from '../elements/form-dialog.tsx';
import { formatMs } from '../elements/formats.ts';
import { useClosing } from '../elements/opened-dialog.tsx';
import { formatInstant } from '../elements/times.ts';
import { hasWords } from '../elements/words.ts';
import {
  activeTab,
  changeTab,
  clearExecuted,
  executed,
  openStatement,
  removeQuery,
  saved,
  saveQuery,
} from './stored.ts';

/** More than these are found by searching. */
const MAX_SHOWN = 100;

export function Library() {
  const close = useClosing();
  const search = useSignal('');
  const matches = (text: string): boolean => hasWords(text, search.value);
  const queries = saved.value.filter(({ name, sql }) => matches(`${name} ${sql}`));
  const found = executed.value.filter(({ sql }) => matches(sql));
  const open = (sql: string): void => {
    close();
    openStatement(sql);
  };
  return (
    <Dialog title="History and saved queries">
      <TextField label="Search" {...bound(search)} />
      <div class="library">
        <h3>Saved queries</h3>
        {queries.length === 0 && (
          <p class="hint">{saved.value.length === 0 ? 'None is saved. This browser keeps them.' : 'None matches.'}</p>
        )}
        <ul>
          {queries.map(({ name, sql }) => (
            <li key={name}>
              <Button class="plain library-entry" onClick={() => open(sql)}>
                <span>{name}</span>
                <code>{sql.slice(0, 300)}</code>
              </Button>
              <Button class="plain" onClick={() => removeQuery(name)}>
                Remove<span class="hidden"> {name}</span>
              </Button>
            </li>
          ))}
        </ul>
        <h3>History</h3>
        {found.length === 0 && (
          <p class="hint">
            {executed.value.length === 0 ? 'No statement was executed in this browser.' : 'No statement matches.'}
          </p>
        )}
        <ul>
          {found.slice(0, MAX_SHOWN).map(({ sql, at, timeMs, outcome, isFailed }) => (
            <li key={sql}>
              <Button class="plain library-entry" onClick={() => open(sql)}>
                <code>{sql.slice(0, 300)}</code>
                <span class={isFailed ? 'bad' : 'hint'}>
                  {formatInstant(at)}
                  {timeMs !== undefined && ` · ${formatMs(timeMs)}`}
                  {` · ${outcome}`}
                </span>
              </Button>
            </li>
          ))}
        </ul>
        {found.length > MAX_SHOWN && (
          <p class="hint">
            {MAX_SHOWN} of {found.length} statements. Search to find others.
          </p>
        )}
      </div>
      {executed.value.length > 0 && (
        <p class="actions">
          <Button onClick={clearExecuted}>Clear history</Button>
        </p>
      )}
    </Dialog>
  );
}

/** Asks for the name of a query and saves it. */
export function SaveQuery() {
  const { name: tabName, sql } = activeTab.peek();
  const name = useSignal(/^Query \d+$/.test(tabName) ? '' : tabName);
  const isKnown = saved.value.some((each) => each.name === name.value);
  const save = async (): Promise<void> => {
    saveQuery(name.value, sql);
    changeTab({ name: name.value });
  };
  return (
    <FormDialog title="Save the query" action="Save query" canSend={name.value !== ''} onSend={save}>
      <TextField
        label="Name of the query"
        required
        hint={isKnown ? 'Replaces the saved query of this name.' : 'This browser keeps it. The sidebar lists it.'}
        {...bound(name)}
      />
    </FormDialog>
  );
}
