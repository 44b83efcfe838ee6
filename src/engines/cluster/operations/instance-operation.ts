/** The operation that makes a node create an instance of one of its classes, from a binary object without fields. */
import { writeNamed } from '../binary/objects.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import { writeString } from '../protocol/strings.ts';
import { CODE } from '../protocol/type-codes.ts';
import { type CacheTarget, writeCacheHeader } from './entry-operations.ts';
import { nothing, type Operation, type Session } from './operation.ts';

/** Stores its field `val` if there is no entry. */
const PROCESSOR = 'org.apache.ignite.internal.processors.query.h2.DmlStatementsProcessor$InsertEntryProcessor';
const PROCESSOR_FIELD = 'val';
const PLATFORM_JAVA = 1;

export interface InstanceArgs extends CacheTarget {
  readonly key: string;
  readonly className: string;
  /** A field that is set first. */
  readonly field?: { readonly name: string; write(writer: ByteWriter, session: Session): void };
}

/** Stores a new instance of a class, except for one field, under a key. */
export const STORE_INSTANCE: Operation<InstanceArgs, void> = {
  name: 'invoke',
  code: 1024,
  retry: 'idempotent',
  write(writer, args, session) {
    const { className, field } = args;
    writeCacheHeader(writer, args);
    writeString(writer, args.key);
    writeNamed(writer, PROCESSOR, [PROCESSOR_FIELD], () => {
      if (field === undefined) writeNamed(writer, className, [], () => {});
      else writeNamed(writer, className, [field.name], () => field.write(writer, session));
    });
    writer.u8(PLATFORM_JAVA);
    writer.i32(0);
  },
  read: nothing,
};

/** An enumeration that every node has. Nodes read a constant as the one in the field's class with the same ordinal. */
const FOREIGN_ENUM = 'org.apache.ignite.cache.CacheMode';

export function writeForeignConstant(writer: ByteWriter): void {
  writer.u8(CODE.ENUM);
  writer.i32(0);
  writeString(writer, FOREIGN_ENUM);
  writer.i32(0);
}
