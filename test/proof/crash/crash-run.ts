/**
 * Crashes a service repeatedly under a mixed load and checks its contents after each startup. `kill`: SIGKILL, and
 * the operating system keeps what was written. `power`: a power cut, after which the disk has what was synced and a
 * random part of the rest.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../simulation/random.ts';
import { allowedMs } from '../../system/machine.ts';
import { newFolder, type ServiceProcess, startService } from '../../system/service-process.ts';
import { BackupClient, Client, CounterClient, StateClient } from './client.ts';
import { type CutCounts, type Disk, JournaledFolder, readDisk, writeDisk } from './disk.ts';
import { violationsIn } from './file-check.ts';
import { type Clients, checkService } from './observe.ts';
import { isUsed, memoryFolder } from './open-files.ts';
import {
  arm,
  buildShim,
  insideCommit,
  type Phase,
  readState,
  type ShimEvent,
  type ShimState,
  type SyncMode,
  shimEnvironment,
} from './shim.ts';

export interface CrashOptions {
  readonly kind: 'kill' | 'power';
  readonly seed: number;
  readonly crashes: number;
  /** Counts to reach. On a slow machine, more crashes follow until they are reached, at most four times `crashes`. */
  readonly atLeast?: Readonly<Partial<CrashCounts>>;
  /** HTTP threads. */
  readonly workers: number;
  /** Entries in the store besides those of the load. */
  readonly entries: number;
  /** Absent: `real` under kills, `journal` under power cuts. */
  readonly sync?: SyncMode;
  /** Ends at the first crash after which something is wrong. */
  readonly endAtFirst?: boolean;
  readonly onCrash?: (line: string) => void;
  /** Called with each violation when it is found, so an interrupted run has reported what it saw. */
  readonly onViolation?: (violation: string) => void;
}

export interface CrashCounts {
  readonly insideCommit: number;
  readonly acknowledged: number;
  /** Answers that were returned again to requests with an idempotency key. */
  readonly replayed: number;
  /** Complete backups, each of which was restored and verified; none are made under power cuts. */
  readonly backups: number;
  /** Unsynced operations that a power cut undid completely, and in part. */
  readonly dropped: number;
  readonly torn: number;
}

export interface CrashResult extends CrashCounts {
  readonly crashes: number;
  readonly phases: Readonly<Record<Phase, number>>;
  readonly rejected: number;
  /** Longest startup after a crash, including the start of the process. */
  readonly longestStartMs: number;
  /** Most time of processors that a startup after a crash used, in all its threads. */
  readonly longestStartCpuMs: number;
  /** Median duration of the startups after a crash. */
  readonly medianStartMs: number;
  /** Startups that took longer than a second, scaled by how busy the machine was. */
  readonly slowStarts: readonly string[];
  readonly cut: Readonly<CutCounts>;
  readonly wrong: readonly string[];
}

const CONNECTIONS = 64;
const COUNTERS = 4;
/** Maximum time to start after a crash with 10^6 entries, on a machine that is not busy. */
const MAX_START_MS = 1_000;
/** Time after which a startup counts as hanging: a busy machine may give a new process no processor for long. */
const START_LIMIT_MS = 120_000;
/** Time for a kill that is armed at an event of the log, which every commit reaches, even on a busy machine. */
const LOG_EVENT_LIMIT_MS = 5_000;
/** Time for a kill that is armed at an event of a checkpoint, which may not begin. */
const DATA_EVENT_LIMIT_MS = 500;
/** Crashes that may be necessary to hit the requested number of commits, as a multiple of the planned ones. */
const MAX_CRASHES_FACTOR = 5;
/** Time within which the process that copies a backup ends after the service, at its low priority. */
const ORPHAN_LIMIT_MS = 30_000;
const BALLAST_BATCH = 1_000;

const LOG_EVENTS = [
  'beforeLogWrite',
  'tornLogWrite',
  'beforeLogSync',
  'afterLogSync',
  'beforeLogSync',
] as const satisfies readonly ShimEvent[];
const DATA_EVENTS = ['beforeDataWrite', 'beforeDataSync', 'beforeTruncate'] as const satisfies readonly ShimEvent[];

