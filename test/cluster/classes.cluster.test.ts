/**
 * Nodes with their own classes: objects are stored as by Ignite's HTTP interface, and objects stored by programs inside
 * the nodes are read as there.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import { openClusterGrid } from '../../src/engines/cluster/cluster-engine.ts';
import type { Grid } from '../../src/grid/grid.ts';
import { readCustom } from '../../src/values/custom.ts';
import { writeJson } from '../../src/values/json.ts';
import { text } from '../../src/values/value.ts';
import { entriesOf } from '../grid/entry-methods.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
setDefaultTimeout(180_000);
const UUID = '123e4567-e89b-12d3-a456-426614174000';

/** Class and JSON. The first object of a class is written to a cluster that has never seen the class. */
const OBJECTS: ReadonlyArray<readonly [string, string]> = [
  ['Shapes$Plain', '{"name":"only"}'],
  [
    'Shapes$Plain',
    `{"id":5,"name":"n","rate":1,"ready":true,"tags":["a","b"],"numbers":[1,2],"price":1.5,"when":0,` +
      `"stamp":"2018-01-02 03:04:05","key":"${UUID}","more":{"a":1}}`,
  ],
  ['Shapes$Plain', '{"more":{},"id":"12","count":1.7,"unknown":{"a":1}}'],
  ['Shapes$Plain', '{"id":null,"rate":null,"ready":null}'],
  ['Shapes$Plain', '{}'],
  ['Shapes$Part', '{"id":1,"name":"p","stamp":"2018-01-02 03:04:05","next":null}'],
  ['Shapes$Part', '{"id":1,"name":"p","next":{"id":2,"next":{"id":3}}}'],
  ['[LShapes$Part;', '[{"id":1,"name":"a"},{"id":2,"stamp":"2018-01-02 03:04:05"}]'],
  [
    'Shapes$Whole',
    '{"part":{"id":7,"name":"x"},"parts":[{"id":8,"name":"y"}],"color":"GREEN","numbers":[1,2],"map":{"a":1},' +
      '"set":[3,4],"list":[5,6],"day":"1986-04-26","when":"Nov 22, 2026, 2:22:41 AM","time":"23:59:59","bytes":"BAEC",' +
      `"chars":"abc","grid":"ab1-${UUID}","any":{"free":1},"big":12}`,
  ],
  ['Shapes$Whole', '{"set":[],"day":null,"any":[1,"x"],"color":"RED"}'],
  ['RefNode$Person', '{"salary":1,"id":"2"}'],
  ['RefNode$Person', '{"id":1,"name":"x","extra":1}'],
];

/** Keys of the cache `shapes` whose values read the same through both interfaces. */
const ALIKE = [
  'map null key, map null value, tree map, T2, tuple, mixed, outer, util date, sql date, time, timestamp, uuid, grid uuid',
  'linked list, set, objects, ints, texts, mixes, char, decimal, big, nan, float',
].flatMap((line) => line.split(', '));

