/** The rows of a table in a grid of its columns: sorted and filtered. */

import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { linkTo } from '../elements/address.ts';
import { Button } from '../elements/elements.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { CHANGE, mayOn, mayOnCache } from '../requests/access.ts';
import { useColumnHeads } from './column-heads.tsx';
import { RowDetails } from './entry-details.tsx';
import { GoToRow } from './go-to-row.tsx';
import { KeysetRows } from './keyset-rows.ts';
import type { TableShape } from './row-change.ts';
import { filterProblem, statementOf } from './row-query.ts';
import { shownStatement } from './shown-statement.ts';
import { StoredGrid } from './stored-grid.tsx';
import { tableKind } from './table-kind.ts';
import { useOpenedRows } from './use-opened-rows.ts';

export function TableRows({ cacheName, ...shape }: TableShape & { readonly cacheName: string }) {
  const { table, columns } = shape;
  const kind = useMemo(() => tableKind({ table, columns }), [table, columns]);
  const mayChange = mayOn({ name: cacheName, table }, CHANGE);
  const heads = useColumnHeads();
  const query = { table, columns, filters: heads.filters, order: heads.order };
  const problem = filterProblem(query);
  const sent = useRef(query);
  // Values that do not fit their columns are not sent: the previous rows stay.
  if (problem === undefined) sent.current = query;
  const { sql, args } = statementOf(sent.current);
  const opened = useOpenedRows(() => new KeysetRows(sent.current), JSON.stringify([sql, args]));
  const goTo = useSignal<number | undefined>(undefined);
  const rows = opened.rows.value;
  const show = (index: number): void => {
    goTo.value = undefined;
    goTo.value = index;
  };
  return (
    <StoredGrid
      kind={kind}
      may={{ add: mayChange, change: mayChange, remove: mayChange, follow: mayOnCache(cacheName, ['read']) }}
      cacheName={cacheName}
      opened={opened}
      heads={heads}
      problem={problem}
      goTo={goTo}
      firstActions={
        <Button
          disabled={rows === undefined}
          onClick={() => rows !== undefined && openDialog(<GoToRow rows={rows} onFound={show} />)}
        >
          Go to row …
        </Button>
      }
      lastActions={
        <a href={linkTo('query', { sql: args.length === 0 ? sql : shownStatement(sql, args) })}>Open in Query</a>
      }
      empty={
        heads.isFiltered ? (
          'No row matches the filters.'
        ) : (
          <>
            The table has no rows. Add one, or{' '}
            <a href={linkTo('caches', { name: cacheName, tab: 'transfer' })}>import a file</a>.
          </>
        )
      }
      details={(row) =>
        mayOnCache(cacheName, ['read', 'put']) && (
          <RowDetails
            cacheName={cacheName}
            keys={columns.filter(({ isKey }) => isKey)}
            row={row}
            onChanged={() => opened.rows.peek()?.refresh()}
          />
        )
      }
      statement={shownStatement(sql, args)}
    />
  );
}
