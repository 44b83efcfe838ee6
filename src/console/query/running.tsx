/** Statements and scans that run, and their end. */
import { useSignal } from '@preact/signals';
import { Failure, Table } from '../elements/elements.tsx';
import { formatMs, formatValue } from '../elements/formats.ts';
import { ReadProblem } from '../elements/read-problem.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call, type Json, messageOf } from '../requests/request.ts';

/** Often enough to follow what happens, and no load for the service. */
const EVERY_MS = 3_000;
/** Statements of the console itself begin with such a comment. */
const OWN = '/* console:';
const RUNNING =
  `${OWN} running statements */ ` +
  `SELECT query_id, sql, start_time, duration, schema_name FROM sys.sql_queries ORDER BY 3`;

interface Rows {
  readonly items: readonly (readonly Json[])[];
}

export function Running() {
  const error = useSignal('');
  const loaded = useLoaded(
    async (signal) =>
      (await call('qryfldexe', { qry: RUNNING, pageSize: 500, maxRows: 500 }, signal)) as unknown as Rows,
    'running',
    EVERY_MS,
  );
  const { value, reload } = loaded;
  const kill = async (qryId: string): Promise<void> => {
    try {
      await call('qrykill', { qryId });
      error.value = '';
      await reload();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  const rows = (value.value?.items ?? []).filter(([, sql]) => !formatValue(sql).startsWith(OWN));
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
              <button key="kill" type="button" class="danger" onClick={() => kill(formatValue(id))}>
                Kill<span class="hidden"> {formatValue(sql).slice(0, 60)}</span>
              </button>,
            ],
          }))}
        />
      )}
    </section>
  );
}
