/**
 * Every metric of `/metrics`: type, labels and meaning. The page, docs/metrics.md and the tests of dashboard and alerts
 * are derived from it. Names follow Prometheus's conventions: base units, `_total` for counters, `_info` for constants.
 */

/** The condition for a metric to be on the page; `always` for none. */
export const CONDITIONS = {
  always: '',
  linux: 'on Linux',
  embedded: 'embedded engine',
  authentication: 'with authentication',
  rates: 'with authentication or a rate limit',
  waiting: 'while the service waits for its cluster',
  failover: 'with backup.continuous.failover',
  standby: 'on a standby',
  used: 'only series other than 0',
} as const;
export type Condition = keyof typeof CONDITIONS;

export interface MetricDeclaration {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly condition: Condition;
}

const declaring =
  <const T extends MetricDeclaration['type']>(type: T) =>
  <const L extends string = never>(help: string, labels: readonly L[] = [], condition: Condition = 'always') => ({
    type,
    help,
    labels,
    condition,
  });
const counter = declaring('counter');
const gauge = declaring('gauge');
const histogram = declaring('histogram');

const PROCESS = {
  svc_build_info: gauge('Always 1; the labels name the program, its platform and its engine.', [
    'version',
    'runtime',
    'platform',
    'engine',
  ]),
  svc_ready: gauge('1 if commands can be executed, as /health/ready reports it, otherwise 0.'),
  svc_cluster_attempts_total: counter('Attempts to reach the cluster since startup.', [], 'waiting'),
  svc_failover_primary: gauge('1 on the primary, 0 on a standby.', [], 'failover'),
  svc_failover_epoch: gauge('The epoch of the primary: it grows with each takeover and each restart.', [], 'failover'),
  svc_failover_takeover_timestamp_seconds: gauge(
    'When another service last became the primary, in seconds since 1970, and why.',
    ['because'],
    'failover',
  ),
  svc_failover_may_have_lost_seconds: gauge(
    'Seconds of acknowledged changes that the last takeover may have lost: 0 in mode remote and after a hand-over, ' +
      '+Inf without a bound.',
    [],
    'failover',
  ),
  svc_failover_lost_commits: gauge(
    'Commits that this service had not shipped when it was last replaced as the primary; NaN if they cannot be counted.',
    [],
    'failover',
  ),
  svc_failover_lost_seconds: gauge('Longest period, in seconds, in which these commits were made.', [], 'failover'),
  svc_standby_position: gauge('The position of the last object that the standby has applied.', [], 'standby'),
  svc_standby_behind_positions: gauge(
    'Objects that the primary had when it last renewed its lease, and that the copy lacks.',
    [],
    'standby',
  ),
  svc_standby_last_object_timestamp_seconds: gauge(
    'The time of the last object that the standby has applied, in seconds since 1970; 0 if there is none.',
    [],
    'standby',
  ),
  svc_standby_behind_seconds: gauge('Time since the copy was last known to be complete.', [], 'standby'),
  svc_standby_silent: gauge('1 if the standby has not followed for longer than is allowed.', [], 'standby'),
  svc_standby_objects_total: counter('Objects that the standby has applied.', [], 'standby'),
  svc_standby_copies_total: counter('Times that the standby has copied everything again.', [], 'standby'),
  process_start_time_seconds: gauge('When the process started, in seconds since 1970.'),
  process_cpu_seconds_total: counter('Processor time that all threads used, user and system.'),
  process_resident_memory_bytes: gauge('Resident memory of the process.'),
  process_open_fds: gauge('Open files and sockets.', [], 'linux'),
  process_max_fds: gauge('Maximum number of open files and sockets.', [], 'linux'),
  svc_heap_used_bytes: gauge('JavaScript heap in use in the main thread.'),
  svc_event_loop_delay_seconds: gauge(
    'Delay of the latest timer in the slowest thread: how long requests wait for other work.',
  ),
  svc_event_loop_delay_max_seconds: gauge('Longest delay of a timer within the last second, over all threads.'),
  svc_thread_stalls_total: counter('Times that a thread was blocked for over a second.'),
  svc_thread_stall_seconds_total: counter('Total time that threads were blocked for over a second at once.'),
  svc_thread_stall_max_seconds: gauge('Longest time that a thread has been blocked since startup.'),
};

