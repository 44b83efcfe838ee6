/** The form that creates a table, next to its statement. */
import { useSignal } from '@preact/signals';
import { boundText, TextField } from '../elements/elements.tsx';
import { useCacheOptions } from './cache-options.tsx';
import { ColumnEditor } from './column-editor.tsx';
import { SqlDialog } from './statement-dialog.tsx';
import { cacheOfTable, createTable, EMPTY_COLUMN, type NewColumn, tableProblem } from './statements.ts';

export interface NewTableFormProps {
  /** Called with the name of the cache of the table. */
  readonly onCreated: (cacheName: string) => Promise<void>;
}

const FIRST_COLUMNS: readonly NewColumn[] = [
  { ...EMPTY_COLUMN, name: 'id', type: 'BIGINT', isKey: true, isNotNull: true },
  { ...EMPTY_COLUMN, name: 'name' },
];

export function NewTable({ onCreated }: NewTableFormProps) {
  const texts = useSignal({ name: '', cacheName: '', template: '', backups: '' });
  const columns = useSignal(FIRST_COLUMNS);
  const options = useCacheOptions();
  const table = {
    ...texts.value,
    columns: columns.value,
    ...options.values,
  };
  const statement = createTable(table);
  const field = (name: keyof typeof texts.value, label: string, hint?: string) => (
    <TextField label={label} hint={hint} required={name === 'name'} {...boundText(texts, name)} />
  );
  const problem = options.problem || tableProblem(table);
  return (
    <SqlDialog
      title="Create a table"
      statement={statement}
      action="Create table"
      problem={problem}
      onDone={() => onCreated(cacheOfTable(table))}
    >
      {field('name', 'Table')}
      <ColumnEditor columns={columns.value} onColumns={(changed) => (columns.value = changed)} />
      <details>
        <summary>Time to live, feed and cache</summary>
        {options.fields('rows', 'Empty: rows stay until they are deleted.')}
        <div class="form-row">
          {field('cacheName', 'Cache', 'Empty: SQL_PUBLIC_ and the name of the table.')}
          {field('template', 'Template', 'PARTITIONED, REPLICATED or a configured template.')}
          {field('backups', 'Backups', 'Copies on other nodes of a cluster.')}
        </div>
      </details>
    </SqlDialog>
  );
}
