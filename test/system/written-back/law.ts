/**
 * The law of this folder: what is read can be written back. For each value of the table and each pair of a way to read
 * and a way to write, what is stored afterwards is what was stored before.
 */
import { expect } from 'bun:test';

/** A value of the table, as JSON. */
export interface Sample {
  readonly type: string;
  readonly json: string;
}

/** A sample as it was read: its position in the list of samples, its JSON, and its type if the answer names one. */
export type Item = readonly [at: number, json: string, type?: string];

/** Pairs to which the law does not apply, with the reason. An absent member means all. */
export interface Exception {
  readonly types?: readonly string[];
  readonly values?: readonly string[];
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly reason: string;
}

export interface Law {
  /** What the samples are, for the report. */
  readonly name: string;
  readonly samples: readonly Sample[];
  readonly readers: Readonly<Record<string, () => Promise<readonly Item[]>>>;
  readonly writers: Readonly<Record<string, (items: readonly Item[]) => Promise<unknown>>>;
  readonly exceptions: readonly Exception[];
  /** Removes what writers have stored. */
  clear(): Promise<unknown>;
  /** Returns the stored form of each sample, by its position: in the source, or as a writer has stored it. */
  stored(from: 'source' | 'target'): Promise<ReadonlyMap<number, string>>;
}

/** Failures that are listed. */
const LISTED = 20;

/** Checks all pairs. The excepted ones must violate the law. Prints their numbers. */
export async function checkLaw(law: Law): Promise<void> {
  const { name, samples, readers, writers, exceptions } = law;
  const expected = await law.stored('source');
  expect(samples.filter((_, at) => !expected.has(at))).toEqual([]);
  const trials = new Trials(law, expected);
  const failures: string[] = [];
  let exceptional = 0;
  for (const [read, reader] of Object.entries(readers)) {
    const items = await reader();
    expect([read, items.map(([at]) => at).sort((a, b) => a - b)]).toEqual([read, [...samples.keys()]]);
    for (const write of Object.keys(writers)) {
      const isExcepted = ([at]: Item): boolean => exceptions.some((each) => covers(each, samples[at], read, write));
      const describe = ([at]: Item): string => `${samples[at]?.type} ${samples[at]?.json}, ${read}, ${write}`;
      const [lawful, others] = [items.filter((item) => !isExcepted(item)), items.filter(isExcepted)];
      exceptional += others.length;
      for (const [item, outcome] of await trials.outcomes(write, lawful))
        failures.push(`${describe(item)}: ${outcome}`);
      const unlawful = new Set((await trials.outcomes(write, others)).keys());
      for (const item of others) if (!unlawful.has(item)) failures.push(`${describe(item)}: needs no exception`);
    }
  }
  const pairs = samples.length * Object.keys(readers).length * Object.keys(writers).length;
  process.stdout.write(`${name}: ${samples.length} values, ${pairs} pairs, ${exceptional} of them exceptions\n`);
  expect([failures.length, failures.slice(0, LISTED)]).toEqual([0, []]);
}

function covers(
  { types, values, ...ways }: Exception,
  sample: Sample | undefined,
  read: string,
  write: string,
): boolean {
  const has = (list: readonly string[] | undefined, item: string): boolean => list?.includes(item) ?? true;
  const { type = '', json = '' } = sample ?? {};
  return has(types, type) && has(values, json) && has(ways.read, read) && has(ways.write, write);
}

/** Ways to read that show a value in the same form need only one trial. */
class Trials {
  readonly #law: Law;
  readonly #expected: ReadonlyMap<number, string>;
  readonly #known = new Map<string, string | undefined>();

  constructor(law: Law, expected: ReadonlyMap<number, string>) {
    this.#law = law;
    this.#expected = expected;
  }

  /** Returns the problem with those of the items that are not stored as they were. */
  async outcomes(write: string, items: readonly Item[]): Promise<ReadonlyMap<Item, string>> {
    const nameOf = ([at, json, type]: Item): string => `${write} ${at} ${json} ${type}`;
    const open = items.filter((item) => !this.#known.has(nameOf(item)));
    const together = await this.#write(write, open);
    for (const item of open) {
      // One value may have failed all of them.
      const alone = together === undefined ? undefined : await this.#write(write, [item]);
      this.#known.set(nameOf(item), alone);
    }
    return new Map(
      items.flatMap((item) => {
        const outcome = this.#known.get(nameOf(item));
        return outcome === undefined ? [] : [[item, outcome] as const];
      }),
    );
  }

  async #write(write: string, items: readonly Item[]): Promise<string | undefined> {
    if (items.length === 0) return undefined;
    await this.#law.clear();
    try {
      await this.#law.writers[write]?.(items);
    } catch (error) {
      return String(error);
    }
    const found = await this.#law.stored('target');
    const wrong = items.find(([at]) => found.get(at) !== this.#expected.get(at))?.[0];
    return wrong === undefined ? undefined : `${found.get(wrong)} instead of ${this.#expected.get(wrong)}`;
  }
}

/** Waits for all, so that none is still running when one has failed. Rejects with the first failure. */
export async function all(writing: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(writing);
  await Promise.all(writing);
}

/** Binds ways to the objects on which they work. */
export function bind<C, A extends readonly unknown[], R>(
  ways: Readonly<Record<string, (context: C, ...rest: A) => R>>,
  context: C,
): Readonly<Record<string, (...rest: A) => R>> {
  return Object.fromEntries(
    Object.entries(ways).map(([name, way]) => [name, (...rest: A): R => way(context, ...rest)]),
  );
}
