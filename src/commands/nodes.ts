/** Parameters and replies of node and top (docs/spec/contract.md 2.5). */
import { gridError } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { Context, NodeDescription } from './context.ts';
import { flag, optionalString, type Parameter, sentName } from './params.ts';
import { type JsonSchema, members, type Reply } from './reply.ts';

const GROUPS = /^[^-]+(-[^-]+){4}$/;

/** A node's id; short groups are padded with zeros, as in Ignite (docs/spec/ignite-cluster.md 3). */
const nodeId: Parameter<string | undefined> = {
  ...optionalString('id', 'Id of the node.'),
  read({ params, compatibility }) {
    const text = params.get('id');
    if (text === undefined) return undefined;
    if (!GROUPS.test(text)) throw gridError('NODE_ID_INVALID', text, sentName('id', compatibility));
    const groups = text.toLowerCase().split('-');
    const widths = [8, 4, 4, 4, 12];
    const padded = groups.map((group, index) => group.padStart(widths[index] ?? 0, '0'));
    if (!padded.every((group, index) => /^[0-9a-f]+$/.test(group) && group.length === widths[index])) {
      throw gridError('NOT_A_UUID', 'id', text);
    }
    return padded.join('-');
  },
};

export const nodeParameters = {
  id: nodeId,
  ip: optionalString('ip', 'An IP address of the node.'),
  attr: flag('attr', 'Include the attributes.', false),
  mtr: flag('mtr', 'Include the metrics.', false),
  caches: flag('caches', 'Include the caches.', true),
} as const;

const STRINGS: JsonSchema = { type: 'array', items: { type: 'string' } };
const NODE: JsonSchema = {
  type: 'object',
  ...members({
    nodeId: { type: 'string', format: 'uuid' },
    consistentId: { type: 'string' },
    tcpAddresses: STRINGS,
    tcpHostNames: STRINGS,
    tcpPort: { type: 'integer' },
    order: { type: 'integer' },
    replicaCount: { type: 'integer' },
    defaultCacheMode: { type: 'string' },
    metrics: { type: ['object', 'null'], additionalProperties: { type: 'number' } },
    attributes: { type: ['object', 'null'], additionalProperties: true },
    caches: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        ...members({ name: { type: 'string' }, mode: { type: 'string' }, sqlSchema: { type: ['string', 'null'] } }),
      },
    },
  }),
};

/**
 * With compatibility `reference`, schema names are quoted and the default cache has its real name, as in
 * Ignite (docs/spec/ignite-cluster.md 3).
 */
function shown(node: NodeDescription, { compatibility, defaultCache }: Context): NodeDescription {
  // Row 33 of docs/differences.md.
  if (compatibility !== 'reference' || node.caches === null) return node;
  const quoted = node.caches.map((cache) => ({
    ...cache,
    name: cache.name === '' ? defaultCache : cache.name,
    sqlSchema: cache.sqlSchema === null ? null : `"${cache.sqlSchema}"`,
  }));
  return { ...node, caches: quoted };
}

/** Returns the nodes without what the caller may not know. */
export function knownNodes(
  nodes: readonly NodeDescription[],
  { grid, defaultCache, knowledge }: Pick<Context, 'grid' | 'defaultCache' | 'knowledge'>,
): MaybePromise<readonly NodeDescription[]> {
  const known = knowledge();
  if (known === undefined) return nodes;
  const places = known.knows.service ? nodes : nodes.map(withoutPlace);
  if (places.every(({ caches }) => caches === null)) return places;
  return chain(grid.caches.list(), (definitions) => {
    // The service's own caches are not listed.
    const hidden = new Set(definitions.filter((each) => !known.cache(each)).map(({ name }) => name));
    const isKnown = ({ name }: { readonly name: string }) => !hidden.has(name === '' ? defaultCache : name);
    return places.map((node) => ({ ...node, caches: node.caches?.filter(isKnown) ?? null }));
  });
}

/** In Ignite, a consistent id contains addresses unless one is configured. */
function withoutPlace(node: NodeDescription): NodeDescription {
  const { nodeId: consistentId } = node;
  const place = { tcpAddresses: [], tcpHostNames: [], tcpPort: 0 };
  return { ...node, ...place, consistentId, metrics: null, attributes: null };
}

export function nodeReply(summary: string): Reply<NodeDescription | null> {
  return {
    kind: 'node',
    summary,
    schema: { ...NODE, type: ['object', 'null'] },
    write: (node, context) => JSON.stringify(node === null ? null : shown(node, context)),
  };
}

export function nodesReply(summary: string): Reply<readonly NodeDescription[]> {
  return {
    kind: 'nodes',
    summary,
    schema: { type: 'array', items: NODE },
    write: (nodes, context) => JSON.stringify(nodes.map((node) => shown(node, context))),
  };
}
