/** The tab Structure: the parts of a cache or table, and the forms that change it. */
import { useSignal } from '@preact/signals';
import { SqlDialog } from '../definitions/statement-dialog.tsx';
import { addColumn, COLUMN_TYPES, dropColumn, mayHaveSize } from '../definitions/statements.ts';
import { Button, bound, SelectField, Table, TextField, type Tile, Tiles } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { openDialog } from '../elements/opened-dialog.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import { DEFINE, mayEverywhere, mayOnCache } from '../requests/access.ts';
import { isPartial } from '../requests/catalog.ts';
import { useLoaded } from '../requests/polling.ts';
import type { CacheDescription } from './cache-list.ts';
import { readSettings } from './cache-settings.ts';
import { ratioOf, readMetrics } from './hit-ratios.ts';
import { Removal } from './removal.tsx';

interface StructureProps {
  readonly cache: CacheDescription;
  readonly reload: () => Promise<void>;
}

export function Structure({ cache, reload }: StructureProps) {
  const { table, columns } = cache;
  return (
    <>
      <h2 class="hidden">Structure</h2>
      {table !== undefined && <Columns table={table} columns={columns} onChanged={reload} />}
      {mayOnCache(cache.name, ['read']) && <OfCache cache={cache} />}
      <Removal cache={cache} onChanged={reload} />
    </>
  );
}

/** The properties of the cache that commands report. */
function OfCache({ cache }: { readonly cache: CacheDescription }) {
  const metrics = useLoaded((signal) => readMetrics(cache.name, signal), cache.name);
  const settings = useLoaded((signal) => readSettings(cache.name, signal), cache.name);
  const { hits = 0, misses = 0, reads = 0, writes = 0 } = metrics.value.value ?? {};
  const { value: known } = settings.value;
  const tiles: readonly Tile[] = [
    [cache.table === undefined ? 'Entries' : 'Rows', cache.size === null ? '–' : formatNumber(cache.size)],
    ['Region', cache.region],
    ['Mode', cache.mode],
    ['Backups', cache.backups === null ? '–' : formatNumber(cache.backups)],
    ['Atomicity', known?.atomicity ?? '–'],
    ['Hit ratio', ratioOf({ hits, misses })],
    ['Reads', formatNumber(reads)],
    ['Writes', formatNumber(writes)],
  ];
  return (
    <>
      <h2>Cache</h2>
      <ReadProblem of={metrics} what="its metrics" />
      <Tiles tiles={tiles} />
      {cache.table !== undefined && (
        <p class="hint">
          The rows of the table are the entries of the cache <code>{cache.name}</code>, which commands read by key.
        </p>
      )}
      {known !== undefined && known.group !== cache.name && (
        <p class="hint">
          It belongs to the cache group <code>{known.group}</code>.
        </p>
      )}
    </>
  );
}

interface ColumnsProps {
  readonly table: NonNullable<CacheDescription['table']>;
  readonly columns: CacheDescription['columns'];
  readonly onChanged: () => Promise<void>;
}

function Columns({ table, columns, onChanged }: ColumnsProps) {
  const drop = (name: string): void =>
    openDialog(
      <SqlDialog
        title={`Drop the column ${name}`}
        language="SQL, which removes the values of all rows"
        statement={dropColumn(table, name)}
        action="Drop the column"
        isDangerous
        onDone={onChanged}
      />,
    );
  const others = columns.filter(({ isKey }) => !isKey).length;
  const mayDefine = mayEverywhere(DEFINE);
  // Users who may not read the system views know names and types.
  const shown = isPartial.value ? ['Column', 'Type'] : ['Column', 'Type', 'Key', 'NULL', 'Default'];
  return (
    <>
      <Table
        caption="Columns"
        columns={mayDefine ? [...shown, 'Change'] : shown}
        empty="The columns cannot be read."
        rows={columns.map(({ name, sqlType, isKey, isNullable, defaultValue }) => ({
          key: name,
          cells: [
            <code key="name">{name}</code>,
            // In one line: DECIMAL(9, 2).
            sqlType.replaceAll(' ', '\u00a0'),
            ...(isPartial.value
              ? []
              : [
                  isKey ? 'primary key' : '',
                  isNullable && !isKey ? 'allowed' : 'not allowed',
                  defaultValue === null ? '' : <code key="default">{defaultValue}</code>,
                ]),
            ...(mayDefine
              ? [
                  isKey || others < 2 ? (
                    ''
                  ) : (
                    <Button key="drop" class="link" onClick={() => drop(name)}>
                      Drop<span class="hidden"> {name}</span> …
                    </Button>
                  ),
                ]
              : []),
          ],
        }))}
      />
      {mayDefine && (
        <p class="actions">
          <Button onClick={() => openDialog(<AddColumn table={table} onAdded={onChanged} />)}>Add a column …</Button>
        </p>
      )}
    </>
  );
}

interface AddColumnProps {
  readonly table: NonNullable<CacheDescription['table']>;
  readonly onAdded: () => Promise<void>;
}

function AddColumn({ table, onAdded }: AddColumnProps) {
  const name = useSignal('');
  const type = useSignal<string>('VARCHAR');
  const size = useSignal('');
  const column = { name: name.value, type: type.value, size: size.value };
  const statement = addColumn(table, { ...column, isKey: false, isNotNull: false, defaultText: '' });
  return (
    <SqlDialog
      title={`Add a column to ${table.name}`}
      statement={statement}
      action="Add the column"
      problem={name.value.trim() === '' ? 'Name the column.' : ''}
      onDone={onAdded}
    >
      <TextField label="Name" required {...bound(name)} />
      <SelectField label="Type" {...bound(type)} options={COLUMN_TYPES} hint="Existing rows get NULL." />
      {mayHaveSize(type.value) && (
        <TextField
          label={type.value === 'DECIMAL' ? 'Digits, and digits after the point' : 'Maximum length'}
          {...bound(size)}
        />
      )}
    </SqlDialog>
  );
}
