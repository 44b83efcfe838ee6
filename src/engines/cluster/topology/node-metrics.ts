/**
 * Metrics of nodes: columns of SYS.NODE_METRICS and their names in the `mtr` object (docs/spec/ignite-cluster.md 3).
 */

/** Column of each metric. */
export const METRIC_COLUMNS: Readonly<Record<string, string>> = {
  lastUpdateTime: 'LAST_UPDATE_TIME',
  maximumActiveJobs: 'MAX_ACTIVE_JOBS',
  currentActiveJobs: 'CUR_ACTIVE_JOBS',
  averageActiveJobs: 'AVG_ACTIVE_JOBS',
  maximumWaitingJobs: 'MAX_WAITING_JOBS',
  currentWaitingJobs: 'CUR_WAITING_JOBS',
  averageWaitingJobs: 'AVG_WAITING_JOBS',
  maximumRejectedJobs: 'MAX_REJECTED_JOBS',
  currentRejectedJobs: 'CUR_REJECTED_JOBS',
  averageRejectedJobs: 'AVG_REJECTED_JOBS',
  totalRejectedJobs: 'TOTAL_REJECTED_JOBS',
  maximumCancelledJobs: 'MAX_CANCELED_JOBS',
  currentCancelledJobs: 'CUR_CANCELED_JOBS',
  averageCancelledJobs: 'AVG_CANCELED_JOBS',
  totalCancelledJobs: 'TOTAL_CANCELED_JOBS',
  maximumJobWaitTime: 'MAX_JOBS_WAIT_TIME',
  currentJobWaitTime: 'CUR_JOBS_WAIT_TIME',
  averageJobWaitTime: 'AVG_JOBS_WAIT_TIME',
  maximumJobExecuteTime: 'MAX_JOBS_EXECUTE_TIME',
  currentJobExecuteTime: 'CUR_JOBS_EXECUTE_TIME',
  averageJobExecuteTime: 'AVG_JOBS_EXECUTE_TIME',
  totalExecutedJobs: 'TOTAL_EXECUTED_JOBS',
  totalExecutedTasks: 'TOTAL_EXECUTED_TASKS',
  totalBusyTime: 'TOTAL_BUSY_TIME',
  totalIdleTime: 'TOTAL_IDLE_TIME',
  currentIdleTime: 'CUR_IDLE_TIME',
  busyTimePercentage: 'BUSY_TIME_PERCENTAGE',
  idleTimePercentage: 'IDLE_TIME_PERCENTAGE',
  totalCpus: 'TOTAL_CPU',
  currentCpuLoad: 'CUR_CPU_LOAD',
  averageCpuLoad: 'AVG_CPU_LOAD',
  currentGcCpuLoad: 'CUR_GC_CPU_LOAD',
  heapMemoryInitialized: 'HEAP_MEMORY_INIT',
  heapMemoryUsed: 'HEAP_MEMORY_USED',
  heapMemoryCommitted: 'HEAP_MEMORY_COMMITED',
  heapMemoryMaximum: 'HEAP_MEMORY_MAX',
  nonHeapMemoryInitialized: 'NONHEAP_MEMORY_INIT',
  nonHeapMemoryUsed: 'NONHEAP_MEMORY_USED',
  nonHeapMemoryCommitted: 'NONHEAP_MEMORY_COMMITED',
  nonHeapMemoryMaximum: 'NONHEAP_MEMORY_MAX',
  upTime: 'UPTIME',
  startTime: 'JVM_START_TIME',
  nodeStartTime: 'NODE_START_TIME',
  lastDataVersion: 'LAST_DATA_VERSION',
  currentThreadCount: 'CUR_THREAD_COUNT',
  maximumThreadCount: 'MAX_THREAD_COUNT',
  totalStartedThreadCount: 'TOTAL_THREAD_COUNT',
  currentDaemonThreadCount: 'CUR_DAEMON_THREAD_COUNT',
  sentMessagesCount: 'SENT_MESSAGES_COUNT',
  sentBytesCount: 'SENT_BYTES_COUNT',
  receivedMessagesCount: 'RECEIVED_MESSAGES_COUNT',
  receivedBytesCount: 'RECEIVED_BYTES_COUNT',
};

/** Metrics that no node sets. */
export const CONSTANT_METRICS: Readonly<Record<string, number>> = {
  fileSystemFreeSpace: -1,
  fileSystemTotalSpace: -1,
  fileSystemUsableSpace: -1,
};

export const METRICS_QUERY = `select NODE_ID, ${Object.values(METRIC_COLUMNS).join(', ')} from SYS.NODE_METRICS`;
