/**
 * State that all of the service's threads and processes share without messages: the cluster's state, versions, commit
 * counters and the caches' metrics. Only the writer's thread changes the integers, except the commit counters and the
 * count of rejected changes.
 */
import type { Clock } from '../../../base/clock.ts';
import { EMBEDDED_BOUNDS } from '../../../base/limits.ts';
import {
  AREA_ALIGNMENT,
  type CreateArea,
  createThreadArea,
  openArea,
  openPart,
  type SharedArea,
} from '../../../base/shared-areas.ts';
import { CLUSTER_STATES, type ClusterState } from '../../../grid/grid.ts';
import { LOCK_INTEGERS, WriteLock } from './write-lock.ts';

/** The memory as sent to another thread. */
export interface SharedMemory {
  readonly integers: SharedArea;
  /** The metrics of caches, opened group by group on use. */
  readonly metrics: SharedArea;
  /** The consumers of the change feed (feed/consumers.ts). */
  readonly consumers: SharedArea;
  readonly threads: number;
  readonly caches: number;
}

const STATE = 0;
const DEFINITIONS = 1;
/** How often the state INACTIVE has removed the files of non-persistent regions. */
const REGION_EPOCH = 2;
const DISK_LOW = 3;
const PENDING_SESSIONS = 4;
/** The number of metrics groups in use. */
const METRIC_GROUPS = 5;
const FILE_GONE = 9;
/** Two integers: the highest version of a row in `caches` removed since startup. */
const FORGOTTEN_VERSION = 10;
/** The integers of the write lock. */
const WRITE_LOCK = 12;
const COMMITS = WRITE_LOCK + LOCK_INTEGERS;
/** Database files: the data file and one for each non-persistent region. */
const DATABASES = 1 + EMBEDDED_BOUNDS.temporaryRegions;

export const METRIC = { hits: 0, misses: 1, writes: 2, readTime: 3, writeTime: 4 } as const;
const METRICS_PER_CACHE = 5;
/** Number of caches whose metrics are in one group: the metrics counted by the first thread, then the next thread's. */
const GROUP_CACHES = 256;
const GROUP_BITS = 8;
const GROUP_MASK = GROUP_CACHES - 1;
const GROUP_LENGTH = GROUP_CACHES * METRICS_PER_CACHE;
const GROUP_BYTES = GROUP_LENGTH * Float64Array.BYTES_PER_ELEMENT;

export function createSharedMemory(
  threads: number,
  caches: number,
  consumersBytes = 0,
  create: CreateArea = createThreadArea,
): SharedMemory {
  return {
    integers: create((COMMITS + DATABASES) * Int32Array.BYTES_PER_ELEMENT),
    metrics: create(Math.ceil(caches / GROUP_CACHES) * bytesOfGroup(threads)),
    consumers: create(consumersBytes),
    threads,
    caches,
  };
}

/** Returns the number of commits to the data file, from the memory of {@link SharedState}. */
export function commitsIn(integers: SharedArea): () => number {
  const counts = new Int32Array(openArea(integers));
  return () => Atomics.load(counts, COMMITS);
}

export class SharedState {
  /** Whether this thread has added data since the writer set this to false (`disk-space.ts`). Not shared. */
  adds = false;
  readonly #integers: Int32Array;
  readonly #forgottenVersion: BigInt64Array;
  readonly writeLock: WriteLock;

