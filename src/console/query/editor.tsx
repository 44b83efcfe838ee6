/** The SQL editor: highlighting, completion, the position of an error, and keys that run statements. */
import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyField, historyKeymap } from '@codemirror/commands';
import { keywordCompletionSource, SQLDialect } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isTablePlace, type Proposal, proposalsAt, writtenName } from './completion.ts';
import type { Mistake } from './runs.ts';
import { functionNames, knownSchemas } from './schema.ts';
import { chosenStatements, statementsOf } from './statements.ts';

const KEYWORDS =
  'add all alter and any as asc between by case cast constraint create cross current_date current_time ' +
  'current_timestamp delete desc distinct drop else end escape except exists explain false fetch first for ' +
  'from full group having if in index inner insert intersect into is join key left like limit merge natural ' +
  'not null offset on only or order outer over partition primary recursive regexp right row rows select set ' +
  'table then top true union unique update using values when where with';
const TYPES =
  'bigint binary boolean char date decimal double float int integer numeric real smallint time timestamp ' +
  'tinyint uuid varbinary varchar';

const RESERVED: ReadonlySet<string> = new Set(`${KEYWORDS} ${TYPES}`.split(' '));

const DIALECT = SQLDialect.define({
  keywords: KEYWORDS,
  types: TYPES,
  // A function such as INSERT would take the colour of the keyword.
  builtin: functionNames
    .map((name) => name.toLowerCase())
    .filter((name) => !RESERVED.has(name))
    .join(' '),
  doubleDollarQuotedStrings: false,
  caseInsensitiveIdentifiers: true,
});

/** Colours come from the page's styles, so they follow its theme. */
const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.typeName], color: 'var(--keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--number)' },
  { tag: tags.comment, color: 'var(--weak)', fontStyle: 'italic' },
]);

const THEME = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--page)', fontSize: '14px', height: '100%' },
  '.cm-scroller': { overflow: 'auto', fontFamily: 'var(--mono)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--weak)', border: 'none' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 30%, transparent) !important',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-control)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: 'none', overflow: 'hidden' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.8', float: 'right' },
  '.cm-placeholder': { color: 'var(--weak)' },
  '.cm-mistake': { textDecoration: 'underline wavy var(--danger)', backgroundColor: 'var(--danger-soft)' },
  '.cm-chosen': { boxShadow: 'inset 3px 0 var(--accent)' },
});

/** Finding the statement at the cursor in longer texts would take too long for each key. */
const MAX_MARKED = 200_000;
const showMistake = StateEffect.define<Mistake | undefined>();

