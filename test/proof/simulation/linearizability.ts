/**
 * Checks each answer against a simple model while a run continues. An object (an entry, a counter, a row, a cache or a
 * table) must behave as if each operation took effect at one instant between its call and its answer. The checker keeps
 * every possible state of the object, with the pending operations that have taken effect in it.
 */

/** The outcome that a model permits for an operation: its result, and the state after it. */
export interface Outcome<S> {
  readonly result: string;
  readonly state: S;
}

/** The outcomes of an operation that was called at `calledMs` and takes effect at `nowMs` at the latest. */
export type Model<S, O> = (state: S, operation: O, calledMs: number, nowMs: number) => ReadonlyArray<Outcome<S>>;

interface Pending<O> {
  readonly operation: O;
  readonly calledMs: number;
}

interface Candidate<S> {
  readonly state: S;
  /** Results of the pending operations that have taken effect, by their numbers. */
  readonly done: ReadonlyMap<number, string>;
}

export class LinearizedObject<S, O> {
  readonly name: string;
  readonly #model: Model<S, O>;
  readonly #pending = new Map<number, Pending<O>>();
  #candidates: ReadonlyArray<Candidate<S>>;

  constructor(name: string, initial: S, model: Model<S, O>) {
    this.name = name;
    this.#model = model;
    this.#candidates = [{ state: initial, done: new Map() }];
  }

  called(number: number, operation: O, nowMs: number): void {
    this.#pending.set(number, { operation, calledMs: nowMs });
  }

  /** Records an answer. Returns the problem with it, or undefined. */
  answered(number: number, result: string, nowMs: number): string | undefined {
    const known = this.#candidates;
    const possible = this.#reachable(nowMs).filter(({ done }) => done.get(number) === result);
    if (possible.length === 0) {
      const operation = JSON.stringify(this.#pending.get(number)?.operation);
      this.#end(number, known);
      const states = known.map(({ state }) => JSON.stringify(state)).join(' or ');
      return `${this.name}: ${operation} answers ${result}, but may be ${states}`;
    }
    this.#end(number, possible);
    return undefined;
  }

  /** Records an operation that failed and must have had no effect. Returns the problem with it, or undefined. */
  rejected(number: number): string | undefined {
    const without = this.#candidates.filter(({ done }) => !done.has(number));
    if (without.length === 0) {
      const operation = JSON.stringify(this.#pending.get(number)?.operation);
      this.#end(number, this.#candidates);
      return `${this.name}: ${operation} failed, but its effect was seen`;
    }
    this.#end(number, without);
    return undefined;
  }

  /** Records an operation that has ended without an answer: it took effect, or it never will. */
  lost(number: number, nowMs: number): void {
    this.#end(number, this.#reachable(nowMs));
  }

  #end(number: number, candidates: ReadonlyArray<Candidate<S>>): void {
    this.#pending.delete(number);
    const distinct = new Map<string, Candidate<S>>();
    for (const { state, done } of candidates) {
      const rest = new Map(done);
      rest.delete(number);
      distinct.set(keyOf({ state, done: rest }), { state, done: rest });
    }
    this.#candidates = [...distinct.values()];
  }

  /** Every state to which some order of the pending operations may have led. */
  #reachable(nowMs: number): ReadonlyArray<Candidate<S>> {
    const found = new Map(this.#candidates.map((candidate) => [keyOf(candidate), candidate]));
    const open = [...found.values()];
    for (let candidate = open.pop(); candidate !== undefined; candidate = open.pop()) {
      for (const [number, { operation, calledMs }] of this.#pending) {
        if (candidate.done.has(number)) continue;
        for (const { result, state } of this.#model(candidate.state, operation, calledMs, nowMs)) {
          const next = { state, done: new Map(candidate.done).set(number, result) };
          const key = keyOf(next);
          if (found.has(key)) continue;
          found.set(key, next);
          open.push(next);
        }
      }
    }
    return [...found.values()];
  }
}

function keyOf<S>({ state, done }: Candidate<S>): string {
  return JSON.stringify([state, [...done].sort(([left], [right]) => left - right)]);
}