const REQUESTS = {
  svc_requests_total: counter('Completed commands, by name and outcome.', ['command', 'outcome']),
  svc_request_duration_seconds: histogram(
    'Time from the request to its outcome, by command, excluding the transfer of the response.',
    ['command'],
  ),
  svc_requests_in_flight: gauge('Commands running or waiting.'),
  svc_slow_commands_total: counter(
    'Commands that took longer than log.slowMs; statements and scans are counted separately. The log has an entry for each.',
    ['kind'],
  ),
  svc_ignored_parameters_total: counter('Undeclared parameters that were ignored. The log has each name once.'),
  svc_shadow_reads_total: counter(
    'Reads in shadow mode, by result of the comparison with the second service. The log says where responses differ.',
    ['result'],
    'used',
  ),
  svc_idempotency_not_executed_total: counter(
    'Requests with an idempotency key that were not executed, by reason; replayed requests got the stored response.',
    ['reason'],
  ),
  svc_rate_limited_total: counter(
    'Requests rejected with 429 because their address, user or API key exceeded its rate.',
    [],
    'rates',
  ),
};

const CONNECTIONS = {
  svc_http_requests_total: counter('HTTP requests of all kinds, including pages.'),
  svc_http_rejected_total: counter(
    'HTTP requests rejected before a command ran: malformed, too large, or for lack of buffer space.',
  ),
  svc_http_in_flight: gauge('HTTP requests that are arriving or being answered.'),
  svc_http_waiting: gauge('HTTP requests that have arrived and are waiting to be executed.'),
  svc_http_received_bytes_total: counter('Bytes received, including headers.'),
  svc_http_sent_bytes_total: counter('Characters of results sent, without headers and envelopes, before compression.'),
  svc_queue_waits_total: counter('Requests, statements, changes, tasks and logins that had to wait, by queue.', [
    'queue',
  ]),
  svc_queue_wait_seconds_total: counter('Total time that they waited, by queue.', ['queue']),
  svc_overload_rejected_total: counter(
    'Requests, statements, changes, tasks and logins rejected because they would have waited too long, by queue.',
    ['queue'],
  ),
  svc_evicted_total: counter('Cursors and sessions that were ended because other users needed their share.', [
    'resource',
  ]),
};

const LOGINS = {
  svc_sessions: gauge('Sessions that have not expired.', [], 'authentication'),
  svc_logins_total: counter('Accepted passwords, including those sent with each request.', [], 'authentication'),
  svc_login_failures_total: counter(
    'Wrong credentials, and attempts rejected unchecked to slow down guessing (throttled).',
    ['credential', 'reason'],
    'authentication',
  ),
};

const STATEMENTS = {
  svc_statements: gauge('Running statements and scans by state; idle ones are open cursors.', ['state'], 'embedded'),
  svc_statement_oldest_seconds: gauge('Age of the oldest statement or scan that is not idle.', [], 'embedded'),
  svc_statements_ended_total: counter(
    'Statements and scans that were ended before they completed, by reason.',
    ['reason'],
    'embedded',
  ),
  svc_open_cursors: gauge('Cursors whose next page can be fetched.'),
  svc_statement_processes: gauge('Started statement processes, and how many of them are busy.', ['state'], 'embedded'),
  svc_statement_processes_replaced_total: counter(
    'Statement processes that were ended and replaced because their statement did not end.',
    [],
    'embedded',
  ),
};

const STORAGE = {
  svc_commit_duration_seconds: histogram('Time of a commit, including the wait for the disk.', [], 'embedded'),
  svc_commit_changes: histogram(
    'Changes per commit: those that arrive during a commit share the next one.',
    [],
    'embedded',
  ),
  svc_commit_rollbacks_total: counter(
    'Batches of changes that could not be committed together and were retried one by one.',
    [],
    'embedded',
  ),
  svc_database_size_bytes: gauge(
    'Size of a database file; all persistent regions share the file data.',
    ['region'],
    'embedded',
  ),
  svc_wal_size_bytes: gauge(
    'Size of the write-ahead log of a database file. It grows while a cursor or a backup holds an old snapshot.',
    ['region'],
    'embedded',
  ),
  svc_checkpoints_total: counter(
    'Attempts to checkpoint a long write-ahead log; a reader may delay them.',
    ['outcome'],
    'embedded',
  ),
  svc_disk_free_bytes: gauge('Free space on the disk of the data folder.', [], 'embedded'),
  svc_disk_size_bytes: gauge("Size of the data folder's disk.", [], 'embedded'),
  svc_disk_reserve_bytes: gauge(
    'Free space below which changes that add data are rejected (storage.minFreeBytes).',
    [],
    'embedded',
  ),
  svc_unfit_entries: gauge('Entries that did not fit the columns of their tables at startup.', [], 'embedded'),
  svc_disk_low: gauge(
    '1 while changes that add data are rejected because the free space is below the reserve.',
    [],
    'embedded',
  ),
};

