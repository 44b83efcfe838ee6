/** The screen Query: an SQL editor, and what a statement returns. */
import { batch, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { address, linkTo } from '../elements/address.ts';
import { AsCurl } from '../elements/as-curl.tsx';
import { Choices, Failure, SelectField, Status, TextField } from '../elements/elements.tsx';
import { formatBytes, formatMs, formatNumber } from '../elements/formats.ts';
import { rowsCurl } from '../elements/resource-curl.ts';
import { refreshCatalog } from '../requests/catalog.ts';
import { messageOf } from '../requests/request.ts';
import { needsLogin } from '../requests/session.ts';
import { MOST_ROWS, Result, type Statement } from '../rows/result.ts';
import { RowGrid } from '../rows/row-grid.tsx';
import { Editor, type Mistake } from './editor.tsx';
import { Export } from './export.tsx';
import { Plan } from './plan.tsx';
import { ResultPlot } from './result-plot.tsx';
import { Running } from './running.tsx';
import { ScanForms } from './scan.tsx';
import { isSchemaForbidden, readSchema } from './schema.ts';
import {
  changeDraft,
  clearExecuted,
  draft,
  executed,
  noteExecuted,
  removeQuery,
  replaceDraft,
  replacedDrafts,
  saved,
  saveQuery,
} from './stored.ts';

const TYPES = ['string', 'int', 'long', 'double', 'boolean', 'decimal', 'date', 'time', 'timestamp', 'uuid', 'null'];
/** What somebody new needs to see rows of their own in a plot, in this order. */
const EXAMPLES: ReadonlyArray<readonly [text: string, sql: string]> = [
  ['Create a table', 'CREATE TABLE sales (\n  id INT PRIMARY KEY,\n  day DATE,\n  amount DECIMAL(9, 2)\n)'],
  [
    'Insert rows',
    "INSERT INTO sales (id, day, amount) VALUES\n  (1, DATE '2026-01-05', 120.50),\n" +
      "  (2, DATE '2026-01-06', 80),\n  (3, DATE '2026-01-07', 210.25)",
  ],
  ['Select rows', 'SELECT day, amount FROM sales ORDER BY day'],
];
const DEFINITION = /^\s*(?:create|alter|drop)\b/i;
const READING = /^\s*(?:select|with|values|show|explain)\b/i;

/** What is shown; kept while other screens are. */
const result = signal<Result | undefined>(undefined);
const plan = signal<string | undefined>(undefined);
const running = signal<Result | undefined>(undefined);
const failure = signal('');
const mistake = signal<Mistake | undefined>(undefined);
const args = signal<Statement['args']>([]);
const schema = signal('');
const view = signal<'rows' | 'plot'>('rows');

/** Executes a statement with a prefix that the editor does not show. */
async function execute(sql: string, use: (executed: Result) => void, prefix = ''): Promise<void> {
  running.value?.close();
  const started = new Result({ sql: `${prefix}${sql}`, args: args.value, schema: schema.value });
  batch(() => {
    running.value = started;
    failure.value = '';
    mistake.value = undefined;
  });
  try {
    await started.open();
    if (running.value === started) use(started);
    else started.close();
  } catch (error) {
    if (running.value !== started) return;
    const text = isAbort(error) ? 'The statement was cancelled.' : messageOf(error);
    batch(() => {
      failure.value = text;
      mistake.value = mistakeIn(text, prefix);
    });
  } finally {
    if (running.value === started) running.value = undefined;
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

async function run(): Promise<void> {
  const sql = draft.value;
  if (sql.trim() === '') {
    failure.value = 'Write a statement first.';
    return;
  }
  noteExecuted(sql);
  await execute(sql, (executedResult) => {
    result.value?.close();
    result.value = executedResult;
    plan.value = undefined;
    view.value = 'rows';
    if (DEFINITION.test(sql)) void readSchema();
    if (!READING.test(sql)) void refreshCatalog();
  });
}

/** Returns the position in the editor that the error of a statement names. */
function mistakeIn(text: string, { length }: string): Mistake | undefined {
  const [, line, column] = /\(at line (\d+), column (\d+)\)$/.exec(text) ?? [];
  if (line === undefined || column === undefined) return undefined;
  const at = Number(column) - (line === '1' ? length : 0);
  return { line: Number(line), column: Math.max(1, at) };
}

async function explain(): Promise<void> {
  const show = (executedResult: Result): void => {
    plan.value = [...executedResult.keptRows(100)].map(([line]) => String(line)).join('\n');
    executedResult.close();
  };
  await execute(draft.value, show, 'EXPLAIN ');
}

/** Ends the statement; the service notices that its client is gone. */
function cancel(): void {
  running.value?.close();
}

function Arguments() {
  const change = (index: number, part: Partial<Statement['args'][number]>): void => {
    args.value = args.value.map((each, at) => (at === index ? { ...each, ...part } : each));
  };
  return (
    <details>
      <summary>Arguments and schema{args.value.length > 0 && ` (${args.value.length})`}</summary>
      <p class="hint">One argument for each ? of the statement, in order.</p>
      {args.value.map(({ type, value }, index) => (
        <div class="form-row" key={`${index}`}>
          <SelectField
            label={`Type of argument ${index + 1}`}
            value={type}
            options={TYPES}
            onValue={(chosen) => change(index, { type: chosen })}
          />
          {type !== 'null' && (
            <TextField
              label={`Value of argument ${index + 1}`}
              value={value}
              onValue={(text) => change(index, { value: text })}
            />
          )}
        </div>
      ))}
      <p class="actions">
        <button type="button" onClick={() => (args.value = [...args.value, { type: 'string', value: '' }])}>
          Add argument
        </button>
        {args.value.length > 0 && (
          <button type="button" onClick={() => (args.value = args.value.slice(0, -1))}>
            Remove last argument
          </button>
        )}
      </p>
      <div class="form-row">
        <TextField
          label="Cache whose schema is the default"
          hint="Empty: PUBLIC"
          value={schema.value}
          onValue={(text) => (schema.value = text)}
        />
      </div>
    </details>
  );
}

/** Statements to begin with; open until the first statement was executed in this browser. */
function Examples() {
  const isOpen = useSignal(executed.peek().length === 0);
  return (
    <details open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Examples</summary>
      <p class="hint">
        Each puts a statement into the editor: change it as you like, and run it. Plot draws what was selected. Rows
        from a CSV file are imported on the screen <a href={linkTo('caches')}>Caches and tables</a>.
      </p>
      <p class="actions">
        {EXAMPLES.map(([text, sql]) => (
          <button key={text} type="button" onClick={() => replaceDraft(sql)}>
            {text}
          </button>
        ))}
      </p>
    </details>
  );
}

function Saved() {
  const name = useSignal('');
  return (
    <details>
      <summary>History and saved queries</summary>
      <form
        class="form-row"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.value !== '') saveQuery(name.value, draft.value);
          name.value = '';
        }}
      >
        <TextField label="Name of the query" value={name.value} onValue={(text) => (name.value = text)} />
        <p class="actions">
          <button type="submit" disabled={name.value === ''}>
            Save query
          </button>
        </p>
      </form>
      <h2>Saved queries</h2>
      {saved.value.length === 0 && <p class="hint">None is saved. This browser keeps them.</p>}
      <ul>
        {saved.value.map((query) => (
          <li key={query.name}>
            <button type="button" class="link" onClick={() => replaceDraft(query.sql)}>
              {query.name}
            </button>{' '}
            <button type="button" class="plain" onClick={() => removeQuery(query.name)}>
              Remove<span class="hidden"> {query.name}</span>
            </button>
          </li>
        ))}
      </ul>
      <h2>History</h2>
      {executed.value.length === 0 && <p class="hint">No statement was executed in this browser.</p>}
      <ul>
        {executed.value.slice(0, 20).map((sql) => (
          <li key={sql}>
            <button type="button" class="link mono" onClick={() => replaceDraft(sql)}>
              {sql.slice(0, 200)}
            </button>
          </li>
        ))}
      </ul>
      {executed.value.length > 0 && (
        <button type="button" onClick={clearExecuted}>
          Clear history
        </button>
      )}
    </details>
  );
}

