/**
 * Describes what happened around the violations of a recorded history: a failure in CI must be explained by its output,
 * because the files of the run are gone.
 */
import type { FeedChange, HistoryOperation, StreamRecord } from './feed-check.ts';

/** More keys rarely reveal another cause. */
const MOST_KEYS = 3;
/** Operations and changes that are shown before and after those that a violation names. */
const BESIDE = 3;
const MOST_STREAMS = 5;
const NS_PER_MS = 1_000_000;

export interface ReportedRun {
  readonly history: readonly HistoryOperation[];
  readonly changes: readonly FeedChange[];
  readonly streams: readonly StreamRecord[];
}

/**
 * Returns lines about the keys of violations: their operations and changes around the values and positions that the
 * violations name, and the last streams of the consumer. Times are in ms since the first operation. Empty without
 * violations.
 */
export function reportOn(violations: readonly string[], { history, changes, streams }: ReportedRun): string[] {
  if (violations.length === 0) return [];
  const words = new Set(violations.flatMap((text) => text.split(/[\s,()]+/).map((word) => word.replace(/:$/, ''))));
  const keys = new Set(history.map(({ key }) => key).filter((key) => words.has(key)));
  for (const { key, value, oldValue } of changes.filter(({ position }) => words.has(String(position)))) {
    if (key !== '') keys.add(key);
    for (const text of [value, oldValue]) if (text !== null) words.add(text);
  }
  const startNs = history.reduce((start, { call }) => Math.min(start, call), Number.POSITIVE_INFINITY);
  const time = (ns: number): string => (Number.isFinite(ns) ? ((ns - startNs) / NS_PER_MS).toFixed(3) : 'never');
  const isNamed = (...texts: ReadonlyArray<string | null>): boolean => texts.some((text) => words.has(text ?? ''));
  const lines: string[] = [];
  for (const key of [...keys].slice(0, MOST_KEYS)) {
    const operations = history.filter((each) => each.key === key).toSorted((a, b) => a.call - b.call);
    lines.push(`operations of ${key}:`);
    for (const each of around(operations, ({ argument, expected, result }) => isNamed(argument, expected, result))) {
      const { client, call, end, name, argument, expected, result } = each;
      const texts = `${argument ?? ''}${expected === null ? '' : `, expected ${expected}`}`;
      lines.push(`  client ${client}, ${time(call)} to ${time(end)}: ${name}(${texts}) = ${result}`);
    }
    const own = changes.filter((each) => each.key === key);
    lines.push(`changes of ${key}:`);
    for (const each of around(own, ({ position, value, oldValue }) => isNamed(String(position), value, oldValue))) {
      lines.push(`  ${each.position}: ${each.operation} ${each.oldValue} -> ${each.value}`);
    }
  }
  const last = changes.at(-1);
  lines.push(`the last change is ${last?.position} of ${last?.key}; the last streams:`);
  for (const { from, to, start, end } of streams.slice(-MOST_STREAMS)) {
    lines.push(`  ${time(start)} to ${time(end)}: from ${from} to ${to}`);
  }
  return lines;
}

/** Returns the named items and their neighbours, or the last ones if none is named. */
function around<T>(items: readonly T[], isNamed: (item: T) => boolean): readonly T[] {
  const named = items.flatMap((item, index) => (isNamed(item) ? [index] : []));
  if (named.length === 0) return items.slice(-2 * BESIDE);
  return items.filter((_, index) => named.some((each) => Math.abs(each - index) <= BESIDE));
}
