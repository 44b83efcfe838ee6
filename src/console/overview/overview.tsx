/** The Overview screen: health, metrics with limits, statements, backups, load of the last hour, state and nodes. */
import { useEffect } from 'preact/hooks';
import type { BackupsResult, TopResponse } from '../../client/commands.ts';
import { address } from '../elements/address.ts';
import { Table } from '../elements/elements.tsx';
import { formatBytes, formatDuration, formatMs, formatNumber, formatRounded } from '../elements/formats.ts';
import { Loading } from '../elements/loading.tsx';
import { Plot, type PlotProps, type PlotSeries } from '../elements/plot.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import { EmptyService } from '../first-minute/empty-service.tsx';
import { isOut } from '../requests/connection.ts';
import { useLoaded } from '../requests/polling.ts';
import { call, endpointUrl } from '../requests/request.ts';
import { backupsEnabled, serviceName, shownVersion } from '../requests/session.ts';
import { BackupStatus } from './backup-status.tsx';
import { HealthNotice } from './health-notice.tsx';
import { MetricCards } from './metric-cards.tsx';
import { readSamples, type Samples, samples } from './samples.ts';
import { State } from './state.tsx';
import { Statements } from './statements.tsx';
import { slowMs } from './thresholds.ts';
import { latest } from './windows.ts';

/** Often enough to follow what happens, without loading the service. */
const EVERY_MS = 5_000;
/** Each reading of the backups is a line of the audit log. */
const BACKUPS_EVERY_MS = 300_000;
/** More lines are indistinguishable; the rest are added up. */
const SHOWN_COMMANDS = 7;

interface PlotDeclaration {
  readonly title: string;
  readonly lines: ReadonlyArray<readonly [series: string, label: string]>;
  readonly format: (value: number) => string;
  /** Returns the limit for the values. */
  readonly limit?: (shown: Samples) => PlotProps['limit'];
}

function limitOf(value: number | null, label: string): PlotProps['limit'] {
  return value === null ? undefined : { value, label };
}

const PLOTS: readonly PlotDeclaration[] = [
  {
    title: 'Response time',
    lines: [
      ['p50Ms', 'p50'],
      ['p95Ms', 'p95'],
      ['p99Ms', 'p99'],
    ],
    format: formatMs,
    limit: (shown) => ({ value: slowMs(shown), label: 'Slow from' }),
  },
  { title: 'Errors a second', lines: [['failuresPerSecond', 'Errors']], format: formatRounded },
  {
    title: 'Requests in flight',
    lines: [
      ['inFlight', 'Run or wait'],
      ['waiting', 'Wait'],
    ],
    format: formatNumber,
  },
  { title: 'Event loop delay', lines: [['eventLoopDelayMs', 'Longest']], format: formatMs },
  {
    title: 'Memory',
    lines: [
      ['residentBytes', 'Process'],
      ['heapUsedBytes', 'Heap'],
    ],
    format: formatBytes,
    limit: ({ limits }) => limitOf(limits.memoryBytes, 'Of the machine'),
  },
  {
    title: 'CPU (100 % = one core)',
    lines: [['processorPercent', 'Used']],
    format: (value) => `${formatRounded(value)} %`,
  },
  {
    title: 'Store',
    lines: [
      ['storeBytes', 'Database'],
      ['walBytes', 'Write-ahead log'],
    ],
    format: formatBytes,
  },
  {
    title: 'Disk, free',
    lines: [['diskFreeBytes', 'Free']],
    format: formatBytes,
    limit: ({ limits }) => limitOf(limits.diskReserveBytes, 'Reserve'),
  },
  {
    title: 'Commit latency',
    lines: [
      ['commitP50Ms', 'p50'],
      ['commitP99Ms', 'p99'],
    ],
    format: formatMs,
  },
  {
    title: 'Statements and statement processes',
    lines: [
      ['runningStatements', 'Statements'],
      ['busyStatementProcesses', 'Busy processes'],
      ['statementProcesses', 'Processes'],
    ],
    format: formatNumber,
  },
  { title: 'Continuous backup: not shipped for', lines: [['backupLagMs', 'Lag']], format: formatMs },
  {
    title: 'Traffic a second',
    lines: [
      ['receivedBytesPerSecond', 'Received'],
      ['sentBytesPerSecond', 'Sent'],
    ],
    format: formatBytes,
  },
];

