/** The requests of an operation, created before the measurement so that it does not include their cost. */

export type Operation = 'get' | 'put' | 'getput' | 'incr' | 'getall' | 'putall';
export const OPERATIONS: readonly Operation[] = ['get', 'put', 'getput', 'incr', 'getall', 'putall'];

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query string. */
  readonly path: string;
  /** Form body; empty for GET. */
  readonly body: string;
  /** Sends a new idempotency key each time; of the load `sockets` only. */
  readonly hasKey?: true;
  /** The header Authorization; only the load generator `sockets` sends it. */
  readonly authorization?: string;
}

/** Keys are the integers from 0 to `entries` - 1 as strings, the same in every run. */
export function createRequests(endpoint: string, operation: Operation, cache: string, entries: number): BenchRequest[] {
  const random = seeded(12_345);
  const key = () => Math.floor(random() * entries);
  const get = (query: string): BenchRequest => ({ method: 'GET', path: `${endpoint}?${query}`, body: '' });
  const post = (cmd: string, values: boolean): BenchRequest => {
    const pairs = Array.from({ length: 100 }, (_, i) => `k${i + 1}=${key()}${values ? `&v${i + 1}=value-${i}` : ''}`);
    return { method: 'POST', path: `${endpoint}?cmd=${cmd}&cacheName=${cache}`, body: pairs.join('&') };
  };
  const create: Record<Operation, () => BenchRequest> = {
    get: () => get(`cmd=get&cacheName=${cache}&key=${key()}`),
    put: () => get(`cmd=put&cacheName=${cache}&key=${key()}&val=value-${key()}`),
    getput: () => get(`cmd=getput&cacheName=${cache}&key=${key()}&val=value-${key()}`),
    incr: () => get(`cmd=incr&cacheName=${cache}&key=counter${key() % 100}&delta=1`),
    getall: () => post('getall', false),
    putall: () => post('putall', true),
  };
  return Array.from({ length: operation.endsWith('all') ? 300 : 10_000 }, create[operation]);
}

/** Returns a generator of the same numbers in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
