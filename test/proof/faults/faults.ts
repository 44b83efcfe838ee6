/** The table of faults: how each begins and ends, and what clients see meanwhile. */
import { existsSync, renameSync } from 'node:fs';
import { queryOf } from '../../system/service-process.ts';
import { sendWhenFree } from '../busy.ts';
import { type CallKind, delayCalls, type IoError, shiftClock } from '../crash/shim.ts';
import { FaultedService } from './faulted-service.ts';

export interface Fault {
  readonly title: string;
  /** Whether it takes too long for the short form. */
  readonly isLong?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  /** Maximum number of the process's descriptors. */
  readonly descriptors?: number;
  readonly run: (faulted: FaultedService) => Promise<void>;
}

export interface FaultReport {
  readonly title: string;
  readonly acknowledged: number;
  readonly errors: readonly string[];
  readonly wrong: readonly string[];
}

const HOUR_MS = 3_600_000;
const REQUEST_LIMIT_MS = 60_000;

/** A disk on which operations of some kinds fail. */
function disk(title: string, error: IoError, kinds: readonly CallKind[], isReadyMeanwhile = false): Fault {
  return {
    title,
    async run(faulted) {
      faulted.failDisk(error, kinds);
      const failed = await faulted.change(10);
      if (!isReadyMeanwhile) {
        if (failed < 10) faulted.wrong.push(`${10 - failed} of 10 changes succeed on a disk that cannot be written to`);
        await faulted.untilReady(false);
      }
      faulted.failDisk(undefined);
      await faulted.recovered();
    },
  };
}

/** Sends a request that the fault ends, and checks that others continue. */
async function ends(faulted: FaultedService, query: string, expected: RegExp): Promise<void> {
  const { successStatus, error } = await sendWhenFree(faulted.service, query, REQUEST_LIMIT_MS);
  faulted.noteError(query, error);
  if (successStatus === 0 || !expected.test(error ?? '')) faulted.wrong.push(`${query} answers ${error}`);
  const failed = await faulted.change(5);
  if (failed > 0) faulted.wrong.push(`${failed} of 5 changes fail beside it`);
  await faulted.recovered();
}

/** Every operation below SQLite fails once, or each `step`-th, while the same requests are sent. */
async function eachCallOnce(faulted: FaultedService, error: IoError, step: number): Promise<void> {
  for (let distance = 1; ; distance += step) {
    const before = faulted.calls;
    faulted.failOnce(error, distance);
    await faulted.change(5);
    const table = `T${distance}`;
    const failures = await faulted.sql(`CREATE TABLE ${table} (id INT PRIMARY KEY, a INT)`);
    if (failures !== null) faulted.noteError('CREATE TABLE', failures);
    const index = failures === null ? await faulted.sql(`CREATE INDEX ${table}_a ON ${table} (a)`) : null;
    if (index !== null) faulted.noteError('CREATE INDEX', index);
    const rows = await faulted.sql('SELECT count(*), max(note) FROM Acc');
    if (rows !== null) faulted.noteError('SELECT', rows);
    faulted.failDisk(undefined);
    // A half-created object would interfere.
    const dropped = await faulted.sql(`DROP TABLE IF EXISTS ${table}`);
    if (dropped !== null) faulted.wrong.push(`call ${distance}: DROP TABLE fails: ${dropped}`);
    if (faulted.calls.failed === before.failed) break;
  }
  await faulted.recovered();
}

