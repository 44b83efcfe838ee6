/** Running statements and scans, with buttons that end them. */
import { useAttempt } from '../elements/attempt.ts';
import { Button, Failure, Table } from '../elements/elements.tsx';
import { formatMs, formatNumber, formatValue } from '../elements/formats.ts';
import { ReadProblem } from '../elements/read-problem.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { readRows } from '../requests/statement.ts';

/** Often enough to follow what happens, without loading the service. */
const EVERY_MS = 3_000;
/** Statements of the console itself begin with such a comment. */
const OWN = '/* console:';
const RUNNING =
  `${OWN} running statements */ ` +
  `SELECT query_id, sql, start_time, duration, schema_name FROM sys.sql_queries ORDER BY 3`;

/** Definitions that convert entries, of which the embedded engine shows the progress. */
const PROGRESS =
  `${OWN} progress */ SELECT query_id, converted_rows, rows_to_convert FROM sys.running_statements ` +
  'WHERE rows_to_convert IS NOT NULL';
const CONVERTING = /^\s*(?:create\s+table|alter\s+table)\b/i;

/** Users do not look through more. */
const MAX_ROWS = 500;

type Rows = Awaited<ReturnType<typeof readRows>>;

/** Reads the running statements, with the progress of each as a last column. */
async function readRunning(signal: AbortSignal): Promise<Rows> {
  const rows = await readRows(RUNNING, MAX_ROWS, signal);
  if (!rows.some(([, sql]) => CONVERTING.test(formatValue(sql)))) return rows;
  const shown = new Map<string, string>();
  for (const [id, converted, total] of await readRows(PROGRESS, MAX_ROWS, signal).catch((): Rows => [])) {
    const percent = Math.floor((Number(converted) / Number(total)) * 100);
    shown.set(
      formatValue(id),
      `${formatNumber(Number(converted))} of ${formatNumber(Number(total))} rows (${percent} %)`,
    );
  }
  return rows.map((row) => [...row, shown.get(formatValue(row[0])) ?? '']);
}

export function Running() {
  const { error, attempt } = useAttempt();
  const loaded = useLoaded(readRunning, 'running', EVERY_MS);
  const { value, reload } = loaded;
  const kill = (qryId: string): Promise<void> =>
    attempt(async () => {
      await call('qrykill', { qryId });
      await reload();
    });
  const rows = (value.value ?? []).filter(([, sql]) => !formatValue(sql).startsWith(OWN));
  return (
    <section aria-label="Running statements">
      <ReadProblem of={loaded} what="the running statements" />
      <Failure text={error.value} />
      {value.value !== undefined && (
        <Table
          caption="Running statements and open cursors"
          columns={['Statement', 'Since', 'Duration', 'Schema', 'Actions']}
          empty="No statements running."
          rows={rows.map(([id, sql, start, duration, schema, progress = '']) => ({
            key: formatValue(id),
            cells: [
              <code key="sql">{formatValue(sql).slice(0, 500)}</code>,
              formatValue(start),
              `${formatMs(Number(duration))}${progress === '' ? '' : `, ${formatValue(progress)}`}`,
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
