import { gridError } from '../../base/errors.ts';
import { command, ON_SERVICE } from '../command.ts';
import { requiredString } from '../params.ts';
import { taskReply } from '../reply.ts';

export const res = command({
  ...ON_SERVICE,
  failures: 'wrappedAsTask',
  name: 'res',
  request: 'RESULT',
  group: 'task',
  summary: 'Returns the result of a task that was started with async=true.',
  access: 'read',
  needs: 'session',
  params: { id: requiredString('id', 'Id of the task, as returned by `exe`.', true) },
  reply: taskReply('The result. `finished` is false while the task runs.'),
  errors: [
    'TASK_ID_INVALID',
    'UUID_INVALID',
    'TASK_SYNCHRONOUS',
    'TASK_NOT_STARTED',
    'TASK_HOLDER_LEFT',
    'TASK_FAILED',
    'TASK_TIMEOUT',
  ],
  example: { before: ['cmd=exe&name=svc.echo&p1=hello&async=true'], query: 'cmd=res&id={id}' },
  run({ id }, { services: { tasks }, owner, compatibility }) {
    // Ignite reports that the first part of such an id is not a UUID (docs/spec/ignite-cluster.md 8). Row 42 of
    // docs/differences.md.
    if (id.startsWith('~') && compatibility !== 'reference') throw gridError('TASK_SYNCHRONOUS', id);
    return tasks.result(id, owner);
  },
});
