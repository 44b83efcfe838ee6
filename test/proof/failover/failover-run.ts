/**
 * Clients that read and write while faults hit two services, their network and their store one after another. A service
 * that takes over must have everything that was acknowledged, and only one may answer at a time.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../simulation/random.ts';
import { until } from '../../system/until.ts';
import type { CutCounts } from '../crash/disk.ts';
import { Clients, type ClientsOptions } from './failover-clients.ts';
import { NAMES, type Name, otherOf, type Pair, resume, signal } from './failover-pair.ts';
import type { FaultyStore, StoreDisturbance } from './faulty-store.ts';

export type FaultKind =
  /** The primary is killed. */
  | 'kill'
  /** It is killed and restarted at once. */
  | 'restart'
  | 'kill standby'
  | 'hand over'
  /** The process of the service is suspended, but not those that it has started. */
  | 'suspend'
  /** All its processes are. */
  | 'freeze'
  /** The primary, or the standby, cannot reach the store, or the clients, or neither. */
  | 'cut store'
  | 'cut clients'
  | 'cut off'
  | 'cut standby'
  /** The primary loses power, and restarts later or at once. Its disk has the synced writes and some of the others. */
  | 'power'
  | 'power restart'
  | 'power standby'
  /** The store delays, repeats, loses answers, and fails. */
  | 'store';

/** Faults that are possible everywhere, that need records of file operations, and that need namespaces. */
export const LOCAL_KINDS: readonly FaultKind[] = [
  ...(['kill', 'restart', 'kill standby', 'hand over', 'suspend', 'freeze', 'store'] as const),
];
export const POWER_KINDS: readonly FaultKind[] = ['power', 'power restart', 'power standby'];
export const NETWORK_KINDS: readonly FaultKind[] = ['cut store', 'cut clients', 'cut off', 'cut standby'];

export interface RunOptions extends Omit<ClientsOptions, 'probes'> {
  readonly faults: readonly FaultKind[];
  readonly leaseMs: number;
  readonly random: Random;
  /** The store that is disturbed, also during other faults; undefined if none. */
  readonly store?: FaultyStore;
  /** The changes that a takeover may lose, by the time in which they were acknowledged; 0 for none. */
  readonly maxLossMs?: number;
  /** No more faults from then on, by `performance.now()`. */
  readonly untilMs?: number;
  readonly onFault?: (line: string) => void;
}

export interface RunResult {
  readonly path: string;
  readonly writes: number;
  readonly reads: number;
  /** Writes that may or may not have been made. */
  readonly unknown: number;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** Longest time between acknowledged writes in each fault of a kind, in ms. */
  readonly outagesMs: Readonly<Partial<Record<FaultKind, readonly number[]>>>;
  /** The operations that power cuts have undone. */
  readonly cut: Readonly<CutCounts>;
  /** The number of the last takeover. */
  readonly epoch: number;
  /** Acknowledged changes that are gone, and the longest time between the first and the last that one fault took. */
  readonly lost: number;
  readonly longestLossMs: number;
  readonly violations: readonly string[];
}

/** A service's entry in its audit log when it was replaced. */
interface SaidLoss {
  readonly lostCommits: number | string;
  readonly withinMs: number;
}

/** A service's entry in its audit log when it becomes the primary. */
interface Takeover {
  readonly epoch: number;
  readonly because: string;
}

const SETTLE_MS = 90_000;
const WRITE_MS = 60_000;
const START_PAUSE_MS = 200;
/** How far the loss that clients see may exceed the service's bound: responses take time to arrive. */
const LOSS_SLACK_MS = 500;
/** Part of the other faults that a disturbed store makes worse. */
const DISTURBED = 0.3;
/** For how long, at most. */
const DISTURBED_LEASES = 3;
const START_TRIES = 10;

/** Starts the services, and runs clients through the faults. */
export async function runFaults(options: RunOptions): Promise<RunResult> {
  const { pair } = options;
  await startAgain(pair, 'a');
  await pair.untilPrimary('a');
  await startAgain(pair, 'b');
  return new FaultRun(options).run();
}

/** Starts a service. It ends if a requirement is not met at that moment, and is started again, as by systemd. */
async function startAgain(pair: Pair, name: Name): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await pair.start(name);
      return;
    } catch (error) {
      if (tries === START_TRIES) throw error;
      await Bun.sleep(START_PAUSE_MS);
    }
  }
}

class FaultRun {
  readonly #options: RunOptions;
  readonly #pair: Pair;
  readonly #clients: Clients;
  readonly #counts: Partial<Record<FaultKind, number>> = {};
  readonly #outagesMs: Partial<Record<FaultKind, number[]>> = {};
  readonly #violations: string[] = [];
  readonly #down = new Set<Name>();
  #epoch = 0;
  #lost = 0;
  #longestLossMs = 0;
  readonly #saidBefore = new Set<string>();

