/** The series of the command `metricshistory`: the meaning of each value in a sample. */

export const METRIC_SERIES = [
  { name: 'requestsPerSecond', summary: 'Completed requests.' },
  { name: 'failuresPerSecond', summary: 'Failed requests.' },
  { name: 'p50Ms', summary: 'Median response time of the requests.' },
  { name: 'p95Ms', summary: '95th percentile of their response time.' },
  { name: 'p99Ms', summary: '99th percentile of their response time.' },
  { name: 'inFlight', summary: 'Requests running or waiting.' },
  { name: 'waiting', summary: 'Requests that have arrived and are waiting.' },
  { name: 'eventLoopDelayMs', summary: 'Longest delay of a timer in the last second, over all threads.' },
  { name: 'stalls', summary: 'Times that a thread was unresponsive for over a second.' },
  { name: 'residentBytes', summary: 'Resident memory of the process.' },
  { name: 'heapUsedBytes', summary: 'JavaScript heap of the main thread.' },
  { name: 'processorPercent', summary: 'Processor time used; 100 is one processor.' },
  { name: 'storeBytes', summary: 'Size of the database files.' },
  { name: 'walBytes', summary: 'Size of their write-ahead logs.' },
  { name: 'diskFreeBytes', summary: 'Free space on the disk of the data folder.' },
  { name: 'unfitEntries', summary: 'Entries that did not fit the columns of their tables at startup.' },
  { name: 'commitsPerSecond', summary: 'Commits.' },
  { name: 'commitP50Ms', summary: 'Median time until a commit was durable.' },
  { name: 'commitP99Ms', summary: '99th percentile of the time until a commit was durable.' },
  { name: 'statementProcesses', summary: 'Statement processes.' },
  { name: 'busyStatementProcesses', summary: 'Busy statement processes.' },
  { name: 'runningStatements', summary: 'Statements and scans running or waiting for a lock.' },
  { name: 'openCursors', summary: 'Open cursors.' },
  { name: 'receivedBytesPerSecond', summary: 'Bytes received.' },
  { name: 'sentBytesPerSecond', summary: 'Characters sent, before compression.' },
  { name: 'backupLagMs', summary: 'How long the destination of the continuous backup has been missing data.' },
  { name: 'backupObjectAgeMs', summary: 'Time since the last object of the continuous backup.' },
  { name: 'backupVerifiedAgeMs', summary: 'Time since a check verified that the continuous backup restores.' },
] as const;

export type MetricSeries = (typeof METRIC_SERIES)[number]['name'];