const CHANGE_FEED = {
  svc_change_feed_consumers: gauge('Open streams of changes.'),
  svc_change_feed_changes_total: counter('Changes sent to consumers, summed over all of them.'),
  svc_change_feed_lost_total: counter('Streams that ended because their consumers fell behind the retained changes.'),
  svc_change_feed_size_bytes: gauge('Size of the retained changes, over all database files.', [], 'embedded'),
};

const BACKUPS = {
  svc_backups_total: counter('Backups since startup, by outcome.', ['outcome'], 'embedded'),
  svc_backup_running: gauge('1 while a backup is being made.', [], 'embedded'),
  svc_backup_last_completed_timestamp_seconds: gauge(
    'When the last complete backup ended, in seconds since 1970; 0 if none has since startup.',
    [],
    'embedded',
  ),
  svc_backup_last_size_bytes: gauge('Size of the last complete backup.', [], 'embedded'),
  svc_backup_last_duration_seconds: gauge('Duration of the last complete backup.', [], 'embedded'),
  svc_backup_continuous_running: gauge(
    '1 while the continuous backup ships; 0 while it starts, waits or has stopped.',
    [],
    'used',
  ),
  svc_backup_continuous_report_age_seconds: gauge(
    'Age of the last report of the continuous backup process, on which its other metrics are based.',
    [],
    'used',
  ),
  svc_backup_continuous_last_object_timestamp_seconds: gauge(
    'Time of the last object of the continuous backup, in seconds since 1970; 0 if there is none.',
    [],
    'used',
  ),
  svc_backup_continuous_lag_seconds: gauge('How long the destination has been missing data.', [], 'used'),
  svc_backup_continuous_lag_bytes: gauge(
    'Bytes of the write-ahead log that are not yet in the destination.',
    [],
    'used',
  ),
  svc_backup_continuous_objects_total: counter('Objects that the continuous backup has created.', [], 'used'),
  svc_backup_continuous_written_bytes_total: counter('Bytes of these objects.', [], 'used'),
  svc_backup_continuous_failures_total: counter('Failures of the continuous backup.', [], 'used'),
  svc_backup_continuous_snapshots_total: counter('Times that the continuous backup began with a snapshot.', [], 'used'),
  svc_backup_restore_checks_total: counter(
    'Checks that the continuous backup restores, by outcome.',
    ['outcome'],
    'used',
  ),
  svc_backup_restore_check_interval_seconds: gauge('Time between such checks.', [], 'used'),
  svc_backup_restore_verified_timestamp_seconds: gauge(
    'When a check last verified what it restored, in seconds since 1970; 0 if none has.',
    [],
    'used',
  ),
  svc_backup_restore_damaged: gauge('1 if the last check found that the backup does not restore.', [], 'used'),
  svc_backup_restore_check_duration_seconds: gauge('Duration of the last check.', [], 'used'),
};

const CACHES = {
  svc_caches: gauge('Caches, including tables.'),
  svc_cache_reads_total: counter('Entries read since startup.', ['cache'], 'used'),
  svc_cache_writes_total: counter('Entries written since startup.', ['cache'], 'used'),
  svc_cache_hits_total: counter('Reads that found an entry.', ['cache'], 'used'),
  svc_cache_misses_total: counter('Reads that found no entry.', ['cache'], 'used'),
};

