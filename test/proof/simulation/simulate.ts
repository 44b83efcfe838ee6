/**
 * Simulates the embedded engine: `bun simulate.ts OPTIONS`, with the options as JSON. A separate process, because the
 * shim of `crash/shim.ts` must be preloaded to inject errors of the disk, and because randomness is replaced. Prints a
 * {@link SimulationResult}.
 */

import { systemClock } from '../../../src/base/clock.ts';
import { openArea } from '../../../src/base/shared-areas.ts';
import { loadStatementCode } from '../../../src/engines/embedded/dispatch/statement-code.ts';
import type { CallTable } from '../../../src/grid/calls.ts';
import { withCalls } from '../../grid/entry-methods.ts';
import { Random } from '../../simulation/random.ts';
import { IO_ERRORS, SharedCalls } from '../crash/shim.ts';
import { Clients, rowsOf } from './clients.ts';
import { SimulatedEngine } from './engine.ts';
import { type Role, Scheduler, type Transmission } from './scheduler.ts';

/** Defects that a simulation plants in the engine, to show that it finds them. */
export const DEFECTS = ['lostAnswer', 'lostWrite', 'repeatedRequest', 'slowClock', 'staleDefinitions'] as const;
export type Defect = (typeof DEFECTS)[number];

export interface SimulationOptions {
  readonly seed: number;
  readonly steps: number;
  readonly dataDir: string;
  /** State of the preloaded shim; absent if the disk does not fail. */
  readonly shimState?: string;
  readonly defect?: Defect;
}

export interface SimulationResult {
  readonly steps: number;
  readonly sent: number;
  readonly answered: number;
  readonly rejected: number;
  readonly lost: number;
  readonly ioErrors: number;
  readonly endedThreads: number;
  readonly restarts: number;
  /** Hash of every event and every answer in their order. */
  readonly trace: string;
  readonly wrong: readonly string[];
}

const CLIENTS = 6;
const IO_ERROR_CHANCE = 0.0015;
const END_THREAD_CHANCE = 0.0003;
const RESTART_CHANCE = 0.0001;
/** Events within which everything pending must end once no client sends anything. */
const SETTLE_STEPS = 20_000;
const SKEW_MS = 2_000;
/** Number of messages of a kind between those that a defect affects. */
const DEFECT_INTERVAL = 100;
/** Real time between the first events, in which the runtime finishes loading code. */
const LOAD_MS = 2;

