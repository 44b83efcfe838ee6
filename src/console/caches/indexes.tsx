/** The tab Indexes: those of a table, and the forms that create and drop them. */
import { useSignal } from '@preact/signals';
import { SqlDialog } from '../definitions/statement-dialog.tsx';
import { createIndex, dropIndex, type NewIndex } from '../definitions/statements.ts';
import { Button, bound, SelectField, Table, TextField } from '../elements/elements.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { DEFINE, mayEverywhere } from '../requests/access.ts';
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
  const drop = (name: string): void =>
    openDialog(
      <SqlDialog
        title={`Drop the index ${name}`}
        statement={dropIndex(table, name)}
        action="Drop the index"
        isDangerous
        onDone={reload}
      />,
    );
  const mayDefine = mayEverywhere(DEFINE);
  return (
    <>
      <h2 class="hidden">Indexes</h2>
      <Table
        caption="Indexes"
        columns={['Index', 'Columns', 'Kind', ...(mayDefine ? ['Change'] : [])]}
        empty="The indexes cannot be read."
        rows={(cache.indexes ?? []).map(({ name, columns, isUnique }) => ({
          key: name,
          cells: [
            <code key="name">{name}</code>,
            <code key="columns">{partsOf(columns)}</code>,
            name === PRIMARY ? 'primary key' : isUnique ? 'unique' : 'ordered',
            ...(mayDefine
              ? [
                  name === PRIMARY ? (
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
      <p class="hint">
        An index finds rows by its columns and reads them in its order. It ends with the key columns. Each index slows
        down writes.
      </p>
      {mayDefine && (
        <p class="actions">
          <Button
            class="primary"
            onClick={() => openDialog(<CreateIndex cache={cache} table={table} onCreated={reload} />)}
          >
            Create an index …
          </Button>
        </p>
      )}
    </>
  );
}

interface CreateIndexProps {
  readonly cache: CacheDescription;
  readonly table: NonNullable<CacheDescription['table']>;
  readonly onCreated: () => Promise<void>;
}

function CreateIndex({ cache, table, onCreated }: CreateIndexProps) {
  const name = useSignal('');
  const columns = useSignal<NewIndex['columns']>([]);
  const statement = createIndex({ table, name: name.value, columns: columns.value });
  const free = cache.columns.filter((column) => !columns.value.some((each) => each.name === column.name));
  return (
    <SqlDialog
      title={`Create an index on ${table.name}`}
      statement={statement}
      action="Create the index"
      problem={columns.value.length === 0 ? 'Choose a column.' : ''}
      onDone={onCreated}
    >
      <TextField label="Name" hint="Empty: the service names it after its columns." {...bound(name)} />
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
            <Button class="link" onClick={() => (columns.value = columns.value.filter((each) => each !== column))}>
              Remove<span class="hidden"> {column.name}</span>
            </Button>
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
    </SqlDialog>
  );
}
