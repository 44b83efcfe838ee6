import { command, ON_SERVICE } from '../command.ts';
import type { TaskDescription } from '../context.ts';
import { type JsonSchema, jsonReply, members } from '../reply.ts';
import { taskReaderOf } from './task-reader.ts';

const TEXT: JsonSchema = { type: 'string' };

const TASK: JsonSchema = {
  type: 'object',
  ...members({
    id: { ...TEXT, description: 'Id for `taskkill`; for a task started with async=true, the id that `exe` returned.' },
    name: TEXT,
    user: TEXT,
    startedAt: { type: 'string', format: 'date-time' },
  }),
};

export const tasklist = command({
  ...ON_SERVICE,
  since: '1.1.0',
  name: 'tasklist',
  request: 'TASK_LIST',
  group: 'task',
  summary: 'Lists the running tasks of this service: your own, or all if you may manage users.',
  access: 'read',
  needs: 'session',
  params: {},
  reply: jsonReply<readonly TaskDescription[]>(
    'tasks',
    { type: 'array', items: TASK },
    'The running tasks, oldest first.',
  ),
  errors: [],
  example: { query: 'cmd=tasklist', response: [] },
  run: (_, context) => context.services.tasks.list(taskReaderOf(context)),
});
