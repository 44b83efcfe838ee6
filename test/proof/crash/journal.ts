/** Journals of file operations: the records that `io-shim.c` and `../shipping/file-recorder.ts` write. */

const HEAD_BYTES = 24;

/** Returns the bytes of a record. */
export function encodeRecord(kind: string, file: number, offset: number, data: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(kind.charCodeAt(0), 0);
  head.writeUInt32LE(file, 4);
  head.writeBigUInt64LE(BigInt(offset), 8);
  head.writeBigUInt64LE(BigInt(data.length), 16);
  return Buffer.concat([head, data]);
}

export interface JournalRecord {
  readonly kind: string;
  readonly file: number;
  readonly offset: number;
  readonly data: Buffer;
}

/** The complete records of a journal; a partial one at its end was cut off by the kill. */
export function* readJournal(journal: Buffer): Generator<JournalRecord> {
  let at = 0;
  while (at + HEAD_BYTES <= journal.length) {
    const length = Number(journal.readBigUInt64LE(at + 16));
    const end = at + HEAD_BYTES + length;
    if (end > journal.length) return;
    yield {
      kind: String.fromCharCode(journal.readUInt32LE(at)),
      file: journal.readUInt32LE(at + 4),
      offset: Number(journal.readBigUInt64LE(at + 8)),
      data: journal.subarray(at + HEAD_BYTES, end),
    };
    at = end;
  }
}
