import { GridError } from '../../src/base/errors.ts';
import {
  type Entry,
  type Grid,
  TransactionAborted,
  type TransactionCall,
  type TransactionResult,
} from '../../src/grid/grid.ts';
import { keyOf } from '../../src/values/equality.ts';
import { callOf } from '../grid/call-of.ts';
import { countersOf, type Entries, entriesOf } from '../grid/entry-methods.ts';
import type { CallStep } from './steps.ts';

/** Runs a step and returns its result or error, comparable between engines. */
export async function runStep(grid: Grid, step: CallStep): Promise<unknown> {
  try {
    return { answer: await call(grid, step) };
  } catch (error) {
    if (error instanceof GridError) return { rejected: error.message };
    throw error;
  }
}

async function call(grid: Grid, step: CallStep): Promise<unknown> {
  const { caches, records } = grid;
  const entries = entriesOf(grid);
  switch (step.kind) {
    case 'get':
    case 'has':
    case 'timeToLive':
    case 'remove':
    case 'getAndRemove':
      return entries[step.kind](step.cache, step.key);
    case 'put':
    case 'putIfAbsent':
    case 'replace':
    case 'getAndPut':
    case 'getAndPutIfAbsent':
    case 'getAndReplace':
    case 'append':
    case 'prepend':
      return entries[step.kind](step.cache, step.key, step.value, step.ttlMs);
    case 'removeIfEquals':
      return entries.removeIfEquals(step.cache, step.key, step.value);
    case 'replaceIfEquals':
      return entries.replaceIfEquals(step.cache, step.key, step.expected, step.value, step.ttlMs);
    case 'updateTtl':
      return entries.updateTtl(step.cache, step.key, step.ttlMs);
    case 'getAll':
      return sorted(await entries.getAll(step.cache, step.keys));
    case 'hasAll':
    case 'removeAll':
      return entries[step.kind](step.cache, step.keys);
    case 'putAll':
      return entries.putAll(step.cache, step.entries, step.ttlMs);
    case 'clear':
    case 'size':
      return entries[step.kind](step.cache);
    case 'metrics':
      return caches.metrics(step.cache);
    case 'definition':
      return (await caches.find(step.cache)) ?? null;
    case 'destroy':
      return caches.destroy(step.cache);
    case 'getOrCreate':
      return caches.getOrCreate(step.cache, step.request);
    case 'counter':
      return countersOf(grid).add(step.name, step.delta, step.initial);
    case 'putRecord':
      return records.put('setting', step.id, 'content', endOf(step.ttlMs));
    case 'addRecord':
      return records.add('setting', step.id, 'content', endOf(step.ttlMs));
    case 'replaceRecord':
      return records.replace('setting', step.id, 'content', endOf(step.ttlMs));
    case 'removeRecord':
      return records.remove('setting', step.id);
    case 'records':
      return records.list('setting');
    case 'setState':
      return grid.cluster.setState(step.state, step.force);
    case 'transaction':
      return runTransaction(grid, step);
    case 'together':
      return Promise.all(step.steps.map((each) => runStep(grid, each)));
  }
}

/** Runs steps as a transaction; a failure is its step and the text of its error. */
async function runTransaction(grid: Grid, { steps }: Extract<CallStep, { kind: 'transaction' }>): Promise<unknown> {
  const calls = steps.map(({ step }) => recordedCall(grid, step));
  const condition = { kind: 'notFalse' } as const;
  const options = {
    owner: '',
    tenant: { key: '', isAdministrator: false },
    timeoutMs: 0,
    signal: new AbortController().signal,
  };
  try {
    const results = await grid.transactions.run(
      calls.map((each, index) => (steps[index]?.notFalse === true ? { call: each, condition } : { call: each })),
      options,
    );
    return results.map((result) => (isEntries(result) ? sorted(result) : (result ?? null)));
  } catch (error) {
    if (error instanceof TransactionAborted) return { step: error.step, rejected: error.message };
    throw error;
  }
}

function isEntries(result: TransactionResult): result is Entry[] {
  return Array.isArray(result);
}

/** Returns the call that a step makes. */
function recordedCall(grid: Grid, step: CallStep): TransactionCall {
  return callOf((port) => void call({ ...grid, port }, step));
}

/** Histories begin at this time (ManualClock). */
const START_MS = 1_700_000_000_000;

function endOf(ttlMs: number | undefined): number | undefined {
  return ttlMs === undefined ? undefined : START_MS + ttlMs * 40;
}

function sorted(found: Awaited<ReturnType<Entries['getAll']>>): unknown {
  return [...found].sort((left, right) => (keyOf(left.key) < keyOf(right.key) ? -1 : 1));
}
