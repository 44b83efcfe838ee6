import { describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countersOf, entriesOf, withCalls } from '../../../test/grid/entry-methods.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { systemClock } from '../../base/clock.ts';
import { openEmbeddedGrid } from '../../engines/embedded/embedded-grid.ts';
import type { CallTable } from '../../grid/calls.ts';
import type { CacheDefinition, EntityField, Entry, Grid } from '../../grid/grid.ts';
import { text, type Value } from '../../values/value.ts';
import { Interrupted } from './copy-entries.ts';
import { type MigrationSettings, migrateGrid } from './migrate-grid.ts';
import { Progress } from './progress.ts';

const ENTRIES = 5_000;
const HOUR_MS = 3_600_000n;

const int = (data: number): Value => ({ type: 'integer', data });

/** A source with all kinds of data, a target and a progress file; closed and removed at the end. */
class Migration implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-migration-'));
  readonly lines: string[] = [];
  readonly source: Grid;
  readonly target: Grid;

  constructor(source: Grid, target: Grid) {
    this.source = source;
    this.target = target;
  }

  get progressFile(): string {
    return join(this.folder, 'progress.json');
  }

  run(changes: Partial<MigrationSettings> = {}) {
    return migrateGrid({
      source: this.source,
      target: this.target,
      clock: systemClock,
      signal: new AbortController().signal,
      caches: undefined,
      counters: [],
      overwrite: false,
      backups: undefined,
      progress: new Progress(this.progressFile, 'a', 'b'),
      report: (line) => this.lines.push(line),
      ...changes,
    });
  }

  async [Symbol.asyncDispose]() {
    await this.source.close();
    await this.target.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function openEmbedded(): Promise<Grid> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-migration-store-'));
  const grid = await openEmbeddedGrid({ dataDir, version: 'test', clock: systemClock });
  const close = async () => {
    await grid.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ...grid, close };
}

const PARTS: CacheDefinition = {
  name: 'SQL_PUBLIC_PARTS',
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
      keyType: 'integer',
      valueType: 'SQL_PUBLIC_PARTS_T',
      tableName: 'PARTS',
      keyFields: ['ID'],
      fields: [
        { name: 'ID', type: { kind: 'scalar', type: 'integer' }, notNull: true },
        { name: 'NAME', type: { kind: 'scalar', type: 'string' }, defaultValue: text('none') },
        { name: 'WEIGHT', type: { kind: 'scalar', type: 'double' } },
      ],
      indexes: [{ name: 'BY_NAME', fields: [{ name: 'NAME', descending: false }] }],
      fromSql: true,
    },
  ],
  entryIndexes: [{ name: 'BY_WEIGHT', path: '$."WEIGHT"', type: 'DOUBLE' }],
};

function part(id: number): Entry {
  const fields = [
    { name: 'NAME', value: text(`part ${id}`) },
    { name: 'WEIGHT', value: { type: 'double', data: id / 4 } as const },
  ];
  return { key: int(id), value: { type: 'object', typeName: 'SQL_PUBLIC_PARTS_T', fields } };
}

async function fill(grid: Grid): Promise<void> {
  await entriesOf(grid).put('default', text('colour'), text('red'));
  await entriesOf(grid).put('default', { type: 'long', data: 5n }, { type: 'list', data: [int(1), { type: 'null' }] });
  await entriesOf(grid).put('default', int(5), text('ends'), HOUR_MS);
  await grid.caches.getOrCreate('copied', { template: 'REPLICATED' });
  await grid.caches.getOrCreate('many', { backups: 2, group: 'some' });
  await entriesOf(grid).putAll(
    'many',
    Array.from({ length: ENTRIES }, (_, index) => ({ key: int(index), value: text(`value ${index}`) })),
  );
  await grid.transfer.define(PARTS);
  await entriesOf(grid).putAll(PARTS.name, [part(1), part(2)]);
  await countersOf(grid).add('visits', 0n, 2n ** 62n);
}

async function migration(kind: 'model' | 'embedded'): Promise<Migration> {
  const source = await openEmbedded();
  await fill(source);
  return new Migration(source, kind === 'model' ? openModelGrid({ clock: systemClock }) : await openEmbedded());
}

