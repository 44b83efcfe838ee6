import { chain } from '../../base/maybe-promise.ts';
import { command, ON_SERVICE } from '../command.ts';
import { knownNodes, nodeParameters, nodesReply } from '../nodes.ts';

export const top = command({
  ...ON_SERVICE,
  name: 'top',
  request: 'TOPOLOGY',
  group: 'cluster',
  summary: 'Describes all nodes, oldest first.',
  access: 'read',
  needs: 'session',
  readsNoData: true,
  params: nodeParameters,
  reply: nodesReply('The nodes. `id` and `ip` are validated but do not filter.'),
  errors: ['NODE_ID_INVALID', 'NOT_A_UUID'],
  example: { query: 'cmd=top' },
  run: ({ attr, mtr, caches }, context) =>
    chain(context.services.nodes.describe({ metrics: mtr, attributes: attr, caches }), (all) =>
      knownNodes(all, context),
    ),
});
