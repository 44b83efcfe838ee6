/** Codecs of lists, sets and maps, which preserve the declared Java class. */
import type { ListKind, MapKind, Value, ValueOf } from '../../../values/value.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import { CODE, COLLECTION_KIND, FLAG, HEADER_BYTES, MAP_KIND, PREDEFINED_TYPE } from '../protocol/type-codes.ts';
import type { BinaryContext, EncodeValue } from './context.ts';
import { EMPTY_SCHEMA_ID, hashOfBytes } from './java-hash.ts';
import { inHashOrder } from './java-value-hash.ts';

const LIST_CODES: { readonly [K in Exclude<ListKind, 'treeSet'>]: number } = {
  linkedList: COLLECTION_KIND.LINKED_LIST,
  hashSet: COLLECTION_KIND.HASH_SET,
  linkedHashSet: COLLECTION_KIND.LINKED_HASH_SET,
};

/** Kind of each collection code. ArrayList and other classes have none. */
export const LIST_KINDS: ReadonlyMap<number, ListKind> = new Map<number, ListKind>([
  [COLLECTION_KIND.LINKED_LIST, 'linkedList'],
  [COLLECTION_KIND.HASH_SET, 'hashSet'],
  [COLLECTION_KIND.LINKED_HASH_SET, 'linkedHashSet'],
]);

/** Kind of each map code. LinkedHashMap has none. */
export const MAP_KINDS: ReadonlyMap<number, MapKind> = new Map<number, MapKind>([[MAP_KIND.HASH_MAP, 'hashMap']]);

export function encodeList(
  writer: ByteWriter,
  list: ValueOf<'list'>,
  context: BinaryContext,
  encodeValue: EncodeValue,
): void {
  const { kind } = list;
  if (kind === 'treeSet') {
    // TreeSet counts as a user type, unlike TreeMap.
    const flags = FLAG.USER_TYPE | FLAG.HAS_RAW | FLAG.COMPACT_FOOTER;
    encodeSorted(writer, PREDEFINED_TYPE.TREE_SET, flags, list.data.length, () => {
      for (const element of list.data) encodeValue(writer, element, context);
    });
    return;
  }
  writer.u8(CODE.COLLECTION);
  writer.i32(list.data.length);
  writer.u8(kind === undefined ? COLLECTION_KIND.ARRAY_LIST : LIST_CODES[kind]);
  const elements = kind === 'hashSet' ? inHashOrder(list.data, (element) => element, context, encodeValue) : list.data;
  for (const element of elements) encodeValue(writer, element, context);
}

export function encodeMap(
  writer: ByteWriter,
  map: ValueOf<'map'>,
  context: BinaryContext,
  encodeValue: EncodeValue,
): void {
  const writePairs = (pairs: ReadonlyArray<readonly [Value, Value]>): void => {
    for (const [key, element] of pairs) {
      encodeValue(writer, key, context);
      encodeValue(writer, element, context);
    }
  };
  if (map.kind === 'treeMap') {
    encodeSorted(writer, PREDEFINED_TYPE.TREE_MAP, FLAG.HAS_RAW, map.data.length, () => writePairs(map.data));
    return;
  }
  writer.u8(CODE.MAP);
  writer.i32(map.data.length);
  writer.u8(map.kind === 'hashMap' ? MAP_KIND.HASH_MAP : MAP_KIND.LINKED_HASH_MAP);
  writePairs(map.kind === 'hashMap' ? inHashOrder(map.data, ([key]) => key, context, encodeValue) : map.data);
}

/** Writes a sorted set or map: an object with raw data and without a comparator. */
function encodeSorted(writer: ByteWriter, typeId: number, flags: number, count: number, write: () => void): void {
  const start = writer.length;
  writer.u8(CODE.OBJECT);
  writer.u8(1);
  writer.i16(flags);
  writer.i32(typeId);
  writer.i32(0);
  writer.i32(0);
  writer.i32(EMPTY_SCHEMA_ID);
  writer.i32(HEADER_BYTES);
  writer.u8(CODE.NULL);
  writer.i32(count);
  write();
  writer.setI32(start + 12, writer.length - start);
  writer.setI32(start + 8, hashOfBytes(writer.view(), start + HEADER_BYTES, writer.length));
}
