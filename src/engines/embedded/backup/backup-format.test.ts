import { describe, expect, test } from 'bun:test';
import { BackupDecoder, BackupEncoder, type BackupHeader, FORMAT_VERSION, type PageRun } from './backup-format.ts';

const PAGE = 512;
const HEADER: BackupHeader = {
  createdAt: '2026-11-22T10:00:00.000Z',
  program: '1.1.0',
  schemaVersion: 1,
  regions: [{ name: 'default', persistent: true }],
  files: [
    { region: null, pageBytes: PAGE, pages: 3 },
    { region: 'memory', pageBytes: PAGE, pages: 1 },
  ],
};

const RUNS: readonly PageRun[] = [
  { file: 0, firstPage: 1, bytes: Buffer.alloc(2 * PAGE, 'compressible ') },
  { file: 0, firstPage: 3, bytes: crypto.getRandomValues(new Uint8Array(PAGE)) },
  { file: 1, firstPage: 1, bytes: Buffer.alloc(PAGE, 7) },
];

function encode(header: BackupHeader = HEADER, runs: readonly PageRun[] = RUNS): Buffer {
  const encoder = new BackupEncoder(header.files);
  const parts = [encoder.header(header), ...runs.map((run) => encoder.pages(run)), encoder.end().bytes];
  return Buffer.concat(parts);
}

/** Yields the bytes in chunks of a size. */
async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function decode(bytes: Uint8Array, chunkSize = 1 << 20): Promise<{ header: BackupHeader; runs: PageRun[] }> {
  const decoder = new BackupDecoder(inChunks(bytes, chunkSize));
  const header = await decoder.header();
  const runs: PageRun[] = [];
  for await (const run of decoder.runs(header)) runs.push(run);
  return { header, runs };
}

async function failureOf(bytes: Uint8Array): Promise<string> {
  try {
    await decode(bytes);
    return 'no failure';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('a backup', () => {
  for (const chunkSize of [1, 7, 100, 1 << 20]) {
    test(`is decoded as it was encoded, in chunks of ${chunkSize} bytes`, async () => {
      const { header, runs } = await decode(encode(), chunkSize);
      expect(header).toEqual(HEADER);
      expect(runs.map(({ bytes, ...run }) => ({ ...run, bytes: Buffer.from(bytes).toString('hex') }))).toEqual(
        RUNS.map(({ bytes, ...run }) => ({ ...run, bytes: Buffer.from(bytes).toString('hex') })),
      );
    });
  }

  test('is rejected when any byte differs', async () => {
    const bytes = encode();
    const accepted: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      for (const mask of [1, 0x80]) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ mask;
        const failure = await failureOf(damaged);
        if (!/^The backup (?:is damaged or incomplete: |has format version )/.test(failure)) accepted.push(at);
      }
    }
    expect(accepted).toEqual([]);
  });

  test('is rejected when it ends early, or goes on', async () => {
    const bytes = encode();
    for (let length = 0; length < bytes.length; length += 3) {
      expect(await failureOf(bytes.subarray(0, length))).toContain('damaged or incomplete');
    }
    expect(await failureOf(Buffer.concat([bytes, Buffer.from([0])]))).toContain('bytes after its end');
    expect(await failureOf(Buffer.concat([bytes, bytes]))).toContain('bytes after its end');
  });

  test('is rejected when runs are missing, repeated or in another order', async () => {
    const [first, second, third] = RUNS;
    if (first === undefined || second === undefined || third === undefined) throw new Error('runs');
    for (const runs of [[first, third], [first, second], [second, first, third], [first, first, second, third], []]) {
      expect(await failureOf(encode(HEADER, runs))).toContain('damaged or incomplete');
    }
  });

  test('is rejected when the header is another one', async () => {
    const missing: readonly string[] = ['createdAt', 'program', 'schemaVersion', 'regions', 'files'];
    for (const name of missing) {
      const header = Object.fromEntries(Object.entries(HEADER).filter(([member]) => member !== name));
      const encoder = new BackupEncoder([]);
      const bytes = encoder.header(header as unknown as BackupHeader);
      expect(await failureOf(bytes)).toContain('its header is not one of this format');
    }
  });

  test('of a newer format is rejected with both versions', async () => {
    const bytes = encode();
    bytes.writeUInt16LE(FORMAT_VERSION + 1, 14);
    expect(await failureOf(bytes)).toBe(
      `The backup has format version ${FORMAT_VERSION + 1}; this program supports versions up to ${FORMAT_VERSION}. Use the newer program.`,
    );
  });

  test('is rejected when it is something else', async () => {
    expect(await failureOf(Buffer.from('SQLite format 3\0'.repeat(10)))).toContain('does not begin as a backup');
  });
});
