/** The context of the codecs. */
import type { Value } from '../../../values/value.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import type { NodeTimeZone } from './node-time-zone.ts';
import type { BinaryTypes } from './type-metadata.ts';

/** The metadata of types and the time zone of the nodes. */
export interface BinaryContext {
  readonly types: BinaryTypes;
  readonly zone: NodeTimeZone;
}

/** Writes a value with its type code. Codecs of containers accept it, so that they do not import the encoder. */
export type EncodeValue = (writer: ByteWriter, value: Value, context: BinaryContext) => void;

export const DAY_MS = 86_400_000;
