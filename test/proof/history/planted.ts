/** Plants faults: a stale read in a recorded history, as from a cache without invalidation, and faults in its feed. */
import type { FeedChange, HistoryOperation } from './feed-check.ts';

interface Operation {
  readonly fields: readonly string[];
  readonly key: string;
  readonly call: number;
  readonly end: number;
  readonly name: string;
  readonly argument: string;
}

function parse(line: string): Operation {
  const fields = line.split('\t');
  const [key = '', , call = '', end = '', name = '', argument = ''] = fields;
  return { fields, key, call: Number(call), end: Number(end), name, argument };
}

/** Two writes of a key, one after another, both answered before a read began: the read returns the first value. */
export function plantStaleRead(history: string): { readonly history: string; readonly key: string } {
  const lines = history.trimEnd().split('\n');
  const written = new Map<string, Operation[]>();
  for (const [index, line] of lines.entries()) {
    const operation = parse(line);
    const { key, call, end, name, fields } = operation;
    const writes = written.get(key) ?? [];
    written.set(key, writes);
    if (name === 'put' && end >= 0) writes.push(operation);
    if (name !== 'read') continue;
    const last = writes.findLast((write) => write.end < call);
    const before = last && writes.findLast((write) => write.end < last.call);
    // Well into the history, so that the checker has to follow it.
    if (before === undefined || index < lines.length / 2) continue;
    lines[index] = [...fields.slice(0, 7), before.argument].join('\t');
    return { history: `${lines.join('\n')}\n`, key };
  }
  throw new Error('the history has no read after two writes');
}

/** A fault of a change feed, which the check must reject. Each returns the changes with the fault in their middle. */
export type PlantedFault = (
  changes: readonly FeedChange[],
  history: readonly HistoryOperation[],
) => readonly FeedChange[];

/** Returns changes whose positions have no gap, as from a service that never stored the missing ones. */
function renumbered(changes: readonly FeedChange[]): FeedChange[] {
  return changes.map((change, index) => ({ ...change, position: index + 1 }));
}

/** Returns the index of a change of an entry in the middle. */
function middle(changes: readonly FeedChange[], isWanted: (change: FeedChange) => boolean = () => true): number {
  const found = changes.findIndex((each, index) => index >= changes.length / 2 && each.key !== '' && isWanted(each));
  if (found < 0) throw new Error('the feed has no change that fits');
  return found;
}

function without(changes: readonly FeedChange[]): FeedChange[] {
  return changes.toSpliced(middle(changes), 1);
}

function repeated(changes: readonly FeedChange[]): FeedChange[] {
  const at = middle(changes);
  return changes.flatMap((change, index) => (index === at ? [change, change] : [change]));
}

function exchanged(changes: readonly FeedChange[], one: number, other: number): FeedChange[] {
  const [first, second] = [changes[one], changes[other]];
  if (first === undefined || second === undefined) throw new Error('there is no such change');
  return changes.with(one, second).with(other, first);
}

/**
 * Exchanges two changes of different keys, the first of which was answered before the second was sent, and no other
 * changes of these keys are between them: only the order of the commits shows it. Both store a value, which names the
 * operation that wrote it; which one made a removal is not known.
 */
const inOtherOrder: PlantedFault = (changes, history) => {
  const writes = history.filter(({ argument }) => argument !== null);
  const written = new Map(writes.map((each) => [`${each.key}=${each.argument}`, each]));
  const writerOf = ({ key, value }: FeedChange) => (value === null ? undefined : written.get(`${key}=${value}`));
  for (let one = middle(changes); one < changes.length; one++) {
    const first = changes[one];
    const by = first && writerOf(first);
    if (first === undefined || by === undefined) continue;
    for (let other = one + 1; other < changes.length && changes[other]?.key !== first.key; other++) {
      const second = changes[other];
      const next = second && writerOf(second);
      if (second === undefined || next === undefined || next.call <= by.end) continue;
      if (changes.slice(one, other).some(({ key }) => key === second.key)) continue;
      return renumbered(exchanged(changes, one, other));
    }
  }
  throw new Error('the feed has no two changes that were made one after the other');
};

export const PLANTED_FAULTS: Readonly<Record<string, PlantedFault>> = {
  'a change that is not delivered': without,
  'a change that is not recorded': (changes) => renumbered(without(changes)),
  'a last change that is not recorded': (changes) => changes.slice(0, -1),
  'a change that is delivered twice': repeated,
  'a change that is recorded twice': (changes) => renumbered(repeated(changes)),
  'changes that are delivered in another order': (changes) => {
    const at = middle(changes);
    return exchanged(changes, at, at + 1);
  },
  'changes that are recorded in another order': inOtherOrder,
  'a wrong old value': (changes) => {
    const at = middle(changes, ({ operation }) => operation === 'updated');
    return changes.map((change, index) => (index === at ? { ...change, oldValue: 'another' } : change));
  },
  'a value that nobody wrote': (changes) => {
    const at = middle(changes, ({ value }) => value !== null);
    return changes.map((change, index) => (index === at ? { ...change, value: 'another' } : change));
  },
};
