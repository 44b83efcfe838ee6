/**
 * A fuzzer for the readers of responses. It mutates valid responses and checks that a reader either returns or throws
 * MalformedMessage, never reads outside its message, never accepts a count that exceeds the message, and ends in
 * time. A seed repeats a run exactly.
 */
import { GridError } from '../../../base/errors.ts';
import type { BinaryContext } from '../binary/context.ts';
import { TypeNeeded } from '../binary/type-metadata.ts';
import type { Session } from '../operations/operation.ts';
import { type ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import { Features, offeredFeatures } from '../protocol/features.ts';
import { fuzzContext, PERSON, type ResponseExample, responsesOf } from './wire-examples.suite.ts';

/** A defect of a reader, with the input that shows it. */
export class FuzzFinding extends Error {}

/** Creates the reader under test for a part of a buffer. */
export type ReaderFactory = (buffer: Buffer, start: number, end: number) => ByteReader;

export interface FuzzReport {
  readonly inputs: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Number of occurrences of each reason for a rejection, without digits. */
  readonly reasons: ReadonlyMap<string, number>;
}

/** An input that takes longer is a finding. */
const MAX_MS = 2_000;
const MAX_TYPES = 20;
const TOO_MANY_TYPES = 'too many types';
const MARGIN = 64;

/** Returns a generator of numbers from 0 to 1 that depend on the seed alone. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Numbers that break counts, lengths, offsets and ids. */
const NASTY = [0x7fffffff, -1, -2_147_483_648, 0, 1, 24, 65_536, 0x7ffffff8, 255, 256] as const;
const CODES = [1, 3, 9, 12, 14, 20, 23, 24, 25, 27, 28, 29, 30, 32, 33, 35, 36, 38, 101, 102, 103, 254] as const;

/** Changes a message, or inserts parts of others. */
function mutate(original: Buffer, others: readonly ResponseExample[], random: () => number): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit);
  let bytes: Buffer = Buffer.from(original);
  for (let changes = 1 + below(4); changes > 0; changes--) {
    const at = below(bytes.length + 1);
    switch (below(8)) {
      case 0:
        if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
        break;
      case 1:
        bytes = bytes.subarray(0, at);
        break;
      case 2:
        if (at + 4 <= bytes.length) bytes.writeInt32LE(NASTY[below(NASTY.length)] ?? 0, at);
        break;
      case 3:
        if (at + 4 <= bytes.length) bytes.writeInt32LE(below(bytes.length * 2) - 4, at);
        break;
      case 4:
        if (at < bytes.length) bytes[at] = CODES[below(CODES.length)] ?? 0;
        break;
      case 5: {
        const inserted = others[below(others.length)]?.[2] ?? original;
        bytes = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
        break;
      }
      case 6: {
        const from = below(bytes.length + 1);
        const copied = bytes.subarray(Math.min(at, from), Math.max(at, from));
        bytes = Buffer.concat([bytes.subarray(0, at), copied, bytes.subarray(at)]);
        break;
      }
      case 7:
        bytes = Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from([102, below(bytes.length + 8), 0, 0, 0]),
          bytes.subarray(at),
        ]);
        break;
    }
  }
  return bytes;
}

/** Returns the reader, which now throws FuzzFinding when it violates an invariant. */
function checkedReader(reader: ByteReader): ByteReader {
  const count = reader.count.bind(reader);
  reader.count = (minBytes) => {
    const items = count(minBytes);
    if (items < 0 || items * minBytes > reader.remaining) throw new FuzzFinding(`it accepts ${items} items`);
    return items;
  };
  const raw = reader.raw.bind(reader);
  reader.raw = (bytes) => {
    const from = reader.position;
    const read = raw(bytes);
    if (reader.position !== from + bytes || read.length !== bytes)
      throw new FuzzFinding(`it skips more than ${bytes} bytes`);
    return read;
  };
  return reader;
}

/** Returns the outcome of reading a message that is surrounded by other bytes, as a string for comparison. */
async function outcomeOf(
  response: ResponseExample,
  message: Buffer,
  fill: number,
  create: ReaderFactory,
  context: BinaryContext,
) {
  const buffer = Buffer.alloc(message.length + 2 * MARGIN, fill);
  message.copy(buffer, MARGIN);
  for (let types = 0; types <= MAX_TYPES; types++) {
    const reader = checkedReader(create(buffer, MARGIN, MARGIN + message.length));
    try {
      const result = response[1](reader);
      if (reader.position > reader.end || reader.position < reader.start)
        throw new FuzzFinding('it leaves its message');
      return { accepted: true, text: Bun.inspect(result, { depth: 12 }) };
    } catch (error) {
      if (error instanceof MalformedMessage) return { accepted: false, text: error.message };
      // A well-formed value that contains itself.
      if (error instanceof GridError && error.code === 'CIRCULAR_REFERENCE')
        return { accepted: false, text: error.message };
      if (!(error instanceof TypeNeeded)) throw error;
      await context.types.fetch(error.typeId);
    }
  }
  return { accepted: false, text: TOO_MANY_TYPES };
}

/** Reads `inputs` mutated responses. Throws FuzzFinding, which names the seed, the reader and the bytes. */
export async function fuzzReaders(seed: number, inputs: number, create: ReaderFactory): Promise<FuzzReport> {
  const context = fuzzContext();
  await context.types.fetch(PERSON.typeId);
  const session: Session = { features: new Features(offeredFeatures()), context };
  const responses = responsesOf(context, session);
  const random = randomOf(seed);
  const reasons = new Map<string, number>();
  let accepted = 0;
  for (let input = 0; input < inputs; input++) {
    const response = responses[Math.floor(random() * responses.length)];
    if (!response) continue;
    // The examples run first, unmutated: a fuzzer whose examples are rejected tests nothing.
    const isExample = input < responses.length;
    const chosen = isExample ? (responses[input] ?? response) : response;
    const message = isExample ? chosen[2] : mutate(chosen[2], responses, random);
    const outcome = await check(seed, chosen, message, create, context);
    if (isExample && !outcome.accepted) throw new FuzzFinding(`${chosen[0]} rejects its example: ${outcome.text}`);
    if (outcome.accepted) accepted++;
    else {
      const reason = outcome.text.replace(/-?\d+/g, 'N');
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  }
  return { inputs, accepted, rejected: inputs - accepted, reasons };
}

/** Returns the processor time of this thread, in milliseconds: others may keep the processors busy. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

async function check(
  seed: number,
  response: ResponseExample,
  message: Buffer,
  create: ReaderFactory,
  context: BinaryContext,
) {
  const startedMs = threadMs();
  try {
    const first = await outcomeOf(response, message, 0x00, create, context);
    const second = await outcomeOf(response, message, 0xff, create, context);
    context.types.forgetMissingSchemas();
    // The second reading knows the types that the first one fetched, and needs the others.
    const isComparable = first.text !== TOO_MANY_TYPES;
    if (isComparable && first.text !== second.text) throw new FuzzFinding('it depends on bytes around its message');
    if (threadMs() - startedMs > MAX_MS) throw new FuzzFinding('it takes too long');
    return first;
  } catch (error) {
    const reason = error instanceof FuzzFinding ? error.message : Bun.inspect(error);
    throw new FuzzFinding(`seed ${seed}, reader of ${response[0]}: ${reason}\n${message.toString('hex')}`);
  }
}