export const FAULTS: readonly Fault[] = [
  disk('disk full', 'ENOSPC', ['write']),
  disk('quota exceeded', 'EDQUOT', ['write']),
  disk('disk read-only', 'EROFS', ['open', 'write', 'remove']),
  disk('I/O errors of all writes', 'EIO', ['write']),
  disk('I/O errors of all syncs', 'EIO', ['sync']),
  disk('I/O errors of all reads', 'EIO', ['read'], true),
  disk('no access to anything', 'EACCES', ['open', 'read', 'write', 'sync', 'remove'], true),
  // SQLite takes a failed read for damage, which the service reports for a minute.
  { ...disk('I/O errors of everything', 'EIO', ['open', 'read', 'write', 'sync', 'remove'], true), isLong: true },
  {
    title: 'an I/O error of a call, a sample',
    run: (faulted) => eachCallOnce(faulted, 'EIO', 17),
  },
  { title: 'an I/O error of every call once', isLong: true, run: (faulted) => eachCallOnce(faulted, 'EIO', 1) },
  { title: 'no space for every call once', isLong: true, run: (faulted) => eachCallOnce(faulted, 'ENOSPC', 1) },
  {
    title: 'slow disk',
    async run(faulted) {
      delayCalls(faulted.shimState, 1_000);
      const failed = await faulted.change(10);
      if (failed > 0) faulted.wrong.push(`${failed} changes fail on a slow disk`);
      delayCalls(faulted.shimState, 0);
      await faulted.recovered();
    },
  },
  {
    title: 'data folder that vanishes and comes back',
    async run(faulted) {
      const away = `${faulted.dataDir}-away`;
      renameSync(faulted.dataDir, away);
      await faulted.untilReady(false);
      const failed = await faulted.change(10);
      if (failed < 10) faulted.wrong.push(`${10 - failed} changes succeed without a data folder`);
      if (existsSync(faulted.dataDir)) faulted.wrong.push('the service has created the folder again');
      renameSync(away, faulted.dataDir);
      await faulted.recovered();
    },
  },
  {
    title: 'clock that jumps ahead and back',
    async run(faulted) {
      for (const shiftMs of [HOUR_MS, -HOUR_MS, 24 * HOUR_MS, 0]) {
        shiftClock(faulted.shimState, shiftMs);
        const failed = await faulted.change(10);
        if (failed > 0) faulted.wrong.push(`${failed} changes fail after a jump to ${shiftMs} ms`);
        await faulted.recovered();
      }
    },
  },
  {
    title: 'more clients than descriptors',
    descriptors: 400,
    async run(faulted) {
      const { port } = faulted.service;
      const open = () => Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).catch(() => undefined);
      const sockets = await Promise.all(Array.from({ length: 800 }, open));
      // Connected clients are served, or told that there are too many.
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => faulted.service.send('cmd=get&key=k0').catch(() => undefined)),
      );
      for (const answer of answers) if (answer?.error != null) faulted.noteError('get', answer.error);
      for (const socket of sockets) socket?.terminate();
      await faulted.recovered();
    },
  },
  {
    title: 'statement that needs too much memory',
    settings: { SVC_QUERY_MAX_MEMORY_BYTES: '8388608' },
    run: (faulted) => {
      const qry = "SELECT max(s) FROM (SELECT REPEAT('x', 1000000) || x AS s FROM SYSTEM_RANGE(1, 200) ORDER BY s)";
      return ends(faulted, queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }), /too much memory/);
    },
  },
  {
    title: 'statement process that crashes',
    run: (faulted) =>
      ends(faulted, 'cmd=qryscanexe&pageSize=10&className=Crash', /process that ran the query has ended/),
  },
  {
    title: 'statement process that hangs',
    run: (faulted) =>
      ends(faulted, 'cmd=qryscanexe&pageSize=10&className=Hang&timeout=3000', /cancelled|timed out|time limit/i),
  },
  {
    title: 'task process that crashes',
    run: (faulted) => ends(faulted, 'cmd=exe&name=Crash', /Crash|process|task/i),
  },
  {
    title: 'task process that hangs',
    run: (faulted) => ends(faulted, 'cmd=exe&name=Hang&timeout=500', /time|Hang/i),
  },
];

/** Runs a fault on a separate service, which is killed at the end and must then hold everything. */
export async function runFault({ title, settings, descriptors, run }: Fault): Promise<FaultReport> {
  await using faulted = await FaultedService.start(settings, descriptors);
  try {
    await run(faulted);
    await faulted.checkAfterKill();
  } catch (error) {
    faulted.wrong.push(`the service does not survive: ${error instanceof Error ? error.message : error}`);
  }
  return { title, acknowledged: faulted.acknowledged, errors: [...faulted.errors], wrong: faulted.wrong };
}
