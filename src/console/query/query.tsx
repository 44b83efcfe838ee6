/** The Query screen: SQL in tabs, and the results of statements. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { address, linkTo } from '../elements/address.ts';
import { useAttempt } from '../elements/attempt.ts';
import { Button, Failure, TextField } from '../elements/elements.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { Editor } from './editor.tsx';
import { Library } from './library.tsx';
import { Outcomes } from './outcomes.tsx';
import { ParameterForm } from './parameter-form.tsx';
import { QueryTabs } from './query-tabs.tsx';
import { Running } from './running.tsx';
import { type Explained, execute, failWith, type Mode, runOf, type TabRun } from './runs.ts';
import { openProperties, SaveAs, saveTab } from './saved-dialogs.tsx';
import { linkFailure, useSavedLink } from './saved-link.ts';
import { mayAdd, mayUpdate } from './saved-queries.ts';
import { isSchemaForbidden, missingToRun, readSchema } from './schema.ts';
import { chosenStatements, type StatementLocation, statementsOf } from './statements.ts';
import {
  activeTab,
  changeTab,
  executed,
  isModified,
  openStatement,
  type QueryTab,
  replaceDraft,
  replacedDrafts,
} from './stored.ts';

/** The statements that new users need to plot their own rows, in this order. */
const EXAMPLES: ReadonlyArray<readonly [text: string, sql: string]> = [
  ['Create a table', 'CREATE TABLE sales (\n  id INT PRIMARY KEY,\n  day DATE,\n  amount DECIMAL(9, 2)\n)'],
  [
    'Insert rows',
    "INSERT INTO sales (id, day, amount) VALUES\n  (1, DATE '2026-01-05', 120.50),\n" +
      "  (2, DATE '2026-01-06', 80),\n  (3, DATE '2026-01-07', 210.25)",
  ],
  ['Select rows', 'SELECT day, amount FROM sales ORDER BY day'],
];

/** Executes statements of the tab that is shown. */
async function run(statements: readonly StatementLocation[], mode: Mode = 'run'): Promise<void> {
  const tab = activeTab.peek();
  if (statements.length === 0) failWith(runOf(tab.id), 'Write a statement first.');
  else await execute(tab, statements, mode);
}

/** Creates an index, and explains its statement again. */
async function createIndex(statement: string, { tab, place }: Explained): Promise<void> {
  await execute({ ...tab, sql: statement, values: {} }, [{ from: 0, to: statement.length, sql: statement }], 'run');
  const [outcome] = runOf(tab.id).outcomes.peek();
  if (outcome?.kind === 'changed') await execute(tab, [place], 'explain');
}

/** Leads to the queries that are no statements. */
function FurtherQueries() {
  return (
    <p class="hint">
      Scans and type queries are commands: <a href={linkTo('commands', { name: 'qryscanexe' })}>qryscanexe</a>,{' '}
      <a href={linkTo('commands', { name: 'qryexe' })}>qryexe</a>.
    </p>
  );
}

/** Statements to begin with; open in a browser that has executed none, until one returns rows. */
function Examples({ run: { outcomes } }: { readonly run: TabRun }) {
  const isOpen = useSignal(executed.peek().length === 0);
  const hasRows = outcomes.value.some(({ kind }) => kind === 'rows');
  useEffect(() => {
    if (hasRows) isOpen.value = false;
  }, [hasRows]);
  return (
    <details open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Examples</summary>
      <p class="hint">
        Each button puts a statement into the editor: edit it, and run it. Plot draws the selected rows. To import a CSV
        file, go to <a href={linkTo('caches')}>Caches and tables</a>.
      </p>
      <FurtherQueries />
      <p class="actions">
        {EXAMPLES.map(([text, sql]) => (
          <Button key={text} onClick={() => replaceDraft(sql)}>
            {text}
          </Button>
        ))}
      </p>
    </details>
  );
}

interface SaveButtonsProps {
  readonly tab: QueryTab;
  readonly isSaving: boolean;
  readonly onSave: () => void;
  readonly onProperties: (id: string) => void;
}

/** Saves the tab's content, if the user may, and names its saved query. */
function SaveButtons({ tab, isSaving, onSave, onProperties }: SaveButtonsProps) {
  const { saved } = tab;
  const isEmpty = tab.sql.trim() === '';
  const saves = saved?.changeable === true && mayUpdate();
  return (
    <>
      {saves && (
        <Button disabled={isEmpty || isSaving || !isModified(tab)} title="Control+S" onClick={onSave}>
          {isModified(tab) ? 'Save' : 'Saved'}
        </Button>
      )}
      {mayAdd() && (
        <Button disabled={isEmpty} onClick={() => openDialog(<SaveAs tab={tab} />)}>
          {saved === undefined ? 'Save …' : 'Save as …'}
        </Button>
      )}
      {saved !== undefined && (
        <Button onClick={() => onProperties(saved.id)}>
          {saved.changeable && mayUpdate() ? 'Share, rename …' : 'Link …'}
        </Button>
      )}
    </>
  );
}

