/** Saved queries, and the history of the browser, with a search. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { goTo } from '../elements/address.ts';
import { useAttempt } from '../elements/attempt.ts';
import { Button, bound, Dialog, Failure, TextField } from '../elements/elements.tsx';
import { formatMs } from '../elements/formats.ts';
import { useClosing } from '../elements/opened-dialog.tsx';
import { formatInstant } from '../elements/times.ts';
import { hasWords } from '../elements/words.ts';
import { needsLogin } from '../requests/session.ts';
import { openProperties } from './saved-dialogs.tsx';
import {
  addSavedQuery,
  isMine,
  mayAdd,
  mayList,
  readSavedQueries,
  type SavedDescription,
  savedFailure,
  savedQueries,
} from './saved-queries.ts';
import { clearExecuted, executed, forgetInBrowser, inBrowser, openStatement } from './stored.ts';

/** More than these are found by searching. */
const MAX_SHOWN = 100;

interface ListProps {
  readonly title: string;
  /** The text in place of a list. */
  readonly empty: string;
  readonly queries: readonly SavedDescription[];
}

function SavedList({ title, empty, queries }: ListProps) {
  const close = useClosing();
  const { error, attempt } = useAttempt();
  const open = (id: string): void => {
    // The address may already name the query.
    close();
    goTo('query', { id });
  };
  return (
    <>
      <h3>{title}</h3>
      {queries.length === 0 && <p class="hint">{empty}</p>}
      <ul>
        {queries.slice(0, MAX_SHOWN).map((query) => (
          <li key={query.id}>
            <Button class="plain library-entry" onClick={() => open(query.id)}>
              <span>{query.name}</span>
              <span class="hint">
                {!isMine(query) && `${query.user ?? 'nobody'} · `}
                {needsLogin && isMine(query) && `${query.shared ? 'shared' : 'only you'} · `}
                {formatInstant(Date.parse(query.changedAt))}
              </span>
            </Button>
            <Button class="plain" onClick={() => attempt(() => openProperties(query.id))}>
              Properties …<span class="hidden"> of {query.name}</span>
            </Button>
          </li>
        ))}
      </ul>
      <Failure text={error.value} />
      <Cut count={queries.length} what="queries" />
    </>
  );
}

function Cut({ count, what }: { readonly count: number; readonly what: string }) {
  if (count <= MAX_SHOWN) return null;
  return (
    <p class="hint">
      {MAX_SHOWN} of {count} {what}. Search to find others.
    </p>
  );
}

/** Queries that earlier builds stored only in the browser. */
function InBrowser({ onOpen }: { readonly onOpen: (sql: string) => void }) {
  const { error, isRunning, attempt } = useAttempt();
  if (inBrowser.value.length === 0) return null;
  const move = () =>
    attempt(async () => {
      for (const { name, sql } of inBrowser.peek()) {
        await addSavedQuery({ name, qry: sql, cacheName: '', parameters: [], shared: false });
        forgetInBrowser(name);
      }
    });
  return (
    <>
      <h3>Only in this browser</h3>
      <ul>
        {inBrowser.value.map(({ name, sql }) => (
          <li key={name}>
            <Entry onOpen={() => onOpen(sql)}>
              <span>{name}</span>
              <code>{sql.slice(0, 300)}</code>
            </Entry>
            <Button class="plain" onClick={() => forgetInBrowser(name)}>
              Remove<span class="hidden"> {name}</span>
            </Button>
          </li>
        ))}
      </ul>
      <Failure text={error.value} />
      {mayAdd() && (
        <Button disabled={isRunning.value} onClick={move}>
          Save them on the service
        </Button>
      )}
    </>
  );
}

function Entry({ onOpen, children }: { readonly onOpen: () => void; readonly children: ComponentChildren }) {
  return (
    <Button class="plain library-entry" onClick={onOpen}>
      {children}
    </Button>
  );
}

export function Library() {
  const close = useClosing();
  const search = useSignal('');
  useEffect(() => void readSavedQueries(), []);
  const matches = (text: string): boolean => hasWords(text, search.value);
  const queries = savedQueries.value.filter(({ name, user }) => matches(`${name} ${user ?? ''}`));
  const own = queries.filter(isMine);
  const others = queries.filter((each) => !isMine(each));
  const found = executed.value.filter(({ sql }) => matches(sql));
  const open = (sql: string): void => {
    close();
    openStatement(sql);
  };
  const noMatch = search.value !== '' && savedQueries.value.length > 0;
  return (
    <Dialog title="Saved queries and history">
      <TextField label="Search" {...bound(search)} />
      <div class="library">
        {!mayList() && (
          <>
            <h3>Saved queries</h3>
            <p class="hint">You need a right on the command "savedquerylist" to list them.</p>
          </>
        )}
        <Failure text={savedFailure.value} />
        {mayList() && savedFailure.value === '' && (
          <SavedList
            title={needsLogin ? 'Your queries' : 'Saved queries'}
            empty={noMatch ? 'No query matches.' : 'No query is saved.'}
            queries={own}
          />
        )}
        {mayList() && needsLogin && savedFailure.value === '' && (
          <SavedList
            title="Shared by others"
            empty={noMatch ? 'No query matches.' : 'No query is shared.'}
            queries={others}
          />
        )}
        <InBrowser onOpen={open} />
        <h3>History of this browser</h3>
        {found.length === 0 && (
          <p class="hint">
            {executed.value.length === 0 ? 'This browser has executed no statements.' : 'No statement matches.'}
          </p>
        )}
        <ul>
          {found.slice(0, MAX_SHOWN).map(({ sql, at, timeMs, outcome, isFailed }) => (
            <li key={sql}>
              <Entry onOpen={() => open(sql)}>
                <code>{sql.slice(0, 300)}</code>
                <span class={isFailed ? 'bad' : 'hint'}>
                  {formatInstant(at)}
                  {timeMs !== undefined && ` · ${formatMs(timeMs)}`}
                  {` · ${outcome}`}
                </span>
              </Entry>
            </li>
          ))}
        </ul>
        <Cut count={found.length} what="statements" />
      </div>
      {executed.value.length > 0 && (
        <p class="actions">
          <Button onClick={clearExecuted}>Clear history</Button>
        </p>
      )}
    </Dialog>
  );
}