class Simulation {
  readonly #options: SimulationOptions;
  readonly #random: Random;
  readonly #hash = new Bun.CryptoHasher('sha256');
  readonly #scheduler: Scheduler;
  readonly #clients: Clients;
  readonly #calls: SharedCalls | undefined;
  #engine: SimulatedEngine;
  #endedThreads = 0;
  #restarts = 0;
  #transmitted = 0;

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#calls = options.shimState === undefined ? undefined : new SharedCalls(options.shimState);
    const trace = (line: string): void => void this.#hash.update(`${line}\n`);
    this.#scheduler = new Scheduler(this.#random, trace);
    this.#engine = this.#newEngine();
    const grids = () => this.#engine.grids;
    this.#clients = new Clients({ scheduler: this.#scheduler, random: this.#random, grids, trace }, CLIENTS);
  }

  async run(): Promise<SimulationResult> {
    await this.#open(true);
    while (this.#scheduler.events < this.#options.steps && this.#clients.wrong.length === 0) {
      await this.#scheduler.next();
      await this.#disturb();
    }
    if (this.#clients.wrong.length > 0) return this.#result();
    await this.#settle();
    await this.#close();
    return this.#result();
  }

  #result(): SimulationResult {
    const { sent, answered, rejected, lost } = this.#clients.counts;
    return {
      steps: this.#scheduler.events,
      ...{ sent, answered, rejected, lost },
      ioErrors: this.#calls?.failed ?? 0,
      endedThreads: this.#endedThreads,
      restarts: this.#restarts,
      trace: this.#hash.digest('hex'),
      wrong: this.#clients.wrong,
    };
  }

  #newEngine(): SimulatedEngine {
    const { dataDir, defect } = this.#options;
    return new SimulatedEngine({
      scheduler: this.#scheduler,
      dataDir,
      transmission: (...message) => this.#transmit(...message),
      alterSetup: (setup) => {
        if (defect !== 'staleDefinitions') return setup;
        // The thread does not see that definitions changed, nor that something was committed.
        const known = new Int32Array(openArea(setup.memory.integers));
        const integers = new SharedArrayBuffer(known.byteLength);
        new Int32Array(integers).set(known);
        return { ...setup, memory: { ...setup.memory, integers } };
      },
    });
  }

  /** Opens the engine; code that is loaded on demand is loaded before the first event. */
  async #open(isFirst: boolean): Promise<void> {
    const opening = this.#engine.open();
    await this.#during(opening);
    const { defect } = this.#options;
    for (const [index, grid] of this.#engine.grids.entries()) {
      if (isFirst && index === 0) {
        const sql = 'CREATE TABLE R (k INT PRIMARY KEY, v VARCHAR) WITH "CACHE_NAME=rows,WRAP_VALUE=false"';
        await this.#during(rowsOf(grid, sql, []), LOAD_MS);
      }
      await this.#during(rowsOf(grid, 'UPDATE R SET v = ? WHERE k = ?', ['', -1]), LOAD_MS);
      await this.#during(rowsOf(grid, 'SELECT v FROM R WHERE k = ?', [-1]), LOAD_MS);
    }
    if (defect === 'slowClock') for (const role of this.#httpRoles()) role.skewMs = -SKEW_MS;
    if (defect === 'lostWrite') this.#loseWrites();
  }

  #httpRoles(): Role[] {
    return [...this.#scheduler.roles].filter(({ name }) => name.startsWith('http'));
  }

  /** Acknowledges some writes of the last thread without storing them. */
  #loseWrites(): void {
    const grid = this.#engine.grids.at(-1);
    if (grid === undefined) return;
    const { port } = grid;
    const put: CallTable<'put'>['put'] = (call) =>
      this.#random.below(20) === 0 ? Promise.resolve() : port.call(call, {});
    Object.assign(grid, withCalls(grid, { put }));
  }

  #transmit(...[port, message]: Parameters<Transmission>): readonly unknown[] {
    const { defect } = this.#options;
    if (!Array.isArray(message)) return [message];
    const isLost = defect === 'lostAnswer' && message[0] === '!' && port.name === 'main';
    const isRepeated = defect === 'repeatedRequest' && message[0] === '?' && port.name.startsWith('http');
    if ((isLost || isRepeated) && ++this.#transmitted % DEFECT_INTERVAL === 0) {
      return isLost ? [] : [message, structuredClone(message)];
    }
    return [message];
  }

  /** Runs events until a promise settles. */
  async #during<T>(promise: Promise<T>, pauseMs = 0): Promise<T | undefined> {
    let isSettled = false;
    const done = () => {
      isSettled = true;
    };
    promise.then(done, done);
    this.#clients.isPaused = true;
    await new Promise(setImmediate);
    for (let step = 0; !isSettled && step < SETTLE_STEPS; step++) {
      await this.#scheduler.next();
      if (pauseMs > 0) await Bun.sleep(pauseMs);
    }
    this.#clients.isPaused = false;
    if (isSettled) return promise;
    this.#clients.wrong.push('the engine does not answer');
    return undefined;
  }

  async #disturb(): Promise<void> {
    const random = this.#random;
    if (this.#calls !== undefined && random.fraction() < IO_ERROR_CHANCE) {
      const error = random.pick(['EIO', 'ENOSPC', 'EIO', 'EDQUOT']);
      this.#calls.fail(IO_ERRORS[error], 1 + random.below(12), 1 + random.below(3));
    }
    if (random.fraction() < END_THREAD_CHANCE && this.#engine.endStatementProcess((below) => random.below(below))) {
      this.#endedThreads += 1;
    }
    if (random.fraction() < RESTART_CHANCE) {
      // In the middle of everything, or when everything has ended.
      if (random.below(2) === 0) await this.#settle();
      await this.#close();
      if (this.#clients.wrong.length > 0) return;
      this.#restarts += 1;
      this.#engine = this.#newEngine();
      await this.#open(false);
    }
  }

  /** Lets everything pending end: requests that then have no response have lost it. */
  async #settle(): Promise<void> {
    this.#calls?.fail(0, 0, 0);
    this.#clients.isPaused = true;
    this.#scheduler.isCalm = true;
    for (let step = 0; this.#clients.underWay > 0 && step < SETTLE_STEPS; step++) await this.#scheduler.next();
    for (const title of this.#clients.unanswered()) this.#clients.wrong.push(`${title} is never answered`);
    this.#scheduler.isCalm = false;
    this.#clients.isPaused = false;
  }

  async #close(): Promise<void> {
    this.#calls?.fail(0, 0, 0);
    await this.#during(this.#engine.close());
    this.#clients.abandon();
    this.#engine.release();
  }
}

/** Replaces the process's randomness by numbers from the seed. */
function replaceRandomness(seed: number): void {
  const random = new Random(seed + 1);
  const fill = (bytes: Uint8Array): Uint8Array => bytes.map(() => random.below(256));
  Object.defineProperty(crypto, 'getRandomValues', {
    value: (bytes: Uint8Array) => {
      bytes.set(fill(bytes));
      return bytes;
    },
  });
  Object.defineProperty(crypto, 'randomUUID', {
    value: () => {
      const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('');
      return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5');
    },
  });
}

/** Loads what the engine loads on demand: the time that it takes would decide which events come first. */
async function loadCode(): Promise<void> {
  await loadStatementCode(systemClock);
  await import('../../../src/engines/embedded/dispatch/writer-statements.ts');
}

if (import.meta.main) {
  const options = JSON.parse(process.argv[2] ?? '{}') as SimulationOptions;
  replaceRandomness(options.seed);
  await loadCode();
  const result = await new Simulation(options).run();
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exit(0);
}
