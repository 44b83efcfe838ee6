/**
 * Calls with long lists of keys or entries as messages. To copy 50,000 entries takes the thread of a request 100 ms, so
 * it packs and unpacks long lists in slices, and a message has their texts.
 */
import { GeneratorWork, runAtOnce } from '../base/slices.ts';
import { type PackedValues, packValues, unpackValues } from '../values/packed-values.ts';
import type { Value } from '../values/value.ts';
import type { Entry, EntryCall, TransactionCall, TransactionStep } from './grid.ts';

/** Longer lists are packed. */
const LONG_LIST = 512;

/** Keys, or the keys and values of entries in turn. */
export interface PackedList {
  readonly packed: PackedValues;
  readonly isOfEntries: boolean;
}

/** A call on entries, some of whose arguments are packed. */
interface PackedCall {
  readonly kind: 'packed';
  readonly name: EntryCall['name'];
  readonly args: readonly unknown[];
}

/** A step of a transaction as a message. */
export interface SentStep extends Omit<TransactionStep, 'call'> {
  readonly call: TransactionCall | PackedCall;
}

function isLong(argument: unknown): argument is readonly Value[] | readonly Entry[] {
  return Array.isArray(argument) && argument.length > LONG_LIST;
}

/** Reports whether some step has a list to be packed. */
export function haveLongLists(steps: readonly TransactionStep[]): boolean {
  return steps.some(({ call }) => call.kind === 'entries' && call.args.some(isLong));
}

/** Packs the long lists of steps. */
export function* packSteps(steps: readonly TransactionStep[]): Generator<undefined, readonly SentStep[]> {
  const sent: SentStep[] = [];
  for (const step of steps) {
    const { call } = step;
    if (call.kind !== 'entries' || !call.args.some(isLong)) {
      sent.push(step);
      continue;
    }
    const args: unknown[] = [];
    for (const argument of call.args) args.push(isLong(argument) ? yield* packList(argument) : argument);
    sent.push({ ...step, call: { kind: 'packed', name: call.name, args } });
  }
  return sent;
}

/** Reverses {@link packSteps}, at once. */
export function unpackSteps(steps: readonly SentStep[]): readonly TransactionStep[] {
  return steps.map((step) => {
    const { call } = step;
    if (call.kind !== 'packed') return { ...step, call };
    const args = call.args.map((argument) => (isPacked(argument) ? atOnce(unpackList(argument)) : argument));
    // Only `packSteps` creates packed calls, from a call of the same name.
    return { ...step, call: { kind: 'entries', name: call.name, args } as EntryCall };
  });
}

/** Packs a result if it is a long list of entries, at once. */
export function packResult<R>(result: R): R | PackedList {
  return isLong(result) ? atOnce(packList(result)) : result;
}

/** Reports whether no result is packed. */
export function arePlain<R>(results: ReadonlyArray<R | PackedList>): results is readonly R[] {
  return !results.some(isPacked);
}

/** Reverses {@link packResult} for several results. */
export function* unpackResults<R>(
  results: ReadonlyArray<R | PackedList>,
): Generator<undefined, ReadonlyArray<R | Entry[]>> {
  const unpacked: Array<R | Entry[]> = [];
  for (const result of results)
    unpacked.push(isPacked(result) ? entriesOf(yield* unpackValues(result.packed)) : result);
  return unpacked;
}

function* packList(list: readonly Value[] | readonly Entry[]): Generator<undefined, PackedList> {
  const [first] = list;
  const isOfEntries = first !== undefined && 'key' in first;
  return { packed: yield* packValues(valuesOf(list)), isOfEntries };
}

function* valuesOf(list: readonly Value[] | readonly Entry[]): Iterable<Value> {
  for (const each of list) {
    if ('key' in each) {
      yield each.key;
      yield each.value;
    } else yield each;
  }
}

function* unpackList({ packed, isOfEntries }: PackedList): Generator<undefined, readonly Value[] | readonly Entry[]> {
  const values = yield* unpackValues(packed);
  return isOfEntries ? entriesOf(values) : values;
}

/** Returns entries from their keys and values in turn. */
function entriesOf(values: readonly Value[]): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < values.length; at += 2) {
    const [key, value] = [values[at], values[at + 1]];
    if (key !== undefined && value !== undefined) entries.push({ key, value });
  }
  return entries;
}

function isPacked(argument: unknown): argument is PackedList {
  return typeof argument === 'object' && argument !== null && 'packed' in argument;
}

function atOnce<T>(steps: Generator<undefined, T>): T {
  const work = new GeneratorWork(steps);
  runAtOnce(work);
  // It is set when the work is done.
  return work.result as T;
}