const REGIONS = {
  svc_region_sync_interval_seconds: gauge(
    'How long acknowledged changes of a persistent region may not be on disk; 0 if every one is.',
    ['region'],
    'embedded',
  ),
  svc_region_allocated_bytes: gauge('Size of the allocated pages.', ['region'], 'used'),
  svc_region_used_bytes: gauge('Size of the pages that hold data.', ['region'], 'used'),
  svc_region_size_bytes: gauge('Maximum or reserved size of the region.', ['region'], 'used'),
  svc_region_memory_bytes: gauge('Size of the pages in memory.', ['region'], 'used'),
  svc_region_fill_ratio: gauge('Share of the pages that holds data, 0 to 1.', ['region'], 'used'),
  svc_region_large_entries_ratio: gauge(
    'Share of the pages that entries larger than a page occupy, 0 to 1.',
    ['region'],
    'used',
  ),
  svc_region_dirty_pages: gauge('Pages that the next checkpoint writes.', ['region'], 'used'),
  svc_region_checkpoint_buffer_size_bytes: gauge('Size of the checkpoint buffer.', ['region'], 'used'),
  svc_region_checkpoint_buffer_used_bytes: gauge('Part of the checkpoint buffer in use.', ['region'], 'used'),
  svc_region_allocations_per_second: gauge('Pages allocated per second, averaged by the node.', ['region'], 'used'),
  svc_region_evictions_per_second: gauge('Pages evicted per second, averaged by the node.', ['region'], 'used'),
  svc_region_replacements_per_second: gauge('Pages replaced per second, averaged by the node.', ['region'], 'used'),
  svc_region_replaced_page_age_seconds: gauge('Average age of replaced pages.', ['region'], 'used'),
  svc_region_pages_read_total: counter('Pages read from the disk since the node started.', ['region'], 'used'),
  svc_region_pages_written_total: counter('Pages written to the disk since the node started.', ['region'], 'used'),
  svc_region_pages_replaced_total: counter('Pages replaced by others since the node started.', ['region'], 'used'),
};

export const METRIC_GROUPS: Readonly<Record<string, Readonly<Record<string, MetricDeclaration>>>> = {
  Process: PROCESS,
  Requests: REQUESTS,
  'Connections and queues': CONNECTIONS,
  'Logins and sessions': LOGINS,
  Statements: STATEMENTS,
  Storage: STORAGE,
  'Change feed': CHANGE_FEED,
  Backups: BACKUPS,
  Caches: CACHES,
  'Data regions': REGIONS,
};

export const METRICS = {
  ...PROCESS,
  ...REQUESTS,
  ...CONNECTIONS,
  ...LOGINS,
  ...STATEMENTS,
  ...STORAGE,
  ...CHANGE_FEED,
  ...BACKUPS,
  ...CACHES,
  ...REGIONS,
};

export type MetricName = keyof typeof METRICS;
type NameOfType<T extends MetricDeclaration['type']> = {
  readonly [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never;
}[MetricName];
/** Labels of a metric's sample. */
export type LabelsOf<N extends MetricName> = Readonly<Record<(typeof METRICS)[N]['labels'][number], string>>;
export type HistogramName = NameOfType<'histogram'>;

/** The source of a region's metrics: the name that the engine reports, and the factor to the base unit. */
export const REGION_SOURCES: ReadonlyArray<readonly [name: keyof typeof REGIONS, source: string, factor: number]> = [
  ['svc_region_allocated_bytes', 'totalAllocatedSize', 1],
  ['svc_region_used_bytes', 'totalUsedSize', 1],
  ['svc_region_size_bytes', 'offHeapSize', 1],
  ['svc_region_memory_bytes', 'physicalMemorySize', 1],
  ['svc_region_fill_ratio', 'pagesFillFactor', 1],
  ['svc_region_large_entries_ratio', 'largeEntriesPagesPercentage', 1],
  ['svc_region_dirty_pages', 'dirtyPages', 1],
  ['svc_region_checkpoint_buffer_size_bytes', 'checkpointBufferSize', 1],
  ['svc_region_checkpoint_buffer_used_bytes', 'usedCheckpointBufferSize', 1],
  ['svc_region_allocations_per_second', 'allocationRate', 1],
  ['svc_region_evictions_per_second', 'evictionRate', 1],
  ['svc_region_replacements_per_second', 'pagesReplaceRate', 1],
  ['svc_region_replaced_page_age_seconds', 'pagesReplaceAge', 1e-3],
  ['svc_region_pages_read_total', 'pagesRead', 1],
  ['svc_region_pages_written_total', 'pagesWritten', 1],
  ['svc_region_pages_replaced_total', 'pagesReplaced', 1],
];
