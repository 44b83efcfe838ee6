/** Makes backups on demand and on a schedule, one at a time. Runs in the main thread. */

import type { Clock, Timer } from '../../base/clock.ts';
import { errorText, GridError, gridError } from '../../base/errors.ts';
import { isoTime } from '../../base/iso-time.ts';
import { BACKUP_BOUNDS } from '../../base/limits.ts';
import { compareTexts } from '../../base/text-order.ts';
import { withoutUrlSecrets } from '../../base/url-secrets.ts';
import {
  BACKUP_ENDING,
  backupFileName,
  backupName,
  SCHEDULED_PREFIX,
  storedFileName,
} from '../../commands/backup-names.ts';
import type {
  BackupService,
  BackupStatus,
  ContinuousReport,
  CreatedBackup,
  StoredBackup,
  VerifiedBackup,
} from '../../commands/context.ts';
import type {
  BackupEngine,
  BackupReader,
  BackupReport,
  ContinuousStatus,
  Restorable,
  RunningBackup,
} from '../../grid/backup.ts';
import type { Log } from '../monitoring/log.ts';
import type { BackupMetrics, ContinuousMetrics, RestoreCheckReport } from '../monitoring/prometheus.ts';
import type { BackupLocation } from './backup-place.ts';
import type { RestoreChecks } from './restore-checks.ts';
import { nextBackup } from './schedule.ts';
import type { ShippingEvents } from './shipping-events.ts';

export interface BackupServiceOptions {
  readonly engine: BackupEngine;
  readonly reader: BackupReader;
  /** The destination of the continuous backup, or undefined if there is none. */
  readonly continuousUrl: string | undefined;
  /** Reports on the continuous backup; undefined if there is none. */
  readonly continuous: () => ContinuousStatus | undefined;
  /** Checks that it restores; undefined to make no checks. */
  readonly restoreChecks: RestoreChecks | undefined;
  /** Records its state changes; undefined if there is none. */
  readonly shippingEvents: ShippingEvents | undefined;
  /** Where backups are stored; if undefined, clients can only receive them. */
  readonly place: BackupLocation | undefined;
  /** Time between scheduled backups, or 0 if none are scheduled. */
  readonly intervalMs: number;
  /** Time of day from which the schedule counts, `HH:MM`; if undefined, the first backup is made at startup. */
  readonly timeOfDay: string | undefined;
  /** The number of scheduled backups to keep. */
  readonly keep: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** The service of the main thread. */
export interface OwnBackupService extends BackupService {
  /** Starts the schedule. */
  start(): Promise<void>;
  /** undefined if the engine makes no backups. */
  metrics(): BackupMetrics | undefined;
  /** Whether the continuous backup ships and its last check succeeded. */
  isShipping(): boolean;
  /** Cancels the running backup, and makes no more. */
  close(): Promise<void>;
}

/** Longest time between checks of the schedule, so that a changed clock is noticed. */
const CHECK_MS = 5_000;
/** Time until the next check while another backup runs. */
const RUNNING_CHECK_MS = 1_000;
/** Time until the backups are listed again if that failed at startup. */
const LIST_RETRY_MS = 60_000;
/** Time limit for listing what can be restored. */
const LIST_LIMIT_MS = 60_000;
/** A failed scheduled backup is retried after this time, or after the interval if that is shorter. */
const RETRY_MS = 10 * 60_000;

interface Running {
  readonly name: string | null;
  readonly startedAtMs: number;
  readonly backup: RunningBackup;
  readonly controller: AbortController;
}

/** Rejects every command, for engines that do not store the data themselves. */
export function rejectedBackups(reason: string): OwnBackupService {
  const rejection = () => gridError('NOT_SUPPORTED', 'backups', reason);
  return {
    create: () => Promise.reject(rejection()),
    // biome-ignore lint/correctness/useYield: the iteration throws.
    async *stream() {
      throw rejection();
    },
    status: () => Promise.reject(rejection()),
    verify: () => Promise.reject(rejection()),
    start: () => Promise.resolve(),
    metrics: () => undefined,
    isShipping: () => false,
    close: () => Promise.resolve(),
  };
}

export class StoredBackups implements OwnBackupService {
  readonly #options: BackupServiceOptions;
  #running: Running | undefined;
  #timer: Timer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  /** When the backup was due that is being retried. */
  #plannedMs: number | undefined;
  #closed = false;
  /** Cancels the running verification. */
  #verification: AbortController | undefined;
  /** Concurrent requests share one listing, because each runs a process. */
  #listing: Promise<Restorable> | undefined;
  #lastFailure: BackupStatus['lastFailure'] = null;
  #metrics = { completed: 0, failed: 0, lastCompletedMs: 0, lastBytes: 0, lastDurationMs: 0 };