/** Returns a line for each of the most used commands, and one for the others. */
function commandLines({ commands, times }: Samples): PlotSeries[] {
  const sums = Object.entries(commands)
    .map(([label, values]) => ({ label, values, sum: values.reduce<number>((sum, each) => sum + (each ?? 0), 0) }))
    .sort((a, b) => b.sum - a.sum);
  const others = sums.slice(SHOWN_COMMANDS);
  // In the order of their names, so lines keep their colours and plots are not rebuilt.
  const shown = sums.slice(0, SHOWN_COMMANDS).sort((a, b) => (a.label < b.label ? -1 : 1));
  if (others.length === 0) return shown;
  const rest = times.map((_, index) => others.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  return [...shown, { label: 'others', values: rest }];
}

function Nodes({ nodes }: { readonly nodes: TopResponse }) {
  return (
    <section class="about" aria-labelledby="nodes">
      <h2 id="nodes">Version and addresses</h2>
      <p>
        {serviceName}
        {shownVersion !== '' && ` ${shownVersion}`}, <code>{endpointUrl()}</code>
      </p>
      <Table
        caption="Nodes, the oldest first"
        columns={['Id', 'Addresses', 'Uptime', 'Heap', 'CPUs']}
        empty="There are no nodes."
        rows={nodes.map(({ nodeId, tcpAddresses, tcpPort, metrics }) => ({
          key: nodeId,
          cells: [
            <code key="id">{nodeId}</code>,
            // Users without the right to the load learn no addresses.
            tcpAddresses.length === 0 ? '–' : `${tcpAddresses.join(', ')} port ${tcpPort}`,
            metrics === null ? '–' : formatDuration(metrics.upTime ?? 0),
            metrics === null ? '–' : formatBytes(metrics.heapMemoryUsed ?? 0),
            metrics === null ? '–' : formatNumber(metrics.totalCpus ?? 0),
          ],
        }))}
      />
    </section>
  );
}

function Plots({ shown }: { readonly shown: Samples }) {
  if (shown.times.length < 2) {
    if (isOut.value) return <Loading />;
    return <p class="hint">The first plots appear after two samples, in about ten seconds.</p>;
  }
  const x = shown.times.map((ms) => ms / 1_000);
  const plots = PLOTS.map(({ title, lines, format, limit }) => {
    const series = lines
      .map(([name, label]) => ({ label, values: shown.series[name] ?? [] }))
      .filter(({ values }) => values.some((value) => value !== null));
    return { title, series, format, limit: limit?.(shown) };
  });
  const used = plots.filter(({ series }) => series.length > 0);
  return (
    <div class="plots">
      <Plot
        title="Requests a second, by command"
        x={x}
        isTime
        cutsPeaks
        series={commandLines(shown)}
        format={formatRounded}
      />
      {used.map((plot) => (
        <Plot key={plot.title} x={x} isTime cutsPeaks {...plot} />
      ))}
    </div>
  );
}

/** Returns the service's report about its backups, or undefined if it makes none, as in front of a cluster. */
async function readBackups(signal: AbortSignal): Promise<BackupsResult | undefined> {
  return backupsEnabled ? call('backups', {}, signal) : undefined;
}

/** Shows and focuses the section that the address names, once it is there. */
function useSection(isThere: boolean): void {
  const section = address.value.params.get('section');
  useEffect(() => {
    const found = section === null ? null : document.getElementById(section);
    found?.querySelector('details')?.setAttribute('open', '');
    found?.scrollIntoView({ block: 'start' });
    found?.focus({ preventScroll: true });
  }, [section, isThere]);
}

export function Overview() {
  const state = useLoaded(async (signal) => String(await call('state', {}, signal)), 'state', EVERY_MS);
  const load = useLoaded(readSamples, 'samples', EVERY_MS);
  const nodes = useLoaded((signal) => call('top', { mtr: true, attr: false }, signal), 'nodes', EVERY_MS);
  const backups = useLoaded(readBackups, 'backups', BACKUPS_EVERY_MS);
  const shown = samples.value;
  const isMeasured = load.error.value === '' || shown.times.length > 0;
  useSection(nodes.value.value !== undefined);
  return (
    <>
      <h1>Overview</h1>
      <HealthNotice state={state.value.value} backups={backups.value.value} samples={shown} />
      <EmptyService />
      <ReadProblem of={load} what="the load" />
      {nodes.error.value !== load.error.value && <ReadProblem of={nodes} what="the nodes" />}
      {isMeasured && <MetricCards measured={shown} />}
      <Statements slowMs={slowMs(shown)} />
      <BackupStatus
        backups={backups.value.value}
        of={backups.error.value === load.error.value ? undefined : backups}
        ages={{
          lagMs: latest(shown, 'backupLagMs'),
          objectAgeMs: latest(shown, 'backupObjectAgeMs'),
          verifiedAgeMs: latest(shown, 'backupVerifiedAgeMs'),
        }}
      />
      {isMeasured && (
        <section id="load" tabIndex={-1} aria-labelledby="load-title">
          <h2 id="load-title">Load in the last hour</h2>
          <Plots shown={shown} />
        </section>
      )}
      <State loaded={state} />
      {nodes.value.value !== undefined && <Nodes nodes={nodes.value.value} />}
    </>
  );
}
