/** The steps of a history: plain data, so that a failing history can be printed. */
import type { CacheRequest, ClusterState, Entry, TimeToLive } from '../../src/grid/grid.ts';
import { text, type Value } from '../../src/values/value.ts';
import type { Random } from './random.ts';

interface OfKey {
  readonly cache: string;
  readonly key: Value;
}

/** An operation that stores one value. */
type Write =
  | 'put'
  | 'putIfAbsent'
  | 'replace'
  | 'getAndPut'
  | 'getAndPutIfAbsent'
  | 'getAndReplace'
  | 'append'
  | 'prepend';

export type CallStep =
  | (OfKey & { readonly kind: 'get' | 'has' | 'timeToLive' | 'remove' | 'getAndRemove' })
  | (OfKey & { readonly kind: Write; readonly value: Value; readonly ttlMs?: TimeToLive })
  | (OfKey & { readonly kind: 'removeIfEquals'; readonly value: Value })
  | (OfKey & {
      readonly kind: 'replaceIfEquals';
      readonly expected: Value;
      readonly value: Value;
      readonly ttlMs?: TimeToLive;
    })
  | (OfKey & { readonly kind: 'updateTtl'; readonly ttlMs: bigint })
  | { readonly kind: 'getAll' | 'hasAll' | 'removeAll'; readonly cache: string; readonly keys: readonly Value[] }
  | {
      readonly kind: 'putAll';
      readonly cache: string;
      readonly entries: readonly Entry[];
      readonly ttlMs?: TimeToLive;
    }
  | { readonly kind: 'clear' | 'size' | 'metrics' | 'definition' | 'destroy'; readonly cache: string }
  | { readonly kind: 'getOrCreate'; readonly cache: string; readonly request: CacheRequest }
  | { readonly kind: 'counter'; readonly name: string; readonly delta: bigint; readonly initial: bigint }
  | {
      readonly kind: 'putRecord' | 'addRecord' | 'replaceRecord' | 'removeRecord';
      readonly id: string;
      readonly ttlMs?: number;
    }
  | { readonly kind: 'records' }
  | { readonly kind: 'setState'; readonly state: ClusterState; readonly force: boolean }
  /** Single steps; each may require that its result is not false. */
  | {
      readonly kind: 'transaction';
      readonly steps: ReadonlyArray<{ readonly step: CallStep; readonly notFalse: boolean }>;
    }
  /** Concurrent changes of different keys, so that any order has the same results. */
  | { readonly kind: 'together'; readonly steps: readonly CallStep[] };

export type Step =
  | CallStep
  | { readonly kind: 'restart' }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'pass'; readonly ms: number };

const CACHES = ['default', 'one', 'two', 'memory'] as const;

const KEYS: readonly [Value, ...Value[]] = [
  text('a'),
  text('5'),
  { type: 'integer', data: 5 },
  { type: 'long', data: 5n },
  { type: 'double', data: Number.NaN },
  { type: 'object', typeName: 'Key', fields: [{ name: 'x', value: text('y') }] },
];

const VALUES: readonly [Value, ...Value[]] = [
  text('a'),
  text('5'),
  { type: 'integer', data: 5 },
  { type: 'long', data: 5n },
  { type: 'double', data: 0 },
  { type: 'double', data: -0 },
  { type: 'decimal', data: { unscaled: 50n, scale: 1 } },
  { type: 'bytes', data: Uint8Array.of(53) },
  { type: 'list', data: [text('a')] },
  { type: 'map', data: [[text('a'), text('b')]] },
  { type: 'object', typeName: 'Thing', fields: [{ name: 'x', value: { type: 'integer', data: 5 } }] },
];

const SHORT_TTLS_MS = [5n, 20n, 100n, 0n, -3n] as const;

/** The possible next steps with their weights. */
const STEPS: ReadonlyArray<readonly [weight: number, create: (random: Random) => Step]> = [
  [60, (random) => entryStep(random)],
  [6, (random) => manyStep(random)],
  [6, (random) => ({ kind: 'size', cache: random.pick(CACHES) })],
  [4, (random) => ({ kind: 'metrics', cache: random.pick(CACHES) })],
  [1, (random) => ({ kind: 'clear', cache: random.pick(CACHES) })],
  [8, (random) => ({ kind: 'pass', ms: random.below(30) })],
  [1, () => ({ kind: 'sweep' })],
  [1, () => ({ kind: 'restart' })],
  [4, (random) => ({ kind: 'getOrCreate', cache: random.pick(CACHES), request: requestOf(random) })],
  [1, (random) => ({ kind: 'destroy', cache: random.pick(CACHES) })],
  [2, (random) => ({ kind: 'definition', cache: random.pick(CACHES) })],
  [3, (random) => counterStep(random)],
  [3, (random) => recordStep(random)],
  [2, (random) => stateStep(random)],
  [8, (random) => transactionStep(random)],
  [4, (random) => ({ kind: 'together', steps: KEYS.map((key) => ({ ...entryStep(random), key })) })],
];
const TOTAL = STEPS.reduce((sum, [weight]) => sum + weight, 0);

