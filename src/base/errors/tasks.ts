/** Errors of tasks and filters. */
import { defineErrors, defineTexts, type Text } from './error-entry.ts';

export const TASK_ERRORS = defineErrors({
  CLASS_NOT_FOUND: {
    http: 404,
    text: (name: string) => `Failed to find target class: ${name}`,
    cause: 'There is no scan predicate with the name in `className` or, in front of a cluster, no class on the nodes.',
    remedy: 'Register the predicate under this class name in the configuration (scanPredicates).',
  },
  CLASS_NOT_A_FILTER: {
    http: 400,
    text: (name: string) =>
      'Failed to create instance (target class does not extend or implement required class or interface) ' +
      `[cls=${name}]`,
    cause: 'The class that `className` names on the nodes cannot filter entries.',
    remedy: 'Name a scan predicate of the configuration.',
  },
  TASK_NOT_FOUND: {
    http: 404,
    wrap: 'always',
    text: (name: string) =>
      `Unknown task name or failed to auto-deploy task (was task (re|un)deployed?) [taskName=${name}]`,
    cause: 'No task has the name in `name`.',
    remedy: 'Declare the task in the configuration (tasks).',
  },
  CLASS_NOT_A_TASK: {
    http: 400,
    wrap: 'always',
    text: (name: string) => `Failed to auto-deploy task (deployed class is not a task) [taskName=${name}]`,
    cause: 'The class that `name` names is not a task.',
    remedy: 'Name a task of the configuration (tasks).',
  },
  TASK_FAILED: {
    http: 500,
    wrap: 'always',
    text: (text: string) => text,
    cause: 'The task threw an error, or was cancelled.',
    remedy: 'The text is the error message of the task.',
  },
  TASK_TIMEOUT: {
    http: 504,
    wrap: 'always',
    text: (name: string, timeoutMs: Text) =>
      `Task timed out (check logs for error messages): [taskName=${name}, timeout=${timeoutMs}]`,
    cause: 'The task ran for longer than its `timeout`.',
    remedy: 'Raise timeout, or make the task faster.',
  },
  TASK_ID_INVALID: {
    http: 400,
    wrap: 'always',
    text: (id: string) => `Failed to parse id parameter: ${id}`,
    cause: '`id` does not have the form of a task id.',
    remedy: 'Send the id that exe returned.',
  },
  TASK_SYNCHRONOUS: {
    http: 400,
    wrap: 'always',
    text: (id: string) =>
      `Failed to parse id parameter: ${id}. The task ran synchronously, so its result was in the response of exe`,
    cause: '`res` requests the result of a task that was started without `async=true`.',
    remedy: 'Start the task with async=true to read its result later.',
  },
  TASK_NOT_STARTED: {
    http: 404,
    wrap: 'always',
    text: (taskId: string, nodeId: string) =>
      `Task with provided id has never been started on provided node [taskId=${taskId}, taskResHolderId=${nodeId}]`,
    cause: 'No task has this id: it was never started, or its result is no longer stored.',
    remedy: 'Send the id that exe returned with async=true.',
  },
  TASK_NOT_RUNNING: {
    http: 404,
    wrap: 'always',
    text: (id: string) => `Failed to find a running task with ID: ${id}`,
    cause: 'No task with this id is running on this service, or it belongs to another user.',
    remedy: 'Use an id from tasklist, which returns those of the running tasks.',
  },
  TASK_HOLDER_LEFT: {
    http: 404,
    wrap: 'always',
    text: (nodeId: string) => `Task result holder has left grid: ${nodeId}`,
    cause: 'The node in the task id is not part of the cluster.',
    remedy: 'Send the id that exe returned with async=true.',
  },
});

/** Texts of errors that share their code with others. */
export const TASK_TEXTS = defineTexts({
  TASK_CANCELLED: { code: 'TASK_FAILED', text: (name: string) => `The task was cancelled [taskName=${name}]` },
  TASK_WITHOUT_JOBS: { code: 'TASK_FAILED', text: () => 'Split returned no jobs.' },
  TASK_MAP_FAILED: {
    code: 'TASK_FAILED',
    text: (cause: string) => `Failed to map task jobs to nodes due to undeclared user exception [cause=${cause}]`,
  },
  TASK_REDUCE_FAILED: {
    code: 'TASK_FAILED',
    text: (name: string, cause: string) =>
      `Failed to reduce job results due to undeclared user exception [task=${name}, err=${cause}]`,
  },
  TASK_JOB_FAILED: {
    code: 'TASK_FAILED',
    text: (cause: string) =>
      'Remote job threw user exception (override or implement ComputeTask.result(..) method if you would like to ' +
      `have automatic failover for this exception): ${cause}`,
  },
});