  constructor(options: RunOptions) {
    this.#options = options;
    this.#pair = options.pair;
    this.#clients = new Clients({ ...options, probes: true });
  }

  async run(): Promise<RunResult> {
    const { faults, untilMs = Number.POSITIVE_INFINITY, random, onFault } = this.#options;
    this.#clients.start();
    try {
      for (const kind of faults) {
        if (performance.now() > untilMs) break;
        const { primary } = await this.#settle(kind);
        await Bun.sleep(200 + random.below(1_000));
        const store = kind === 'store' || random.fraction() < DISTURBED ? this.#disturb() : undefined;
        // A takeover needs a dozen successful requests in a row, which a store that keeps failing would never allow.
        const quiet = setTimeout(() => this.#options.store?.disturb(), DISTURBED_LEASES * this.#options.leaseMs);
        const outageMs = await this.#hit(kind, primary);
        clearTimeout(quiet);
        await this.#recover();
        const { primary: after, epoch } = await this.#settle(kind);
        await this.#look(kind);
        this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
        onFault?.(JSON.stringify({ kind, store, primary, after, epoch, outageMs, lost: this.#lost }));
      }
      await this.#clients.finish();
      await this.#look(faults.at(-1) ?? 'kill');
    } catch (error) {
      throw new Error(`${String(error)}\n${this.#outputs()}`);
    } finally {
      this.#clients.stop();
    }
    const path = join(this.#pair.root, 'history.tsv');
    this.#clients.write(path);
    const alternations = this.#clients.alternations();
    if (alternations > this.#epoch - 1) {
      this.#violations.push(`${alternations} changes of who answers in ${this.#epoch - 1} takeovers`);
    }
    const { writes, reads, unknown, violations } = this.#clients;
    return {
      ...{ path, writes, reads, unknown, faults: this.#counts, outagesMs: this.#outagesMs },
      ...{ cut: this.#pair.cut, epoch: this.#epoch },
      ...{ lost: this.#lost, longestLossMs: this.#longestLossMs, violations: [...this.#violations, ...violations] },
    };
  }

  /** Disturbs the store for a time. */
  #disturb(): StoreDisturbance | undefined {
    const { store, random, leaseMs } = this.#options;
    const disturbance: StoreDisturbance = random.pick<StoreDisturbance>([
      { delayMs: leaseMs / 8 },
      { delayMs: leaseMs / 3, repeats: 0.3 },
      { repeats: 0.5 },
      { losses: 0.2, repeats: 0.2 },
      { failures: 0.3, delayMs: leaseMs / 8 },
      { failures: 0.2, losses: 0.1, repeats: 0.2, delayMs: leaseMs / 8 },
    ]);
    store?.disturb(disturbance);
    return store === undefined ? undefined : disturbance;
  }

  /**
   * Causes a fault, and waits for its end. Returns the time until a write succeeded, or undefined if none was required.
   */
  async #hit(kind: FaultKind, primary: Name): Promise<number | undefined> {
    const { random, leaseMs } = this.#options;
    const pair = this.#pair;
    const service = pair.service(primary);
    this.#clients.watch();
    switch (kind) {
      case 'kill':
        await this.#kill(primary);
        return this.#untilWritten(kind, performance.now());
      case 'restart': {
        await this.#kill(primary);
        const killedMs = performance.now();
        await this.#startAgain(primary);
        return this.#untilWritten(kind, killedMs);
      }
      case 'kill standby':
        await this.#kill(otherOf(primary));
        await Bun.sleep(random.below(leaseMs));
        return undefined;
      case 'hand over':
        this.#down.add(primary);
        await service.stop();
        return this.#untilHandedOver(primary, performance.now());
      case 'power':
        await this.#losePower(primary);
        return this.#untilWritten(kind, performance.now());
      case 'power restart': {
        await this.#losePower(primary);
        const lostMs = performance.now();
        await this.#startAgain(primary);
        return this.#untilWritten(kind, lostMs);
      }
      case 'power standby':
        await this.#losePower(otherOf(primary));
        await Bun.sleep(random.below(leaseMs));
        return undefined;
      case 'suspend':
      case 'freeze': {
        const processes = [...(kind === 'freeze' ? pair.childrenOf(primary) : []), service.pid];
        for (const each of processes) signal(each, 'SIGSTOP');
        await Bun.sleep(random.below(3 * leaseMs));
        for (const each of processes) resume(each);
        return undefined;
      }
      case 'cut store':
        pair.side(primary).cut('store');
        await Bun.sleep(random.below(3 * leaseMs));
        return undefined;
      case 'cut clients':
        pair.side(primary).cut('clients');
        await Bun.sleep(random.below(leaseMs));
        return undefined;
      case 'cut off':
        for (const link of ['store', 'clients'] as const) pair.side(primary).cut(link);
        await Bun.sleep(random.below(3 * leaseMs));
        return undefined;
      case 'cut standby':
        pair.side(otherOf(primary)).cut(random.pick(['store', 'clients']));
        await Bun.sleep(random.below(2 * leaseMs));
        return undefined;
      case 'store':
        await Bun.sleep(random.below(2 * leaseMs));
        return undefined;
    }
  }

  async #kill(name: Name): Promise<void> {
    this.#down.add(name);
    await this.#pair.service(name).kill();
  }

  /** It responded until it ended. */
  async #untilHandedOver(from: Name, endedMs: number): Promise<number> {
    const outageMs = await this.#untilWritten('hand over', endedMs);
    const files = await this.#pair.unrecorded(from);
    for (const file of files) this.#violations.push(`operations on ${file} were not recorded`);
    return outageMs;
  }

  async #losePower(name: Name): Promise<void> {
    this.#down.add(name);
    await this.#pair.losePower(name, this.#options.random);
  }

  /** Waits for the next acknowledged write; one acknowledged before the fault does not count. */
  async #untilWritten(kind: FaultKind, sinceMs: number): Promise<number> {
    await until('a write is acknowledged', () => this.#clients.lastWriteMs > sinceMs, WRITE_MS);
    const outageMs = Math.round(this.#clients.longestGapMs);
    const known = this.#outagesMs[kind] ?? [];
    known.push(outageMs);
    this.#outagesMs[kind] = known;
    return outageMs;
  }

  /** Ends all faults. */
  async #recover(): Promise<void> {
    this.#options.store?.disturb();
    for (const name of NAMES) {
      if (this.#options.faults.some((kind) => NETWORK_KINDS.includes(kind))) this.#pair.side(name).repair();
      if (this.#down.has(name)) await this.#startAgain(name);
    }
  }

  async #startAgain(name: Name): Promise<void> {
    await startAgain(this.#pair, name);
    this.#down.delete(name);
  }

  async #settle(kind: FaultKind): Promise<{ readonly primary: Name; readonly epoch: number }> {
    try {
      const settled = await this.#pair.untilSettled(SETTLE_MS);
      if (settled.epoch < this.#epoch) this.#violations.push(`epoch ${settled.epoch} came after ${this.#epoch}`);
      this.#epoch = settled.epoch;
      return settled;
    } catch (error) {
      throw new Error(`after ${kind}: ${String(error)}`);
    }
  }

  /** Looks for losses. */
  async #look(kind: FaultKind): Promise<void> {
    const { maxLossMs = 0 } = this.#options;
    await this.#clients.sweep();
    const losses = this.#clients.takeLosses();
    const said = this.#said();
    if (losses.length === 0) return;
    this.#lost += losses.length;
    const times = losses.map(({ acknowledgedMs }) => acknowledgedMs);
    const spanMs = Math.max(...times) - Math.min(...times);
    this.#longestLossMs = Math.max(this.#longestLossMs, Math.round(spanMs));
    if (maxLossMs === 0 || spanMs > maxLossMs + LOSS_SLACK_MS) {
      this.#violations.push(`${kind}: ${losses.length} acknowledged changes of ${Math.round(spanMs)} ms are gone`);
    }
    const isSaid = said.some(({ lostCommits, withinMs }) => lostCommits !== 0 && withinMs + LOSS_SLACK_MS >= spanMs);
    if (!isSaid) this.#violations.push(`${kind}: losses of ${Math.round(spanMs)} ms, said was ${JSON.stringify(said)}`);
    // If a failing store prevents it from finishing in time, it counts as a kill.
    if (kind === 'hand over' && this.#isHandedOver()) {
      this.#violations.push(`a hand-over has lost ${losses.length} changes`);
    }
  }

  /** Returns the losses that the services have reported since the last call. */
  #said(): readonly SaidLoss[] {
    const said = this.#events('deposed').filter((line) => !this.#saidBefore.has(line));
    for (const each of said) this.#saidBefore.add(each);
    return said.map((line) => JSON.parse(line) as SaidLoss);
  }

  /** Whether the last takeover was from a primary that had released its lease. */
  #isHandedOver(): boolean {
    const takeovers = this.#events('primary').map((line) => JSON.parse(line) as Takeover);
    const last = takeovers.toSorted((a, b) => a.epoch - b.epoch).at(-1);
    return last?.because.includes('has handed over') === true;
  }

  /** Returns the lines of the audit logs for an event. */
  #events(event: string): readonly string[] {
    return NAMES.flatMap((name) => {
      const text = readFileSync(join(this.#pair.logFolder(name), 'audit.log'), 'utf8');
      return text.split('\n').filter((line) => line.includes(`"event":"${event}"`));
    });
  }

  #outputs(): string {
    const outputs = NAMES.map((name) => {
      const log = readFileSync(join(this.#pair.logFolder(name), 'svc.log'), 'utf8');
      return `--- ${name}\n${this.#pair.service(name).output().slice(-1_000)}\n${log.slice(-6_000)}`;
    });
    return [...this.#violations, ...outputs].join('\n');
  }
}
