import { command, ON_SERVICE } from '../command.ts';
import type { ConfiguredOption } from '../context.ts';
import { type JsonSchema, jsonReply, members } from '../reply.ts';

const TEXT: JsonSchema = { type: 'string' };

const OPTION: JsonSchema = {
  type: 'object',
  ...members({
    path: { ...TEXT, description: 'Path in the configuration file.' },
    value: { description: 'The value in force; `***` for a secret.' },
    source: { ...TEXT, description: 'Flag, variable, or file and member; `default` if nothing sets it.' },
    help: TEXT,
    default: { ...TEXT, description: 'The default in words.' },
    environment: { ...TEXT, description: 'The environment variable that sets it.' },
    flag: { type: ['string', 'null'], description: 'The flag that sets it; null for a secret.' },
  }),
};

export const config = command({
  ...ON_SERVICE,
  name: 'config',
  request: 'CONFIG',
  group: 'server',
  summary: 'Returns every option with its value and where it comes from, as `svc config show` does.',
  since: '1.1.0',
  access: 'read',
  needs: 'adminState',
  audit: 'always',
  params: {},
  reply: jsonReply<readonly ConfiguredOption[]>(
    'options',
    { type: 'array', items: OPTION },
    'The options that the service was started with. Secrets are masked.',
  ),
  errors: [],
  example: { query: 'cmd=config' },
  run: (_args, { services: { configuration } }) => configuration.options(),
});
