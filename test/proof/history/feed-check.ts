/**
 * Checks what a consumer of the change feed received during a recorded history. The feed must be one order of all
 * changes that explains the history: no position is missing or repeated, each change has as its old value the value of
 * the previous one, each operation that was answered as effective is in it once and each other one is not, an operation
 * that was answered before another one was sent is before it, reads return values that were not replaced earlier, and
 * the changes lead to the contents of the caches.
 */

/** The changes that a consumer received. */
export interface FeedRecord {
  /** File with a line for each change, as `parseFeed` reads it. */
  readonly path: string;
  readonly changes: number;
  /** The streams that the consumer has read, in order. */
  readonly streams: readonly StreamRecord[];
  readonly wrong: readonly string[];
  /** The final contents of the caches, by the keys of the history. */
  readonly contents: ReadonlyMap<string, string>;
}

/** A stream: the positions that it began and ended at, and its times in ns. */
export interface StreamRecord {
  readonly from: string;
  readonly to: string;
  readonly start: number;
  readonly end: number;
}

export interface FeedChange {
  readonly position: number;
  readonly operation: string;
  /** The key of the history; empty if the change concerns a whole cache. */
  readonly key: string;
  readonly value: string | null;
  readonly oldValue: string | null;
}

/** An operation of the history. Times are in ns; `end` is infinite for one without an answer. */
export interface HistoryOperation {
  readonly key: string;
  readonly client: string;
  readonly call: number;
  readonly end: number;
  readonly name: string;
  readonly argument: string | null;
  readonly expected: string | null;
  readonly result: string | null;
}

/** More would match hardly any removal. */
const MATCHING_PASSES = 10;

/** A change with the operation that made it. */
interface Entry extends FeedChange {
  /** Its position among all changes. */
  readonly index: number;
  by?: HistoryOperation;
}

/** More violations add no information. */
const MOST_VIOLATIONS = 20;

/** Reads lines of position, operation, key, value and old value. */
export function parseFeed(text: string): FeedChange[] {
  return linesOf(text).map((line) => {
    const [position, operation = '', key = '', value = 'null', oldValue = 'null'] = line.split('\t');
    return { position: Number(position), operation, key, value: JSON.parse(value), oldValue: JSON.parse(oldValue) };
  });
}

