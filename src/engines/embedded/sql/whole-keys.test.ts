/** Tables of query entities without key fields, whose key is _KEY, by the type of the key. */
import { expect, test } from 'bun:test';
import { openSqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { GridError } from '../../../base/errors.ts';
import type { ScalarValue } from '../../../values/scalar-traits.ts';
import { text } from '../../../values/value.ts';

/** A key, a literal for it, what SELECT shows, and the key in the error of a duplicate. */
const KEYS: ReadonlyArray<readonly [key: ScalarValue, literal: string, shown: unknown, inError: string]> = [
  [{ type: 'bigInteger', data: 7n }, '7', 7, '7'],
  [{ type: 'bigInteger', data: -(2n ** 70n) }, '-1180591620717411303424', -(2 ** 70), '-1180591620717411303424'],
  [
    { type: 'instant', data: 1_577_872_800_123 },
    "TIMESTAMP '2020-01-01 10:00:00.123'",
    '2020-01-01 10:00:00.123',
    'Jan 1, 2020, 10:00:00 AM',
  ],
  [{ type: 'decimal', data: { unscaled: 15n, scale: 1 } }, '1.5', 1.5, '1.5'],
  [{ type: 'long', data: 5n }, '5', 5, '5'],
  [{ type: 'char', data: 'x' }, "'x'", 'x', 'x'],
  [{ type: 'bytes', data: new Uint8Array([1, 2]) }, "X'0102'", 'AQI=', 'AQI='],
];

for (const [key, literal, shown, inError] of KEYS) {
  test(`${key.type} ${literal}`, async () => {
    const entity = {
      keyType: key.type,
      valueType: 'V',
      fields: [{ name: 'a', type: { kind: 'scalar', type: 'string' } }],
    } as const;
    const sql = await openSqlGrid({ caches: [{ name: 'c', entities: [entity] }] });
    const rows = async (statement: string) => JSON.parse((await sql.run(statement, [], 'c')).json);
    try {
      const value = { type: 'object', typeName: 'V', fields: [{ name: 'a', value: text('x') }] } as const;
      await entriesOf(sql.grid).put('c', key, value);
      expect(await rows('SELECT _key, a FROM V')).toEqual([[shown, 'x']]);
      expect(await rows(`SELECT a FROM V WHERE _key = ${literal}`)).toEqual([['x']]);
      expect(await rows('SELECT x._key FROM V x JOIN V y ON x._key = y._key ORDER BY x._key')).toEqual([[shown]]);
      const again = await rows(`INSERT INTO V (_key, a) VALUES (${literal}, 'z')`).catch((error: unknown) => error);
      expect(again instanceof GridError ? again.message : again).toContain(`[keys=[${inError}]]`);
      expect(await rows(`DELETE FROM V WHERE _key = ${literal}`)).toEqual([[1]]);
      expect(await rows(`INSERT INTO V (_key, a) VALUES (${literal}, 'y')`)).toEqual([[1]]);
      expect(await entriesOf(sql.grid).has('c', key)).toBe(true);
    } finally {
      await sql.close();
    }
  });
}
