/** The columns of SYS.NODE_METRICS, and the names of their metrics in `mtr` (docs/spec/ignite-cluster.md 3). */

/** Column, its kind, and the metric's name in `node` with `mtr=true`; `-` if it has none. */
const COLUMNS = `
  LAST_UPDATE_TIME time lastUpdateTime
  MAX_ACTIVE_JOBS int maximumActiveJobs
  CUR_ACTIVE_JOBS int currentActiveJobs
  AVG_ACTIVE_JOBS real averageActiveJobs
  MAX_WAITING_JOBS int maximumWaitingJobs
  CUR_WAITING_JOBS int currentWaitingJobs
  AVG_WAITING_JOBS real averageWaitingJobs
  MAX_REJECTED_JOBS int maximumRejectedJobs
  CUR_REJECTED_JOBS int currentRejectedJobs
  AVG_REJECTED_JOBS real averageRejectedJobs
  TOTAL_REJECTED_JOBS int totalRejectedJobs
  MAX_CANCELED_JOBS int maximumCancelledJobs
  CUR_CANCELED_JOBS int currentCancelledJobs
  AVG_CANCELED_JOBS real averageCancelledJobs
  TOTAL_CANCELED_JOBS int totalCancelledJobs
  MAX_JOBS_WAIT_TIME long maximumJobWaitTime
  CUR_JOBS_WAIT_TIME long currentJobWaitTime
  AVG_JOBS_WAIT_TIME long averageJobWaitTime
  MAX_JOBS_EXECUTE_TIME long maximumJobExecuteTime
  CUR_JOBS_EXECUTE_TIME long currentJobExecuteTime
  AVG_JOBS_EXECUTE_TIME long averageJobExecuteTime
  TOTAL_JOBS_EXECUTE_TIME long totalBusyTime
  TOTAL_EXECUTED_JOBS int totalExecutedJobs
  TOTAL_EXECUTED_TASKS int totalExecutedTasks
  TOTAL_BUSY_TIME long totalBusyTime
  TOTAL_IDLE_TIME long totalIdleTime
  CUR_IDLE_TIME long currentIdleTime
  BUSY_TIME_PERCENTAGE real busyTimePercentage
  IDLE_TIME_PERCENTAGE real idleTimePercentage
  TOTAL_CPU int totalCpus
  CUR_CPU_LOAD double currentCpuLoad
  AVG_CPU_LOAD double averageCpuLoad
  CUR_GC_CPU_LOAD double currentGcCpuLoad
  HEAP_MEMORY_INIT long heapMemoryInitialized
  HEAP_MEMORY_USED long heapMemoryUsed
  HEAP_MEMORY_COMMITED long heapMemoryCommitted
  HEAP_MEMORY_MAX long heapMemoryMaximum
  HEAP_MEMORY_TOTAL long heapMemoryMaximum
  NONHEAP_MEMORY_INIT long nonHeapMemoryInitialized
  NONHEAP_MEMORY_USED long nonHeapMemoryUsed
  NONHEAP_MEMORY_COMMITED long nonHeapMemoryCommitted
  NONHEAP_MEMORY_MAX long nonHeapMemoryMaximum
  NONHEAP_MEMORY_TOTAL long nonHeapMemoryMaximum
  UPTIME long upTime
  JVM_START_TIME time startTime
  NODE_START_TIME time nodeStartTime
  LAST_DATA_VERSION long lastDataVersion
  CUR_THREAD_COUNT int currentThreadCount
  MAX_THREAD_COUNT int maximumThreadCount
  TOTAL_THREAD_COUNT long totalStartedThreadCount
  CUR_DAEMON_THREAD_COUNT int currentDaemonThreadCount
  SENT_MESSAGES_COUNT int sentMessagesCount
  SENT_BYTES_COUNT long sentBytesCount
  RECEIVED_MESSAGES_COUNT int receivedMessagesCount
  RECEIVED_BYTES_COUNT long receivedBytesCount
  OUTBOUND_MESSAGES_QUEUE int -
`;

export const NODE_METRIC_COLUMNS = COLUMNS.trim()
  .split('\n')
  .map((line) => {
    const [name = '', kind = '', metric = ''] = line.trim().split(' ');
    return { name, kind, metric };
  });
