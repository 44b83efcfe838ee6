/** Statements whose response never arrives, because the node has lost it: each ends at its time limit. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { connect, createServer, type Server } from 'node:net';
import { systemClock } from '../../src/base/clock.ts';
import { GridError } from '../../src/base/errors.ts';
import { openClusterGrid } from '../../src/engines/cluster/cluster-engine.ts';
import type { Grid } from '../../src/grid/grid.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
// Starting nodes takes time.
setDefaultTimeout(180_000);
const TIMEOUT_MS = 300;
/** A statement that has no answer by then never gets one. */
const LIMIT_MS = 60_000;

/** Passes bytes between clients and a node, and drops one answer of the node. */
class LosingProxy {
  readonly #server: Server;
  /** Text of a request, and how many answers after it are passed on before one is dropped. */
  #marker = '';
  #passed = 0;
  lost = 0;

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const node = connect(port, '127.0.0.1');
      let left: number | undefined;
      client.on('data', (chunk: Buffer) => {
        if (this.#marker !== '' && chunk.includes(this.#marker)) {
          this.#marker = '';
          left = this.#passed;
        }
        node.write(chunk);
      });
      node.on('data', (chunk: Buffer) => {
        if (left === 0) {
          left = undefined;
          this.lost += 1;
          return;
        }
        if (left !== undefined) left -= 1;
        client.write(chunk);
      });
      for (const [one, other] of [
        [client, node],
        [node, client],
      ] as const) {
        one.on('error', () => {});
        one.on('close', () => void other.destroy());
      }
    });
  }

  static async listen(port: number): Promise<LosingProxy> {
    const proxy = new LosingProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Drops one answer to the next request that contains `marker`, after `passed` others. */
  lose(marker: string, passed: number): void {
    this.#marker = marker;
    this.#passed = passed;
  }

  close(): void {
    this.#server.close();
  }
}

describe('a statement whose answer is lost', () => {
  if (missing !== undefined) {
    test.skip(missing, () => {});
    return;
  }
  let cluster: TestCluster;
  let proxy: LosingProxy;
  let grid: Grid;
  beforeAll(async () => {
    cluster = await startCluster(1, { empty: true });
    proxy = await LosingProxy.listen(cluster.nodes[0]?.port ?? 0);
    grid = await openClusterGrid({ clock: systemClock, endpoints: [{ host: '127.0.0.1', port: proxy.port }] });
    await grid.caches.getOrCreate('default', {});
    await run('CREATE TABLE Lost (id INT PRIMARY KEY, v INT)', 0);
  });
  afterAll(async () => {
    await grid.close();
    proxy.close();
    await cluster[Symbol.asyncDispose]();
  });

  /** Returns the rows of a statement, the code of its error, or `no answer`. */
  async function run(sql: string, timeoutMs: number): Promise<unknown> {
    const request = { cache: 'default', owner: 'own', pageSize: 10, format: 'json', args: [] } as const;
    const outcome = Promise.resolve(grid.queries.execute({ ...request, kind: 'fields', sql, timeoutMs })).then(
      () => 'done',
      (error: unknown) => (error instanceof GridError ? error.code : String(error)),
    );
    return Promise.race([outcome, Bun.sleep(LIMIT_MS).then(() => 'no answer')]);
  }

  for (const [title, sql, passed, expected] of [
    ['a change', 'MERGE INTO Lost (id, v) VALUES (1, 10)', 0, 'OUTCOME_UNKNOWN'],
    ['a select', 'SELECT v, 1 FROM Lost', 0, 'QUERY_TIMEOUT'],
    ['a select whose columns are lost', 'SELECT v, 2 FROM Lost', 1, 'QUERY_TIMEOUT'],
  ] as const) {
    test(`ends at its time limit: ${title}`, async () => {
      const before = proxy.lost;
      proxy.lose(sql, passed);
      expect(await run(sql, TIMEOUT_MS)).toBe(expected);
      expect(proxy.lost).toBe(before + 1);
      expect(await run('SELECT v FROM Lost', LIMIT_MS)).toBe('done');
    });
  }
});
