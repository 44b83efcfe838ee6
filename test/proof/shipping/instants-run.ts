/**
 * Records the digest of a store at random instants of a mixed load, and compares it with that of the store which the
 * continuous backup restores for the instant. Litestream's program must write the same bytes.
 */
import { Database } from 'bun:sqlite';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import {
  type Destination,
  newestOf,
  positionText,
} from '../../../src/engines/embedded/backup/continuous/destination.ts';
import { LtxDecoder, PageHashes, pageHash } from '../../../src/engines/embedded/backup/continuous/ltx-format.ts';
import { openDestination } from '../../../src/engines/embedded/backup/continuous/open-destination.ts';
import { restoreContinuous } from '../../../src/engines/embedded/backup/continuous/restore-continuous.ts';
import { litestream } from '../../litestream.ts';
import { Random } from '../../simulation/random.ts';
import { openConnection } from '../../system/http-connection.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../../system/service-process.ts';
import { until } from '../../system/until.ts';
import { after, describe } from '../crash/client.ts';
import { nextStep } from '../crash/steps.ts';
import { digestOf, digestOfPages } from './digest.ts';

const CONFIGURATION = join(import.meta.dir, '../crash/crash.config.ts');
/** Restored data is only read: it needs no disk. */
const MEMORY = '/dev/shm';
const SHIPPED_LIMIT_MS = 120_000;
/** An hour of load has more idempotency keys than a service keeps at a time. */
const KEEP_SECONDS = 600;
const ANSWERED_LIMIT_MS = 120_000;
/** The clients pause while an instant is recorded: their connections stay open for that time. */
const IDLE_TIMEOUT_SECONDS = 255;
/** Pause after an instant, so that the next object has a different time. */
const APART_MS = 3;

export interface InstantsOptions {
  readonly seed: number;
  readonly instants: number;
  /** How many of these Litestream's program also restores. */
  readonly byLitestream: number;
  readonly clients: number;
  /** Mean time under load between instants, in ms. */
  readonly meanMs: number;
  readonly onViolation?: (violation: string) => void;
}

export interface InstantsResult {
  readonly changes: number;
  /** Instants whose restored store had the recorded digest. */
  readonly equal: number;
  /** Instants for which Litestream's program wrote the same bytes; undefined without it. */
  readonly equalByLitestream: number | undefined;
  /** Number of objects applied in all restores. */
  readonly objects: number;
  readonly wrong: readonly string[];
}

interface Instant {
  readonly atMs: number;
  readonly position: string;
  readonly digest: string;
  /** SHA-256 of the pages. */
  readonly pages: string;
}

export async function runInstants(options: InstantsOptions): Promise<InstantsResult> {
  const root = newFolder();
  const memory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'svc-instants-'));
  const wrong: string[] = [];
  const violation = (text: string): void => {
    wrong.push(text);
    options.onViolation?.(text);
  };
  try {
    const url = `file://${join(root, 'destination')}`;
    const { instants, changes } = await recordInstants(options, root, url, violation);
    const program = options.byLitestream > 0 ? litestream() : undefined;
    const every = Math.max(1, Math.floor(options.instants / Math.max(1, options.byLitestream)));
    let [equal, equalByLitestream, objects] = [0, 0, 0];
    for (const [index, instant] of instants.entries()) {
      const title = `instant ${index + 1} of ${instants.length} (position ${instant.position})`;
      try {
        objects += await compare(url, instant, join(memory, 'restored'));
        equal++;
        if (program === undefined || index % every !== 0) continue;
        compareByLitestream(program, url, instant, join(memory, 'litestream.db'));
        equalByLitestream++;
      } catch (error) {
        violation(`${title}: ${error instanceof Error ? error.message : error}`);
      }
    }
    return { changes, equal, equalByLitestream: program === undefined ? undefined : equalByLitestream, objects, wrong };
  } finally {
    for (const folder of [root, memory]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Clients that can be made to wait between requests. */
class MixedLoad {
  readonly #clients: Promise<void>[] = [];
  readonly #violation: (text: string) => void;
  #isEnded = false;
  #active = 0;
  /** Resolves when the clients may continue. */
  #open: Promise<void> = Promise.resolve();
  #resume: () => void = () => {};
  changes = 0;

  constructor(violation: (text: string) => void) {
    this.#violation = violation;
  }

  start(service: ServiceProcess, { clients, seed }: InstantsOptions): void {
    for (let id = 0; id < clients; id++) this.#clients.push(this.#run(service, id, new Random(seed * 1_009 + id)));
  }

  /** Resolves when no request is in progress. */
  async pause(): Promise<void> {
    ({ promise: this.#open, resolve: this.#resume } = Promise.withResolvers<void>());
    await until('all requests are answered', () => this.#active === 0, ANSWERED_LIMIT_MS);
  }

  resume(): void {
    this.#resume();
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#resume();
    await Promise.all(this.#clients);
  }

  async #run(service: ServiceProcess, id: number, random: Random): Promise<void> {
    const connection = await openConnection(service.port);
    let contents = new Map<string, string>();
    let count = 0;
    while (!this.#isEnded) {
      await this.#open;
      this.#active++;
      const step = nextStep({ id, random, contents, fresh: () => `${id}-${(++count).toString(36)}` });
      const headers = step.key === undefined ? {} : { 'Idempotency-Key': step.key };
      const { successStatus, response, error } = await connection.sendCommand(queryOf(step.params), headers);
      this.#active--;
      if (successStatus !== 0 || !step.accepts(response)) {
        this.#violation(`${describe(step)} answers ${JSON.stringify(response)} ${error}`);
        break;
      }
      contents = after(contents, step.effects);
      this.changes++;
    }
    connection.close();
  }
}

/** Runs a service under load, which pauses at each instant. */
async function recordInstants(
  options: InstantsOptions,
  root: string,
  url: string,
  violation: (text: string) => void,
): Promise<{ readonly instants: readonly Instant[]; readonly changes: number }> {
  const random = new Random(options.seed);
  const dataDir = join(root, 'data');
  await using service = await startService({
    dataDir,
    args: ['--config', CONFIGURATION],
    env: {
      SVC_BACKUP_CONTINUOUS_URL: url,
      SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '100',
      SVC_HTTP_IDLE_TIMEOUT_SECONDS: String(IDLE_TIMEOUT_SECONDS),
      SVC_IDEMPOTENCY_RETENTION_SECONDS: String(KEEP_SECONDS),
      SVC_WORKERS: '1',
    },
  });
  const table = 'CREATE TABLE Acc (id INT PRIMARY KEY, owner INT, amount INT, note VARCHAR)';
  await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: table }));
  await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'CREATE INDEX Acc_owner ON Acc (owner)' }));
  const destination = openDestination(url, { clock: systemClock, environment: {} });
  const load = new MixedLoad(violation);
  load.start(service, options);
  const database = new Database(join(dataDir, 'svc.db'), { readonly: true });
  const instants: Instant[] = [];
  while (instants.length < options.instants) {
    await Bun.sleep(random.below(2 * options.meanMs));
    await load.pause();
    instants.push(await instantOf(destination, database));
    await Bun.sleep(APART_MS);
    load.resume();
  }
  await load.end();
  database.close();
  return { instants, changes: load.changes };
}

