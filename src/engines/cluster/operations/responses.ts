/** Reads response bodies and maps unreadable ones to an error. */
import { GridError, gridError } from '../../../base/errors.ts';
import { WIRE_BOUNDS } from '../../../base/limits.ts';
import { type BinaryTypes, TypeNeeded } from '../binary/type-metadata.ts';
import { ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';

/**
 * Runs `read` over the rest of a response, and repeats it each time a type's metadata had to be fetched. Rethrows
 * errors of `read`. Throws MalformedMessage if the response needs more types than the limit.
 */
export async function readWithTypes<T>(
  response: ByteReader,
  types: BinaryTypes,
  read: (reader: ByteReader) => T,
): Promise<T> {
  try {
    for (let fetched = 0; fetched <= WIRE_BOUNDS.typesPerResponse; fetched++) {
      try {
        return read(new ByteReader(response.buffer, response.position, response.end));
      } catch (error) {
        if (!(error instanceof TypeNeeded)) throw error;
        await types.fetchNeeded(error);
      }
    }
    throw new MalformedMessage(`it requires more than ${WIRE_BOUNDS.typesPerResponse} types`);
  } finally {
    types.forgetMissingSchemas();
  }
}

/** Returns the declared error for an unreadable response; other errors are returned unchanged. */
export function unreadableResponse(error: unknown): unknown {
  return error instanceof MalformedMessage ? gridError('CLUSTER_ANSWER_INVALID', error.message) : error;
}

/** Reports whether the error means an unreadable response. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof GridError && error.code === 'CLUSTER_ANSWER_INVALID';
}

/** Returns the error text for a response with more bytes than the limit. */
export function oversizedReason(bytes: number, maxBytes: number): string {
  return `it has ${bytes} bytes, at most ${maxBytes} are read`;
}
