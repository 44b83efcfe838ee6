/** The requests of an operation, created before the measurement so that it does not include their cost. */
import { changedValuesOf, keysOf, valueText, type Workload } from './workload.ts';

export type Operation = 'get' | 'put' | 'getput' | 'incr' | 'getall' | 'putall';
export const OPERATIONS: readonly Operation[] = ['get', 'put', 'getput', 'incr', 'getall', 'putall'];

/** The load `sockets` replaces this text in a path or header by a new number each time it sends the request. */
export const NUMBER_MARK = '##########';

export interface BenchRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query string. */
  readonly path: string;
  /** Body, a form unless `contentType` says otherwise; empty for GET and DELETE. */
  readonly body: string;
  readonly contentType?: string;
  /** The header Idempotency-Key; of the load `sockets` only. */
  readonly idempotencyKey?: string;
  /** The header Authorization; only the load generator `sockets` sends it. */
  readonly authorization?: string;
  /** The header Accept; of the load `sockets` only. */
  readonly accept?: string;
  /** The text that a successful response contains; of the load `arrivals` only. */
  readonly success?: string;
  /** The request that the connection sends next, as part of the same operation; of the load `arrivals` only. */
  readonly next?: BenchRequest;
}

/** Enough requests that few keys are read again before they have left every cache. */
const SINGLE = 50_000;
const BULK = 1_000;
const KEYS_IN_BULK = 100;
const COUNTERS = 100;
/** Maximum bytes of half of a list. */
const MOST_BYTES = 16 * 1_024 * 1_024;

/** Keys are the integers from 0 to `entries` - 1 as strings. */
export function createRequests(
  endpoint: string,
  operation: Operation,
  cache: string,
  workload: Workload,
): BenchRequest[] {
  const value = changedValuesOf(workload);
  let key = keysOf(workload);
  const get = (query: string): BenchRequest => ({ method: 'GET', path: `${endpoint}?${query}`, body: '' });
  const post = (cmd: string, values: boolean): BenchRequest => {
    const pairs = Array.from({ length: KEYS_IN_BULK }, (_, i) => {
      const next = key();
      return `k${i + 1}=${next}${values ? `&v${i + 1}=${value(next)}` : ''}`;
    });
    return { method: 'POST', path: `${endpoint}?cmd=${cmd}&cacheName=${cache}`, body: pairs.join('&') };
  };
  const change = (cmd: string): BenchRequest => {
    const next = key();
    return get(`cmd=${cmd}&cacheName=${cache}&key=${next}&val=${value(next)}`);
  };
  const create: Record<Operation, () => BenchRequest> = {
    get: () => get(`cmd=get&cacheName=${cache}&key=${key()}`),
    put: () => change('put'),
    getput: () => change('getput'),
    incr: () => get(`cmd=incr&cacheName=${cache}&key=counter${key() % COUNTERS}&delta=1`),
    getall: () => post('getall', false),
    putall: () => post('putall', true),
  };
  const bytes = workload.valueBytes * (operation === 'putall' ? KEYS_IN_BULK : 1);
  const count = Math.min(operation.endsWith('all') ? BULK : SINGLE, Math.floor(MOST_BYTES / bytes));
  const requests = Array.from({ length: count }, create[operation]);
  // Each key is in the list twice (changedValuesOf).
  key = keysOf(workload);
  return [...requests, ...Array.from({ length: count }, create[operation])];
}

/** Returns a put whose key is new each time it is sent. */
export function createNew(endpoint: string, cache: string, workload: Workload): BenchRequest[] {
  return Array.from({ length: 100 }, (_, at) => ({
    method: 'GET',
    path: `${endpoint}?cmd=put&cacheName=${cache}&key=n${NUMBER_MARK}&val=${valueText(at, workload)}`,
    body: '',
  }));
}