/** Reads the lines of a history, as `record.ts` writes them. */
export function parseHistory(text: string): HistoryOperation[] {
  return linesOf(text).map((line) => {
    const [key = '', client = '', call, end, name = '', ...texts] = line.split('\t');
    const [argument, expected, result] = texts.map((each) => JSON.parse(each) as string | null);
    const endNs = Number(end) < 0 ? Number.POSITIVE_INFINITY : Number(end);
    const operation = { key, client, call: Number(call), end: endNs, name };
    return { ...operation, argument: argument ?? null, expected: expected ?? null, result: result ?? null };
  });
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Returns at most twenty violations, as sentences. */
export function checkFeed(
  history: readonly HistoryOperation[],
  changes: readonly FeedChange[],
  contents: ReadonlyMap<string, string>,
): string[] {
  return new FeedCheck(history, changes).run(contents);
}

class FeedCheck {
  readonly #wrong: string[] = [];
  readonly #entries: readonly Entry[];
  readonly #byKey: ReadonlyMap<string, Entry[]>;
  readonly #operations: readonly HistoryOperation[];

  constructor(history: readonly HistoryOperation[], changes: readonly FeedChange[]) {
    this.#entries = changes.map((change, index) => ({ ...change, index }));
    this.#byKey = Map.groupBy(
      this.#entries.filter(({ key }) => key !== ''),
      ({ key }) => key,
    );
    // Counters have no feed.
    this.#operations = history.filter(({ name }) => name !== 'incr');
  }

  run(contents: ReadonlyMap<string, string>): string[] {
    this.#checkPositions();
    this.#checkChains(contents);
    this.#matchWrites();
    this.#matchRemovals();
    this.#checkOrder();
    this.#checkReads();
    this.#checkRequests();
    return this.#wrong;
  }

  #violation(text: string): void {
    if (this.#wrong.length < MOST_VIOLATIONS) this.#wrong.push(text);
  }

  #checkPositions(): void {
    let last = 0;
    for (const { position } of this.#entries) {
      if (position !== last + 1) this.#violation(`change ${position} after change ${last}`);
      last = position;
    }
  }

  /** Each change begins with the result of the previous one, and the last one matches the contents of the cache. */
  #checkChains(contents: ReadonlyMap<string, string>): void {
    for (const [key, entries] of this.#byKey) {
      let current: string | null = null;
      for (const { position, operation, value, oldValue } of entries) {
        const at = `change ${position} of ${key}`;
        const expected = value === null ? 'removed' : current === null ? 'created' : 'updated';
        if (operation !== expected) this.#violation(`${at} is ${operation}, but it should be ${expected}`);
        if (oldValue !== current) this.#violation(`${at} replaces ${oldValue}, but the value was ${current}`);
        current = value;
      }
      const stored = contents.get(key) ?? null;
      if (stored !== current) this.#violation(`${key} is ${stored}, but ${current} by its changes`);
    }
    for (const key of contents.keys()) if (!this.#byKey.has(key)) this.#violation(`${key} has no change`);
  }

  /** Every value is written by one operation, and removed by one that returns it. */
  #matchWrites(): void {
    const written = new Map<string, Entry>();
    const removed = new Map<string, Entry>();
    for (const entry of this.#entries) {
      if (entry.value !== null) written.set(`${entry.key}=${entry.value}`, entry);
      else if (entry.oldValue !== null) removed.set(`${entry.key}=${entry.oldValue}`, entry);
    }
    for (const operation of this.#operations) {
      const { key, name, argument, result } = operation;
      const isRemoval = name === 'getrmv' && result !== null;
      if (argument === null && !isRemoval) continue;
      const entry = isRemoval ? removed.get(`${key}=${result}`) : written.get(`${key}=${argument}`);
      if (entry !== undefined) {
        if (entry.by !== undefined) this.#violation(`change ${entry.position} of ${key} was made twice`);
        entry.by = operation;
        this.#checkEffect(operation, entry);
      } else if (isEffective(operation)) {
        this.#violation(`${name} of ${key} (${argument ?? result}) was answered, but has no change`);
      }
    }
    for (const { value, position, key, by } of this.#entries) {
      if (value !== null && by === undefined) this.#violation(`change ${position} of ${key}: nobody wrote ${value}`);
    }
  }

  /** Checks that a change matches the answer of its operation. */
  #checkEffect(operation: HistoryOperation, { position, operation: change, oldValue }: Entry): void {
    const { key, name, expected, result, end } = operation;
    const at = `change ${position} of ${key}`;
    if (end !== Number.POSITIVE_INFINITY && !isEffective(operation)) {
      this.#violation(`${at} was made by ${name}, which was answered as without effect`);
    }
    if (name === 'putifabs' && change !== 'created') this.#violation(`${at} was made by ${name}, but is ${change}`);
    if (name === 'replace' && change !== 'updated') this.#violation(`${at} was made by ${name}, but is ${change}`);
    if (name === 'cas' && oldValue !== expected) this.#violation(`${at} replaces ${oldValue}, expected ${expected}`);
    if (name === 'getput' && end !== Number.POSITIVE_INFINITY && oldValue !== result) {
      this.#violation(`${at} replaces ${oldValue}, but getput returned ${result}`);
    }
  }

  /**
   * The answer of `rmv` does not name the value: of those that fit into the order of the other operations, the one that
   * was answered first made the first removal. Changes that only one of them can have made are matched before, because
   * they narrow the time of those next to them.
   */
  #matchRemovals(): void {
    const removals = Map.groupBy(
      this.#operations.filter((each) => isRemovalOfUnknownValue(each)).toSorted((a, b) => a.end - b.end),
      ({ key }) => key,
    );
    for (let pass = 0; pass < MATCHING_PASSES && this.#matchFitting(removals, 1) > 0; pass++);
    this.#matchFitting(removals, Number.POSITIVE_INFINITY);
    for (const { value, by, position, key } of this.#entries) {
      if (key !== '' && value === null && by === undefined)
        this.#violation(`change ${position}: nobody removed ${key} at that time`);
    }
    for (const [key, left] of removals) {
      const missing = left.filter(({ end }) => end !== Number.POSITIVE_INFINITY).length;
      if (missing > 0) this.#violation(`${missing} removals of ${key} were answered, but have no change`);
    }
  }

  /** Matches the removals that at most `most` of the operations left can have made. Returns their number. */
  #matchFitting(removals: ReadonlyMap<string, HistoryOperation[]>, most: number): number {
    const [notBefore, notAfter] = this.#bounds();
    let matched = 0;
    for (const [key, entries] of this.#byKey) {
      const left = removals.get(key) ?? [];
      for (const entry of entries) {
        if (entry.value !== null || entry.by !== undefined) continue;
        const [lo = 0, hi = 0] = [notBefore[entry.index], notAfter[entry.index]];
        const fitting = left.filter(({ call, end }) => call <= hi && end >= lo);
        const [chosen] = fitting;
        if (chosen === undefined || fitting.length > most) continue;
        entry.by = chosen;
        left.splice(left.indexOf(chosen), 1);
        matched++;
      }
    }
    return matched;
  }

  /** Returns, for each change, the latest call until then, and the earliest answer from there on. */
  #bounds(): readonly [Float64Array, Float64Array] {
    const count = this.#entries.length;
    const [latestCall, earliestEnd] = [new Float64Array(count), new Float64Array(count)];
    let latest = Number.NEGATIVE_INFINITY;
    for (const { index, by } of this.#entries) {
      latest = Math.max(latest, by?.call ?? latest);
      latestCall[index] = latest;
    }
    let earliest = Number.POSITIVE_INFINITY;
    for (let index = count - 1; index >= 0; index--) {
      earliest = Math.min(earliest, this.#entries[index]?.by?.end ?? earliest);
      earliestEnd[index] = earliest;
    }
    return [latestCall, earliestEnd];
  }

  /** An operation that was answered before another was sent precedes it, whatever their keys are. */
  #checkOrder(): void {
    let latest: Entry | undefined;
    for (const entry of this.#entries) {
      const { by, position, key } = entry;
      if (by === undefined) continue;
      if (latest?.by !== undefined && by.end < latest.by.call) {
        this.#violation(
          `change ${position} of ${key} was answered before change ${latest.position} of ${latest.key} was sent`,
        );
      }
      if (latest?.by === undefined || by.call > latest.by.call) latest = entry;
    }
  }

  /** A read returns a value of the feed that no operation answered before the read had replaced. */
  #checkReads(): void {
    const isPossible = (entries: readonly Entry[], at: number, { call, end }: HistoryOperation): boolean =>
      (entries[at]?.by?.call ?? 0) <= end && (entries[at + 1]?.by?.end ?? Number.POSITIVE_INFINITY) >= call;
    for (const operation of this.#operations) {
      const { key, name, result } = operation;
      if (name !== 'read') continue;
      const entries = this.#byKey.get(key) ?? [];
      const isFound =
        (result === null && isPossible(entries, -1, operation)) ||
        entries.some(({ value }, at) => value === result && isPossible(entries, at, operation));
      if (!isFound) this.#violation(`a read of ${key} returned ${result} at a time when it was not stored by the feed`);
    }
  }

  /** The changes of `putall` are together: nothing is committed between them. */
  #checkRequests(): void {
    const requests = Map.groupBy(
      this.#entries.filter(({ by }) => by?.name === 'put'),
      ({ by }) => `${by?.client} ${by?.call}`,
    );
    for (const entries of requests.values()) {
      const [first, last] = [entries[0], entries.at(-1)];
      if (first === undefined || last === undefined || last.index - first.index === entries.length - 1) continue;
      this.#violation(`changes ${first.position} to ${last.position} are of one request and have others in between`);
    }
  }
}

function isEffective({ name, result, end }: HistoryOperation): boolean {
  if (end === Number.POSITIVE_INFINITY) return false;
  if (name === 'getput') return true;
  return name === 'getrmv' ? result !== null : name !== 'read' && result === 'true';
}

/** Reports whether an operation may have removed a value that its answer does not name. */
function isRemovalOfUnknownValue({ name, result, end }: HistoryOperation): boolean {
  if (end === Number.POSITIVE_INFINITY) return name === 'rmv' || name === 'getrmv';
  return name === 'rmv' && result === 'true';
}
