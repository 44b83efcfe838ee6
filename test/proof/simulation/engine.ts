/** The embedded engine as the service composes it, with each of its threads as a role of the scheduler. */
import { RpcChannel } from '../../../src/base/rpc-channel.ts';
import { EmbeddedTransactions } from '../../../src/engines/embedded/dispatch/embedded-transactions.ts';
import { localQueries } from '../../../src/engines/embedded/dispatch/local-queries.ts';
import { StatementKills } from '../../../src/engines/embedded/dispatch/statement-kills.ts';
import { ProcessEnded, StatementRouter } from '../../../src/engines/embedded/dispatch/statement-router.ts';
import { StatementSlots } from '../../../src/engines/embedded/dispatch/statement-slots.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../../../src/engines/embedded/embedded-grid.ts';
import { SharedQueryState } from '../../../src/engines/embedded/shared/shared-query-state.ts';
import type { StatementChannel, StatementProcesses } from '../../../src/engines/embedded/shared/statement-protocol.ts';
import {
  type OwnedMethods,
  type OwnerMethods,
  type StatementProcess,
  startStatementProcess,
} from '../../../src/engines/embedded/statement-process/statement-process.ts';
import { writeLogBack } from '../../../src/engines/embedded/storage/checkpoints.ts';
import { openEmbeddedReader, type ReaderMethods } from '../../../src/engines/embedded/thread/embedded-reader.ts';
import type { QueriesFactory, ThreadSetup } from '../../../src/engines/embedded/thread/engine-thread.ts';
import type { SentChanges } from '../../../src/engines/embedded/writer/change-messages.ts';
import type { Grid } from '../../../src/grid/grid.ts';
import { UNLIMITED } from '../../../src/grid/statement-budget.ts';
// Loading on demand takes a time that no seed determines: here they are loaded at once.
import '../../../src/engines/embedded/dispatch/writer-statements.ts';
import '../../../src/processes/statement/statement-processes.ts';
import { systemTables, systemTablesOver } from '../../../src/wiring/system-tables.ts';
import { Port, type Role, type Scheduler, type Transmission } from './scheduler.ts';

/** HTTP threads besides the main thread. */
const FURTHER_HTTP_THREADS = 2;
const READING_PROCESSES = 2;
const THREADS = 40;

export interface EngineOptions {
  readonly scheduler: Scheduler;
  readonly dataDir: string;
  readonly transmission: Transmission;
  /** Changes the input with which an HTTP thread is started; a defect to plant. */
  readonly alterSetup: (setup: ThreadSetup) => ThreadSetup;
}

interface RunningStatementProcess {
  readonly role: Role;
  readonly thread: StatementProcess;
  readonly channel: RpcChannel<OwnedMethods, OwnerMethods>;
}