if (missing !== undefined) {
  describe('classes of the nodes', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('classes of the nodes', () => {
    let cluster: TestCluster;
    let grid: Grid;
    beforeAll(async () => {
      cluster = await startCluster(1, { shapes: true });
      grid = await openClusterGrid({
        clock: systemClock,
        endpoints: cluster.addresses,
        mapsClasses: true,
        recordsCreation: false,
      });
      await grid.caches.getOrCreate('classes', {});
    }, 300_000);
    afterAll(async () => {
      await grid.close();
      await cluster[Symbol.asyncDispose]();
    });

    const send = async (parameters: Record<string, string>): Promise<unknown> => {
      const { successStatus, error, response } = await cluster.rest({ cacheName: 'classes', ...parameters });
      if (successStatus !== 0) throw new Error(error ?? 'failed');
      return response;
    };
    const described = async (key: string): Promise<string> => {
      const result = await send({ cmd: 'exe', name: 'Shapes$DescribeTask', p1: `classes:${key}` });
      return JSON.stringify(result).replace(/@[0-9a-f]+/, '');
    };

    for (const [typeName, json] of OBJECTS) {
      test(`${typeName} ${json.slice(0, 50)} is stored as by Ignite, and Java reads it`, async () => {
        const value = readCustom(typeName, json, { find: () => undefined, isPartial: true });
        await entriesOf(grid).put('classes', text('here'), value);
        await send({ cmd: 'put', key: 'there', val: json, valueType: typeName });
        expect(await described('here')).toEqual(await described('there'));
        // Both are equal, compared by their bytes.
        expect(await send({ cmd: 'rmvval', key: 'here', val: json, valueType: typeName })).toBe(true);
      });
    }

    test('a cache with SQL types accepts objects of classes that it does not index', async () => {
      const json = `{"part":{"id":7},"color":"GREEN","chars":"abc","grid":"ab1-${UUID}"}`;
      const value = readCustom('Shapes$Whole', json, { find: () => undefined });
      await entriesOf(grid).put('person', { type: 'integer', data: 77 }, value);
      const key = { key: '77', keyType: 'int' };
      await send({ cmd: 'put', cacheName: 'person', ...key, key: '78', val: json, valueType: 'Shapes$Whole' });
      const [here, there] = await Promise.all(
        ['77', '78'].map((each) => send({ cmd: 'get', cacheName: 'person', ...key, key: each })),
      );
      expect(here).toEqual(there);
      expect(await send({ cmd: 'rmvval', cacheName: 'person', ...key, val: json, valueType: 'Shapes$Whole' })).toBe(
        true,
      );
      await send({ cmd: 'rmv', cacheName: 'person', ...key, key: '78' });
    });

    test('a name without a class is an object with its own fields', async () => {
      const value = readCustom('no.such.Klass', '{"b":1,"a":2}', { find: () => undefined });
      await entriesOf(grid).put('classes', text('free'), value);
      expect(await send({ cmd: 'get', key: 'free' })).toEqual({ b: 1, a: 2 });
    });

    test('a string that a numeric field cannot hold is rejected, and nothing is stored', async () => {
      const value = readCustom('Shapes$Plain', '{"id":"x"}', { find: () => undefined });
      expect(entriesOf(grid).put('classes', text('bad'), value)).rejects.toMatchObject({ code: 'CONVERSION' });
      expect(await entriesOf(grid).has('classes', text('bad'))).toBe(false);
    });

    for (const key of ALIKE) {
      test(`the value that Java stored as ${key} reads the same`, async () => {
        const value = await entriesOf(grid).get('shapes', text(key));
        if (!value) throw new Error('no entry');
        const { response } = await cluster.rest({ cmd: 'get', cacheName: 'shapes', key });
        expect(JSON.parse(writeJson(value))).toEqual(response);
      });
    }

    const keysOf = async (cache: string, className: string): Promise<readonly number[]> => {
      const query = { kind: 'scan', cache, className, pageSize: 10, owner: '', format: 'json' } as const;
      const { rows } = await grid.queries.execute(query);
      const entries = JSON.parse(`[${rows}]`) as ReadonlyArray<{ readonly key: number }>;
      return entries.map(({ key }) => key).sort();
    };

    test('a filter gets instances of the classes of the nodes', async () => {
      expect(await keysOf('person', 'RefNode$SalaryFilter')).toEqual([3, 4]);
    });

    test('a filter that ignores values accepts objects of unknown classes', async () => {
      await grid.caches.getOrCreate('mixed', {});
      const value = readCustom('no.such.Klass', '{"a":1}', { find: () => undefined });
      for (const data of [1, 2, 3]) await entriesOf(grid).put('mixed', { type: 'integer', data }, value);
      expect(await keysOf('mixed', 'RefNode$ScanFilter')).toEqual([2, 3]);
    });

    test('the service leaves no cache of its own behind', async () => {
      const { response } = await cluster.rest({ cmd: 'top' });
      expect(JSON.stringify(response)).not.toContain('svc-sys');
    });
  });
}
