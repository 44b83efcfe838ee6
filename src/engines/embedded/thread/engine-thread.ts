/** The part of the engine that every thread has: connections, caches, readers, and the port on top of them. */
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../base/limits.ts';
import { openArea } from '../../../base/shared-areas.ts';
import { CacheRules, type Region } from '../../../grid/cache-rules.ts';
import { DEFAULT_CACHE, DEFAULT_REGION } from '../../../grid/declarations.ts';
import { schemaOf } from '../../../grid/entity-types.ts';
import type { Grid, Queries, Transactions } from '../../../grid/grid.ts';
import type { IdempotencyTarget } from '../../../grid/idempotency.ts';
import { scalarTypeNamed } from '../../../values/type-names.ts';
import type { ObjectSchema } from '../../../values/value.ts';
import { CacheRegistry } from '../ddl/cache-registry.ts';
import { CacheReaders } from '../entries/cache-readers.ts';
import { CounterReads } from '../entries/counter-reads.ts';
import { embeddedPort } from '../entries/embedded-port.ts';
import { EmbeddedRecords } from '../entries/embedded-records.ts';
import { EmbeddedTransfer } from '../entries/embedded-transfer.ts';
import { EmbeddedFeed } from '../feed/embedded-feed.ts';
import { DATA_DATABASE, type DatabaseFiles, databaseOf, ReadConnections } from '../storage/databases.ts';
import { Metrics, type SharedMemory, SharedState } from '../storage/shared-state.ts';
import { ReadTypeNames } from '../storage/type-names.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import { EmbeddedCaches } from './embedded-caches.ts';
import { EmbeddedCluster, type NodeIdentity } from './embedded-cluster.ts';
import type { EmbeddedSettings } from './embedded-settings.ts';

/** The parts that run in the statement processes. */
export interface ThreadQueries {
  readonly queries: Queries;
  readonly transactions: Transactions;
}

/** Creates the queries of a thread. */
export type QueriesFactory = (thread: EngineThread, changes: ChangeChannel) => ThreadQueries;

/** The input with which a thread opens its part: plain data and shared memory. */
export interface ThreadSetup {
  readonly settings: EmbeddedSettings;
  readonly files: DatabaseFiles;
  readonly identity: NodeIdentity;
  readonly memory: SharedMemory;
  /** The number of this thread, from 0, and of its block of metrics. */
  readonly thread: number;
}

export class EngineThread {
  readonly clock: Clock;
  readonly settings: EmbeddedSettings;
  readonly limits: Limits;
  readonly defaultCache: string;
  readonly rules: CacheRules;
  readonly shared: SharedState;
  readonly metrics: Metrics;
  readonly reads: ReadConnections;
  readonly names: ReadTypeNames;
  readonly registry: CacheRegistry;
  readonly readers: CacheReaders;
  readonly #setup: ThreadSetup;

  constructor(setup: ThreadSetup, clock: Clock) {
    const { settings, files, memory, thread } = setup;
    this.#setup = setup;
    this.clock = clock;
    this.settings = settings;
    this.limits = settings.limits ?? DEFAULT_LIMITS;
    this.defaultCache = settings.defaultCache ?? DEFAULT_CACHE;
    this.rules = rulesOf(settings);
    this.shared = new SharedState(memory, thread, clock);
    this.metrics = new Metrics(memory, thread);
    this.reads = new ReadConnections(files, this.shared, clock);
    this.names = new ReadTypeNames(() => this.reads.latest());
    this.registry = new CacheRegistry(this.reads, this.shared, this.names);
    this.readers = new CacheReaders(this.registry, this.reads, this.shared, clock);
  }

  get regions(): ReadonlyMap<string, Region> {
    return this.rules.regions;
  }

  get identity(): NodeIdentity {
    return this.#setup.identity;
  }

  /** Returns the port. `changes` submits changes to the writer. */
  grid(changes: ChangeChannel, queries: QueriesFactory | undefined, close: () => Promise<void>): Grid {
    const { registry, shared, metrics, reads, clock } = this;
    const threadQueries = queries ? queries(this, changes) : NO_QUERIES;
    const port = embeddedPort({
      readers: this.readers,
      counters: new CounterReads(reads, shared, clock),
      changes,
      metrics,
      clock,
      maxCharacters: this.limits.largeReadCharacters,
      ...threadQueries,
    });
    return {
      capabilities: { manyNodes: false },
      port,
      caches: new EmbeddedCaches(registry, changes, metrics, shared),
      ...threadQueries,
      idempotency: {
        commits: () => true,
        sharesCommit: (target) => this.#databaseOf(target) === DATA_DATABASE,
        begin: (key, answer) => changes.submit('beginOnce', { key, answer }),
        complete: (key, answer) => changes.submit('completeOnce', { key, answer }),
        discard: (key) => changes.submit('discardOnce', { key }),
      },
      changeFeed: new EmbeddedFeed({
        registry,
        names: this.names,
        reads,
        shared,
        changes,
        clock,
        consumersMemory: openArea(this.#setup.memory.consumers),
        maxConsumers: this.limits.changeConsumers,
      }),
      cluster: new EmbeddedCluster(this.#setup.identity, shared, changes, reads, this.rules.regions),
      records: new EmbeddedRecords(reads, shared, changes, clock),
      transfer: new EmbeddedTransfer({
        registry,
        names: this.names,
        reads,
        shared,
        changes,
        rules: this.rules,
        clock,
      }),
      tasks: undefined,
      types: { find: (typeName, cache) => this.findType(typeName, cache) },
      close,
    };
  }

  /** Returns the number of the database that a call changes, or undefined if it is not known in advance. */
  #databaseOf(target: IdempotencyTarget): number | undefined {
    switch (target.kind) {
      case 'cache':
        return this.registry.find(target.name)?.database;
      case 'counter':
        return databaseOf(this.#setup.files, DEFAULT_REGION);
      case 'statement':
        return undefined;
    }
  }

  /**
   * Returns the registered class with that name, or else the query entity of the cache, or of any cache if undefined.
   */
  findType(typeName: string, cache: string | undefined): ObjectSchema | undefined {
    const registered = this.settings.classes?.find((each) => each.typeName === typeName);
    if (registered) return registered;
    const entity = this.registry.findEntity(typeName, cache);
    const schema = entity && schemaOf(entity, typeName);
    // A table of single values has a scalar type, whose name would otherwise mean an object in every request.
    return schema === undefined || scalarTypeNamed(schema.typeName) !== undefined ? undefined : schema;
  }

  close(): void {
    this.readers.release();
    this.reads.close();
  }
}

export function rulesOf(settings: EmbeddedSettings): CacheRules {
  return new CacheRules(settings.regions ?? [], settings.templates ?? [], settings.limits ?? DEFAULT_LIMITS);
}

const NO_QUERIES: ThreadQueries = {
  queries: {
    execute: () => Promise.reject(gridError('NOT_SUPPORTED', 'queries', 'this grid was opened without queries')),
    fetch: (queryId) => Promise.reject(gridError('QUERY_NOT_FOUND', queryId)),
    close: () => undefined,
    kill: ({ number }) => Promise.reject(gridError('QUERY_NOT_FOUND', number)),
  },
  transactions: {
    run: () =>
      Promise.reject(gridError('NOT_SUPPORTED', 'transactions', 'this grid was opened without statement processes')),
  },
};