const MORE = ' so far; scroll for more';

function Shown({ shown }: { readonly shown: Result }) {
  const rows = `${formatNumber(shown.rowCount.value)} ${shown.rowCount.value === 1 ? 'row' : 'rows'}`;
  const isFull = shown.rowCount.value >= MOST_ROWS;
  const more = shown.isComplete.value ? '' : isFull ? ', which are all that can be shown; export the others' : MORE;
  const time = shown.timeMs.value === undefined ? '' : `, first page in ${formatMs(shown.timeMs.value)}`;
  void shown.version.value;
  return (
    <section aria-labelledby="result">
      <h2 id="result">Result</h2>
      <Status text={`${rows}${more}${time}. ${formatBytes(shown.keptBytes)} kept.`} />
      <Failure text={shown.failure.value} />
      {shown.failure.value !== '' && (
        <button type="button" onClick={() => shown.retry()}>
          Read on
        </button>
      )}
      <Choices
        label="View"
        options={[
          ['rows', 'Rows'],
          ['plot', 'Plot'],
        ]}
        value={view.value}
        onValue={(chosen) => {
          view.value = chosen;
        }}
      />
      {view.value === 'rows' ? <RowGrid label="Result" result={shown} /> : <ResultPlot result={shown} />}
      <Export statement={shown.statement} />
      <AsCurl
        summary="Read the table with curl"
        textOf={(endpoint) => rowsCurl(endpoint, shown.columns.value, needsLogin)}
      />
    </section>
  );
}

