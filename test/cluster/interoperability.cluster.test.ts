/**
 * Values written by this engine are read the same through Ignite's HTTP interface, and vice versa: every type, as key
 * and as value.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import { openClusterGrid } from '../../src/engines/cluster/cluster-engine.ts';
import type { Grid } from '../../src/grid/grid.ts';
import { readCustom } from '../../src/values/custom.ts';
import { writeJson } from '../../src/values/json.ts';
import { text, type Value } from '../../src/values/value.ts';
import { countersOf, entriesOf } from '../grid/entry-methods.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
// Starting nodes takes time.
setDefaultTimeout(180_000);
const UUID = '123e4567-e89b-12d3-a456-426614174000';

/** One case per line: the type as the HTTP interface names it, the string there, the value here. */
const SCALARS: ReadonlyArray<readonly [string, string, Value]> = [
  ['boolean', 'true', { type: 'boolean', data: true }],
  ['boolean', 'false', { type: 'boolean', data: false }],
  ['byte', '-128', { type: 'byte', data: -128 }],
  ['short', '32767', { type: 'short', data: 32_767 }],
  ['int', '-2147483648', { type: 'integer', data: -2_147_483_648 }],
  ['long', '9007199254740993', { type: 'long', data: 9_007_199_254_740_993n }],
  ['long', '-9223372036854775808', { type: 'long', data: -(2n ** 63n) }],
  ['float', '1.5', { type: 'float', data: 1.5 }],
  ['double', '-0.0', { type: 'double', data: -0 }],
  ['double', 'NaN', { type: 'double', data: Number.NaN }],
  ['double', '1.7976931348623157E308', { type: 'double', data: 1.7976931348623157e308 }],
  ['date', '2018-01-02', { type: 'date', data: 17_533 }],
  ['date', '1950-12-31', { type: 'date', data: -6_941 }],
  ['time', '10:11:12', { type: 'time', data: 36_672_000 }],
  ['timestamp', '2018-02-18 01:02:03.123456789', { type: 'timestamp', data: 1_518_915_723_123_456_789n }],
  ['uuid', UUID, { type: 'uuid', data: UUID }],
  ['IgniteUuid', `ab1-${UUID}`, { type: 'gridUuid', data: `ab1-${UUID}` }],
  ['string', 'plain', text('plain')],
  ['string', 'é€😀 "quoted" \\ \u0001', text('é€😀 "quoted" \\ \u0001')],
  ['string', '', text('')],
];

/** Values only: classes of the Java library. */
const JAVA_VALUES: ReadonlyArray<readonly [string, string, Value]> = [
  ['java.math.BigDecimal', '-123.450', { type: 'decimal', data: { unscaled: -123_450n, scale: 3 } }],
  ['java.math.BigInteger', '-123456789012345678901', { type: 'bigInteger', data: -123_456_789_012_345_678_901n }],
  ['java.util.Date', '1514862245000', { type: 'instant', data: 1_514_862_245_000 }],
  ['java.lang.Character', '"c"', { type: 'char', data: 'c' }],
  ['[B', '"AQID"', { type: 'bytes', data: Uint8Array.of(1, 2, 3) }],
  ['[I', '[1,2]', { type: 'array', element: 'integer', data: [1, 2].map((data) => ({ type: 'integer', data })) }],
  ['[J', '[1]', { type: 'array', element: 'long', data: [{ type: 'long', data: 1n }] }],
  ['[Z', '[true]', { type: 'array', element: 'boolean', data: [{ type: 'boolean', data: true }] }],
  ['[Ljava.lang.String;', '["a",null]', { type: 'array', element: 'string', data: [text('a'), { type: 'null' }] }],
  ['[Ljava.util.UUID;', `["${UUID}"]`, { type: 'array', element: 'uuid', data: [{ type: 'uuid', data: UUID }] }],
  [
    'java.util.ArrayList',
    '[1,"x",null]',
    { type: 'list', data: [{ type: 'integer', data: 1 }, text('x'), { type: 'null' }] },
  ],
  [
    'java.util.LinkedHashMap',
    '{"b":1,"a":[true]}',
    {
      type: 'map',
      data: [
        [text('b'), { type: 'integer', data: 1 }],
        [text('a'), { type: 'list', data: [{ type: 'boolean', data: true }] }],
      ],
    },
  ],
];

