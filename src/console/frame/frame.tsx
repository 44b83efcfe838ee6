/** The frame of all screens: sidebar, bar with breadcrumbs, palette and account, and the screen itself. */

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../elements/elements.tsx';
import { openShortcuts } from '../elements/shortcuts.tsx';
import { chooseTheme, type Theme, theme } from '../elements/theme.ts';
import { followSavedQueries } from '../query/saved-queries.ts';
import { readOwnRoles } from '../requests/access.ts';
import { followCatalog } from '../requests/catalog.ts';
import { followConnection, isStale } from '../requests/connection-check.ts';
import { call } from '../requests/request.ts';
import { environmentTitle, serviceName, signedIn, signOut } from '../requests/session.ts';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { DroppedFiles } from './dropped-files.tsx';
import { Icon } from './icons.tsx';
import { Palette } from './palette.tsx';
import { Sidebar } from './sidebar.tsx';

/** Below this width the sidebar is a drawer. The style sheet repeats it. */
const NARROW = matchMedia('(max-width: 56.25rem)');
const isNarrow = signal(NARROW.matches);
NARROW.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches;
});

const isMenuOpen = signal(false);
addEventListener('hashchange', () => {
  isMenuOpen.value = false;
});

const isPaletteOpen = signal(false);

/** Also ends the session on the service. If that fails, it ends there once it has been unused for a while. */
async function logOut(): Promise<void> {
  try {
    const limit = 1_000;
    const { user } = signedIn.peek() ?? {};
    const sessions = await call('sessionlist', { user, limit });
    const id = sessions.find(({ current }) => current)?.id;
    if (id !== undefined) await call('sessionrmv', { id });
  } catch {
    // A user whose roles have neither command only forgets the session.
  }
  signOut();
}

const THEMES: ReadonlyArray<readonly [Theme, string]> = [
  ['system', 'System theme'],
  ['light', 'Light theme'],
  ['dark', 'Dark theme'],
];

/** The theme, and the end of the session. */
function Account() {
  const { value: session } = signedIn;
  return (
    <div class="account">
      <label class="hidden" for="theme">
        Theme
      </label>
      <select id="theme" value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
        {THEMES.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {session !== undefined && (
        <Button onClick={logOut}>
          Log out <span class="user">{session.user}</span>
        </Button>
      )}
    </div>
  );
}

/** The sidebar on a small screen: a dialog at the edge, so the keyboard stays in it. */
function Drawer() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="drawer" aria-label="Menu" onClose={() => (isMenuOpen.value = false)} closedby="any">
      <Button class="plain drawer-close" aria-label="Close" onClick={() => dialog.current?.close()}>
        ✕
      </Button>
      <Sidebar />
      <Account />
    </dialog>
  );
}

/** Returns whether a key is typed into a field, the editor or a cell, or belongs to a dialog. */
function isTyped(event: KeyboardEvent): boolean {
  // The editor is in a shadow root, whose host is the target here.
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest('input, textarea, select, dialog, .cm-editor') !== null;
}

export interface FrameProps {
  /** Whether commands can be sent: otherwise the login is shown, without a sidebar. */
  readonly isReady: boolean;
  readonly children: ComponentChildren;
}

export function Frame({ isReady, children }: FrameProps) {
  useEffect(followConnection, []);
  useEffect(() => {
    if (!isReady) return;
    const endings = [followCatalog(), followSavedQueries()];
    const reading = new AbortController();
    void readOwnRoles(reading.signal);
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === '?' && !event.defaultPrevented && !isTyped(event)) openShortcuts();
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      isPaletteOpen.value = true;
    };
    addEventListener('keydown', onKeyDown);
    return () => {
      for (const end of endings) end();
      reading.abort();
      removeEventListener('keydown', onKeyDown);
    };
  }, [isReady]);
  const { value: narrow } = isNarrow;
  return (
    <div class={`frame${isReady ? '' : ' frame-alone'}${isStale.value ? ' stale' : ''}`}>
      <Button class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </Button>
      {isReady && !narrow && (
        <aside class="sidebar" aria-label="Areas and data">
          <Sidebar />
        </aside>
      )}
      {narrow && isMenuOpen.value && <Drawer />}
      <div class="page">
        <header class="bar">
          {isReady && narrow && (
            <Button
              class="plain menu"
              aria-label="Menu"
              aria-expanded={isMenuOpen.value}
              onClick={() => (isMenuOpen.value = true)}
            >
              <Icon name="menu" />
            </Button>
          )}
          {isReady ? <Breadcrumbs /> : <p class="product">{serviceName}</p>}
          {(narrow || !isReady) && environmentTitle !== '' && <span class="environment">{environmentTitle}</span>}
          {isReady && (
            <Button class="go-to" onClick={() => (isPaletteOpen.value = true)}>
              <Icon name="search" />
              <span class="go-to-text">Go to …</span>
              <kbd>Ctrl K</kbd>
            </Button>
          )}
          {(!narrow || !isReady) && <Account />}
        </header>
        <ConnectionNotice />
        {children}
      </div>
      {isReady && <DroppedFiles />}
      {isPaletteOpen.value && <Palette onClose={() => (isPaletteOpen.value = false)} />}
    </div>
  );
}
