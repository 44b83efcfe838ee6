/** The changes saved by this page, with those that undo them. Kept only with the page: others also use the rows. */
import { signal } from '@preact/signals';
import type { Change, RowKind } from './stored-rows.ts';

export interface SavedChange {
  /** Whose rows were changed, as {@link RowKind.layoutName} names it. */
  readonly of: string;
  /** A description of the change, as shown to users. */
  readonly done: string;
  /** The changes that undo it. Each does nothing if the row has been changed since. */
  readonly inverses: readonly Change[];
  /** The part that undoing does not restore; empty if it restores everything. */
  readonly lost: string;
}

/** Older ones are forgotten. */
const KEPT_CHANGES = 50;

const saved = signal<readonly SavedChange[]>([]);

/** Records a saved change. Without inverses, neither it nor earlier ones can be undone. */
export function noteSaved({ layoutName: of }: RowKind, done: string, inverses: readonly Change[], lost = ''): void {
  const others = inverses.length === 0 ? saved.value.filter((each) => each.of !== of) : saved.value;
  const next = inverses.length === 0 ? [] : [{ of, done, inverses, lost }];
  saved.value = [...others, ...next].slice(-KEPT_CHANGES);
}

/** Returns the latest save of such rows, or undefined if nothing can be undone. */
export function lastSaved({ layoutName }: RowKind): SavedChange | undefined {
  return saved.value.findLast(({ of }) => of === layoutName);
}

/** Forgets an undone change. */
export function forgetSaved(change: SavedChange): void {
  saved.value = saved.value.filter((each) => each !== change);
}
