/** Requests that open cursors, byte by byte (docs/spec/ignite-wire.md 4). */
import { expect, test } from 'bun:test';
import { UTC_ZONE } from '../binary/node-time-zone.ts';
import { BinaryTypes } from '../binary/type-metadata.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { Features, offeredFeatures } from '../protocol/features.ts';
import { QUERY } from './query-operations.ts';

const types = new BinaryTypes({ fetchType: async () => undefined, storeType: async () => {} });
const session = { features: new Features(offeredFeatures()), context: { types, zone: UTC_ZONE } };

for (const distributedJoins of [true, false]) {
  test(`a query of a type ${distributedJoins ? 'joins' : 'does not join'} rows of different nodes`, () => {
    const writer = new ByteWriter();
    const args = { cacheId: 1, typeName: 'T', sql: 'x', args: [], pageSize: 5, timeoutMs: 6, distributedJoins };
    QUERY.typeQuery.write(writer, args, session);
    const flags = distributedJoins ? '010000' : '000000';
    expect(writer.view().toString('hex')).toBe(
      `0100000000 090100000054 090100000078 00000000 ${flags} 05000000 0600000000000000`.replaceAll(' ', ''),
    );
  });
}
