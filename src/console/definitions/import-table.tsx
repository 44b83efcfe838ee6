/** Imports a file into a table that does not exist yet. The inferred columns can be corrected first. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ImportResultPlan as Plan, ImportResultPlanColumns as PlannedColumn } from '../../client/commands.ts';
import { Dialog, SelectField, Status, Table, TextField } from '../elements/elements.tsx';
import { messageOf } from '../requests/request.ts';
import { upload } from '../requests/upload.ts';
import { FileField, mediaTypeOf, RunButtons, useImportRun } from './import-run.tsx';
import { importable } from './json-lines.ts';
import { cacheOfTable } from './statements.ts';

/** Bytes of a file from which its columns are inferred. */
const SAMPLE_BYTES = 128 * 1_024;
/** Maximum number of characters of a text shown in the first rows. */
const SHOWN_CHARACTERS = 100;
const TYPES = ['INTEGER', 'BIGINT', 'DECIMAL', 'DOUBLE', 'BOOLEAN', 'DATE', 'TIMESTAMP', 'UUID', 'VARCHAR'] as const;

/** A column as the service inferred it, and as the user wants it. */
interface EditedColumn extends PlannedColumn {
  readonly inferred: PlannedColumn;
  /** Whether the number of the record becomes its value. */
  readonly isNumber: boolean;
  /** Whether it is left out. */
  readonly isOmitted: boolean;
}

function editedOf({ columns, parameters }: Plan): readonly EditedColumn[] {
  return columns.map((column) => ({
    ...column,
    inferred: column,
    isNumber: column.name === parameters.rowNumber?.toUpperCase(),
    isOmitted: false,
  }));
}

/** Returns the parameters of an import that creates the table as the user wants it. */
function parametersOf(plan: Plan, edited: readonly EditedColumn[]): Readonly<Record<string, string>> {
  const { rowNumber, ...reading } = plan.parameters;
  const all = edited.filter(({ isNumber }) => !isNumber);
  const own = all.filter(({ isOmitted }) => !isOmitted);
  const omitted = all.filter(({ isOmitted }) => isOmitted).map(({ name }) => name);
  const isRenamed = all.some(({ name, inferred }) => name !== inferred.name);
  const types = own.filter(({ type, inferred }) => type !== inferred.type).map(({ name, type }) => `${name}=${type}`);
  const keys = own.filter(({ key }) => key).map(({ name }) => name);
  const isKeyed = edited.some(({ key, inferred, isOmitted }) => key !== inferred.key || isOmitted) && keys.length > 0;
  const isNumbered = edited.some(({ isNumber, key }) => isNumber && key);
  return {
    ...reading,
    create: 'true',
    ...(isRenamed && { columns: all.map(({ name }) => name).join(',') }),
    ...(omitted.length > 0 && { omit: omitted.join(',') }),
    ...(types.length > 0 && { types: types.join(',') }),
    ...(isKeyed && { key: keys.join(',') }),
    ...(isNumbered && rowNumber !== undefined && { rowNumber }),
  };
}

/** Returns a table name derived from a file name. */
function tableLike(file: string): string {
  // Like svc import: all dots except the extension's belong to the name.
  const stem = file.replace(/\.gz$/i, '').replace(/\.\p{L}\w*$/u, '');
  const name = stem.replace(/[^\p{L}\p{Nd}_]+/gu, '_').replace(/^_+|_+$/g, '');
  return /^\p{Nd}/u.test(name) ? `t_${name}` : name;
}

/** The meaning of the first line of CSV; with inferred, the service decides, and rejects ambiguous files. */
const FIRST_LINES = ['inferred', 'names of columns', 'a row'] as const;
type FirstLine = (typeof FIRST_LINES)[number];

function headerOf(first: FirstLine): Readonly<Record<string, string>> {
  return first === 'inferred' ? {} : { header: String(first === 'names of columns') };
}

interface ColumnsProps {
  readonly columns: readonly EditedColumn[];
  readonly canRename: boolean;
  readonly onColumns: (columns: readonly EditedColumn[]) => void;
}

