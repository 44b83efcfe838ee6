/** The command palette: finds every screen, table, cache, command and saved query by a few letters of its name. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { partsOf } from '../administration/parts.ts';
import { readCommands } from '../commands/declarations.ts';
import { goTo } from '../elements/address.ts';
import { isMine, savedQueries } from '../query/saved-queries.ts';
import { catalog, titleOf } from '../requests/catalog.ts';
import { useLoaded } from '../requests/polling.ts';
import { needsLogin } from '../requests/session.ts';
import { SCREENS } from '../screens.ts';
import { matchScore } from './match-score.ts';

interface Choice {
  readonly kind: 'Screen' | 'Table' | 'Cache' | 'Command' | 'Saved query';
  readonly title: string;
  readonly hint: string;
  readonly open: () => void;
}

/** As many as fit on a screen; more letters find the rest. */
const MAX_SHOWN = 50;

function choicesWith(commands: ReadonlyArray<{ readonly name: string; readonly summary: string }>): Choice[] {
  return [
    ...SCREENS.map(({ name, title }) => ({ kind: 'Screen' as const, title, hint: '', open: () => goTo(name) })),
    ...partsOf(needsLogin).map(({ name, title }) => ({
      kind: 'Screen' as const,
      title,
      hint: 'Administration',
      open: () => goTo('administration', { part: name }),
    })),
    ...(catalog.value ?? []).map((entry) => ({
      kind: entry.table === undefined ? ('Cache' as const) : ('Table' as const),
      title: titleOf(entry),
      hint: '',
      open: () => goTo('caches', { name: entry.name }),
    })),
    ...savedQueries.value.map((query) => ({
      kind: 'Saved query' as const,
      title: query.name,
      hint: isMine(query) ? '' : `shared by ${query.user ?? 'nobody'}`,
      open: () => goTo('query', { id: query.id }),
    })),
    ...commands.map(({ name, summary }) => ({
      kind: 'Command' as const,
      title: name,
      hint: summary,
      open: () => goTo('commands', { name }),
    })),
  ];
}

/** Returns the choices that match, the best first; all in their order for an empty text. */
function matching(choices: readonly Choice[], text: string): readonly Choice[] {
  if (text === '') return choices.slice(0, MAX_SHOWN);
  return choices
    .map((choice) => ({ choice, score: matchScore(choice.title, text) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_SHOWN)
    .map(({ choice }) => choice);
}

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const at = useSignal(0);
  // Without the list of commands, the rest is still found.
  const { value: commands = [] } = useLoaded(readCommands, 'commands').value;
  const id = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const shown = matching(choicesWith(commands), text.value.trim());
  const chosen = Math.min(at.value, shown.length - 1);
  const open = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    dialog.current?.close();
    choice.open();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const move = moves[event.key];
    if (move !== undefined) at.value = Math.max(0, Math.min(shown.length - 1, chosen + move));
    else if (event.key === 'Enter') open(shown[chosen]);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen, id]);
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to" onClose={onClose} closedby="any">
      <input
        type="text"
        role="combobox"
        aria-label="Go to a screen, table, cache, command or saved query"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(shown.length > 0 && { 'aria-activedescendant': `${id}-${chosen}` })}
        placeholder="Go to …"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      {shown.length === 0 && <p class="hint">No name matches.</p>}
      <div id={`${id}-list`} role="listbox" aria-label="Matches">
        {shown.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field above keeps the focus
          <div
            key={`${choice.kind} ${choice.title} ${choice.hint}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => open(choice)}
          >
            <span class="palette-title">{choice.title}</span>
            <span class="palette-hint">{choice.hint}</span>
            <span class="palette-kind">{choice.kind}</span>
          </div>
        ))}
      </div>
    </dialog>
  );
}
