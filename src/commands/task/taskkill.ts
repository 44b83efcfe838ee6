import { command, ON_SERVICE } from '../command.ts';
import { audited, requiredString } from '../params.ts';
import { trueReply } from '../reply.ts';
import { taskReaderOf } from './task-reader.ts';

export const taskkill = command({
  ...ON_SERVICE,
  since: '1.1.0',
  name: 'taskkill',
  request: 'TASK_KILL',
  group: 'task',
  summary: 'Ends a running task of this service. Only administrators may end those of other users.',
  access: 'write',
  needs: 'session',
  audit: 'always',
  params: { id: audited(requiredString('id', 'Id of the task, from `tasklist` or from `exe` with async=true.', true)) },
  reply: trueReply('Always true: the task ends with an error.'),
  errors: ['TASK_NOT_RUNNING'],
  example: { before: ['cmd=exe&name=svc.sleep&p1=60000&async=true'], query: 'cmd=taskkill&id={id}', response: true },
  run: ({ id }, context) => context.services.tasks.cancel(id, taskReaderOf(context)),
});
