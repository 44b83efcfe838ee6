/** Dialogs about saved queries: saving, their names, sharing, parameters and addresses, conflicts, removal. */
import { type Signal, useSignal } from '@preact/signals';
import { linkTo } from '../elements/address.ts';
import { useAttempt } from '../elements/attempt.ts';
import { Copied } from '../elements/copied.tsx';
import { Button, bound, Dialog, Failure, TextField } from '../elements/elements.tsx';
import { FormDialog } from '../elements/form-dialog.tsx';
import { openDialog, useClosing } from '../elements/opened-dialog.tsx';
import { SvcError } from '../requests/request.ts';
import { needsLogin } from '../requests/session.ts';
import { parametersOf, SavedParameters } from './saved-parameters.tsx';
import {
  addSavedQuery,
  mayAdd,
  mayRemove,
  mayUpdate,
  readSavedQuery,
  removeSavedQuery,
  type SavedDescription,
  type SavedQuery,
  updateSavedQuery,
} from './saved-queries.ts';
import { noteChanged, noteSaved, type QueryTab, showAsSaved } from './stored.ts';

/** Returns the address of a saved query, which others can open. */
export function addressOf(id: string): string {
  return new URL(linkTo('query', { id }), location.href).href;
}

function Shared({ shared }: { readonly shared: Signal<boolean> }) {
  if (!needsLogin) return <p class="hint">Anyone who can reach this service may read and change saved queries.</p>;
  return (
    <>
      <label class="checkbox">
        <input
          type="checkbox"
          checked={shared.value}
          onChange={({ currentTarget }) => (shared.value = currentTarget.checked)}
        />
        All users may read it
      </label>
      <p class="hint">Sharing grants no rights: to run the query, users need the rights that its statements require.</p>
    </>
  );
}

/** Saves the text of a tab as a new query. */
export function SaveAs({ tab, reason = '' }: { readonly tab: QueryTab; readonly reason?: string }) {
  const isNumbered = tab.saved === undefined && /^Query \d+$/.test(tab.name);
  const name = useSignal(isNumbered ? '' : tab.saved === undefined ? tab.name : `${tab.name} (copy)`);
  const shared = useSignal(false);
  // The form offers the values of the tab as defaults.
  const described = parametersOf(tab).map((each) => ({
    ...each,
    default: each.default ?? (tab.values[each.name]?.value || null),
  }));
  const parameters = useSignal(described);
  const save = async (): Promise<void> => {
    const parts = { name: name.value, qry: tab.sql, cacheName: tab.schema, shared: shared.value };
    noteSaved(tab.id, await addSavedQuery({ ...parts, parameters: parameters.value }));
  };
  return (
    <FormDialog
      title="Save the query"
      action="Save query"
      canSend={name.value.trim() !== ''}
      isWide={parameters.value.length > 0}
      onSend={save}
    >
      {reason !== '' && <p>{reason}</p>}
      <TextField label="Name of the query" required hint="The sidebar lists it." {...bound(name)} />
      <Shared shared={shared} />
      <SavedParameters parameters={parameters} />
    </FormDialog>
  );
}

/** Saves the contents of a tab to the query that it shows. Throws SvcError, unless a dialog says what to do. */
export async function saveTab(tab: QueryTab, saved: SavedQuery): Promise<void> {
  const parts = { qry: tab.sql, cacheName: tab.schema, parameters: parametersOf(tab) };
  try {
    noteSaved(tab.id, await updateSavedQuery(saved, parts));
  } catch (problem) {
    const { code } = problem instanceof SvcError ? problem : {};
    if (code === 'SAVED_QUERY_CHANGED') openDialog(<Conflict tab={tab} stored={await readSavedQuery(saved.id)} />);
    else if (code !== 'SAVED_QUERY_NOT_FOUND') throw problem;
    else openDialog(<SaveAs tab={tab} reason="The saved query was deleted, or is no longer shared with you." />);
  }
}

