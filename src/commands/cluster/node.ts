import { gridError } from '../../base/errors.ts';
import { chain } from '../../base/maybe-promise.ts';
import { command, ON_SERVICE } from '../command.ts';
import { knownNodes, nodeParameters, nodeReply } from '../nodes.ts';

export const node = command({
  ...ON_SERVICE,
  name: 'node',
  request: 'NODE',
  group: 'cluster',
  summary: 'Describes a node, found by its id or one of its addresses.',
  access: 'read',
  needs: 'session',
  readsNoData: true,
  params: nodeParameters,
  reply: nodeReply('The node; null if there is no such node.'),
  errors: ['NODE_ID_OR_IP_MISSING', 'NODE_ID_INVALID', 'NOT_A_UUID'],
  example: { query: 'cmd=node&ip=127.0.0.1' },
  run({ id, ip, attr, mtr, caches }, context) {
    if (id === undefined && ip === undefined) throw gridError('NODE_ID_OR_IP_MISSING');
    const described = context.services.nodes.describe({ metrics: mtr, attributes: attr, caches });
    return chain(
      chain(described, (nodes) => knownNodes(nodes, context)),
      (all) => {
        const found = all.find(
          (each) => (id === undefined || each.nodeId === id) && (ip === undefined || each.tcpAddresses.includes(ip)),
        );
        return found ?? null;
      },
    );
  },
});
