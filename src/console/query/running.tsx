/** Statements and scans that run, and their end. */
import { useAttempt } from '../elements/attempt.ts';
import { Button, Failure, Table } from '../elements/elements.tsx';
import { formatMs, formatValue } from '../elements/formats.ts';
import { ReadProblem } from '../elements/read-problem.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { readRows } from '../requests/statement.ts';

/** Often enough to follow what happens, and no load for the service. */
const EVERY_MS = 3_000;
/** Statements of the console itself begin with such a comment. */
const OWN = '/* console:';
const RUNNING =
  `${OWN} running statements */ ` +
  `SELECT query_id, sql, start_time, duration, schema_name FROM sys.sql_queries ORDER BY 3`;

/** Nobody looks through more. */
const MAX_ROWS = 500;

export function Running() {
  const { error, attempt } = useAttempt();
  const loaded = useLoaded((signal) => readRows(RUNNING, MAX_ROWS, signal), 'running', EVERY_MS);
  const { value, reload } = loaded;
  const kill = (qryId: string): Promise<void> =>
    attempt(async () => {
      await call('qrykill', { qryId });
      await reload();
    });
  const rows = (value.value ?? []).filter(([, sql]) => !formatValue(sql).startsWith(OWN));
  return (
    <section aria-label="Running statements">
      <ReadProblem of={loaded} what="what runs" />
      <Failure text={error.value} />
      {value.value !== undefined && (
        <Table
          caption="Running statements and open cursors"
          columns={['Statement', 'Since', 'Duration', 'Schema', 'Actions']}
          empty="No other statement runs."
          rows={rows.map(([id, sql, start, duration, schema]) => ({
            key: formatValue(id),
            cells: [
              <code key="sql">{formatValue(sql).slice(0, 500)}</code>,
              formatValue(start),
              formatMs(Number(duration)),
              formatValue(schema),
              <Button key="kill" class="danger" onClick={() => kill(formatValue(id))}>
                Kill<span class="hidden"> {formatValue(sql).slice(0, 60)}</span>
              </Button>,
            ],
          }))}
        />
      )}
    </section>
  );
}
