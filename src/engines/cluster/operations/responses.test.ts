import { expect, test } from 'bun:test';
import { BinaryTypes, TypeNeeded } from '../binary/type-metadata.ts';
import { ByteReader } from '../protocol/byte-reader.ts';
import { readWithTypes } from './responses.ts';

const TYPE = 7;
const FIELDS = [10, 11];
const RESPONSE = new ByteReader(Buffer.alloc(4));

/** A type whose schemas are `registered`, and which has been fetched. */
async function fetchedType(registered: readonly number[]) {
  const cluster = { registered, fetches: 0 };
  const types = new BinaryTypes({
    async fetchType(typeId) {
      cluster.fetches++;
      const schemas = new Map(cluster.registered.map((id) => [id, FIELDS]));
      await Bun.sleep(1);
      return { typeId, name: 'T', affinityField: undefined, fields: [], isEnum: false, enumNames: new Map(), schemas };
    },
    storeType: async () => {},
  });
  await types.fetch(TYPE);
  return { types, cluster, read: () => types.schemaOf(TYPE, 2) };
}

test.each([
  ['that another client has registered is fetched', [1, 2], FIELDS],
  ['that the cluster does not have is fetched once for a response', [1], undefined],
])('a schema %s', async (_what, registered, found) => {
  const { types, cluster, read } = await fetchedType([1]);
  cluster.registered = registered;
  // A response is read at once, and again when the metadata has arrived.
  expect(read).toThrow(TypeNeeded);
  expect(await readWithTypes(RESPONSE, types, () => [read(), read()])).toEqual([found, found]);
  expect(cluster.fetches).toBe(2);
});

test('a schema that is registered while the type is being fetched is fetched again', async () => {
  const { types, cluster, read } = await fetchedType([1]);
  const running = types.fetch(TYPE);
  cluster.registered = [1, 2];
  expect(await readWithTypes(RESPONSE, types, read)).toEqual(FIELDS);
  await running;
});
