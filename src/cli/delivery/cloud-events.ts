/** Changes as CloudEvents 1.0 in their JSON format. */
import { type JsonNode, readJson, writeNode } from '../../values/json.ts';

export const BATCH_TYPE = 'application/cloudevents-batch+json; charset=utf-8';

/** Members of a change that are attributes of its event; all others are its data. */
const ATTRIBUTES: ReadonlySet<string> = new Set(['event', 'position', 'operation', 'cache', 'time']);

/** Returns a change's event as JSON, with all digits of its numbers. `endpoint` is the service's path. */
export function cloudEvent(line: string, endpoint: string): string {
  const root = readJson(line);
  const members: ReadonlyMap<string, JsonNode> = root.kind === 'object' ? root.members : new Map();
  const text = (name: string): string => {
    const node = members.get(name);
    return node?.kind === 'string' ? node.value : '';
  };
  const attributes = {
    specversion: '1.0',
    id: text('position'),
    source: `${endpoint}/caches/${encodeURIComponent(text('cache'))}`,
    type: `svc.change.${text('operation')}`,
    time: text('time'),
    ...subjectOf(members.get('key')),
    datacontenttype: 'application/json',
  };
  const data = [...members].filter(([name]) => !ATTRIBUTES.has(name));
  const written = data.map(([name, node]) => `${JSON.stringify(name)}:${writeNode(node)}`);
  return `${JSON.stringify(attributes).slice(0, -1)},"data":{${written.join(',')}}}`;
}

/** The subject is the key if it is a string, otherwise its JSON; an empty one is not allowed. */
function subjectOf(key: JsonNode | undefined): { readonly subject?: string } {
  if (key === undefined) return {};
  const subject = key.kind === 'string' ? key.value : writeNode(key);
  return subject === '' ? {} : { subject };
}
