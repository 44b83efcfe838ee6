/**
 * Writers and readers that survive restarts and takeovers of the service. Each writes its own keys until the key `stop`
 * appears in the change feed, and then a last one; each reads all changes up to everyone's last one.
 */
import { type ClientOptions, SvcClient } from '../../src/client/client.ts';

export interface SurvivorOptions extends Pick<ClientOptions, 'fetch'> {
  readonly onReconnect?: () => void;
  readonly onChange?: () => void;
}

/** Runs the default writer and reader of the TypeScript client. Returns the changes that it has read: `created KEY`. */
export async function survive(
  url: string,
  cacheName: string,
  name: string,
  names: readonly string[],
  { fetch = globalThis.fetch, onReconnect = () => {}, onChange = () => {} }: SurvivorOptions = {},
) {
  const client = new SvcClient({ url, fetch });
  let isStopped = false;
  const writing = (async () => {
    for (let at = 0; !isStopped; at++) {
      await client.put({ cacheName, key: `${name}-${at}`, val: at });
      await Bun.sleep(10);
    }
    await client.put({ cacheName, key: `${name}-end`, val: 0 });
  })();
  const changes: string[] = [];
  const left = new Set(names.map((each) => `${each}-end`));
  for await (const { operation, key } of client.watch({ caches: [cacheName], from: 'start', onReconnect })) {
    changes.push(`${operation} ${key}`);
    onChange();
    isStopped ||= key === 'stop';
    left.delete(String(key));
    if (left.size === 0) break;
  }
  await writing;
  return changes;
}

/** Follows a cache with `svc watch --events` until every writer has ended. Calls `onOpen` when it has begun. */
export async function surviveWatching(
  command: readonly string[],
  names: readonly string[],
  onOpen: () => void,
): Promise<{ readonly changes: readonly string[]; readonly messages: string }> {
  const child = Bun.spawn([...command], { stdout: 'pipe', stderr: 'pipe' });
  const messages = new Response(child.stderr).text();
  const left = new Set(names.map((name) => `${name}-end`));
  const decoder = new TextDecoder();
  const changes: string[] = [];
  let rest = '';
  for await (const chunk of child.stdout) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { event, operation, key } = JSON.parse(line) as Readonly<Record<'event' | 'operation' | 'key', string>>;
      onOpen();
      if (event !== 'change') continue;
      changes.push(`${operation} ${key}`);
      left.delete(key);
    }
    if (left.size === 0) child.kill();
  }
  return { changes, messages: await messages };
}

/** Returns the problem with the changes that a reader has seen: lost, repeated, or not in the order of the writes. */
export function mistakesIn(changes: readonly string[], names: readonly string[]): readonly string[] {
  const mistakes: string[] = [];
  for (const name of names) {
    const own = changes.filter((change) => change.split(' ')[1]?.startsWith(`${name}-`));
    const expected = [...own.keys()].map((at) => `created ${name}-${at === own.length - 1 ? 'end' : at}`);
    const at = own.findIndex((change, index) => change !== expected[index]);
    if (at >= 0) mistakes.push(`${name}: ${own[at]} instead of ${expected[at]}`);
    if (own.length < 2) mistakes.push(`${name}: nothing written`);
  }
  return mistakes;
}