  /** `thread` is the number of the thread that uses this object. */
  constructor(memory: SharedMemory, thread: number, clock: Clock) {
    const integers = openArea(memory.integers);
    this.#integers = new Int32Array(integers);
    this.#forgottenVersion = new BigInt64Array(integers, FORGOTTEN_VERSION * Int32Array.BYTES_PER_ELEMENT, 1);
    this.writeLock = new WriteLock(this.#integers, WRITE_LOCK, thread, clock);
  }

  get clusterState(): ClusterState {
    return CLUSTER_STATES[Atomics.load(this.#integers, STATE)] ?? 'INACTIVE';
  }

  set clusterState(state: ClusterState) {
    Atomics.store(this.#integers, STATE, CLUSTER_STATES.indexOf(state));
  }

  /** Reports whether the state is INACTIVE; cheaper than a comparison of {@link clusterState}. */
  isInactive(): boolean {
    return Atomics.load(this.#integers, STATE) === 2;
  }

  isActive(): boolean {
    return Atomics.load(this.#integers, STATE) === 0;
  }

  definitionsVersion(): number {
    return Atomics.load(this.#integers, DEFINITIONS);
  }

  definitionsChanged(): void {
    Atomics.add(this.#integers, DEFINITIONS, 1);
  }

  /**
   * Returns the highest version of a destroyed cache whose row in `caches` was removed since startup. A thread that has
   * read the definitions up to an older version cannot tell from the rows alone what was destroyed.
   */
  forgottenVersion(): bigint {
    return Atomics.load(this.#forgottenVersion, 0);
  }

  /** Sets {@link forgottenVersion}, before the removal of the rows commits. */
  definitionsForgotten(version: bigint): void {
    Atomics.store(this.#forgottenVersion, 0, version);
  }

  epoch(): number {
    return Atomics.load(this.#integers, REGION_EPOCH);
  }

  advanceEpoch(): void {
    Atomics.add(this.#integers, REGION_EPOCH, 1);
  }

  /** Reports whether less space than the reserve is available (`disk-space.ts`). */
  isDiskLow(): boolean {
    return Atomics.load(this.#integers, DISK_LOW) !== 0;
  }

  setDiskLow(isLow: boolean): void {
    Atomics.store(this.#integers, DISK_LOW, isLow ? 1 : 0);
  }

  /** Reports whether the data file is no longer in its folder (`file-watch.ts`). */
  isFileGone(): boolean {
    return Atomics.load(this.#integers, FILE_GONE) !== 0;
  }

  setFileGone(isGone: boolean): void {
    Atomics.store(this.#integers, FILE_GONE, isGone ? 1 : 0);
  }

  /** Reports whether sessions wait to be stored (`writer/pending-sessions.ts`). */
  hasPendingSessions(): boolean {
    return Atomics.load(this.#integers, PENDING_SESSIONS) !== 0;
  }

  setPendingSessions(count: number): void {
    Atomics.store(this.#integers, PENDING_SESSIONS, count);
  }

  /** Returns the number of commits to a database. A read transaction that began at a lower number is outdated. */
  commits(database: number): number {
    return Atomics.load(this.#integers, COMMITS + database);
  }

  committed(database: number): void {
    Atomics.add(this.#integers, COMMITS + database, 1);
  }
}

/** Bytes per group, for all threads. */
function bytesOfGroup(threads: number): number {
  return Math.ceil((threads * GROUP_BYTES) / AREA_ALIGNMENT) * AREA_ALIGNMENT;
}

/**
 * The metrics of caches. Each thread keeps its own counts; readers sum them over all threads. The runtime counts
 * shared memory, used or not, as part of the heap of every thread that has opened it, and lets each thread keep
 * as much garbage.
 */
export class Metrics {
  readonly #area: SharedArea;
  readonly #integers: Int32Array;
  readonly #threads: number;
  readonly #thread: number;
  /** The groups in use, as far as this thread has needed them. */
  readonly #groups: Uint8Array[] = [];
  /** This thread's counts, by group. */
  readonly #own: Float64Array[] = [];

  constructor({ integers, metrics, threads }: SharedMemory, thread: number) {
    if (thread >= threads) throw new RangeError(`thread ${thread} of ${threads}`);
    this.#area = metrics;
    this.#integers = new Int32Array(openArea(integers));
    this.#threads = threads;
    this.#thread = thread;
  }

  countReads(slot: number, hits: number, misses: number, nowMs: number): void {
    const own = this.#own[slot >> GROUP_BITS] ?? this.#useGroup(slot >> GROUP_BITS);
    const at = (slot & GROUP_MASK) * METRICS_PER_CACHE;
    if (hits > 0) own[at] = (own[at] ?? 0) + hits;
    if (misses > 0) own[at + METRIC.misses] = (own[at + METRIC.misses] ?? 0) + misses;
    own[at + METRIC.readTime] = nowMs;
  }

  countWrites(slot: number, writes: number, nowMs: number): void {
    const own = this.#own[slot >> GROUP_BITS] ?? this.#useGroup(slot >> GROUP_BITS);
    const at = (slot & GROUP_MASK) * METRICS_PER_CACHE;
    own[at + METRIC.writes] = (own[at + METRIC.writes] ?? 0) + writes;
    own[at + METRIC.writeTime] = nowMs;
  }

  sum(slot: number, metric: 'hits' | 'misses' | 'writes'): number {
    return this.#ofThreads(slot).reduce((sum, own) => sum + (own[METRIC[metric]] ?? 0), 0);
  }

  latest(slot: number, metric: 'readTime' | 'writeTime'): number {
    return this.#ofThreads(slot).reduce((latest, own) => Math.max(latest, own[METRIC[metric]] ?? 0), 0);
  }

  /** Resets a slot's metrics to 0, for a new cache. */
  reset(slot: number): void {
    for (const own of this.#ofThreads(slot)) own.fill(0);
  }

  /** Returns this thread's counts in a group, which is in use from now on. */
  #useGroup(group: number): Float64Array {
    for (let used = this.#usedGroups(); used <= group; used = this.#usedGroups()) {
      Atomics.compareExchange(this.#integers, METRIC_GROUPS, used, group + 1);
    }
    for (let next = this.#own.length; next <= group; next++) {
      this.#own.push(countersOf(this.#openGroup(next), this.#thread * GROUP_BYTES, GROUP_LENGTH));
    }
    return this.#own[group] ?? new Float64Array();
  }

  #usedGroups(): number {
    return Atomics.load(this.#integers, METRIC_GROUPS);
  }

  #openGroup(group: number): Uint8Array {
    let opened = this.#groups[group];
    if (opened === undefined) {
      const bytes = bytesOfGroup(this.#threads);
      opened = openPart(this.#area, group * bytes, bytes);
      this.#groups[group] = opened;
    }
    return opened;
  }

  /** Returns a slot's metrics by thread, or none if no thread has counted any in its group. */
  #ofThreads(slot: number): Float64Array[] {
    const group = slot >> GROUP_BITS;
    if (this.#usedGroups() <= group) return [];
    const bytes = (slot & GROUP_MASK) * METRICS_PER_CACHE * Float64Array.BYTES_PER_ELEMENT;
    return Array.from({ length: this.#threads }, (_, thread) =>
      countersOf(this.#openGroup(group), thread * GROUP_BYTES + bytes, METRICS_PER_CACHE),
    );
  }
}

function countersOf(group: Uint8Array, offset: number, length: number): Float64Array {
  return new Float64Array(group.buffer, group.byteOffset + offset, length);
}
