/** The interface of an open engine to the main thread. */
import type { QueueStatistics } from '../base/admission.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { SharedArea } from '../base/shared-areas.ts';
import type { StatementAdmission } from '../engines/embedded/dispatch/statement-slots.ts';
import type { WriterEnd } from '../engines/embedded/embedded-grid.ts';
import type { QueryAreas } from '../engines/embedded/shared/shared-query-state.ts';
import type { ServiceInfo } from '../engines/embedded/system-views/service-info.ts';
import type { ThreadSetup } from '../engines/embedded/thread/engine-thread.ts';
import type { BackupEngine, BackupReader, ContinuousStatus } from '../grid/backup.ts';
import type { Grid } from '../grid/grid.ts';
import type { StatementReport } from '../grid/statement-report.ts';
import type { StorageReport } from '../grid/storage-report.ts';
import type { OnProcessEnd } from '../processes/statement/statement-processes.ts';
import type { RestoreChecksOptions } from '../service/backups/restore-checks.ts';
import type { LastKnownUsers } from '../service/security/last-known-users.ts';

/** An open engine of the main thread. */
export interface OpenEngine {
  readonly grid: Grid;
  /** The copy of the service's own users, in front of a cluster. */
  readonly lastKnownUsers?: LastKnownUsers | undefined;
  /** Tag in the ids of this process's cursors, or undefined if there is only one process. */
  readonly cursorTag?: number;
  /** Resources for other threads, or undefined if each thread opens its own engine. */
  readonly shares: EngineShares | undefined;
  /** Makes backups; undefined if the engine does not store the data. */
  readonly backups: BackupEngine | undefined;
  /** Verifies backups and lists what can be restored; undefined under the same condition. */
  readonly backupReader: BackupReader | undefined;
  /** Reports on the continuous backup; undefined if there is none. */
  continuous(): ContinuousStatus | undefined;
  /** Where commits are counted, or undefined if the engine does not store the data. */
  readonly commitCounts?: SharedArea;
  /** Checks that it restores; undefined if there is none. */
  readonly checkRestore: RestoreChecksOptions['check'] | undefined;
  /** Time between syncs of each persistent region, in ms, or 0 if every commit is synced. Empty on a cluster. */
  readonly syncIntervals: ReadonlyMap<string, number>;
  openCursors(): number;
  /** Returns the statistics of the engine's queues, by name. */
  queues(): Readonly<Record<string, QueueStatistics>>;
  /** Ends the running statements and the open cursors of owners. */
  endOf(isOwner: (owner: string) => boolean): void;
  /** Reports running statements; undefined if the engine does not know them. */
  statements(): StatementReport | undefined;
  /** Reports the engine's files and commits; undefined if it does not store the data. */
  storage(): StorageReport | undefined;
  /** Writes the log of a store created by this startup back, once its first users are stored. */
  writeNewBack?(): void;
  /** Returns the number of cursors closed to make room for others. */
  evictedCursors(): number;
  /** Cancels all running statements and rejects new ones. */
  cancel(): void;
  close(): Promise<void>;
}

/** Resources of the main thread for threads that use its engine. */
export interface EngineShares {
  /** Areas of the shared query state. */
  readonly queryState: QueryAreas;
  /** Library of the statement guard, or undefined if it cannot be loaded. */
  readonly guardLibrary: string | undefined;
  /** The slots of statements in statement processes. */
  readonly slots: StatementAdmission;
  connect(channel: WriterEnd): ThreadSetup;
  disconnect(channel: WriterEnd): void;
  addClient(onProcessEnd: OnProcessEnd): () => void;
  /** Returns the path of a statement process's socket. */
  processAddress(index: number): Promise<string>;
  /** Sets the source of the service's system views. */
  setServiceInfo(info: () => MaybePromise<ServiceInfo>): void;
}
