/** Runs a fuzzer: generates inputs from a seed, checks each, and shrinks the first one that breaks a rule. */
import { Random } from '../../simulation/random.ts';

/** A source of inputs with the rules that must hold for each of them. */
export interface Fuzzer<Input> {
  readonly name: string;
  /** Returns a new input that follows from the random numbers alone. */
  generate(random: Random): Input;
  /** Throws when the subject breaks a rule for this input. */
  check(input: Input): void;
  /** Yields simpler inputs, the simplest first. */
  smaller(input: Input): Iterable<Input>;
  /** Returns the input as one line of source text. */
  show(input: Input): string;
}

/** A fuzzer without its input type. */
export interface AnyFuzzer {
  readonly name: string;
  run(
    seed: number,
    from: number,
    count: number,
    onInput?: (index: number) => void,
  ): MaybeFinding | Promise<MaybeFinding>;
  /** Returns the input with this index as one line of source text. */
  showInput(seed: number, index: number): string;
}

export type MaybeFinding = Finding | undefined;

/** An input that breaks a rule. */
export interface Finding {
  readonly fuzzer: string;
  readonly seed: number;
  readonly index: number;
  /** The rule that the smallest input breaks. */
  readonly reason: string;
  readonly input: string;
  readonly smallest: string;
}

/** One input may take this long, in milliseconds; a longer time must occur three times to count. */
const SLOW_MS = 500;
/** The number of checks that shrinking may use. */
const SHRINK_CHECKS = 2_000;

/** Hides the type of the inputs. */
export function anyFuzzer<Input>(fuzzer: Fuzzer<Input>): AnyFuzzer {
  const inputAt = (seed: number, index: number) => fuzzer.generate(new Random(seedOf(seed, index)));
  return {
    name: fuzzer.name,
    run(seed, from, count, onInput) {
      for (let index = from; index < from + count; index++) {
        onInput?.(index);
        const input = inputAt(seed, index);
        const reason = broken(fuzzer, input);
        if (reason === undefined) continue;
        const smallest = shrink(fuzzer, input, reason);
        return {
          fuzzer: fuzzer.name,
          seed,
          index,
          reason: broken(fuzzer, smallest) ?? reason,
          input: fuzzer.show(input),
          smallest: fuzzer.show(smallest),
        };
      }
      return undefined;
    },
    showInput: (seed, index) => fuzzer.show(inputAt(seed, index)),
  };
}

/** Returns the seed of one input, so each can be generated without the earlier ones. */
export function seedOf(seed: number, index: number): number {
  return (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
}

/** Returns the problem with the subject's result for this input, or undefined if there is none. */
function broken<Input>(fuzzer: Fuzzer<Input>, input: Input): string | undefined {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt++) {
    const startMs = threadMs();
    try {
      fuzzer.check(input);
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    }
    fastestMs = Math.min(fastestMs, threadMs() - startMs);
    if (fastestMs < SLOW_MS) return undefined;
  }
  return `takes ${fastestMs.toFixed(0)} ms`;
}

/** Returns the processor time of this thread, in milliseconds: others may keep the processors busy. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Replaces the input by the first simpler one that also breaks a rule, as long as there is one. */
function shrink<Input>(fuzzer: Fuzzer<Input>, input: Input, reason: string): Input {
  const isSlow = reason.startsWith('takes ');
  let left = isSlow ? 20 : SHRINK_CHECKS;
  let best = input;
  for (let found = true; found && left > 0; ) {
    found = false;
    for (const candidate of fuzzer.smaller(best)) {
      if (left-- <= 0) break;
      const other = broken(fuzzer, candidate);
      if (other === undefined || other.startsWith('takes ') !== isSlow) continue;
      best = candidate;
      found = true;
      break;
    }
  }
  return best;
}

/** Throws unless the two are deeply equal. */
export function mustEqual(actual: unknown, expected: unknown, what: string): void {
  if (Bun.deepEquals(actual, expected, true)) return;
  throw new Error(`${what}: got ${shown(actual)}, expected ${shown(expected)}`);
}

function shown(value: unknown): string {
  return Bun.inspect(value, { depth: 6, compact: true }).slice(0, 2_000);
}
