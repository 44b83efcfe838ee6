import { command, ON_SERVICE } from '../command.ts';
import type { DryRunResult, Effect } from '../context.ts';
import { requiredString } from '../params.ts';
import { members, type Reply } from '../reply.ts';

const CHANGES: ReadonlyArray<Effect['change']> = [
  'created',
  'destroyed',
  'cleared',
  'entered',
  'added',
  'changed',
  'removed',
];

const reply: Reply<DryRunResult> = {
  kind: 'dryRun',
  summary:
    'The response that the command would return (`response`), or the changes that it would make (`effects`), and the ' +
    'types of its keys and values.',
  schema: {
    type: 'object',
    ...members({
      of: { type: 'string' },
      response: {},
      effects: {
        type: ['array', 'null'],
        items: {
          type: 'object',
          required: ['change'],
          properties: {
            cacheName: { type: 'string' },
            state: { type: 'string' },
            user: { type: 'string' },
            role: { type: 'string' },
            table: { type: 'string' },
            column: { type: 'string' },
            index: { type: 'string' },
            view: { type: 'string' },
            change: { type: 'string', enum: CHANGES },
            entries: { type: 'integer' },
          },
        },
      },
      types: { type: 'object' },
    }),
  },
  write: ({ of, response, effects, types }) =>
    `{"of":${JSON.stringify(of)},"response":${response},"effects":${JSON.stringify(effects)},` +
    `"types":${JSON.stringify(types)}}`,
};

export const dryrun = command({
  ...ON_SERVICE,
  name: 'dryrun',
  request: 'DRY_RUN',
  group: 'server',
  summary: 'Reports what another command would do with the same parameters, and changes nothing.',
  since: '1.1.0',
  access: 'read',
  needs: 'session',
  acceptsOthers: true,
  params: {
    of: requiredString(
      'of',
      'The command to check, sent with its own parameters. You need the rights that it requires.',
      true,
    ),
  },
  reply,
  errors: ['COMMAND_UNKNOWN', 'DRY_RUN_UNSUPPORTED', 'NOT_SUPPORTED'],
  example: {
    before: ['cmd=put&key=colour&val=red'],
    query: 'cmd=dryrun&of=rmv&key=colour',
    response: { of: 'rmv', response: true, effects: null, types: { key: 'string' } },
  },
  run: ({ of }, { dryRuns, tenant }) => dryRuns.run(of, tenant()),
});
