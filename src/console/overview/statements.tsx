/** The running statements, and the slowest since the service started. */

import { linkTo } from '../elements/address.ts';
import { Table } from '../elements/elements.tsx';
import { formatDuration, formatMs, formatNumber, formatValue } from '../elements/formats.ts';
import { Loading } from '../elements/loading.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import { Running } from '../query/running.tsx';
import { useLoaded } from '../requests/polling.ts';
import type { Json } from '../requests/request.ts';
import { readRows } from '../requests/statement.ts';

/** The history changes slowly, and reading it is itself a statement. */
const EVERY_MS = 15_000;
const SHOWN = 8;
const SHOWN_CHARACTERS = 300;
/** Statements of the console itself begin with such a comment. */
const OWN = '/* console:';
const HISTORY =
  `${OWN} slow statements */ SELECT sql, schema_name, executions, failures, duration_max, last_start_time ` +
  `FROM sys.sql_queries_history WHERE duration_max >= ? AND sql NOT LIKE '${OWN}%' ` +
  `ORDER BY duration_max DESC LIMIT ${SHOWN}`;

/** Returns when something happened: the views have texts in UTC or milliseconds since 1970. */
function startedAt(value: Json | undefined): string {
  const ms = typeof value === 'string' ? Date.parse(`${value.replace(' ', 'T')}Z`) : Number(value);
  return Number.isFinite(ms) ? `${formatDuration(Math.max(0, Date.now() - ms))} ago` : formatValue(value);
}

function Slow({ slowMs }: { readonly slowMs: number }) {
  const loaded = useLoaded((signal) => readRows(HISTORY, SHOWN, signal, [slowMs]), `slow ${slowMs}`, EVERY_MS);
  const limit = formatMs(slowMs);
  const { value, error } = loaded;
  if (error.value !== '') return <ReadProblem of={loaded} what="the slow statements" />;
  if (value.value === undefined) return <Loading />;
  return (
    <Table
      caption={`Slow statements since startup: those that took ${limit} or longer`}
      columns={['Statement', 'Longest', 'Executions', 'Failures', 'Last']}
      numeric={['Longest', 'Executions', 'Failures', 'Last']}
      empty={`No statement has taken ${limit} or longer since startup.`}
      rows={value.value.map(([sql, schema, executions, failures, longest, last]) => ({
        key: `${formatValue(schema)} ${formatValue(sql)}`,
        cells: [
          <a key="sql" class="statement" href={linkTo('query', { sql: formatValue(sql) })}>
            <code>{formatValue(sql).slice(0, SHOWN_CHARACTERS)}</code>
          </a>,
          formatMs(Number(longest)),
          formatNumber(Number(executions)),
          formatNumber(Number(failures)),
          startedAt(last),
        ],
      }))}
    />
  );
}

export function Statements({ slowMs }: { readonly slowMs: number }) {
  return (
    <section id="statements" tabIndex={-1} aria-labelledby="statements-title">
      <h2 id="statements-title">Statements</h2>
      <Running />
      <Slow slowMs={slowMs} />
    </section>
  );
}
