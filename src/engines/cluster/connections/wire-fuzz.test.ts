/** `SVC_FUZZ_SEED` and `SVC_FUZZ_INPUTS` repeat or lengthen a run. */
import { describe, expect, test } from 'bun:test';
import { FuzzFinding, fuzzReaders } from '../../../../test/fixtures/cluster/wire-fuzz.ts';
import { ByteReader } from '../protocol/byte-reader.ts';

const SEED = Number(process.env.SVC_FUZZ_SEED ?? 20_261_121);
const INPUTS = Number(process.env.SVC_FUZZ_INPUTS ?? 100_000);
const FEW = 20_000;

/** A reader with a defect: it accepts every count. */
class TrustingReader extends ByteReader {
  override count(): number {
    return this.i32();
  }
}

/** A reader with a defect: it skips one byte too many after long parts. */
class OvershootingReader extends ByteReader {
  override raw(count: number): Buffer {
    const bytes = super.raw(count);
    if (count > 8 && this.position < this.end) this.position++;
    return bytes;
  }
}

/** A reader with a defect: it reads strings beyond the end of the message. */
class BoundlessReader extends ByteReader {
  override utf8(): string {
    const length = this.i32();
    const at = this.position;
    this.position = Math.max(this.start, Math.min(at + length, this.end));
    return this.buffer.toString('utf8', at, Math.max(at, at + length));
  }
}

describe('the fuzzer of responses', () => {
  test(
    `${INPUTS} responses from seed ${SEED} are read or rejected as malformed`,
    async () => {
      const report = await fuzzReaders(SEED, INPUTS, (buffer, start, end) => new ByteReader(buffer, start, end));
      expect(report.inputs).toBe(INPUTS);
      // Both outcomes are common, so mutations neither destroy every response nor leave all valid.
      expect(report.accepted).toBeGreaterThan(INPUTS / 20);
      expect(report.rejected).toBeGreaterThan(INPUTS / 5);
      expect(report.reasons.size).toBeGreaterThan(10);
    },
    Math.max(60_000, INPUTS),
  );

  const defects = [
    ['a count that is not checked', TrustingReader, /it accepts -?\d+ items/],
    ['a skip that is one byte too long', OvershootingReader, /it skips more than \d+ bytes/],
    ['a string that is not checked', BoundlessReader, /it depends on bytes around its message/],
  ] as const;
  test.each(defects)('finds %s', async (_defect, Reader, reason) => {
    const run = fuzzReaders(SEED, FEW, (buffer, start, end) => new Reader(buffer, start, end));
    const finding = await run.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(finding).toBeInstanceOf(FuzzFinding);
    expect(String(finding)).toContain(`seed ${SEED}, reader of`);
    expect(String(finding)).toMatch(reason);
  });
});