/** Waits until everything is shipped, which the hash in the last object shows, and returns the digests. */
async function instantOf(destination: Destination, database: Database): Promise<Instant> {
  for (const endMs = performance.now() + SHIPPED_LIMIT_MS; performance.now() < endMs; ) {
    // Everything shipped until then is in the pages, which are read afterwards; an entry may expire at any time.
    const atMs = Date.now();
    const pages = database.serialize();
    const newest = newestOf(await destination.objects());
    if (newest !== undefined) {
      const header = await new LtxDecoder('newest', destination.read(newest)).header();
      const { databaseHash } = header;
      const isShipped = databaseHash !== undefined && hashesOf(pages, header.pageBytes).equals(databaseHash);
      if (header.timestampMs <= atMs && isShipped) {
        const position = positionText(newest.last);
        return { atMs, position, digest: digestOfPages(pages), pages: sha256(pages) };
      }
    }
    await Bun.sleep(APART_MS);
  }
  throw new Error(`not everything was shipped after ${SHIPPED_LIMIT_MS} ms`);
}

function hashesOf(pages: Uint8Array, pageBytes: number): PageHashes {
  const hashes = new PageHashes('xxhash64');
  for (let at = 0, number = 1; at < pages.length; at += pageBytes, number++) {
    hashes.set(number, pageHash(number, pages.subarray(at, at + pageBytes)));
  }
  return hashes;
}

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
}

/** Restores an instant, and compares it. Returns the number of objects. Throws if it differs. */
async function compare(url: string, { atMs, position, digest }: Instant, folder: string): Promise<number> {
  const restored = await restoreContinuous({
    url,
    target: { atMs },
    folder,
    replace: true,
    program: 'proof',
    log: () => {},
    onProgress: () => {},
    clock: systemClock,
    environment: {},
  });
  if (restored.position !== position) throw new Error(`position ${restored.position} was restored`);
  const { violations } = restored.found;
  if (violations.length > 0 || !restored.checksums) throw new Error(`the restored store is not sound: ${violations}`);
  const database = new Database(join(folder, 'svc.db'), { readonly: true });
  const found = digestOf(database);
  database.close();
  if (found !== digest) throw new Error('the digest of the restored store is another one');
  return restored.objects;
}

function compareByLitestream(program: string, url: string, { position, pages }: Instant, file: string): void {
  rmSync(file, { force: true });
  const run = Bun.spawnSync([program, 'restore', '-txid', position, '-o', file, url]);
  if (run.exitCode !== 0) throw new Error(`litestream fails: ${run.stderr}${run.stdout}`);
  if (sha256(readFileSync(file)) !== pages) throw new Error('litestream writes other bytes');
}
