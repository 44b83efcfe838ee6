/** Reads the bodies of answers, and says what an answer that cannot be read means. */
import { fail, GridError } from '../../../base/errors.ts';
import { WIRE_BOUNDS } from '../../../base/limits.ts';
import { type BinaryTypes, TypeNeeded } from '../binary/type-metadata.ts';
import { ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';

/**
 * Runs `read` over the rest of an answer, again each time that metadata of a type had to be fetched for it. Throws what
 * `read` throws; MalformedMessage when the answer needs more types than an answer can.
 */
export async function readWithTypes<T>(
  answer: ByteReader,
  types: BinaryTypes,
  read: (reader: ByteReader) => T,
): Promise<T> {
  try {
    for (let fetched = 0; fetched <= WIRE_BOUNDS.typesPerAnswer; fetched++) {
      try {
        return read(new ByteReader(answer.buffer, answer.position, answer.end));
      } catch (error) {
        if (!(error instanceof TypeNeeded)) throw error;
        await types.fetch(error.typeId);
      }
    }
    throw new MalformedMessage(`it needs more than ${WIRE_BOUNDS.typesPerAnswer} types`);
  } finally {
    types.forgetMissingSchemas();
  }
}

/** The catalogue's error for an answer that cannot be read; other errors are returned as they are. */
export function unreadableResponse(error: unknown): unknown {
  return error instanceof MalformedMessage ? fail('CLUSTER_ANSWER_INVALID', error.message) : error;
}

/** True for the error of an answer that could not be read. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof GridError && error.code === 'CLUSTER_ANSWER_INVALID';
}

/** The reason that is told for an answer of more bytes than are accepted. */
export function oversizedReason(bytes: number, most: number): string {
  return `it has ${bytes} bytes, at most ${most} are read`;
}