export function randomStep(random: Random): Step {
  let at = random.below(TOTAL);
  for (const [weight, create] of STEPS) {
    if (at < weight) return create(random);
    at -= weight;
  }
  return { kind: 'sweep' };
}

/** Mostly in caches that share a file, because others abort the transaction. */
function transactionStep(random: Random): Step {
  const steps = Array.from({ length: random.below(5) + 1 }, () => {
    const step =
      random.below(6) === 0 ? counterStep(random) : random.below(6) === 0 ? manyStep(random) : entryStep(random);
    const moved = 'cache' in step && random.below(4) > 0 ? { ...step, cache: 'default' } : step;
    return { step: moved, notFalse: random.below(4) === 0 };
  });
  return { kind: 'transaction', steps };
}

/** A step on one entry. */
function entryStep(random: Random): CallStep & OfKey {
  const cache = random.pick(CACHES);
  const key = random.pick(KEYS);
  const value = random.pick(VALUES);
  const kind = random.pick([
    'get',
    'has',
    'timeToLive',
    'put',
    'put',
    'put',
    'putIfAbsent',
    'replace',
    'getAndPut',
    'getAndPutIfAbsent',
    'getAndReplace',
    'replaceIfEquals',
    'remove',
    'getAndRemove',
    'removeIfEquals',
    'append',
    'prepend',
    'updateTtl',
  ]);
  switch (kind) {
    case 'get':
    case 'has':
    case 'timeToLive':
    case 'remove':
    case 'getAndRemove':
      return { kind, cache, key };
    case 'put':
    case 'putIfAbsent':
    case 'replace':
    case 'getAndPut':
    case 'getAndPutIfAbsent':
    case 'getAndReplace':
    case 'append':
    case 'prepend':
      return { kind, cache, key, value, ...ttlOf(random) };
    case 'removeIfEquals':
      return { kind, cache, key, value };
    case 'replaceIfEquals':
      return { kind, cache, key, expected: random.pick(VALUES), value, ...ttlOf(random) };
    case 'updateTtl':
      return { kind, cache, key, ttlMs: random.pick(SHORT_TTLS_MS) };
  }
}

/** Returns the time to live of a third of the writes. */
function ttlOf(random: Random): { readonly ttlMs?: TimeToLive } {
  return random.below(3) === 0 ? { ttlMs: random.pick([...SHORT_TTLS_MS, null]) } : {};
}

function manyStep(random: Random): CallStep {
  const cache = random.pick(CACHES);
  const keys = Array.from({ length: random.below(4) + 1 }, () => random.pick(KEYS));
  const kind = random.pick(['getAll', 'hasAll', 'removeAll', 'putAll']);
  if (kind === 'putAll') {
    return { kind, cache, entries: keys.map((key) => ({ key, value: random.pick(VALUES) })), ...ttlOf(random) };
  }
  return { kind, cache, keys };
}

function requestOf(random: Random): CacheRequest {
  return random.pick<CacheRequest>([
    {},
    {},
    { region: 'memory' },
    { region: 'memory' },
    { template: 'REPLICATED' },
    { backups: 1, group: 'group' },
    { backups: 2, group: 'group' },
    { backups: -1 },
    { template: 'nothing' },
  ]);
}

function counterStep(random: Random): CallStep {
  const delta = random.pick([1n, -5n, 0n, 2n ** 63n - 1n]);
  return { kind: 'counter', name: random.pick(['one', 'two']), delta, initial: BigInt(random.below(10)) };
}

function recordStep(random: Random): Step {
  const kind = random.pick(['putRecord', 'addRecord', 'replaceRecord', 'removeRecord', 'records']);
  if (kind === 'records') return { kind };
  const id = random.pick(['x', 'y']);
  return random.below(2) === 0 ? { kind, id } : { kind, id, ttlMs: random.below(50) };
}

/** Mostly ACTIVE, because other states reject most steps. */
function stateStep(random: Random): Step {
  const state = random.below(5) > 0 ? 'ACTIVE' : random.pick(['ACTIVE_READ_ONLY', 'INACTIVE']);
  return { kind: 'setState', state, force: random.below(2) === 0 };
}