export class SimulatedEngine {
  readonly #options: EngineOptions;
  readonly #main: Role;
  readonly #queryState = new SharedQueryState();
  readonly #slots: StatementSlots;
  readonly #statementProcesses = new Map<number, RunningStatementProcess>();
  readonly #clients: ThreadClient[] = [];
  readonly #roles: Role[] = [];
  #owner: EmbeddedGrid | undefined;
  /** The grid of each thread that serves requests. */
  readonly grids: Grid[] = [];

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#main = this.#addRole('main');
    this.#slots = new StatementSlots({
      clock: this.#main,
      queryState: this.#queryState,
      readers: READING_PROCESSES,
      maxWaiting: Number.MAX_SAFE_INTEGER,
      targetMs: Number.MAX_SAFE_INTEGER,
    });
  }

  #addRole(name: string): Role {
    const role = this.#options.scheduler.addRole(name);
    this.#roles.push(role);
    return role;
  }

  async open(): Promise<void> {
    const { dataDir, transmission, alterSetup } = this.#options;
    const owner = await openEmbeddedGrid({
      dataDir,
      version: '1.0.0',
      nodeName: 'simulation',
      minFreeBytes: 0,
      clock: this.#main,
      threads: THREADS,
      queries: this.#queriesOf(this.#main),
    });
    this.#owner = owner;
    this.grids.push(owner);
    for (let thread = 1; thread <= FURTHER_HTTP_THREADS; thread++) {
      const role = this.#addRole(`http${thread}`);
      const [near, far] = Port.pair(this.#main, role, transmission);
      const toThread = new RpcChannel<ReaderMethods, SentChanges>(near, this.#main);
      const setup = alterSetup(owner.connect(toThread));
      const toMain = new RpcChannel<SentChanges, ReaderMethods>(far, role);
      this.grids.push(openEmbeddedReader(setup, toMain, role, this.#queriesOf(role)));
    }
  }

  /** Ends a statement process like a crash; the next statement starts it again. Returns false if there is none. */
  endStatementProcess(choose: (below: number) => number): boolean {
    const running = [...this.#statementProcesses];
    const [index, thread] = running[choose(running.length)] ?? [];
    if (index === undefined || thread === undefined) return false;
    this.#statementProcesses.delete(index);
    thread.role.end();
    this.#queryState.ended(index);
    this.#owner?.disconnect(thread.channel);
    thread.channel.close();
    for (const client of this.#clients) client.ended(index);
    return true;
  }

  /** Closes the engine like a shutdown of the service. Its roles end when {@link release} is called. */
  async close(): Promise<void> {
    this.#queryState.stop();
    await Promise.allSettled([...this.#statementProcesses.values()].map(({ channel }) => channel.call('stop', null)));
    for (const { thread } of this.#statementProcesses.values()) thread.close();
    const [owner, ...others] = this.grids;
    for (const grid of others) await grid.close();
    await owner?.close();
  }

  release(): void {
    for (const role of this.#roles) role.end();
  }

  #queriesOf(role: Role): QueriesFactory {
    const queryState = this.#queryState;
    const processes = new ThreadClient(role, (index) => this.#portTo(index, role));
    this.#clients.push(processes);
    return (thread, changes) => {
      const kills = new StatementKills({ queryState, processes, clock: role, nodeId: thread.identity.nodeId });
      const pool = new StatementRouter({
        processes,
        queryState,
        clock: role,
        kills,
        readers: READING_PROCESSES,
        slots: this.#slots,
        budget: UNLIMITED,
        loadLocal: async () =>
          localQueries({
            thread,
            clock: role,
            changes,
            virtualTables: systemTables,
            onSend: undefined,
            budget: UNLIMITED,
            kill: (sql, id, killer) => kills.killBySql(sql, id, killer),
            statisticsVersion: () => queryState.statisticsVersion(),
            history: queryState.history,
            guardLibrary: undefined,
          }),
      });
      return { queries: pool, transactions: new EmbeddedTransactions(pool, changes, undefined) };
    };
  }

  #portTo(index: number, client: Role): Port {
    const { thread, role } = this.#statementProcesses.get(index) ?? this.#startStatementProcess(index);
    const [near, far] = Port.pair(client, role, this.#options.transmission);
    thread.serve(far);
    return near;
  }

  #startStatementProcess(index: number): RunningStatementProcess {
    const owner = this.#owner;
    if (owner === undefined) throw new Error('the engine is not open');
    const role = this.#addRole(`query${index}`);
    const [near, far] = Port.pair(this.#main, role, this.#options.transmission);
    const channel = new RpcChannel<OwnedMethods, OwnerMethods>(near, this.#main);
    const setup = owner.connect(channel);
    channel.serve('expectExpiry', ({ cache, atMs }) => {
      owner.expectExpiry(cache, atMs);
      return null;
    });
    channel.serve('writeLogBack', ({ database }) => {
      const path = owner.databasePaths().get(database ?? 0);
      return path === undefined
        ? { frames: 0, isWrittenBack: true }
        : writeLogBack({ path, isDurable: database === 0, waitMs: 0, keepsLength: false });
    });
    channel.serve('serviceInfo', () => ({}));
    channel.serve('slowStatement', () => null);
    channel.serve('cursorEvicted', () => null);
    channel.serve('evictCursor', () => null);
    channel.serve('analyze', () => null);
    const start = {
      setup,
      index,
      queryAreas: this.#queryState.areas,
      maxCursors: 100,
      idleMs: 60_000,
      budget: UNLIMITED,
      guardLibrary: undefined,
      slowMs: 0,
    };
    const thread = startStatementProcess(start, far, role, {
      findPredicate: () => undefined,
      listen: () => {},
      onSend: undefined,
      onReceive: undefined,
      serviceName: 'simulation',
      systemTables: systemTablesOver('contract'),
    });
    const running = { role, thread, channel };
    this.#statementProcesses.set(index, running);
    this.#queryState.started(index);
    return running;
  }
}

/** The channels of one thread to the statement processes. */
class ThreadClient implements StatementProcesses {
  readonly #role: Role;
  readonly #portTo: (index: number) => Port;
  readonly #channels = new Map<number, StatementChannel>();

  constructor(role: Role, portTo: (index: number) => Port) {
    this.#role = role;
    this.#portTo = portTo;
  }

  async channel(index: number): Promise<StatementChannel> {
    const known = this.#channels.get(index);
    if (known !== undefined) return known;
    const channel: StatementChannel = new RpcChannel(this.#portTo(index), this.#role);
    this.#channels.set(index, channel);
    return channel;
  }

  ended(index: number): void {
    const channel = this.#channels.get(index);
    this.#channels.delete(index);
    channel?.close(new ProcessEnded('its thread ended'));
  }
}
