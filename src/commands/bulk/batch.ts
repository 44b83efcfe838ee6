import { command, ON_SERVICE } from '../command.ts';
import { flag, type Parameter, PLAIN, timeLimit } from '../params.ts';
import { batchReply } from '../reply.ts';

const commands: Parameter<string> = {
  ...PLAIN,
  name: 'commands',
  kind: 'commands',
  required: true,
  missing: 'commands',
  summary:
    'The commands as a JSON array of objects, each with `cmd` and its parameters. The array can also be the body of a ' +
    'POST to `/svc/batch`, where the types of its values count, or to `/svc?cmd=batch`, where they are texts.',
  read: ({ params }) => params.get('commands'),
};

export const batch = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'batch',
  request: 'BATCH',
  group: 'bulk',
  summary: 'Executes several commands in one request, in order, and returns a result for each.',
  since: '1.1.0',
  access: 'write',
  needs: 'session',
  batch: 'isBatch',
  json: 'commands',
  params: {
    commands,
    atomic: flag(
      'atomic',
      'Execute all commands as one transaction: either all take effect or, if one fails, none.',
      false,
    ),
    stopOnError: flag(
      'stopOnError',
      'Execute nothing after the first command that fails. An atomic batch always stops.',
      false,
    ),
    timeout: timeLimit('Time limit of an atomic batch in milliseconds (default: the option `query.timeout`).'),
  },
  reply: batchReply(
    'An envelope for each command, in order, up to the last one that was executed. Session tokens are null.',
  ),
  errors: [
    'LIMIT_EXCEEDED',
    'BATCH_COMMAND',
    'BATCH_ABORTED',
    'BATCH_CONDITION',
    'BATCH_REGIONS',
    'BATCH_PAGE',
    'NOT_SUPPORTED',
    'QUERY_CANCELLED',
    'QUERY_TIMEOUT',
    'QUERY_LOST',
    'WRITE_LOCK_TIME',
  ],
  example: {
    query:
      'cmd=batch&commands=%5B%7B%22cmd%22:%22put%22,%22key%22:%22a%22,%22val%22:%22b%22%7D,%7B%22cmd%22:%22incr%22,' +
      '%22key%22:%22orders%22,%22delta%22:1%7D%5D',
  },
  run: ({ commands, atomic, stopOnError, timeout }, { batches, tenant }) =>
    batches.run(commands, { atomic, stopOnError, timeoutMs: timeout ?? 0, tenant: tenant() }),
});
