/** The screen Overview: state, nodes, load and storage of the last hour. */
import { Failure, Table, Tiles } from '../elements/elements.tsx';
import { formatBytes, formatDuration, formatMs, formatNumber } from '../elements/formats.ts';
import { Plot, type PlotSeries } from '../elements/plot.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { shownVersion } from '../requests/session.ts';
import { HealthNotice } from './health-notice.tsx';
import { readSamples, type Samples, samples } from './samples.ts';
import { State } from './state.tsx';

/** Often enough to follow what happens, and no load for the service. */
const EVERY_MS = 5_000;
/** More lines cannot be told apart; the others are summed up. */
const SHOWN_COMMANDS = 7;

interface Node {
  readonly nodeId: string;
  readonly consistentId: string;
  readonly tcpAddresses: readonly string[];
  readonly tcpPort: number;
  readonly metrics: Readonly<Record<string, number>> | null;
}

interface PlotDeclaration {
  readonly title: string;
  readonly lines: ReadonlyArray<readonly [series: string, label: string]>;
  readonly format: (value: number) => string;
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
  },
  { title: 'Errors a second', lines: [['failuresPerSecond', 'Errors']], format: formatNumber },
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
  },
  {
    title: 'Processor, 100 % is one',
    lines: [['processorPercent', 'Used']],
    format: (value) => `${formatNumber(value)} %`,
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
    title: 'Commit latency',
    lines: [
      ['commitP50Ms', 'p50'],
      ['commitP99Ms', 'p99'],
    ],
    format: formatMs,
  },
  {
    title: 'Statements and query threads',
    lines: [
      ['runningStatements', 'Statements'],
      ['busyQueryThreads', 'Busy threads'],
      ['queryThreads', 'Threads'],
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
  // In the order of their names, so that lines keep their colours, and plots are not built anew.
  const shown = sums.slice(0, SHOWN_COMMANDS).sort((a, b) => (a.label < b.label ? -1 : 1));
  if (others.length === 0) return shown;
  const rest = times.map((_, index) => others.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  return [...shown, { label: 'others', values: rest }];
}

function last(shown: Samples, series: string): number | undefined {
  return shown.series[series]?.at(-1) ?? undefined;
}

function formatAge(ms: number): string {
  return `${formatDuration(ms)} ago`;
}

function LoadTiles({ shown, node }: { readonly shown: Samples; readonly node: Node | undefined }) {
  const show = (series: string, format: (value: number) => string): string => {
    const value = last(shown, series);
    return value === undefined ? '–' : format(value);
  };
  const sum = (series: string): number => (shown.series[series] ?? []).reduce<number>((a, b) => a + (b ?? 0), 0);
  const tiles: ReadonlyArray<readonly [string, string]> = [
    ...(shownVersion === '' ? [] : [['Version', shownVersion] as const]),
    ['Uptime', node?.metrics ? formatDuration(node.metrics.upTime ?? 0) : '–'],
    ['Requests a second', show('requestsPerSecond', formatNumber)],
    ['Errors a second', show('failuresPerSecond', formatNumber)],
    ['p99', show('p99Ms', formatMs)],
    ['Stalls in the last hour', formatNumber(sum('stalls'))],
    ['Memory', show('residentBytes', formatBytes)],
    ['Store', show('storeBytes', formatBytes)],
    ['Write-ahead log', show('walBytes', formatBytes)],
    ['Commit, p99', show('commitP99Ms', formatMs)],
    ['Query threads busy', show('busyQueryThreads', formatNumber)],
    ['Open cursors', show('openCursors', formatNumber)],
    ...(last(shown, 'backupLagMs') === undefined
      ? []
      : [
          ['Not in the backup for', show('backupLagMs', formatMs)] as const,
          ['Last object of the backup', show('backupObjectAgeMs', formatAge)] as const,
          ['Last verified restore', show('backupVerifiedAgeMs', formatAge)] as const,
        ]),
  ];
  return <Tiles tiles={tiles} />;
}

function Nodes({ nodes }: { readonly nodes: readonly Node[] }) {
  return (
    <section aria-labelledby="nodes">
      <h2 id="nodes">Nodes</h2>
      <Table
        caption="Nodes, the oldest first"
        columns={['Id', 'Addresses', 'Uptime', 'Heap', 'Processors']}
        empty="There are no nodes."
        rows={nodes.map(({ nodeId, tcpAddresses, tcpPort, metrics }) => ({
          key: nodeId,
          cells: [
            <code key="id">{nodeId}</code>,
            `${tcpAddresses.join(', ')} port ${tcpPort}`,
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
    return <p class="hint">The first plots appear when there are two samples, after ten seconds.</p>;
  }
  const x = shown.times.map((ms) => ms / 1_000);
  const plots = PLOTS.map(({ title, lines, format }) => {
    const series = lines
      .map(([name, label]) => ({ label, values: shown.series[name] ?? [] }))
      .filter(({ values }) => values.some((value) => value !== null));
    return { title, series, format };
  });
  const used = plots.filter(({ series }) => series.length > 0);
  return (
    <div class="plots">
      <Plot title="Requests a second, by command" x={x} isTime series={commandLines(shown)} format={formatNumber} />
      {used.map(({ title, series, format }) => (
        <Plot key={title} title={title} x={x} isTime series={series} format={format} />
      ))}
    </div>
  );
}

/** Asks what load balancers ask. */
async function readReadiness(signal: AbortSignal): Promise<boolean> {
  const response = await fetch('health/ready', { signal });
  // A response whose body is not read keeps its connection.
  await response.arrayBuffer();
  return response.ok;
}

export function Overview() {
  const ready = useLoaded(readReadiness, 'ready', EVERY_MS);
  const state = useLoaded(async (signal) => String(await call('state', {}, signal)), 'state', EVERY_MS);
  const { error } = useLoaded(readSamples, 'samples', EVERY_MS);
  const nodes = useLoaded(
    async (signal) => (await call('top', { mtr: true, attr: false }, signal)) as unknown as readonly Node[],
    'nodes',
    EVERY_MS,
  );
  const shown = samples.value;
  return (
    <>
      <h1>Overview</h1>
      <HealthNotice isReady={ready.value.value} state={state.value.value} samples={shown} />
      <Failure text={error.value} />
      {nodes.error.value !== error.value && <Failure text={nodes.error.value} />}
      <LoadTiles shown={shown} node={nodes.value.value?.[0]} />
      <State loaded={state} />
      {nodes.value.value !== undefined && <Nodes nodes={nodes.value.value} />}
      {(error.value === '' || shown.times.length > 0) && (
        <>
          <h2>Load in the last hour</h2>
          <Plots shown={shown} />
        </>
      )}
    </>
  );
}
