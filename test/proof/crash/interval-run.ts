/**
 * Cuts the power of a service with a region that is synced at an interval, and checks the window of lost changes: no
 * change acknowledged before the last sync is lost, and none survives an earlier lost one.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../simulation/random.ts';
import { openConnection } from '../../system/http-connection.ts';
import { newFolder, type ServiceProcess, startService } from '../../system/service-process.ts';
import { type CutCounts, type Disk, JournaledFolder, readDisk, writeDisk } from './disk.ts';
import { buildShim, readState, shimEnvironment } from './shim.ts';

export interface IntervalResult {
  readonly cuts: number;
  /** Cuts that lost an acknowledged change. */
  readonly losses: number;
  /** Changes that were acknowledged, and syncs of the log meanwhile. */
  readonly acknowledged: number;
  readonly syncs: number;
  readonly wrong: readonly string[];
}

export interface IntervalOptions {
  readonly seed: number;
  /** Power cuts; more follow, at most `mostCuts`, until one of them loses something. */
  readonly cuts: number;
  readonly mostCuts: number;
}

/** Time within which the interval's timer fires, even on a busy machine. */
const SYNC_LIMIT_MS = 60_000;
const CHANGES = 40;
/** The keys that one `getall` reads. */
const KEYS_PER_READ = 100;

interface Load {
  /** Numbers are put in ascending order. The greatest that must survive, and the greatest that may. */
  readonly durable: number;
  readonly sent: number;
  readonly syncs: number;
}

export async function runIntervalCuts({ seed, cuts, mostCuts }: IntervalOptions): Promise<IntervalResult> {
  const folder = newFolder();
  const [dataDir, state, journal] = ['data', 'state', 'journal'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const random = new Random(seed);
  const counts: CutCounts = { unsynced: 0, dropped: 0, torn: 0, reordered: 0 };
  const wrong: string[] = [];
  const library = buildShim();
  mkdirSync(dataDir);
  let [done, losses, acknowledged, syncs, last] = [0, 0, 0, 0, 0];
  try {
    for (; done < cuts || (losses === 0 && done < mostCuts); done++) {
      const base: Disk = readDisk(dataDir);
      rmSync(journal, { force: true });
      const shim = shimEnvironment(library, { dataDir, state, sync: 'journal', journal, syncUs: 300 });
      const service = await startService({ dataDir, args: ['--config', CONFIGURATION], env: { ...shim } });
      let load: Load;
      try {
        load = await putUntilCut(service, state, last, random);
      } finally {
        await service.kill();
      }
      writeDisk(dataDir, new JournaledFolder(base, readFileSync(journal)).cut(random, counts));
      const kept = await survivors(dataDir, last, load.sent);
      const greatest = kept.at(-1) ?? last;
      const expected = Array.from({ length: greatest - last }, (_, index) => last + 1 + index);
      if (kept.length !== expected.length) wrong.push(`cut ${done}: of ${greatest} changes, ${kept.length} survive`);
      if (greatest < load.durable) wrong.push(`cut ${done}: ${load.durable} was synced, ${greatest} survives`);
      if (greatest < load.sent) losses += 1;
      acknowledged += load.sent - last;
      syncs += load.syncs;
      last = load.sent;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { cuts: done, losses, acknowledged, syncs, wrong };
}

const CONFIGURATION = join(import.meta.dir, 'interval.config.ts');

/** Puts numbers in three ways, some of them durable, and returns the numbers that must survive. */
async function putUntilCut(service: ServiceProcess, state: string, from: number, random: Random): Promise<Load> {
  const connection = await openConnection(service.port);
  let sent = from;
  const put = async (cache: string, key: string): Promise<void> => {
    const { successStatus, error } = await connection.sendCommand(`cmd=put&cacheName=${cache}&key=${key}&val=x`);
    if (successStatus !== 0) throw new Error(String(error));
  };
  const putNumbers = async (): Promise<void> => {
    for (let count = random.below(CHANGES); count >= 0; count--) await put('lazy', `n${++sent}`);
  };
  const before = readState(state).logSyncs;
  try {
    await putNumbers();
    let durable = sent;
    // A sync that ends from now on began after the last answer: the writer's thread does one after another. Another
    // change has to be synced, whether or not the interval of the earlier ones is over.
    const syncs = readState(state).logSyncs;
    await put('lazy', `n${++sent}`);
    const endMs = performance.now() + SYNC_LIMIT_MS;
    while (readState(state).logSyncs === syncs) {
      if (performance.now() > endMs) throw new Error('nothing was synced at the interval');
      await Bun.sleep(5);
    }
    await putNumbers();
    if (random.fraction() < 0.5) {
      // A change that waits for the disk syncs all before it.
      await put('default', 'strict');
      durable = sent;
      await putNumbers();
    }
    return { durable, sent, syncs: readState(state).logSyncs - before };
  } finally {
    connection.close();
  }
}

/** Starts the service after the power cut and returns the numbers after `from` that it has. */
async function survivors(dataDir: string, from: number, to: number): Promise<number[]> {
  await using service = await startService({ dataDir, args: ['--config', CONFIGURATION] });
  const found: number[] = [];
  for (let first = from + 1; first <= to; first += KEYS_PER_READ) {
    const keys = Array.from({ length: Math.min(KEYS_PER_READ, to - first + 1) }, (_, index) => `n${first + index}`);
    const query = keys.map((key, index) => `k${index + 1}=${key}`).join('&');
    const entries = (await service.command(`cmd=getall&cacheName=lazy&${query}`)) as Record<string, string>;
    found.push(...keys.filter((key) => entries[key] === 'x').map((key) => Number(key.slice(1))));
  }
  return found;
}
