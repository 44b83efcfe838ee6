/** The SQL editor: highlighting, completion, and keys that run the statement. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { keywordCompletionSource, SQLDialect, schemaCompletionSource } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { functionNames, namespace } from './schema.ts';

const KEYWORDS =
  'add all alter and any as asc between by case cast constraint create cross current_date current_time ' +
  'current_timestamp delete desc distinct drop else end escape except exists explain false fetch first for ' +
  'from full group having if in index inner insert intersect into is join key left like limit merge natural ' +
  'not null offset on only or order outer over partition primary recursive regexp right row rows select set ' +
  'table then top true union unique update using values when where with';
const TYPES =
  'bigint binary boolean char date decimal double float int integer numeric real smallint time timestamp ' +
  'tinyint uuid varbinary varchar';

const DIALECT = SQLDialect.define({
  keywords: KEYWORDS,
  types: TYPES,
  builtin: functionNames.join(' ').toLowerCase(),
  doubleDollarQuotedStrings: false,
  caseInsensitiveIdentifiers: true,
});

/** Colours come from the page's styles, so that they follow its theme. */
const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.typeName], color: 'var(--keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--number)' },
  { tag: tags.comment, color: 'var(--weak)', fontStyle: 'italic' },
]);

const THEME = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--page)',
    fontSize: '14px',
    minHeight: '8rem',
    maxHeight: '24rem',
  },
  '.cm-scroller': { overflow: 'auto', fontFamily: 'ui-monospace, Menlo, monospace' },
  '.cm-content': { caretColor: 'var(--text)', minHeight: '8rem' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--weak)', border: 'none' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 30%, transparent) !important',
  },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-placeholder': { color: 'var(--weak)' },
});

export interface EditorProps {
  readonly value: string;
  /** Changes when `value` replaces what was typed. */
  readonly replaced: number;
  readonly onValue: (value: string) => void;
  readonly onRun: () => void;
  /** Where the statement is wrong, by lines and columns from 1; undefined: nowhere, or it is not known. */
  readonly mistake: Mistake | undefined;
}

export interface Mistake {
  readonly line: number;
  readonly column: number;
}

function language(): Extension {
  return [
    DIALECT.extension,
    DIALECT.language.data.of({
      autocomplete: schemaCompletionSource({ dialect: DIALECT, schema: namespace.value, defaultSchema: 'PUBLIC' }),
    }),
    DIALECT.language.data.of({ autocomplete: keywordCompletionSource(DIALECT, true) }),
  ];
}

/** Shows the editor. Control or Command with Enter runs; Escape, then Tab leaves. */
export function Editor({ value, replaced, onValue, onRun, mistake }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const current = useRef({ onValue, onRun });
  current.current = { onValue, onRun };
  useEffect(() => {
    const { current: parent } = place;
    if (parent === null) return;
    // A shadow root takes its styles from the script, which the content security policy forbids in the page itself.
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
    const completed = new Compartment();
    const run = (): boolean => {
      current.current.onRun();
      return true;
    };
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          keymap.of([{ key: 'Mod-Enter', run }]),
          lineNumbers(),
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          autocompletion(),
          completed.of(language()),
          syntaxHighlighting(COLOURS),
          THEME,
          placeholder('SELECT …'),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'SQL statement', spellcheck: 'false' }),
          // Tab moves the focus, as everywhere else in the page.
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) current.current.onValue(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    const stop = namespace.subscribe(() => editor.dispatch({ effects: completed.reconfigure(language()) }));
    return () => {
      stop();
      editor.destroy();
    };
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor !== undefined && replaced > 0)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [replaced]);
  // Before the error is shown.
  useLayoutEffect(() => {
    const editor = view.current;
    if (editor === undefined || mistake === undefined || mistake.line > editor.state.doc.lines) return;
    const { from, length } = editor.state.doc.line(mistake.line);
    // An editor without the focus would take the selection of the page when it gets it.
    editor.focus();
    editor.dispatch({ selection: { anchor: from + Math.min(length, mistake.column - 1) }, scrollIntoView: true });
  }, [mistake]);
  return <div class="editor" ref={place} />;
}
