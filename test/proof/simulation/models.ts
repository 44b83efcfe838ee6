/** The models of the objects that the simulated clients use. */
import type { Model, Outcome } from './linearizability.ts';

/** An entry or a row: its value, and the earliest and latest time at which it expires. */
export interface EntryState {
  readonly value: string | null;
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface EntryOperation {
  readonly name: 'get' | 'put' | 'putIfAbsent' | 'replace' | 'cas' | 'remove' | 'getAndPut' | 'getAndRemove';
  readonly value?: string;
  readonly expected?: string;
  readonly ttlMs?: number;
}

export const NO_ENTRY: EntryState = { value: null, fromMs: Number.MAX_SAFE_INTEGER, untilMs: Number.MAX_SAFE_INTEGER };

export const entryModel: Model<EntryState, EntryOperation> = (state, operation, calledMs, nowMs) => {
  const { ttlMs } = operation;
  const stored = (value: string): EntryState => {
    if (ttlMs === undefined) return { ...NO_ENTRY, value };
    return { value, fromMs: calledMs + ttlMs, untilMs: nowMs + ttlMs };
  };
  const seen: EntryState[] = [];
  if (state.value === null) seen.push(NO_ENTRY);
  else {
    if (calledMs < state.untilMs) seen.push(state);
    if (nowMs >= state.fromMs) seen.push(NO_ENTRY);
  }
  return seen.map((before) => effectOf(before, operation, stored));
};

function effectOf(
  before: EntryState,
  { name, value = '', expected }: EntryOperation,
  stored: (value: string) => EntryState,
): Outcome<EntryState> {
  const isThere = before.value !== null;
  const shown = before.value ?? 'none';
  const when = (holds: boolean, after: EntryState) => ({ result: String(holds), state: holds ? after : before });
  switch (name) {
    case 'get':
      return { result: shown, state: before };
    case 'put':
      return { result: 'done', state: stored(value) };
    case 'getAndPut':
      return { result: shown, state: stored(value) };
    case 'putIfAbsent':
      return when(!isThere, stored(value));
    case 'replace':
      return when(isThere, stored(value));
    case 'cas':
      return when(isThere && before.value === expected, stored(value));
    case 'remove':
      return when(isThere, NO_ENTRY);
    case 'getAndRemove':
      return { result: shown, state: NO_ENTRY };
  }
}

export interface CounterOperation {
  readonly name: 'add';
  readonly delta: number;
}

export const counterModel: Model<number, CounterOperation> = (state, { delta }) => {
  return [{ result: String(state + delta), state: state + delta }];
};

/** A cache or a table of one entry: absent, or its value (null without one). */
export interface ContainerState {
  readonly exists: boolean;
  readonly value: string | null;
}

export interface ContainerOperation {
  readonly name: 'create' | 'ensure' | 'drop' | 'destroy' | 'put' | 'get';
  readonly value?: string;
}

export const NO_CONTAINER: ContainerState = { exists: false, value: null };

export const containerModel: Model<ContainerState, ContainerOperation> = (state, { name, value = '' }) => {
  switch (name) {
    case 'ensure':
      return [{ result: 'done', state: state.exists ? state : { exists: true, value: null } }];
    case 'create':
      if (state.exists) return [{ result: 'exists', state }];
      return [{ result: 'done', state: { exists: true, value: null } }];
    case 'destroy':
      return [{ result: 'done', state: NO_CONTAINER }];
    case 'drop':
      return [{ result: state.exists ? 'done' : 'missing', state: NO_CONTAINER }];
    case 'put':
      if (!state.exists) return [{ result: 'missing', state }];
      return [{ result: 'done', state: { exists: true, value } }];
    case 'get':
      return [{ result: state.exists ? (state.value ?? 'none') : 'missing', state }];
  }
};