/** Someone else has changed the query since this page read it. */
function Conflict({ tab, stored }: { readonly tab: QueryTab; readonly stored: SavedQuery }) {
  const close = useClosing();
  const { error, isRunning, attempt } = useAttempt();
  const replace = () =>
    attempt(async () => {
      await saveTab(tab, stored);
      close();
    });
  const discard = (): void => {
    close();
    showAsSaved(stored);
  };
  const by = stored.changedBy === null ? 'Somebody' : stored.changedBy;
  return (
    <Dialog title={`${by} has changed “${stored.name}”`} isWide>
      <p>Nothing was saved. The stored version:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <pre class="saved-text" tabIndex={0}>
        {stored.qry}
      </pre>
      <Failure text={error.value} />
      <p class="actions dialog-actions">
        {mayAdd() && (
          <Button class="primary" onClick={() => openDialog(<SaveAs tab={tab} />)}>
            Save yours as …
          </Button>
        )}
        <Button disabled={isRunning.value} onClick={replace}>
          Replace it with yours
        </Button>
        <Button onClick={discard}>Discard yours</Button>
      </p>
    </Dialog>
  );
}

/** Shows a saved query's properties besides its text. Throws SvcError if it no longer exists. */
export async function openProperties(id: string): Promise<void> {
  const query = await readSavedQuery(id);
  openDialog(query.changeable && mayUpdate() ? <Changeable query={query} /> : <ReadOnly query={query} />);
}

function Address({ id, isShared }: { readonly id: string; readonly isShared: boolean }) {
  return (
    <>
      <h3>Link</h3>
      <Copied text={addressOf(id)} label="Copy link" />
      {needsLogin && !isShared && <p class="hint">Others can open it only after you have shared the query.</p>}
    </>
  );
}

function Changeable({ query }: { readonly query: SavedQuery }) {
  const { id } = query;
  const name = useSignal(query.name);
  const shared = useSignal(query.shared);
  const parameters = useSignal(query.parameters);
  const save = async (): Promise<void> => {
    const parts = { name: name.value, shared: shared.value, parameters: parameters.value };
    noteChanged(id, await updateSavedQuery(query, parts));
  };
  return (
    <FormDialog
      title={query.name}
      action="Save"
      canSend={name.value.trim() !== ''}
      isWide={parameters.value.length > 0}
      onSend={save}
    >
      {query.user !== null && query.changedBy !== query.user && (
        <p class="hint">
          It belongs to {query.user}. Last changed by {query.changedBy}.
        </p>
      )}
      <TextField label="Name of the query" required {...bound(name)} />
      <Shared shared={shared} />
      <Address id={id} isShared={shared.value} />
      <SavedParameters parameters={parameters} />
      {mayRemove() && (
        <p class="actions">
          <Button class="danger" onClick={() => openDialog(<Removal query={query} />)}>
            Delete …
          </Button>
        </p>
      )}
    </FormDialog>
  );
}

function ReadOnly({ query: { id, user, name, shared } }: { readonly query: SavedQuery }) {
  return (
    <Dialog title={name}>
      <p>
        {user === null ? 'Only administrators may change it.' : `It belongs to ${user}, who shares it with you.`}
        {mayAdd() && ' To change it, open it and save a copy.'}
      </p>
      <Address id={id} isShared={shared} />
    </Dialog>
  );
}

function Removal({ query: { id, name, shared } }: { readonly query: SavedDescription }) {
  const remove = async (): Promise<void> => {
    await removeSavedQuery(id);
    noteChanged(id, undefined);
  };
  return (
    <FormDialog title={`Delete “${name}”?`} action="Delete" isDangerous onSend={remove}>
      <p>
        {needsLogin && shared ? 'Its link will stop working for all users. ' : ''}Tabs that show the query keep its
        text.
      </p>
    </FormDialog>
  );
}
