/** Imports a file into a table that does not exist yet: what the service infers can be corrected before. */
import { useSignal } from '@preact/signals';
import type { ImportResultPlan as Plan, ImportResultPlanColumns as PlannedColumn } from '../../client/commands.ts';
import { Dialog, SelectField, Status, Table, TextField } from '../elements/elements.tsx';
import { messageOf } from '../requests/request.ts';
import { upload } from '../requests/upload.ts';
import { FileField, mediaTypeOf, RunButtons, useImportRun } from './import-run.tsx';
import { cacheOfTable } from './statements.ts';

/** Bytes of a file from which its columns are inferred. */
const SAMPLE_BYTES = 128 * 1_024;
const TYPES = ['INTEGER', 'BIGINT', 'DECIMAL', 'DOUBLE', 'BOOLEAN', 'DATE', 'TIMESTAMP', 'UUID', 'VARCHAR'] as const;

/** A column as the service inferred it, and as the user wants it. */
interface EditedColumn extends PlannedColumn {
  readonly inferred: PlannedColumn;
  /** Whether the number of the record becomes its value. */
  readonly isNumber: boolean;
}

function editedOf({ columns, parameters }: Plan): readonly EditedColumn[] {
  return columns.map((column) => ({
    ...column,
    inferred: column,
    isNumber: column.name === parameters.rowNumber?.toUpperCase(),
  }));
}

/** Returns the parameters of an import that creates the table as the user wants it. */
function parametersOf(plan: Plan, edited: readonly EditedColumn[]): Readonly<Record<string, string>> {
  const { rowNumber, ...reading } = plan.parameters;
  const own = edited.filter(({ isNumber }) => !isNumber);
  const isRenamed = own.some(({ name, inferred }) => name !== inferred.name);
  const types = own.filter(({ type, inferred }) => type !== inferred.type).map(({ name, type }) => `${name}=${type}`);
  const keys = own.filter(({ key }) => key).map(({ name }) => name);
  const isKeyed = edited.some(({ key, inferred }) => key !== inferred.key) && keys.length > 0;
  const isNumbered = edited.some(({ isNumber, key }) => isNumber && key);
  return {
    ...reading,
    create: 'true',
    ...(isRenamed && { columns: own.map(({ name }) => name).join(',') }),
    ...(types.length > 0 && { types: types.join(',') }),
    ...(isKeyed && { key: keys.join(',') }),
    ...(isNumbered && rowNumber !== undefined && { rowNumber }),
  };
}

/** Returns the name of a table like that of a file. */
function tableLike(file: string): string {
  // As svc import does: dots but that of the ending belong to the name.
  const stem = file.replace(/\.gz$/i, '').replace(/\.\p{L}\w*$/u, '');
  const name = stem.replace(/[^\p{L}\p{Nd}_]+/gu, '_').replace(/^_+|_+$/g, '');
  return /^\p{Nd}/u.test(name) ? `t_${name}` : name;
}

/** What the first line of CSV is; inferred: the service decides, and rejects a file in which nothing tells. */
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
  const change = (at: number, changes: Partial<PlannedColumn>): void =>
    onColumns(columns.map((column, index) => (index === at ? { ...column, ...changes } : column)));
  return (
    <Table
      caption="Columns of the new table"
      columns={['Column', 'Type', 'Key', 'May be NULL']}
      empty="There are no columns."
      rows={columns.map(({ name, type, key, inferred, isNumber }, at) => ({
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
            'number of the record'
          ) : (
            <select
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
            checked={key}
            onChange={(event) => change(at, { key: event.currentTarget.checked })}
          />,
          inferred.nullable && !key ? 'yes' : 'no',
        ],
      }))}
    />
  );
}

export interface ImportTableProps {
  /** Called with the name of the cache of the table. */
  readonly onImported: (cacheName: string) => Promise<void>;
}

export function ImportTable({ onImported }: ImportTableProps) {
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
    const sample = new File([source.slice(0, SAMPLE_BYTES)], source.name);
    const last = String(source.size <= SAMPLE_BYTES);
    const params = { table: table.value, dryRun: 'true', last, ...headerOf(firstLine.value) };
    const { signal } = new AbortController();
    try {
      const report = await upload('import', params, sample, mediaTypeOf(source), signal, () => {});
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
  const isReady = file.value !== undefined && table.value !== '';
  return (
    <Dialog title="Import a file into a new table" isWide>
      <form onSubmit={submit}>
        <FileField
          onFile={(chosen) => {
            file.value = chosen;
            plan.value = undefined;
            if (chosen === undefined) return;
            table.value = tableLike(chosen.name);
            void infer(chosen);
          }}
        />
        <TextField
          label="Table"
          required
          value={table.value}
          onValue={(name) => {
            table.value = name;
            plan.value = undefined;
          }}
        />
        <SelectField
          label="First line of CSV"
          value={firstLine.value}
          options={FIRST_LINES}
          onValue={(first) => {
            firstLine.value = first;
            if (file.value !== undefined) void infer(file.value);
          }}
        />
        {plan.value?.statement === null && (
          <p class="hint">This table exists: the file is added to it, by the names of its columns.</p>
        )}
        {plan.value !== undefined && plan.value.statement !== null && (
          <Columns
            columns={columns.value}
            canRename={plan.value.parameters.delimiter !== undefined}
            onColumns={(changed) => (columns.value = changed)}
          />
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
        <RunButtons run={run} disabled={plan.value === undefined} />
      </form>
    </Dialog>
  );
}
