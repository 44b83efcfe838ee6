/** The tab Indexes: those of a table, and the forms that create and drop them. */
import { useSignal } from '@preact/signals';
import { StatementDialog } from '../definitions/statement-dialog.tsx';
import { createIndex, dropIndex, type NewIndex } from '../definitions/statements.ts';
import { SelectField, Table, TextField } from '../elements/elements.tsx';
import { call } from '../requests/request.ts';
import type { CacheDescription } from './cache-list.ts';

interface IndexesProps {
  readonly cache: CacheDescription;
  readonly table: NonNullable<CacheDescription['table']>;
  readonly reload: () => Promise<void>;
}

/** The index of the primary key, which cannot be dropped. */
const PRIMARY = '_key_PK';

/** Returns the parts of an index as users read them: `SHOP, PAY DESC`. */
function partsOf(columns: string): string {
  return columns.replaceAll('"', '').replaceAll(' ASC', '');
}

export function Indexes({ cache, table, reload }: IndexesProps) {
  const isCreating = useSignal(false);
  const dropped = useSignal<string | undefined>(undefined);
  const changed = async (): Promise<void> => {
    await reload();
    isCreating.value = false;
    dropped.value = undefined;
  };
  return (
    <>
      <h2 class="hidden">Indexes</h2>
      <Table
        caption="Indexes"
        columns={['Index', 'Columns', 'Kind', 'Change']}
        empty="The indexes cannot be read."
        rows={cache.indexes.map(({ name, columns, isUnique }) => ({
          key: name,
          cells: [
            <code key="name">{name}</code>,
            <code key="columns">{partsOf(columns)}</code>,
            name === PRIMARY ? 'primary key' : isUnique ? 'unique' : 'ordered',
            name === PRIMARY ? (
              ''
            ) : (
              <button key="drop" type="button" class="link" onClick={() => (dropped.value = name)}>
                Drop<span class="hidden"> {name}</span> …
              </button>
            ),
          ],
        }))}
      />
      <p class="hint">
        An index finds rows by its columns, and reads them in its order. It ends with the columns of the key. Changes of
        rows are slower with each index.
      </p>
      <p class="actions">
        <button type="button" class="primary" onClick={() => (isCreating.value = true)}>
          Create an index …
        </button>
      </p>
      {isCreating.value && (
        <CreateIndex cache={cache} table={table} onCreated={changed} onClose={() => (isCreating.value = false)} />
      )}
      {dropped.value !== undefined && (
        <StatementDialog
          title={`Drop the index ${dropped.value}`}
          language="SQL"
          statement={dropIndex(table, dropped.value)}
          action="Drop the index"
          isDangerous
          problem=""
          onSend={async () => {
            await call('qryfldexe', { qry: dropIndex(table, dropped.value ?? ''), pageSize: 1 });
            await changed();
          }}
          onClose={() => (dropped.value = undefined)}
        />
      )}
    </>
  );
}

interface CreateIndexProps {
  readonly cache: CacheDescription;
  readonly table: NonNullable<CacheDescription['table']>;
  readonly onCreated: () => Promise<void>;
  readonly onClose: () => void;
}

function CreateIndex({ cache, table, onCreated, onClose }: CreateIndexProps) {
  const name = useSignal('');
  const columns = useSignal<NewIndex['columns']>([]);
  const statement = createIndex({ table, name: name.value, columns: columns.value });
  const free = cache.columns.filter((column) => !columns.value.some((each) => each.name === column.name));
  return (
    <StatementDialog
      title={`Create an index of ${table.name}`}
      language="SQL"
      statement={statement}
      action="Create the index"
      problem={columns.value.length === 0 ? 'Choose a column.' : ''}
      onSend={async () => {
        await call('qryfldexe', { qry: statement, pageSize: 1 });
        await onCreated();
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Empty: the service names it after its columns."
        value={name.value}
        onValue={(text) => (name.value = text)}
      />
      <ol class="index-columns">
        {columns.value.map((column, at) => (
          <li key={column.name} class="actions">
            <code>{column.name}</code>
            <label class="checkbox">
              <input
                type="checkbox"
                checked={column.isDescending}
                onChange={({ currentTarget }) =>
                  (columns.value = columns.value.map((each, index) =>
                    index === at ? { ...each, isDescending: currentTarget.checked } : each,
                  ))
                }
              />
              descending<span class="hidden"> {column.name}</span>
            </label>
            <button
              type="button"
              class="link"
              onClick={() => (columns.value = columns.value.filter((each) => each !== column))}
            >
              Leave out<span class="hidden"> {column.name}</span>
            </button>
          </li>
        ))}
      </ol>
      {free.length > 0 && (
        <SelectField
          label={columns.value.length === 0 ? 'First column' : 'Next column'}
          value=""
          options={[['', 'Choose …'], ...free.map((column) => [column.name, column.name] as const)]}
          onValue={(chosen) => {
            if (chosen !== '') columns.value = [...columns.value, { name: chosen, isDescending: false }];
          }}
        />
      )}
    </StatementDialog>
  );
}