export function Query() {
  useEffect(() => {
    void readSchema();
  }, []);
  const given = address.value.params.get('sql');
  useEffect(() => {
    // A link only proposes a statement: the user runs it.
    if (given !== null) replaceDraft(given);
  }, [given]);
  const showsRunning = useSignal(false);
  const isRunning = running.value !== undefined;
  return (
    <>
      <h1>Query</h1>
      <Editor
        value={draft.value}
        replaced={replacedDrafts.value}
        onValue={changeDraft}
        onRun={run}
        mistake={mistake.value}
      />
      <p class="actions">
        <button type="button" class="primary" disabled={isRunning} onClick={run}>
          Run
        </button>
        <button type="button" disabled={!isRunning} onClick={cancel}>
          Cancel
        </button>
        <button type="button" disabled={isRunning} onClick={explain}>
          Explain
        </button>
        <span class="hint">Control+Enter runs. Escape closes completions.</span>
      </p>
      {isSchemaForbidden.value && (
        <p class="hint">
          You may not read the system views, so the editor completes no tables and columns. Statements on what you may
          read are executed.
        </p>
      )}
      <Examples />
      <Arguments />
      <Saved />
      <Failure text={failure.value} />
      <div role="status">{isRunning && <p class="status">Running …</p>}</div>
      {plan.value !== undefined && (
        <section aria-labelledby="plan">
          <h2 id="plan">Plan</h2>
          <Plan text={plan.value} />
        </section>
      )}
      {result.value !== undefined && <Shown shown={result.value} key={result.value.statement.sql} />}
      <details>
        <summary>Scans and type queries</summary>
        <ScanForms />
      </details>
      <details onToggle={(event) => (showsRunning.value = event.currentTarget.open)}>
        <summary>Running statements</summary>
        {showsRunning.value && <Running />}
      </details>
    </>
  );
}
