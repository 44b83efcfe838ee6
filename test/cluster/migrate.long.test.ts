/** `svc migrate` between an embedded store and a real cluster, as a process, with an interruption. */

import { describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { openClusterGrid } from '../../src/engines/cluster/cluster-engine.ts';
import { openEmbeddedGrid } from '../../src/engines/embedded/embedded-grid.ts';
import type { CacheDefinition, Entry, Grid } from '../../src/grid/grid.ts';
import { text, type Value } from '../../src/values/value.ts';
import { countersOf, entriesOf } from '../grid/entry-methods.ts';
import { missingForNodes, startCluster } from './ignite-node.ts';

const root = join(import.meta.dir, '../..');
const missing = missingForNodes();
const LIMIT_MS = 300_000;
const MANY = 10_000;
const INTERRUPTED = 130;

const int = (data: number): Value => ({ type: 'integer', data });

const TOWNS: CacheDefinition = {
  name: 'SQL_PUBLIC_TOWN',
  mode: 'PARTITIONED',
  backups: 1,
  region: 'default',
  group: undefined,
  writeMode: 'FULL_SYNC',
  atomicity: 'ATOMIC',
  schema: 'PUBLIC',
  persistent: true,
  entities: [
    {
      keyType: 'SQL_PUBLIC_TOWN_K',
      valueType: 'SQL_PUBLIC_TOWN_V',
      tableName: 'TOWN',
      keyFields: ['A', 'B'],
      fields: [
        { name: 'A', type: { kind: 'scalar', type: 'integer' }, notNull: true },
        { name: 'B', type: { kind: 'scalar', type: 'string', precision: 10 }, notNull: true },
        { name: 'NAME', type: { kind: 'scalar', type: 'string' }, defaultValue: text("no 'name'") },
        { name: 'AREA', type: { kind: 'scalar', type: 'decimal', precision: 10, scale: 2 } },
      ],
      indexes: [{ name: 'TOWN_NAME', fields: [{ name: 'NAME', descending: true }] }],
      fromSql: true,
    },
  ],
};

function town(index: number): Entry {
  const field = (name: string, value: Value) => ({ name, value });
  return {
    key: { type: 'object', typeName: 'SQL_PUBLIC_TOWN_K', fields: [field('A', int(index)), field('B', text('b'))] },
    value: {
      type: 'object',
      typeName: 'SQL_PUBLIC_TOWN_V',
      fields: [
        field('NAME', text(`town ${index}`)),
        field('AREA', { type: 'decimal', data: { unscaled: 5162n + BigInt(index), scale: 2 } }),
      ],
    },
  };
}

async function fill(dataDir: string): Promise<void> {
  const grid = await openEmbeddedGrid({ dataDir, version: 'test', clock: systemClock });
  await entriesOf(grid).put('default', text('colour'), text('red'));
  await entriesOf(grid).put('default', { type: 'long', data: 5n }, { type: 'list', data: [int(1), text('x')] });
  await grid.caches.getOrCreate('short', {});
  await entriesOf(grid).put('short', text('gone soon'), int(1), 3_600_000n);
  await grid.caches.getOrCreate('many', { backups: 1 });
  const some = Array.from({ length: MANY }, (_, index) => ({ key: int(index), value: text(`value ${index}`) }));
  await entriesOf(grid).putAll('many', some);
  await grid.transfer.define(TOWNS);
  await entriesOf(grid).putAll(TOWNS.name, [town(1), town(2)]);
  await countersOf(grid).add('visits', 0n, 2n ** 62n);
  await grid.close();
}

async function migrate(args: readonly string[], onLine?: (pid: number) => void) {
  const command = [join(root, 'node_modules/.bin/bun'), join(root, 'src/main.ts'), 'migrate', ...args];
  const child = Bun.spawn(command, { cwd: tmpdir(), stdout: 'pipe', stderr: 'pipe' });
  let output = '';
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += chunk;
    onLine?.(child.pid);
  }
  output += await new Response(child.stderr).text();
  return { code: await child.exited, output };
}