export async function runCrashes(options: CrashOptions): Promise<CrashResult> {
  const folder = newFolder();
  try {
    return await new CrashRun(options, folder).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class CrashRun {
  readonly #options: CrashOptions;
  /** Chooses when and how to crash, from a separate random stream, so the seed alone determines the plan. */
  readonly #random: Random;
  readonly #cutRandom: Random;
  readonly #library = buildShim();
  readonly #all: Clients;
  readonly #dataDir: string;
  readonly #state: string;
  readonly #journal: string;
  readonly #copy: string;
  readonly #logDir: string;
  readonly #backups: string;
  readonly #backupClient = new BackupClient();
  #verifiedBackups = 0;
  readonly #wrong: string[] = [];
  readonly #phases: Record<Phase, number> = { idle: 0, logWrite: 0, logSync: 0, dataWrite: 0, dataSync: 0 };
  readonly #cut: CutCounts = { unsynced: 0, dropped: 0, torn: 0, reordered: 0 };
  #insideCommit = 0;
  #crashes = 0;
  readonly #startsMs: number[] = [];
  readonly #slowStarts: string[] = [];
  #longestStartCpuMs = 0;
  /** Content of the disk when the present service was started. */
  #base: Disk = new Map();

  constructor(options: CrashOptions, folder: string) {
    const { seed } = options;
    this.#options = options;
    this.#random = new Random(seed);
    this.#cutRandom = new Random(seed + 1);
    this.#dataDir = join(folder, 'data');
    this.#state = join(folder, 'state');
    this.#journal = join(folder, 'journal');
    this.#copy = join(folder, 'copy');
    this.#logDir = join(folder, 'log');
    this.#backups = join(folder, 'backups');
    mkdirSync(this.#dataDir);
    this.#all = {
      clients: Array.from({ length: CONNECTIONS - COUNTERS - 1 }, (_, id) => new Client(id, seed)),
      state: new StateClient(seed),
      counters: Array.from({ length: COUNTERS }, () => new CounterClient()),
      floor: 0,
    };
  }

  async run(): Promise<CrashResult> {
    const { kind, endAtFirst = false } = this.#options;
    for (let crash = 0; this.#goesOn() && !(endAtFirst && this.#wrong.length > 0); crash++) {
      const service = await this.#start();
      if (service === undefined) break;
      try {
        if (crash === 0) await this.#fill(service);
        else await this.#check(service);
        const load = this.#load(service.port);
        await Promise.race([load, Bun.sleep(120 + this.#random.below(300))]);
        const memory = memoryFolder(service.pid);
        await this.#crash(service);
        await load;
        // A power cut empties the memory of non-persistent regions.
        if (kind === 'power' && memory !== undefined) rmSync(memory, { recursive: true, force: true });
      } finally {
        await service.kill();
      }
      await this.#afterCrash(service);
    }
    await this.#last();
    const { clients } = this.#all;
    return {
      ...this.#counts(),
      crashes: this.#crashes,
      phases: this.#phases,
      rejected: clients.reduce((total, { rejected }) => total + rejected, 0),
      longestStartMs: Math.max(0, ...this.#startsMs),
      longestStartCpuMs: this.#longestStartCpuMs,
      medianStartMs: this.#startsMs.toSorted((a, b) => a - b)[this.#startsMs.length >> 1] ?? 0,
      slowStarts: this.#slowStarts,
      cut: this.#cut,
      wrong: [...this.#wrong, ...this.#backupClient.wrong],
    };
  }

  #violation(text: string): void {
    const violation = `crash ${this.#crashes}: ${text}`;
    this.#wrong.push(violation);
    this.#options.onViolation?.(violation);
  }

  #goesOn(): boolean {
    const { crashes, atLeast = {} } = this.#options;
    if (this.#crashes < crashes) return true;
    const counts = this.#counts();
    const names = ['insideCommit', 'acknowledged', 'replayed', 'backups', 'dropped', 'torn'] as const;
    const isReached = names.every((name) => counts[name] >= (atLeast[name] ?? 0));
    return !isReached && this.#crashes < crashes * MAX_CRASHES_FACTOR;
  }

  #counts(): CrashCounts {
    const { clients, state, counters } = this.#all;
    const sum = (of: ReadonlyArray<{ readonly acknowledged: number }>) =>
      of.reduce((total, { acknowledged }) => total + acknowledged, 0);
    return {
      insideCommit: this.#insideCommit,
      acknowledged: sum(clients) + sum(counters) + state.acknowledged,
      replayed: clients.reduce((total, { replayed }) => total + replayed, 0),
      backups: this.#verifiedBackups,
      dropped: this.#cut.dropped,
      torn: this.#cut.torn,
    };
  }

  /** Starts the service. After a crash, a failed start is a finding. */
  async #start(): Promise<ServiceProcess | undefined> {
    const { kind, workers, sync } = this.#options;
    const isPower = kind === 'power';
    rmSync(this.#journal, { force: true });
    if (isPower) this.#base = readDisk(this.#dataDir);
    const shim = shimEnvironment(this.#library, {
      dataDir: this.#dataDir,
      state: this.#state,
      sync: sync ?? (isPower ? 'journal' : 'real'),
      // Without the latency of a disk, power cuts would rarely hit a sync.
      ...(isPower && { journal: this.#journal, syncUs: 300 }),
    });
    try {
      const service = await startService({
        dataDir: this.#dataDir,
        args: ['--config', join(import.meta.dir, 'crash.config.ts')],
        startLimitMs: START_LIMIT_MS,
        env: {
          SVC_WORKERS: String(workers),
          SVC_LOG_DIR: this.#logDir,
          SVC_BACKUP_FOLDER: this.#backups,
          ...shim,
        },
      });
      if (this.#crashes > 0) this.#noteStart(service);
      return service;
    } catch (error) {
      this.#violation(`the service does not start: ${String(error)}`);
      return undefined;
    }
  }

  #noteStart({ startMs, pid }: ServiceProcess): void {
    this.#startsMs.push(startMs);
    this.#longestStartCpuMs = Math.max(this.#longestStartCpuMs, cpuMsOf(pid));
    const limitMs = allowedMs(MAX_START_MS);
    if (startMs <= limitMs) return;
    this.#slowStarts.push(
      `the start after crash ${this.#crashes} took ${startMs.toFixed(0)} ms, where ${limitMs.toFixed(0)} were allowed`,
    );
  }

  async #fill(service: ServiceProcess): Promise<void> {
    const run = (qry: string) => service.command(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(qry)}`);
    await run('CREATE TABLE Acc (id INT PRIMARY KEY, owner INT, amount INT, note VARCHAR)');
    await run('CREATE INDEX acc_owner ON Acc (owner, amount)');
    if (this.#options.entries === 0) return;
    await service.command('cmd=getorcreate&cacheName=ballast');
    for (let from = 0; from < this.#options.entries; from += BALLAST_BATCH) {
      const keys = Array.from({ length: BALLAST_BATCH }, (_, index) => `ballast${from + index}`);
      const body = JSON.stringify({ cmd: 'putall', cacheName: 'ballast', keys, values: keys });
      await service.send('', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    }
  }

  #load(port: number): Promise<unknown> {
    const { clients, state, counters } = this.#all;
    // The record of file operations is that of one process.
    const backups = this.#options.kind === 'kill' ? [this.#backupClient] : [];
    return Promise.all([...clients, state, ...counters, ...backups].map((client) => client.run(port)));
  }

  /** Kills immediately or at a later event. */
  async #crash(service: ServiceProcess): Promise<void> {
    const chance = this.#random.fraction();
    if (chance >= 0.4) {
      const isLogEvent = chance < 0.85;
      const event = this.#random.pick(isLogEvent ? LOG_EVENTS : DATA_EVENTS);
      arm(this.#state, event, 1 + this.#random.below(event === 'tornLogWrite' ? 60 : 12));
      await Promise.race([service.exited, Bun.sleep(isLogEvent ? LOG_EVENT_LIMIT_MS : DATA_EVENT_LIMIT_MS)]);
    }
    await service.kill();
    await this.#untilUnused();
  }

  /** Waits for the process that copies a backup: the system ends it with the service, when it gets a processor. */
  async #untilUnused(): Promise<void> {
    const endMs = performance.now() + ORPHAN_LIMIT_MS;
    while (isUsed(this.#dataDir)) {
      if (performance.now() > endMs) return this.#violation('a process still uses the data folder');
      await Bun.sleep(10);
    }
  }

  async #afterCrash(service: ServiceProcess): Promise<void> {
    const state = readState(this.#state);
    this.#crashes += 1;
    this.#phases[state.phase] += 1;
    if (insideCommit(state)) this.#insideCommit += 1;
    if (this.#options.kind === 'power') this.#cutPower();
    await this.#checkFiles();
    this.#options.onCrash?.(this.#line(state, service));
  }

  #cutPower(): void {
    const journaled = new JournaledFolder(this.#base, readFileSync(this.#journal));
    writeDisk(this.#dataDir, journaled.cut(this.#cutRandom, this.#cut));
  }

  /** Checks a copy, so that the service is the first to open the files as they are. */
  async #checkFiles(): Promise<void> {
    rmSync(this.#copy, { recursive: true, force: true });
    cpSync(this.#dataDir, this.#copy, { recursive: true });
    const backups = existsSync(this.#backups) ? readdirSync(this.#backups) : [];
    const files = backups.filter((name) => !name.endsWith('.partial')).map((name) => join(this.#backups, name));
    const violations = await violationsIn(this.#copy, files);
    this.#verifiedBackups += files.length;
    for (const file of files) rmSync(file);
    for (const violation of violations) this.#violation(violation);
  }

  async #check(service: ServiceProcess): Promise<void> {
    const { entries } = this.#options;
    try {
      const wrong = await checkService(service.url, this.#all);
      if (entries > 0) {
        const size = await service.command('cmd=size&cacheName=ballast');
        if (size !== entries) wrong.push(`there are ${size} of ${entries} entries`);
      }
      for (const line of [...wrong, ...this.#backupClient.wrong.splice(0)]) this.#violation(line);
    } catch (error) {
      this.#violation(`the check fails: ${String(error)}`);
    }
  }

  async #last(): Promise<void> {
    if (this.#wrong.length > 0 && this.#options.endAtFirst === true) return;
    const service = await this.#start();
    if (service === undefined) return;
    await using last = service;
    await this.#check(last);
  }

  #line(state: ShimState, service: ServiceProcess): string {
    const how = state.fired === 'none' ? 'at a random time' : `armed at ${state.fired}`;
    return (
      `crash ${this.#crashes}, ${how}, while ${state.phase}: ${state.logSyncs} commits, ` +
      `started in ${service.startMs.toFixed(0)} ms, ${this.#wrong.length} wrong`
    );
  }
}

/** Returns the time of processors that a process has used. */
function cpuMsOf(pid: number): number {
  // The fields after the name, which may contain spaces: user and system time in hundredths of a second.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