/** Underlines the cause of an error, until the text changes. */
const mistakes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { docChanged, effects, newDoc }) {
    for (const effect of effects) {
      if (!effect.is(showMistake)) continue;
      const { value } = effect;
      if (value === undefined || value.from >= value.to || value.to > newDoc.length) return Decoration.none;
      const attributes = { title: value.message };
      return Decoration.set([Decoration.mark({ class: 'cm-mistake', attributes }).range(value.from, value.to)]);
    }
    return docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Returns marks on the lines that run next, where there are several statements. */
function chosenLines({ doc, selection }: EditorState): DecorationSet {
  if (doc.length > MAX_MARKED) return Decoration.none;
  const text = doc.toString();
  if (statementsOf(text).length < 2) return Decoration.none;
  const { from, to } = selection.main;
  const lines = new Set<number>();
  for (const chosen of chosenStatements(text, from, to)) {
    for (let line = doc.lineAt(chosen.from).number; line <= doc.lineAt(chosen.to).number; line++) lines.add(line);
  }
  const mark = Decoration.line({ class: 'cm-chosen' });
  return Decoration.set([...lines].sort((a, b) => a - b).map((line) => mark.range(doc.line(line).from)));
}

const chosen = StateField.define<DecorationSet>({
  create: chosenLines,
  update: (lines, { docChanged, selection, state }) =>
    docChanged || selection !== undefined ? chosenLines(state) : lines,
  provide: (field) => EditorView.decorations.from(field),
});

/** Names that fit the tables of the statement come first. */
const BOOSTS: Readonly<Record<Proposal['kind'], number>> = { column: 20, alias: 15, table: 10, schema: 0 };
const ICONS: Readonly<Record<Proposal['kind'], string>> = {
  column: 'property',
  alias: 'variable',
  table: 'type',
  schema: 'namespace',
};

/** Completes the names of the schema. */
async function completeNames({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> {
  const text = state.doc.toString();
  const found = proposalsAt(text, pos, await knownSchemas());
  if (found === undefined) return null;
  const typed = text.slice(found.from, pos);
  if (!explicit && typed === '' && text[found.from - 1] !== '.') return null;
  const closes = typed.startsWith('"') && text[pos] === '"';
  return {
    from: found.from,
    ...(closes && { to: pos + 1 }),
    options: found.proposals.map(({ label, kind, detail }) => {
      const apply = writtenName(label, typed);
      return { label: apply, detail, type: ICONS[kind], boost: BOOSTS[kind] };
    }),
    validFor: (text) => /^["\w$]*$/.test(text) && writtenName('A', text) === writtenName('A', typed),
  };
}

const upperWords = keywordCompletionSource(DIALECT, true);
const lowerWords = keywordCompletionSource(DIALECT);
/** Where a table is to be named, a word that was typed whole, such as `or`, is no better than `orders`. */
const BEHIND_NAMES = -99;
/** Completes keywords and functions in the case typed, but not after a dot. */
async function completeWords(context: CompletionContext): Promise<CompletionResult | null> {
  if (context.matchBefore(/\.\s*\w*/) !== null) return null;
  const typed = context.matchBefore(/\w+/)?.text ?? '';
  const found = await (/[A-Z]/.test(typed) ? upperWords(context) : lowerWords(context));
  if (found === null || !isTablePlace(context.state.doc.toString(), context.pos)) return found;
  return { ...found, options: found.options.map((option) => ({ ...option, boost: BEHIND_NAMES })) };
}

/** Accepts a completion. Tab never leaves the editor while some are shown, even if they do not take keys yet. */
function accept(view: EditorView): boolean {
  return acceptCompletion(view) || completionStatus(view.state) === 'active';
}

const LANGUAGE = [
  DIALECT.extension,
  DIALECT.language.data.of({ autocomplete: completeNames }),
  DIALECT.language.data.of({ autocomplete: completeWords }),
];

interface Kept {
  readonly text: string;
  readonly state: unknown;
}

/** The undo history of hidden tabs. */
const kept = new Map<number, Kept>();
/** Errors to which the cursor was moved: that happens once. */
const visited = new WeakSet<Mistake>();

export interface EditorProps {
  readonly tabId: number;
  readonly value: string;
  /** Changes when `value` replaces what was typed. */
  readonly replaced: number;
  readonly onValue: (value: string) => void;
  readonly onSelect: (from: number, to: number) => void;
  readonly onRun: () => void;
  readonly onRunAll: () => void;
  readonly onSave: () => void;
  /** Where the statement is wrong; undefined if nowhere, or not known. */
  readonly mistake: Mistake | undefined;
}

/** Shows the editor of a tab. Control or Command with Enter runs; Tab accepts a completion, or leaves. */
export function Editor(props: EditorProps) {
  const { tabId, value, replaced, mistake } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const current = useRef(props);
  current.current = props;
  useEffect(() => {
    const { current: parent } = place;
    if (parent === null) return;
    // A shadow root takes its styles from the script, which the content security policy forbids in the page itself.
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
    const run = (): boolean => {
      current.current.onRun();
      return true;
    };
    const runAll = (): boolean => {
      current.current.onRunAll();
      return true;
    };
    const save = (): boolean => {
      current.current.onSave();
      return true;
    };
    const extensions = [
      keymap.of([
        { key: 'Mod-Enter', run },
        { key: 'Mod-Shift-Enter', run: runAll },
        { key: 'Mod-s', run: save },
        { key: 'Tab', run: accept },
      ]),
      lineNumbers(),
      history(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      // As many as fit without scrolling, which the keyboard could not reach.
      autocompletion({ maxRenderedOptions: 12, icons: false }),
      LANGUAGE,
      mistakes,
      chosen,
      syntaxHighlighting(COLOURS),
      THEME,
      placeholder('SELECT …'),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': 'SQL statement', spellcheck: 'false' }),
      // Tab moves the focus, as everywhere else in the page, unless completions are open.
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
        if (docChanged) current.current.onValue(state.doc.toString());
        const { from, to } = state.selection.main;
        if (docChanged || selectionSet) current.current.onSelect(from, to);
      }),
    ];
    const before = kept.get(tabId);
    const state =
      before?.text === value
        ? EditorState.fromJSON(before.state, { extensions }, { history: historyField })
        : EditorState.create({ doc: value, extensions });
    const editor = new EditorView({ root, parent: root, state });
    view.current = editor;
    editor.dispatch({ effects: showMistake.of(current.current.mistake) });
    current.current.onSelect(state.selection.main.from, state.selection.main.to);
    return () => {
      kept.set(tabId, { text: editor.state.doc.toString(), state: editor.state.toJSON({ history: historyField }) });
      editor.destroy();
    };
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor !== undefined && editor.state.doc.toString() !== value)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [replaced]);
  // Before the error is shown.
  useLayoutEffect(() => {
    const editor = view.current;
    editor?.dispatch({ effects: showMistake.of(mistake) });
    if (editor === undefined || mistake === undefined || mistake.to > editor.state.doc.length) return;
    if (visited.has(mistake)) return;
    visited.add(mistake);
    // An editor that gains the focus would take the page's selection.
    editor.focus();
    editor.dispatch({ selection: { anchor: mistake.from }, scrollIntoView: true });
  }, [mistake]);
  return <div class="editor" ref={place} />;
}