for (const kind of ['model', 'embedded'] as const) {
  describe(`migrateGrid from the embedded store to the ${kind} engine`, () => {
    test('copies caches, tables, entries with types and expiry, and counters', async () => {
      await using run = await migration(kind);
      const { source, target } = run;
      expect(await run.run()).toEqual({ same: 5, different: 0, skipped: 0 });
      expect(await entriesOf(target).get('default', int(5))).toEqual(text('ends'));
      expect(await entriesOf(target).get('default', { type: 'long', data: 5n })).toEqual({
        type: 'list',
        data: [int(1), { type: 'null' }],
      });
      expect(await entriesOf(target).size('many')).toBe(ENTRIES);
      expect(await entriesOf(target).get(PARTS.name, int(2))).toEqual(part(2).value);
      for (const name of ['many', 'copied', PARTS.name]) {
        expect(await target.caches.find(name)).toEqual(await source.caches.find(name));
      }
      expect(await target.transfer.counters([])).toEqual([{ name: 'visits', value: 2n ** 62n }]);
      const left = [];
      for await (const { entries } of target.transfer.scan('default')) left.push(...entries);
      expect(Number(left.find(({ ttlMs }) => ttlMs !== undefined)?.ttlMs)).toBeWithin(3_500_000, 3_600_001);
      expect(run.lines.join('\n')).toContain(`many: ${ENTRIES} entries copied and the same in both (checksum `);
    });

    test('resumes after an interruption and skips complete caches', async () => {
      await using run = await migration(kind);
      const interruption = new AbortController();
      let batches = 0;
      let copied = 0;
      const { port } = run.target;
      const putAll: CallTable<'putAll'>['putAll'] = async (call) => {
        await port.call(call, {});
        if (call.cache === 'many') copied += call.entries.length;
        if (call.cache === 'many' && ++batches === 2) interruption.abort();
      };
      Object.assign(run.target, withCalls(run.target, { putAll }));
      const first = run.run({ signal: interruption.signal }).catch((error: unknown) => error);
      expect(await first).toBeInstanceOf(Interrupted);
      expect(await entriesOf(run.target).size('many')).toBeLessThan(ENTRIES);
      expect(existsSync(run.progressFile)).toBe(true);
      run.lines.length = 0;
      expect(await run.run()).toEqual({ same: 5, different: 0, skipped: 0 });
      expect(run.lines.join('\n')).toContain('default: already complete, skipped');
      expect(await entriesOf(run.target).size('many')).toBe(ENTRIES);
      // No entry was copied twice.
      expect(copied).toBe(ENTRIES);
    });
  });
}

describe('migrateGrid to a target with data', () => {
  test('keeps different data in a cache of the same name and copies the other caches', async () => {
    await using run = await migration('model');
    await run.target.caches.getOrCreate('many', {});
    await entriesOf(run.target).put('many', int(1), text('mine'));
    expect(await run.run()).toEqual({ same: 4, different: 1, skipped: 0 });
    expect(run.lines.join('\n')).toContain('many: not copied, the target has different data (1 entries)');
    expect(await entriesOf(run.target).get('many', int(1))).toEqual(text('mine'));
    expect(await entriesOf(run.target).get('many', int(2))).toBeUndefined();
  });

  test('replaces different data and counters with --overwrite', async () => {
    await using run = await migration('model');
    await run.target.caches.getOrCreate('many', {});
    await entriesOf(run.target).put('many', text('mine'), text('mine'));
    await countersOf(run.target).add('visits', 0n, -7n);
    expect(await run.run({ overwrite: true })).toEqual({ same: 5, different: 0, skipped: 0 });
    expect(await entriesOf(run.target).has('many', text('mine'))).toBe(false);
    expect(await run.target.transfer.counters([])).toEqual([{ name: 'visits', value: 2n ** 62n }]);
  });

  test('reports indexes on paths that it lacks', async () => {
    await using run = await migration('model');
    const { entryIndexes: _, ...without } = PARTS;
    await run.target.transfer.define(without);
    expect(await run.run()).toEqual({ same: 5, different: 0, skipped: 1 });
    expect(run.lines.join('\n')).toContain(`${PARTS.name}: the index BY_WEIGHT on the path $."WEIGHT" is not copied`);
  });

  test('accepts the same data', async () => {
    await using run = await migration('model');
    await run.run();
    new Progress(run.progressFile, 'a', 'b').remove();
    run.lines.length = 0;
    expect(await run.run()).toEqual({ same: 5, different: 0, skipped: 0 });
    expect(run.lines.join('\n')).toContain(`many: ${ENTRIES} entries, already the same in both`);
  });

  test('copies the time to live of a counter, and names it if the target has none', async () => {
    await using run = await migration('model');
    await countersOf(run.source).add('window', 3n, 0n, HOUR_MS);
    expect(await run.run()).toEqual({ same: 6, different: 0, skipped: 0 });
    expect((await countersOf(run.target).timeToLive('window')) ?? 0n).toBeGreaterThan(HOUR_MS / 2n);
    expect(await countersOf(run.target).timeToLive('visits')).toBeNull();
    await using other = await migration('model');
    await countersOf(other.source).add('window', 3n, 0n, HOUR_MS);
    Object.assign(other.target.capabilities, { expiringCounters: false });
    expect(await other.run()).toEqual({ same: 5, different: 0, skipped: 1 });
    expect(other.lines.join('\n')).toContain('counter window: not copied: it expires in');
    expect(await countersOf(other.target).timeToLive('window')).toBeUndefined();
  });

  test('reports a different value of a counter', async () => {
    await using run = await migration('model');
    await countersOf(run.target).add('visits', 0n, 3n);
    expect(await run.run()).toEqual({ same: 4, different: 1, skipped: 0 });
    expect(run.lines.join('\n')).toContain(`counter visits: ${2n ** 62n} in the source, 3 in the target`);
  });
});

