/** Fuzzes the readers of responses by the rules of test/fixtures/cluster/wire-fuzz.ts. */

import { ByteReader } from '../../../src/engines/cluster/protocol/byte-reader.ts';
import { FuzzFinding, fuzzReaders, type ReaderFactory } from '../../fixtures/cluster/wire-fuzz.ts';
import { type AnyFuzzer, seedOf } from './fuzzer.ts';

/** Inputs that follow from one seed: a finding is replayed with all of them. */
const INPUTS_PER_SEED = 1_000;

export const serviceByteReader: ReaderFactory = (buffer, start, end) => new ByteReader(buffer, start, end);

export function wireFuzzer(create: ReaderFactory = serviceByteReader): AnyFuzzer {
  const name = 'wire-answers';
  return {
    name,
    async run(seed, from, count, onInput) {
      for (let index = from - (from % INPUTS_PER_SEED); index < from + count; index += INPUTS_PER_SEED) {
        onInput?.(index);
        try {
          // All inputs of a seed: the one that was found may be the last.
          await fuzzReaders(seedOf(seed, index), INPUTS_PER_SEED, create);
        } catch (error) {
          if (!(error instanceof FuzzFinding)) throw error;
          // The message ends with the bytes in hexadecimal digits.
          const [reason = '', input = ''] = error.message.split('\n');
          return { fuzzer: name, seed, index, reason, input, smallest: input };
        }
      }
      return undefined;
    },
    showInput: (seed, index) => `seed ${seedOf(seed, index)} of fuzzReaders`,
  };
}
