import { command, ON_SERVICE } from '../command.ts';
import { taskArguments } from '../numbered-params.ts';
import { audited, destId, flag, optionalLong, requiredString } from '../params.ts';
import { taskReply } from '../reply.ts';

export const exe = command({
  ...ON_SERVICE,
  failures: 'wrappedAsTask',
  name: 'exe',
  request: 'EXE',
  group: 'task',
  summary: 'Runs a task.',
  access: 'write',
  needs: 'taskExecute',
  subject: 'name',
  params: {
    name: audited(requiredString('name', 'Name of the task.', true)),
    arguments: taskArguments,
    async: flag('async', 'Return immediately; `res` returns the result later.', false),
    timeout: optionalLong('timeout', 'Time limit in milliseconds; 0 means none.', { defaultText: '0' }),
    destId,
  },
  reply: taskReply('The result. `finished` is false if the task was only started.'),
  errors: ['TASK_NOT_FOUND', 'CLASS_NOT_A_TASK', 'TASK_FAILED', 'TASK_TIMEOUT'],
  example: { query: 'cmd=exe&name=svc.echo&p1=hello' },
  run({ name, arguments: args, async: asynchronous, timeout }, { services: { tasks }, owner, tenant, signal }) {
    const timeoutMs = Number(timeout ?? 0n);
    const taskOwner = { user: owner, tenant: tenant() };
    return asynchronous
      ? tasks.start(name, args, timeoutMs, taskOwner)
      : tasks.run(name, args, timeoutMs, signal(), taskOwner);
  },
});