/** The editor of a tab with its buttons, which share a line with the children where there is room. */
function Workbench({ children }: { readonly children: ComponentChildren }) {
  const tab = activeTab.value;
  const { id, sql } = tab;
  const tabRun = runOf(id);
  const selection = useSignal({ from: 0, to: 0 });
  const { from, to } = selection.value;
  const isRunning = tabRun.running.value !== undefined;
  const mayRun = missingToRun.value === '';
  const hasSeveral = statementsOf(sql).length > 1;
  const { error, isRunning: isSaving, attempt } = useAttempt();
  const save = (): void => {
    const now = activeTab.peek();
    const { saved } = now;
    if (now.sql.trim() === '' || isSaving.peek()) return;
    if (saved?.changeable === true && mayUpdate()) void attempt(() => saveTab(now, saved));
    else if (mayAdd()) openDialog(<SaveAs tab={now} />);
  };
  const chosen = () => chosenStatements(activeTab.peek().sql, selection.peek().from, selection.peek().to);
  const all = () => statementsOf(activeTab.peek().sql);
  return (
    <>
      <Editor
        tabId={id}
        value={sql}
        replaced={replacedDrafts.value}
        onValue={(text) => changeTab({ sql: text })}
        onSelect={(start, end) => (selection.value = { from: start, to: end })}
        onRun={() => run(chosen())}
        onRunAll={() => run(all())}
        onSave={save}
        mistake={tabRun.mistake.value}
      />
      <div class="query-tools">
        <p class="actions">
          {mayRun ? (
            <>
              <Button
                class="primary"
                disabled={isRunning}
                title="Control+Enter: the selection, or the statement at the cursor"
                onClick={() => run(chosen())}
              >
                {from === to ? 'Run' : 'Run selection'}
              </Button>
              {hasSeveral && (
                <Button
                  disabled={isRunning}
                  title="Control+Shift+Enter: one statement after the other, until one fails"
                  onClick={() => run(all())}
                >
                  Run all
                </Button>
              )}
              <Button disabled={isRunning} onClick={() => run(chosen().slice(0, 1), 'explain')}>
                Explain
              </Button>
            </>
          ) : (
            <span class="hint">You need {missingToRun.value} to run statements.</span>
          )}
          <SaveButtons
            tab={tab}
            isSaving={isSaving.value}
            onSave={save}
            onProperties={(savedId) => attempt(() => openProperties(savedId))}
          />
          <Button onClick={() => openDialog(<Library />)}>Saved and history</Button>
          {mayRun && (
            <span class="hint">
              Control+Enter runs{hasSeveral ? ' the marked statement' : ''}. Write :name for a parameter.
            </span>
          )}
        </p>
        {children}
      </div>
      <Failure text={error.value} />
      <ParameterForm onRun={() => run(chosen())} />
    </>
  );
}

export function Query() {
  useEffect(() => {
    void readSchema();
  }, []);
  const given = address.value.params.get('sql');
  useEffect(() => {
    // A link only proposes a statement: the user runs it.
    if (given !== null) openStatement(given);
  }, [given]);
  useSavedLink();
  const showsRunning = useSignal(false);
  const mayRun = missingToRun.value === '';
  const { id, schema } = activeTab.value;
  return (
    <>
      <h1 class="hidden">Query</h1>
      <QueryTabs />
      <Failure text={linkFailure.value} />
      <Workbench key={`${id}`}>
        {mayRun ? <Examples run={runOf(id)} /> : <FurtherQueries />}
        <details>
          <summary>Default schema{schema !== '' && ` (of ${schema})`}</summary>
          <div class="form-row">
            <TextField
              label="Cache whose schema is the default"
              hint="Empty: PUBLIC"
              value={schema}
              onValue={(text) => changeTab({ schema: text })}
            />
          </div>
        </details>
        {mayRun && (
          <details onToggle={(event) => (showsRunning.value = event.currentTarget.open)}>
            <summary>Running statements</summary>
            {showsRunning.value && <Running />}
          </details>
        )}
      </Workbench>
      {mayRun && isSchemaForbidden.value && (
        <p class="hint">
          The editor completes the tables that you may read. Other tables and the system views need more rights.
        </p>
      )}
      <Outcomes
        run={runOf(id)}
        onMeasure={({ tab, place }) => execute(tab, [place], 'measure')}
        onCreate={createIndex}
        key={`results-${id}`}
      />
    </>
  );
}