/** Interrupts at the first line of output, when caches are being copied. */
function interruptOnce(): (pid: number) => void {
  let signalled = false;
  return (pid) => {
    if (!signalled) process.kill(pid, 'SIGINT');
    signalled = true;
  };
}

async function selectTowns(grid: Grid): Promise<string> {
  const page = await grid.queries.execute({
    kind: 'fields',
    cache: 'default',
    owner: '',
    pageSize: 10,
    format: 'json',
    sql: 'select A, B, NAME, AREA from PUBLIC.TOWN order by A',
    args: [],
  });
  return String(page.rows);
}

describe('svc migrate', () => {
  if (missing !== undefined) {
    test.skip(missing, () => {});
    return;
  }
  test(
    'to a cluster and back: interrupted, resumed, verified; other data is rejected',
    async () => {
      const work = mkdtempSync(join(tmpdir(), 'svc-migrate-'));
      const [first, second] = [join(work, 'first'), join(work, 'second')];
      await using cluster = await startCluster(2, { empty: true });
      const there = `cluster://${cluster.endpoints.join(',')}`;
      await fill(first);

      const begun = await migrate(['--from', first, '--to', there], interruptOnce());
      expect(begun.output).toContain('interrupted; run the same command again to resume');
      expect(begun.code).toBe(INTERRUPTED);
      const resumed = await migrate(['--from', first, '--to', there]);
      expect(resumed.output).toContain('default: already complete, skipped');
      expect(resumed.output).toContain(`many: ${MANY} entries copied and the same in both`);
      expect(resumed.output).toContain('done: 5 caches and counters are the same');
      expect(resumed.code).toBe(0);
      expect(readdirSync(first).filter((name) => name.startsWith('migration-'))).toEqual([]);

      const grid = await openClusterGrid({ clock: systemClock, endpoints: cluster.addresses });
      try {
        expect(await selectTowns(grid)).toBe('[1,"b","town 1",51.63],[2,"b","town 2",51.64]');
        expect(await grid.caches.find('many')).toMatchObject({ backups: 1 });
        expect(await grid.transfer.counters(['visits'])).toEqual([{ name: 'visits', value: 2n ** 62n }]);

        const cut = await migrate(['--from', there, '--to', second], interruptOnce());
        expect(cut.code).toBe(INTERRUPTED);
        const back = await migrate(['--from', there, '--to', second]);
        expect(back.output).toContain('done: 5 caches and counters are the same');
        expect(back.code).toBe(0);

        await entriesOf(grid).put('many', int(7), text('another'));
        const rejected = await migrate(['--from', second, '--to', there]);
        expect(rejected.output).toContain('many: not copied, the target has different data');
        expect(rejected.code).toBe(1);
        const replaced = await migrate(['--from', second, '--to', there, '--overwrite']);
        expect(replaced.code).toBe(0);
        expect(await entriesOf(grid).get('many', int(7))).toEqual(text('value 7'));
      } finally {
        await grid.close();
      }

      const copy = await openEmbeddedGrid({ dataDir: second, version: 'test', clock: systemClock });
      try {
        expect(await entriesOf(copy).size('many')).toBe(MANY);
        const [own, arrived] = [TOWNS.entities[0], (await copy.caches.find(TOWNS.name))?.entities[0]];
        expect(arrived?.fields).toEqual(own?.fields ?? []);
        expect(arrived?.keyFields).toEqual(own?.keyFields ?? []);
        expect(arrived?.indexes).toMatchObject([{ name: 'TOWN_NAME', fields: [{ name: 'NAME', descending: true }] }]);
        expect(await entriesOf(copy).getAll(TOWNS.name, [town(2).key])).toEqual([town(2)]);
      } finally {
        await copy.close();
        rmSync(work, { recursive: true, force: true });
      }
    },
    LIMIT_MS,
  );
});