function Columns({ columns, canRename, onColumns }: ColumnsProps) {
  const change = (at: number, changes: Partial<EditedColumn>): void =>
    onColumns(columns.map((column, index) => (index === at ? { ...column, ...changes } : column)));
  return (
    <Table
      caption="Columns of the new table"
      columns={['Column', 'Import', 'Type', 'Key', 'May be NULL']}
      empty="There are no columns."
      rows={columns.map(({ name, type, key, inferred, isNumber, isOmitted }, at) => ({
        key: inferred.name,
        cells: [
          canRename && !isNumber ? (
            <input
              aria-label={`Name of ${inferred.name}`}
              value={name}
              required
              onInput={(event) => change(at, { name: event.currentTarget.value })}
            />
          ) : (
            name
          ),
          isNumber ? (
            ''
          ) : (
            <input
              key="import"
              type="checkbox"
              aria-label={`Import ${inferred.name}`}
              checked={!isOmitted}
              onChange={(event) => change(at, { isOmitted: !event.currentTarget.checked })}
            />
          ),
          isNumber ? (
            'number of the record'
          ) : (
            <select
              disabled={isOmitted}
              aria-label={`Type of ${inferred.name}`}
              value={type}
              onChange={(event) => change(at, { type: event.currentTarget.value })}
            >
              {TYPES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          ),
          <input
            key="key"
            type="checkbox"
            aria-label={`${inferred.name} is part of the key`}
            checked={key && !isOmitted}
            disabled={isOmitted}
            onChange={(event) => change(at, { key: event.currentTarget.checked })}
          />,
          isOmitted ? '' : inferred.nullable && !key ? 'yes' : 'no',
        ],
      }))}
    />
  );
}

/** The first records as the rows that they will become. */
function FirstRows({ plan, columns }: { readonly plan: Plan; readonly columns: readonly EditedColumn[] }) {
  const shown = plan.columns.flatMap((_, at) => (columns[at]?.isOmitted === true ? [] : [at]));
  const headOf = (at: number): string =>
    `${columns[at]?.name} ${columns[at]?.isNumber ? '' : columns[at]?.type}`.trim();
  return (
    <Table
      caption="First rows"
      columns={shown.map(headOf)}
      empty="There are no rows."
      rows={plan.sample.map((row, index) => ({
        key: `${index}`,
        cells: shown.map((at) => {
          const text = row[at];
          if (text === null || text === undefined) return <span class="hint">NULL</span>;
          return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)} …` : text;
        }),
      }))}
    />
  );
}

export interface ImportTableProps {
  /** The file that was chosen elsewhere; if undefined, the form asks for one. */
  readonly given?: File | undefined;
  /** Called with the name of the cache of the table. */
  readonly onImported: (cacheName: string) => Promise<void>;
}

export function ImportTable({ given, onImported }: ImportTableProps) {
  const file = useSignal<File | undefined>(undefined);
  const table = useSignal('');
  const firstLine = useSignal<FirstLine>('inferred');
  const plan = useSignal<Plan | undefined>(undefined);
  const columns = useSignal<readonly EditedColumn[]>([]);
  const run = useImportRun();
  const isInferring = useSignal(false);
  const infer = async (source: File): Promise<void> => {
    plan.value = undefined;
    isInferring.value = true;
    run.status.value = '';
    run.error.value = '';
    const last = String(source.size <= SAMPLE_BYTES);
    const params = {
      table: table.value,
      dryRun: 'true',
      last,
      ...(mediaTypeOf(source) === 'text/csv' && headerOf(firstLine.value)),
    };
    const { signal } = new AbortController();
    try {
      const sample = await importable(source, SAMPLE_BYTES);
      const report = await upload('import', params, sample, mediaTypeOf(sample), signal, () => {});
      const { plan: found } = report as { readonly plan: Plan };
      plan.value = found;
      columns.value = editedOf(found);
    } catch (problem) {
      run.error.value = messageOf(problem);
    } finally {
      isInferring.value = false;
    }
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { value: source } = file;
    if (source === undefined) return;
    if (plan.value === undefined) return infer(source);
    const { statement, parameters } = plan.value;
    const reading = statement === null ? parameters : parametersOf(plan.value, columns.value);
    if (await run.start({ ...reading, table: table.value }, source)) {
      await onImported(cacheOfTable({ name: table.value, cacheName: '' }));
    }
  };
  const choose = (chosen: File | undefined): void => {
    file.value = chosen;
    plan.value = undefined;
    if (chosen === undefined) return;
    table.value = tableLike(chosen.name);
    void infer(chosen);
  };
  useEffect(() => choose(given), [given]);
  const isReady = file.value !== undefined && table.value !== '';
  const isCsv = file.value === undefined || mediaTypeOf(file.value) === 'text/csv';
  return (
    <Dialog title="Import a file into a new table" isWide>
      <form onSubmit={submit}>
        <FileField file={file.value} onFile={choose} />
        <TextField
          label="Table"
          required
          value={table.value}
          onValue={(name) => {
            table.value = name;
            plan.value = undefined;
          }}
        />
        {isCsv && (
          <SelectField
            label="First line of CSV"
            value={firstLine.value}
            options={FIRST_LINES}
            onValue={(first) => {
              firstLine.value = first;
              if (file.value !== undefined) void infer(file.value);
            }}
          />
        )}
        {plan.value?.statement === null && (
          <p class="hint">This table exists: the rows are added to it, matched by column names.</p>
        )}
        {plan.value !== undefined && plan.value.statement !== null && (
          <Columns
            columns={columns.value}
            canRename={plan.value.parameters.delimiter !== undefined}
            onColumns={(changed) => (columns.value = changed)}
          />
        )}
        {plan.value !== undefined && (
          <>
            <FirstRows plan={plan.value} columns={columns.value} />
            <p class="hint">Nothing is stored yet.</p>
          </>
        )}
        {plan.value?.notes.map((note) => (
          <p key={note} class="hint">
            {note}
          </p>
        ))}
        {plan.value === undefined && !isInferring.value && (
          <p class="actions">
            <button type="submit" class={isReady ? 'primary' : ''} disabled={!isReady}>
              Show columns
            </button>
          </p>
        )}
        {isInferring.value && <Status text="Reading the columns …" />}
        <RunButtons run={run} disabled={plan.value === undefined} isDialogEnd />
      </form>
    </Dialog>
  );
}