test('migrateGrid reports entries that differ after the copy by key', async () => {
  await using run = await migration('model');
  const { port } = run.target;
  const putAll: CallTable<'putAll'>['putAll'] = (call) => {
    const entries = call.entries.map((entry) =>
      entry.key.type === 'integer' && entry.key.data === 77 ? { ...entry, value: int(0) } : entry,
    );
    return port.call({ ...call, entries }, {});
  };
  Object.assign(run.target, withCalls(run.target, { putAll }));
  expect(await run.run()).toEqual({ same: 4, different: 1, skipped: 0 });
  expect(run.lines).toContain('  key 77 (integer): has a different value in the target');
});

test('migrateGrid reports entries that the columns of the target do not hold', async () => {
  await using run = await migration('embedded');
  const [entity] = PARTS.entities;
  if (entity === undefined) throw new Error('no entity');
  const fields = entity.fields.map((field): EntityField => {
    return field.name === 'NAME' ? { ...field, type: { kind: 'scalar', type: 'string', precision: 6 } } : field;
  });
  await entriesOf(run.source).put(PARTS.name, int(10), part(10).value);
  await run.target.transfer.define({ ...PARTS, entities: [{ ...entity, fields }] });
  expect(await run.run()).toEqual({ same: 4, different: 1, skipped: 0 });
  expect(run.lines.join('\n')).toContain(
    "key 10 (integer): rejected: Value for a column 'NAME' is too long. Maximum length: 6, actual length: 7",
  );
  expect(await entriesOf(run.target).size(PARTS.name)).toBe(2);
});

test('migrateGrid copies only the given caches, with the given backups', async () => {
  await using run = await migration('model');
  expect(await run.run({ caches: ['many'], backups: 1 })).toEqual({ same: 2, different: 0, skipped: 0 });
  expect(run.target.caches.find('copied')).toBeUndefined();
  expect(await run.target.caches.find('many')).toMatchObject({ backups: 1, group: 'some' });
  expect(run.run({ caches: ['none'] })).rejects.toThrow('The source has no cache none.');
});

test('Progress rejects the file of another migration', async () => {
  await using run = await migration('model');
  new Progress(run.progressFile, 'a', 'b').record('many', { state: 'complete' });
  expect(() => new Progress(run.progressFile, 'a', 'c')).toThrow('belongs to the migration from a to b');
});

test('migrateGrid reports views, which it does not copy', async () => {
  await using run = await migration('model');
  const views = () => [
    { name: 'PUBLIC.HEAVY', query: 'SELECT *\n  FROM Parts' },
    { name: 'PUBLIC.OTHER', query: undefined },
  ];
  const { transfer: own } = run.source;
  const transfer: Grid['transfer'] = {
    scan: (cache, position) => own.scan(cache, position),
    define: (definition) => own.define(definition),
    counters: (names) => own.counters(names),
    views,
  };
  expect((await run.run({ source: { ...run.source, transfer } })).skipped).toBe(2);
  expect(run.lines).toContain('view PUBLIC.HEAVY: not copied, create it in the target: SELECT * FROM Parts');
  expect(run.lines).toContain('view PUBLIC.OTHER: not copied, create it in the target');
});

test('migrateGrid copies affinity keys, and reports one that the target lacks', async () => {
  const [entity] = PARTS.entities;
  if (entity === undefined) throw new Error('no entity');
  const visits = { ...PARTS, name: 'visits', entities: [{ ...entity, affinityField: 'ID' }] };
  for (const has of [true, false]) {
    await using run = await migration('embedded');
    await run.source.transfer.define(visits);
    if (!has) await run.target.transfer.define({ ...visits, entities: [entity] });
    const { different } = await run.run();
    expect(different).toBe(has ? 0 : 1);
    const found = await run.target.caches.find('visits');
    expect(found?.entities[0]?.affinityField).toBe(has ? 'ID' : undefined);
    expect(run.lines.includes('visits: the affinity key ID is not copied')).toBe(!has);
  }
});
