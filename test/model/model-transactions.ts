/** Transactions of the model: the steps run on its store, and a failure restores what it held before. */
import { GridError, gridError } from '../../src/base/errors.ts';
import type { CacheRules } from '../../src/grid/cache-rules.ts';
import { isOnEntries, type Port } from '../../src/grid/calls.ts';
import { DEFAULT_REGION } from '../../src/grid/declarations.ts';
import {
  TransactionAborted,
  type TransactionCall,
  type TransactionResult,
  type TransactionStep,
  type Transactions,
} from '../../src/grid/grid.ts';
import { checkCondition } from '../../src/grid/transactions.ts';
import type { ModelCalls } from './model-calls.ts';
import type { ModelCache } from './model-entries.ts';
import type { ModelStore } from './model-store.ts';

export interface ModelTransactionOptions {
  readonly store: ModelStore;
  readonly rules: CacheRules;
  readonly calls: ModelCalls;
  readonly port: Port;
}

/** Creates the model's transactions, which run one after another. */
export function modelTransactions(parts: ModelTransactionOptions): Transactions {
  const { store, port } = parts;
  let last: Promise<unknown> = Promise.resolve();
  const call = async (each: TransactionCall): Promise<TransactionResult> => {
    if (each.kind === 'statement') throw gridError('NOT_SUPPORTED', 'statements', 'the model has no SQL');
    return port.call(each, {});
  };
  const run = async (steps: readonly TransactionStep[], rollsBack: boolean): Promise<TransactionResult[]> => {
    checkFiles(steps, parts);
    const restore = saved(store);
    const results: TransactionResult[] = [];
    for (const [index, step] of steps.entries()) {
      try {
        const result = await call(step.call);
        checkCondition(step.condition, result, undefined);
        results.push(result);
      } catch (error) {
        restore();
        throw error instanceof GridError ? new TransactionAborted(index, error) : error;
      }
    }
    if (rollsBack) restore();
    return results;
  };
  return {
    run(steps, { rollsBack = false }) {
      const result = last.then(() => run(steps, rollsBack));
      last = result.catch(() => {});
      return result;
    },
  };
}

/** Checks the state, the caches and their regions before the first step. All persistent regions share a file. */
function checkFiles(steps: readonly TransactionStep[], { store, rules, calls }: ModelTransactionOptions): void {
  const fileOf = (region: string): string => (rules.regions.get(region)?.persistent === true ? '' : region);
  if (store.state === 'INACTIVE') throw gridError('INACTIVE');
  let changed: string | undefined;
  for (const [index, { call }] of steps.entries()) {
    try {
      if (call.kind === 'statement') continue;
      const region = isOnEntries(call) ? calls.regionOf(call) : DEFAULT_REGION;
      if (region === undefined) continue;
      changed ??= region;
      if (fileOf(region) !== fileOf(changed)) throw gridError('BATCH_REGIONS', changed, region);
    } catch (error) {
      throw error instanceof GridError ? new TransactionAborted(index, error) : error;
    }
  }
}

/** Returns a function that restores the current contents. */
function saved(store: ModelStore): () => void {
  const counters = new Map(store.counters);
  const caches = [...store.caches.values()].map((cache): [ModelCache, ModelCache] => [
    cache,
    { ...cache, entries: new Map(cache.entries) },
  ]);
  return () => {
    store.counters.clear();
    for (const [name, value] of counters) store.counters.set(name, value);
    for (const [cache, { entries, hits, misses, writes, readTime, writeTime }] of caches) {
      cache.entries.clear();
      for (const [key, entry] of entries) cache.entries.set(key, entry);
      Object.assign(cache, { hits, misses, writes, readTime, writeTime });
    }
  };
}
