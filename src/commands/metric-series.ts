/** The series of the command `metricshistory`: the meaning of each value in a sample. */

export const METRIC_SERIES = [
  { name: 'requestsPerSecond', summary: 'Requests that ended.' },
  { name: 'failuresPerSecond', summary: 'Requests that failed.' },
  { name: 'p50Ms', summary: 'Time within which half of the requests were answered.' },
  { name: 'p95Ms', summary: 'Time within which 95 % of them were answered.' },
  { name: 'p99Ms', summary: 'Time within which 99 % of them were answered.' },
  { name: 'inFlight', summary: 'Requests that run or wait.' },
  { name: 'waiting', summary: 'Requests that have arrived and wait.' },
  { name: 'eventLoopDelayMs', summary: 'Longest delay of a timer in the last second, over all threads.' },
  { name: 'stalls', summary: 'Times that a thread answered nothing for over a second.' },
  { name: 'residentBytes', summary: 'Memory of the process in RAM.' },
  { name: 'heapUsedBytes', summary: 'Heap of JavaScript objects in the main thread.' },
  { name: 'processorPercent', summary: 'Processor time used; 100 is one processor.' },
  { name: 'storeBytes', summary: 'Size of the database files.' },
  { name: 'walBytes', summary: 'Size of their write-ahead logs.' },
  { name: 'diskFreeBytes', summary: 'Free space on the disk of the data folder.' },
  { name: 'unfitEntries', summary: 'Entries that did not fit the columns of their tables at the start.' },
  { name: 'commitsPerSecond', summary: 'Commits.' },
  { name: 'commitP50Ms', summary: 'Time within which half of the commits were durable.' },
  { name: 'commitP99Ms', summary: 'Time within which 99 % of them were durable.' },
  { name: 'statementProcesses', summary: 'Statement processes.' },
  { name: 'busyStatementProcesses', summary: 'Statement processes that have work.' },
  { name: 'runningStatements', summary: 'Statements and scans that run or wait for a lock.' },
  { name: 'openCursors', summary: 'Open cursors.' },
  { name: 'receivedBytesPerSecond', summary: 'Bytes received.' },
  { name: 'sentBytesPerSecond', summary: 'Characters sent, before compression.' },
  { name: 'backupLagMs', summary: 'For how long something has not been in the destination of the continuous backup.' },
  { name: 'backupObjectAgeMs', summary: 'Time since its last object.' },
  { name: 'backupVerifiedAgeMs', summary: 'Time since a check verified that it restores.' },
] as const;

export type MetricSeries = (typeof METRIC_SERIES)[number]['name'];