/** Custom types: JSON that both interfaces receive. */
const OBJECTS: ReadonlyArray<readonly [string, string, string]> = [
  ['an object of plain fields', 'InteropPlain', '{"i":1,"l":99999999999,"d":1.5,"t":"x","b":true,"n":null}'],
  [
    'an object with a list and a map',
    'InteropNested',
    '{"list":[1,"x",{"deep":2.5}],"map":{"k":1},"big":123456789012345678901234567890}',
  ],
  ['an object with long texts', 'InteropLong', `{"a":"${'x'.repeat(300)}","b":"${'y'.repeat(300)}","c":1}`],
  ['an object without fields', 'InteropEmpty', '{}'],
  ['a name with other letters', 'Ünïcode$Näme', '{"fäld":"ß"}'],
];

if (missing !== undefined) {
  describe('interoperability', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('interoperability', () => {
    let cluster: TestCluster;
    let grid: Grid;
    beforeAll(async () => {
      cluster = await startCluster(1);
      grid = await openClusterGrid({ clock: systemClock, endpoints: cluster.addresses });
      await grid.caches.getOrCreate('interop', {});
    }, 300_000);
    afterAll(async () => {
      await grid.close();
      await cluster[Symbol.asyncDispose]();
    });

    const send = async (parameters: Record<string, string>): Promise<unknown> => {
      const { successStatus, error, response } = await cluster.rest({ cacheName: 'interop', ...parameters });
      if (successStatus !== 0) throw new Error(error ?? 'failed');
      return response;
    };

    for (const [type, source, value] of SCALARS) {
      test(`${type} ${source.slice(0, 30)} as value: written by Ignite, reads the same here`, async () => {
        await send({ cmd: 'put', key: 'there', val: source, valueType: type });
        expect(await entriesOf(grid).get('interop', text('there'))).toEqual(value);
        await entriesOf(grid).put('interop', text('here'), value);
        expect(await send({ cmd: 'get', key: 'here' })).toEqual(await send({ cmd: 'get', key: 'there' }));
        // The cluster itself considers both equal.
        expect(await send({ cmd: 'rmvval', key: 'here', val: source, valueType: type })).toBe(true);
      });

      test(`${type} ${source.slice(0, 30)} as key: found through both interfaces`, async () => {
        await entriesOf(grid).put('interop', value, text('from here'));
        expect(await send({ cmd: 'get', key: source, keyType: type })).toBe('from here');
        expect(await send({ cmd: 'put', key: source, keyType: type, val: 'from there' })).toBe(true);
        expect(await entriesOf(grid).get('interop', value)).toEqual(text('from there'));
        const { affinityNodeId } = await cluster.rest({ cmd: 'get', cacheName: 'interop', key: source, keyType: type });
        expect<unknown>(await grid.cluster.primaryNode('interop', value)).toBe(affinityNodeId);
        expect(await entriesOf(grid).remove('interop', value)).toBe(true);
        expect(await send({ cmd: 'conkey', key: source, keyType: type })).toBe(false);
      });
    }

    for (const [type, source, value] of JAVA_VALUES) {
      test(`${type} as value: the same through both interfaces`, async () => {
        await send({ cmd: 'put', key: 'there', val: source, valueType: type });
        expect(await entriesOf(grid).get('interop', text('there'))).toEqual(value);
        await entriesOf(grid).put('interop', text('here'), value);
        expect(await send({ cmd: 'get', key: 'here' })).toEqual(await send({ cmd: 'get', key: 'there' }));
      });
    }

    for (const [title, typeName, json] of OBJECTS) {
      test(`${title}: written here first, equal through Ignite`, async () => {
        const value = readCustom(`${typeName}A`, json, { find: () => undefined });
        await entriesOf(grid).put('interop', text('here'), value);
        const shown = await send({ cmd: 'get', key: 'here' });
        await send({ cmd: 'put', key: 'there', val: json, valueType: `${typeName}A` });
        expect(await send({ cmd: 'get', key: 'there' })).toEqual(shown);
        expect(await entriesOf(grid).get('interop', text('there'))).toEqual(value);
        expect(await send({ cmd: 'rmvval', key: 'here', val: json, valueType: `${typeName}A` })).toBe(true);
      });

      test(`${title}: written by Ignite first, equal here, and as key`, async () => {
        await send({ cmd: 'put', key: 'there', val: json, valueType: `${typeName}B` });
        const value = readCustom(`${typeName}B`, json, { find: () => undefined });
        expect(await entriesOf(grid).get('interop', text('there'))).toEqual(value);
        expect(await entriesOf(grid).removeIfEquals('interop', text('there'), value)).toBe(true);
        await entriesOf(grid).put('interop', value, text('found'));
        expect(await send({ cmd: 'get', key: json, keyType: `${typeName}B` })).toBe('found');
        const { affinityNodeId } = await cluster.rest({
          cmd: 'get',
          cacheName: 'interop',
          key: json,
          keyType: `${typeName}B`,
        });
        expect<unknown>(await grid.cluster.primaryNode('interop', value)).toBe(affinityNodeId);
        await send({ cmd: 'rmv', key: json, keyType: `${typeName}B` });
        expect(await entriesOf(grid).has('interop', value)).toBe(false);
      });
    }

    test('an object of a class of the nodes is read and written as Java does', async () => {
      const ann = await entriesOf(grid).get('person', { type: 'integer', data: 1 });
      expect(ann && writeJson(ann)).toBe('{"id":1,"name":"Ann","salary":1000.0}');
      if (!ann) throw new Error('no entry');
      await entriesOf(grid).put('person', { type: 'integer', data: 11 }, ann);
      expect(await send({ cmd: 'get', cacheName: 'person', key: '11', keyType: 'int' })).toEqual({
        id: 1,
        name: 'Ann',
        salary: 1000,
      });
      expect(await entriesOf(grid).removeIfEquals('person', { type: 'integer', data: 11 }, ann)).toBe(true);
    });

    test('fields of a query entity have its types, in their given order', async () => {
      const json = `{"timestamp":"2018-02-18 01:02:03","id":"25","longs":[1,2],"igniteUuid":"ab1-${UUID}"}`;
      const value = readCustom('Employee', json, { find: () => undefined });
      await entriesOf(grid).put('employee', { type: 'integer', data: 1 }, value);
      await send({ cmd: 'put', cacheName: 'employee', key: '2', keyType: 'int', val: json, valueType: 'Employee' });
      const [here, there] = await Promise.all(
        [1, 2].map((data) => entriesOf(grid).get('employee', { type: 'integer', data })),
      );
      expect(here).toEqual(there);
      expect(here).toMatchObject({
        fields: [
          { value: { type: 'timestamp' } },
          { value: { type: 'integer', data: 25 } },
          {},
          { value: { type: 'gridUuid' } },
        ],
      });
      const { response } = await cluster.rest({
        cmd: 'qryfldexe',
        cacheName: 'employee',
        pageSize: '5',
        qry: 'select id, "TIMESTAMP" from Employee',
      });
      expect(response).toMatchObject({
        items: [
          [25, '2018-02-18 01:02:03.0'],
          [25, '2018-02-18 01:02:03.0'],
        ],
      });
    });

    test('a start creates declared caches, and reports what others lack', async () => {
      await send({ cmd: 'getorcreate', cacheName: 'lacking' });
      const fields = ['id', 'n'].map((name) => ({ name, type: { kind: 'scalar', type: 'integer' } as const }));
      const indexes = [{ fields: [{ name: 'n' }] }];
      const entities = [{ keyType: 'int', valueType: 'Declared', keyFields: ['id'], fields, indexes }];
      const caches = ['lacking', 'declared'].map((name) => ({ name, entities }));
      for (const _start of [1, 2]) {
        const reported: unknown[] = [];
        const onLacking = (...lacking: unknown[]): unknown => reported.push(lacking);
        const other = await openClusterGrid({ clock: systemClock, endpoints: cluster.addresses, caches, onLacking });
        await other.close();
        expect(reported).toEqual([['lacking', ['Declared']]]);
      }
    });

    test('the type of a field cannot change, through either interface', async () => {
      await send({ cmd: 'put', key: 'k', val: '{"n":1}', valueType: 'InteropFixed' });
      const conflict = readCustom('InteropFixed', '{"n":"abc"}', { find: () => undefined });
      expect(entriesOf(grid).put('interop', text('k'), conflict)).rejects.toMatchObject({ code: 'CONVERSION' });
      const fits = readCustom('InteropFixed', '{"n":"12","more":true}', { find: () => undefined });
      await entriesOf(grid).put('interop', text('k'), fits);
      expect(await send({ cmd: 'get', key: 'k' })).toEqual({ n: 12, more: true });
    });

    test('counters are the same through both interfaces', async () => {
      expect(await countersOf(grid).add('interop', 5n, 10n)).toBe(15n);
      expect(await send({ cmd: 'incr', key: 'interop', delta: '1' })).toBe(16);
      expect(await countersOf(grid).add('interop', -20n, 0n)).toBe(-4n);
    });

    test('a time to live set here applies to both interfaces', async () => {
      await entriesOf(grid).put('interop', text('ttl'), text('v'), 400n);
      expect(await send({ cmd: 'get', key: 'ttl' })).toBe('v');
      await Bun.sleep(500);
      expect(await send({ cmd: 'get', key: 'ttl' })).toBe(null);
    });

    test('entries that are read as text are those of the HTTP interface', async () => {
      const cache = 'InteropTexts';
      await grid.caches.getOrCreate(cache, {});
      const read = async (keys: readonly string[]) => {
        const found = await entriesOf(grid).getAllAsText(cache, keys.map(text));
        const numbered = Object.fromEntries(keys.map((key, index) => [`k${index + 1}`, key]));
        const { response } = await cluster.rest({ cmd: 'getall', cacheName: cache, ...numbered });
        return { found, response };
      };
      for (const key of ['1', 'b', 'a', '']) await entriesOf(grid).put(cache, text(key), text(`value of ${key}`));
      const { found, response } = await read(['1', 'b', 'a', 'none', 'a']);
      expect(found).toBeString();
      expect(JSON.parse(String(found))).toEqual(response);
      expect(Object.keys(JSON.parse(String(found)))).toHaveLength(3);
      expect((await read(['none'])).found).toBe('{}');

      await entriesOf(grid).put(cache, text('c'), text('é "quoted"'));
      const { found: entries, response: others } = await read(['b', 'c']);
      expect(entries).toEqual([
        { key: text('b'), value: text('value of b') },
        { key: text('c'), value: text('é "quoted"') },
      ]);
      expect(others).toEqual({ b: 'value of b', c: 'é "quoted"' });
    });

    test('200 concurrent appends to one key are all kept', async () => {
      await entriesOf(grid).put('interop', text('appended'), text(''));
      const letters = Array.from({ length: 200 }, (_, index) => String.fromCharCode(0x100 + index));
      await Promise.all(letters.map((letter) => entriesOf(grid).append('interop', text('appended'), text(letter))));
      expect([...String(await send({ cmd: 'get', key: 'appended' }))].sort()).toEqual(letters);
    });
  });
}