  constructor(options: BackupServiceOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { place, restoreChecks, shippingEvents } = this.#options;
    shippingEvents?.start();
    await restoreChecks?.start();
    if (place === undefined) return;
    const started = this.#startSchedule(place);
    // The service does not wait for an object store.
    if (!place.isRemote) await started;
  }

  /** Reads when the last backup was made, and schedules the next one. Retries later if the place does not respond. */
  async #startSchedule(place: BackupLocation): Promise<void> {
    const { intervalMs, timeOfDay, clock, log } = this.#options;
    let stored: readonly StoredBackup[];
    try {
      stored = await this.#stored(place);
    } catch (error) {
      if (this.#closed) return;
      log.warn('The backups could not be listed', { folder: place.name, detail: errorText(error) });
      this.#timer = clock.after(LIST_RETRY_MS, () => void this.#startSchedule(place));
      return;
    }
    this.#metrics.lastCompletedMs = Math.max(0, ...stored.map(({ completedAt }) => Date.parse(completedAt)));
    if (intervalMs === 0) return;
    const latestMs = Math.max(...stored.map(({ name }) => scheduledTimeOf(name) ?? 0), 0);
    const isFirstDue = latestMs === 0 && timeOfDay === undefined;
    this.#dueMs = isFirstDue ? clock.nowMs() : nextBackup(this.#options, latestMs === 0 ? clock.nowMs() : latestMs);
    log.info('Backups are scheduled', { folder: place.name, intervalMs, next: isoTime(this.#dueMs) });
    this.#awaitDue(place);
  }

  async create(name: string | undefined, wait: boolean, signal: AbortSignal): Promise<CreatedBackup> {
    const { place, clock } = this.#options;
    if (place === undefined) throw gridError('BACKUP_FOLDER_MISSING');
    const file = name === undefined ? backupName(clock.nowMs()) + BACKUP_ENDING : backupFileName(name);
    const { backup } = await this.#store(place, file, wait ? signal : undefined);
    return { name: file, report: wait ? await backup.report : null };
  }

  async *stream(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { clock } = this.#options;
    const running = this.#start(null, null, signal);
    let stalled: Timer | undefined;
    try {
      for await (const chunk of running.backup.chunks) {
        stalled = clock.after(BACKUP_BOUNDS.stalledMs, () => {
          running.controller.abort(gridError('BACKUP_FAILED', 'the client stopped reading'));
        });
        yield chunk;
        stalled.cancel();
      }
    } finally {
      stalled?.cancel();
      running.controller.abort(gridError('BACKUP_FAILED', 'the client disconnected'));
    }
  }

  async status(readsRestorable: boolean): Promise<BackupStatus> {
    const { place, clock, continuousUrl } = this.#options;
    const running = this.#running;
    const restorable = readsRestorable ? await this.#restorable() : null;
    let backups: readonly StoredBackup[] = [];
    let lastFailure = this.#lastFailure;
    try {
      if (place !== undefined) backups = await this.#stored(place);
    } catch (error) {
      lastFailure = { failedAt: isoTime(clock.nowMs()), error: errorText(error) };
    }
    return {
      folder: place?.name ?? null,
      running:
        running === undefined
          ? null
          : { name: running.name, startedAt: isoTime(running.startedAtMs), bytes: running.backup.bytes() },
      nextAt: Number.isFinite(this.#dueMs) ? isoTime(this.#dueMs) : null,
      lastFailure,
      continuous: continuousReport(this.#continuous(), continuousUrl, restorable),
      backups,
    };
  }

  async verify(name: string, signal: AbortSignal): Promise<VerifiedBackup> {
    const { place, reader, log } = this.#options;
    if (place === undefined) throw gridError('BACKUP_FOLDER_MISSING');
    const file = storedFileName(name);
    if (!(await place.has(file))) throw gridError('BACKUP_NAME_INVALID', name, 'is not that of a backup in the folder');
    if (this.#verification !== undefined) throw gridError('VERIFICATION_RUNNING');
    if (this.#closed) throw gridError('STOPPING');
    const ending = new AbortController();
    this.#verification = ending;
    try {
      const found = await reader.verify(place.targetOf(file), AbortSignal.any([signal, ending.signal]));
      const { outcome, reason } = found;
      if (outcome === 'verified') log.info('A backup was verified', { name: file, encrypted: String(found.encrypted) });
      else
        log[outcome === 'damaged' ? 'error' : 'warn']('A backup was not verified', {
          name: file,
          reason: reason ?? '',
        });
      return { name: file, ...found };
    } finally {
      this.#verification = undefined;
    }
  }

  metrics(): BackupMetrics {
    return { ...this.#metrics, running: this.#running !== undefined, continuous: this.#continuous() };
  }

  isShipping(): boolean {
    const continuous = this.#continuous();
    return continuous?.state === 'shipping' && continuous.restoreChecks?.last?.outcome !== 'damaged';
  }

  async close(): Promise<void> {
    if (!this.#closed) this.#options.shippingEvents?.close();
    this.#closed = true;
    this.#verification?.abort();
    const checked = this.#options.restoreChecks?.close();
    this.#timer?.cancel();
    const running = this.#running;
    running?.controller.abort(gridError('STOPPING'));
    await running?.backup.report.catch(() => {});
    await checked;
  }

  /** Returns the states that the continuous backup can restore, or null without one. Throws BACKUP_FAILED. */
  #restorable(): Promise<Restorable> | null {
    const { reader, continuousUrl } = this.#options;
    if (continuousUrl === undefined) return null;
    this.#listing ??= reader.restorable(continuousUrl, AbortSignal.timeout(LIST_LIMIT_MS)).finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  #continuous(): ContinuousMetrics | undefined {
    const status = this.#options.continuous();
    if (status === undefined) return undefined;
    const { behindSinceMs } = status;
    const { clock, restoreChecks } = this.#options;
    const behindMs = behindSinceMs === 0 ? 0 : Math.max(0, clock.nowMs() - behindSinceMs);
    return { ...status, behindMs, restoreChecks: restoreChecks?.report() };
  }

  /** Starts a backup. Throws BACKUP_RUNNING and STOPPING. */
  #start(name: string | null, target: string | null, signal: AbortSignal | undefined): Running {
    const { engine, clock, log } = this.#options;
    if (this.#closed) throw gridError('STOPPING');
    if (this.#running !== undefined) throw gridError('BACKUP_RUNNING');
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(gridError('BACKUP_FAILED', 'the client disconnected'));
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    const startedAtMs = clock.nowMs();
    const startedMs = clock.monotonicMs();
    const backup = engine.start(target, controller.signal);
    const running: Running = { name, startedAtMs, backup, controller };
    this.#running = running;
    log.info('Backup started', { name: name ?? '' });
    const end = (): void => {
      signal?.removeEventListener('abort', onAbort);
      this.#running = undefined;
    };
    backup.report.then(
      (report) => {
        end();
        this.#completed(name, report, clock.monotonicMs() - startedMs);
      },
      (error: unknown) => {
        end();
        this.#failed(name, error);
      },
    );
    return running;
  }

  #completed(name: string | null, { bytes, sha256 }: BackupReport, durationMs: number): void {
    const { clock, log } = this.#options;
    this.#lastFailure = null;
    this.#metrics.completed++;
    this.#metrics.lastCompletedMs = clock.nowMs();
    this.#metrics.lastBytes = bytes;
    this.#metrics.lastDurationMs = durationMs;
    log.info('A backup is complete', { name: name ?? '', bytes, sha256, durationMs: Math.round(durationMs) });
  }

  #failed(name: string | null, error: unknown): void {
    const { clock, log } = this.#options;
    const text = errorText(error);
    this.#metrics.failed++;
    this.#lastFailure = { failedAt: isoTime(clock.nowMs()), error: text };
    if (!this.#closed) log.error('A backup failed', { name: name ?? '', detail: text });
  }

  /** Starts a backup in the place. Throws BACKUP_NAME_INVALID if the name is taken, and BACKUP_RUNNING. */
  async #store(place: BackupLocation, file: string, signal: AbortSignal | undefined): Promise<Running> {
    let isThere: boolean;
    try {
      await place.prepare(this.#options.clock.nowMs());
      isThere = await place.has(file);
    } catch (error) {
      this.#failed(file, error);
      throw error;
    }
    if (isThere) throw gridError('BACKUP_NAME_INVALID', file, 'is in use');
    return this.#start(file, place.targetOf(file), signal);
  }

  /** Checks the schedule when the next backup is due. */
  #awaitDue(place: BackupLocation): void {
    const { clock, intervalMs } = this.#options;
    if (this.#closed) return;
    const leftMs = this.#dueMs - clock.nowMs();
    // It is already due while another backup runs.
    const overdueMs = this.#running === undefined ? 1 : Math.min(intervalMs, RUNNING_CHECK_MS);
    const delayMs = leftMs > 0 ? Math.min(leftMs, CHECK_MS) : overdueMs;
    this.#timer = clock.after(delayMs, () => void this.#runScheduled(place).finally(() => this.#awaitDue(place)));
  }

  async #runScheduled(place: BackupLocation): Promise<void> {
    const { clock, intervalMs, log } = this.#options;
    if (clock.nowMs() < this.#dueMs || this.#running !== undefined) return;
    const plannedMs = this.#plannedMs ?? this.#dueMs;
    // Nothing is due until the backup has ended.
    this.#dueMs = Number.POSITIVE_INFINITY;
    try {
      const name = backupName(clock.nowMs(), SCHEDULED_PREFIX) + BACKUP_ENDING;
      await (await this.#store(place, name, undefined)).backup.report;
      this.#plannedMs = undefined;
      // From its planned time, so that the schedule does not drift by the duration of backups. Missed
      // times are skipped.
      let nextMs = plannedMs;
      while (nextMs <= clock.nowMs()) nextMs = nextBackup(this.#options, nextMs);
      this.#dueMs = nextMs;
    } catch (error) {
      this.#plannedMs = plannedMs;
      this.#dueMs = clock.nowMs() + Math.min(intervalMs, RETRY_MS);
      // Other errors have been logged.
      if (!(error instanceof GridError)) log.error('A scheduled backup failed', { detail: String(error) });
      return;
    }
    await this.#removeOld(place).catch((error: unknown) => {
      log.warn('Old backups could not be removed', { folder: place.name, detail: errorText(error) });
    });
  }

  /** Returns the complete backups in the place, newest first. */
  async #stored(place: BackupLocation): Promise<StoredBackup[]> {
    const found = (await place.list())
      .filter(({ name }) => name.endsWith(BACKUP_ENDING))
      .map(({ name, bytes, completedMs }) => ({ name, bytes, completedAt: isoTime(completedMs) }));
    return found.sort((a, b) => compareTexts(b.completedAt, a.completedAt) || compareTexts(b.name, a.name));
  }

  /** Removes the oldest scheduled backups beyond the number to keep. */
  async #removeOld(place: BackupLocation): Promise<void> {
    const { keep, log } = this.#options;
    const scheduled = (await this.#stored(place)).filter(({ name }) => name.startsWith(SCHEDULED_PREFIX));
    for (const { name } of scheduled.slice(keep)) {
      await place.remove(name);
      log.info('An old backup was removed', { name });
    }
  }
}

function continuousReport(
  metrics: ContinuousMetrics | undefined,
  url: string | undefined,
  restorable: Restorable | null,
): ContinuousReport | null {
  if (metrics === undefined || url === undefined) return null;
  const { state, reason, position, reportAgeMs, lastObjectMs, behindMs, behindBytes, restoreChecks } = metrics;
  return {
    ...{ url: withoutUrlSecrets(url), state, reason, position, reportAgeMs, behindMs, behindBytes, restorable },
    shippedAt: timeOf(lastObjectMs),
    restoreCheck: restoreChecks === undefined ? null : restoreCheckReport(restoreChecks),
  };
}

function restoreCheckReport({
  isRunning,
  nextMs,
  verifiedMs,
  last,
}: RestoreCheckReport): ContinuousReport['restoreCheck'] {
  return {
    running: isRunning,
    nextAt: isoTime(nextMs),
    verifiedAt: timeOf(verifiedMs),
    last: last === undefined ? null : endedReport(last),
  };
}

function endedReport({ outcome, reason, endedMs, atMs, position }: NonNullable<RestoreCheckReport['last']>) {
  return { outcome, reason, endedAt: isoTime(endedMs), instant: timeOf(atMs), position };
}

function timeOf(ms: number): string | null {
  return ms === 0 ? null : isoTime(ms);
}

/** Returns when a scheduled backup was started, from its name, or undefined for other backups. */
function scheduledTimeOf(name: string): number | undefined {
  const [, day, hours, minutes, seconds, ms] =
    /^scheduled-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\./.exec(name) ?? [];
  return day === undefined ? undefined : Date.parse(`${day}T${hours}:${minutes}:${seconds}.${ms}Z`);
}
