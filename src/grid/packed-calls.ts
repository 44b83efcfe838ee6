/**
 * Calls with long lists of keys, entries or arguments as messages. To copy 50,000 entries takes the thread of a request
 * 100 ms, so it packs and unpacks long lists in slices, and a message has their texts.
 */
import { completeAtOnce } from '../base/slices.ts';
import { type PackedValues, packValues, unpackValues } from '../values/packed-values.ts';
import type { Value } from '../values/value.ts';
import type { Entry, EntryCall, StatementQuery, TransactionCall, TransactionStep } from './grid.ts';

/** Longer lists are packed, also several of them together. */
const LONG_LIST = 512;
/** Lists of fewer values are never packed. */
const SHORT_LIST = 16;

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

/** A statement whose arguments are packed. */
interface PackedStatement {
  readonly kind: 'packedStatement';
  readonly query: Packed<StatementQuery>;
}

/** A statement with its arguments apart, if they are many. */
export interface PackedArguments {
  readonly packedArgs?: PackedValues;
}
type Packed<Q> = Q & PackedArguments;

/** A step of a transaction as a message. */
export interface SentStep extends Omit<TransactionStep, 'call'> {
  readonly call: TransactionCall | PackedCall | PackedStatement;
}

function isLong(argument: unknown): argument is readonly Value[] | readonly Entry[] {
  return Array.isArray(argument) && argument.length > LONG_LIST;
}

/** Returns the lists of a call that may be packed. */
function listsOf(call: TransactionCall): ReadonlyArray<readonly Value[] | readonly Entry[]> {
  if (call.kind === 'statement') return call.query.args.length > SHORT_LIST ? [call.query.args] : [];
  return call.kind === 'entries' ? call.args.filter(isPackable) : [];
}

function isPackable(argument: unknown): argument is readonly Value[] | readonly Entry[] {
  return Array.isArray(argument) && argument.length > SHORT_LIST;
}

/** Reports whether steps have long lists, which are to be packed. */
export function haveLongLists(steps: readonly TransactionStep[]): boolean {
  let length = 0;
  for (const { call } of steps) {
    for (const list of listsOf(call)) length += list.length;
    if (length > LONG_LIST) return true;
  }
  return false;
}

/** Packs the lists of steps. */
export function* packSteps(steps: readonly TransactionStep[]): Generator<undefined, readonly SentStep[]> {
  const sent: SentStep[] = [];
  for (const step of steps) {
    const { call } = step;
    if (listsOf(call).length === 0) sent.push(step);
    else if (call.kind === 'statement') {
      sent.push({ ...step, call: { kind: 'packedStatement', query: yield* packArguments(call.query) } });
    } else if (call.kind === 'entries') {
      const args: unknown[] = [];
      for (const argument of call.args) args.push(isPackable(argument) ? yield* packList(argument) : argument);
      sent.push({ ...step, call: { kind: 'packed', name: call.name, args } });
    }
  }
  return sent;
}

/** A statement, or a scan, which has no arguments. */
interface Query {
  readonly kind: string;
  readonly args?: readonly Value[];
}

/** Reports whether the arguments of a query are so many that they are to be packed. */
export function hasManyArguments({ args }: Query): boolean {
  return isLong(args);
}

/** Packs the arguments of a statement. */
export function* packArguments<Q extends Query>(query: Q): Generator<undefined, Packed<Q>> {
  return { ...query, args: [], packedArgs: yield* packValues(query.args ?? []) };
}

/** Reverses {@link packArguments}, at once. Returns a query whose arguments are not packed as it is. */
export function unpackArguments<Q extends object>(query: Packed<Q>): Q {
  const { packedArgs, ...rest } = query;
  if (packedArgs === undefined) return query;
  // Only `packArguments` packs arguments, and leaves all else as it was.
  return { ...rest, args: completeAtOnce(unpackValues(packedArgs)) } as unknown as Q;
}

/** Returns a statement that unpacks its arguments on each use: a batch has up to a million, and runs one at a time. */
function unpackedOnUse({ packedArgs = [], ...query }: Packed<StatementQuery>): StatementQuery {
  return {
    ...query,
    get args() {
      return completeAtOnce(unpackValues(packedArgs));
    },
  };
}

/** Reverses {@link packSteps}, at once; the arguments of statements are unpacked whenever they are used. */
export function unpackSteps(steps: readonly SentStep[]): readonly TransactionStep[] {
  return steps.map((step) => {
    const { call } = step;
    if (call.kind === 'packedStatement')
      return { ...step, call: { kind: 'statement', query: unpackedOnUse(call.query) } };
    if (call.kind !== 'packed') return { ...step, call };
    const args = call.args.map((argument) => (isPacked(argument) ? completeAtOnce(unpackList(argument)) : argument));
    // Only `packSteps` creates packed calls, from a call of the same name.
    return { ...step, call: { kind: 'entries', name: call.name, args } as EntryCall };
  });
}

/** Packs a result if it is a long list of entries, at once. */
export function packResult<R>(result: R): R | PackedList {
  return isLong(result) ? completeAtOnce(packList(result)) : result;
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
