/**
 * Writes the write-ahead logs back after long changes, and empties those that have grown while cursors or overlapping
 * statements read from them. Runs in the main thread; a thread started on demand does the work.
 */
import { type Clock, sleep, type Timer } from '../../base/clock.ts';
import { RpcChannel } from '../../base/rpc-channel.ts';
import { threadUrl } from '../../base/thread-url.ts';
import type { ContinuousBackup } from '../../engines/embedded/backup/continuous/continuous-backup.ts';
import type { EmbeddedGrid } from '../../engines/embedded/embedded-grid.ts';
import type { CheckpointMethods, LogRequest, LogState } from '../../engines/embedded/storage/checkpoints.ts';
import { DATA_DATABASE } from '../../engines/embedded/storage/databases.ts';
import type { Log } from '../../service/monitoring/log.ts';
import { portOf } from '../../wiring/thread-port.ts';

/** How often the logs are checked. */
const LOG_CHECK_MS = 1_000;
const LOG_MARK_BYTES = 64 * 1024 * 1024;
/** While the disk is almost full, the space of the log is needed. */
const LOW_DISK_LOG_MARK_BYTES = 1024 * 1024;
const LOW_DISK_CHECK_MS = 200;
/**
 * Maximum number of rounds in which cursors leave the log before writes wait; after a round this short, hardly any were
 * left.
 */
const DETACH_ROUNDS = 8;
const SHORT_ROUND_MS = 40;
/** How long writes wait for readers of the log, for each {@link LOG_MARK_BYTES} of it, and at most. */
const RESET_WAIT_MS = 250;
const MAX_RESET_WAIT_MS = 1_000;
/** How long one attempt waits for statements that are reading from the log. */
const LAST_READERS_MS = 50;
/** Longest pause after failed attempts, when a statement or a copy reads for long. */
const MAX_RESET_PAUSE_MS = 30_000;
/** The thread ends after this much idle time. */
const IDLE_MS = 5_000;

export interface CheckpointerOptions {
  readonly grid: EmbeddedGrid;
  readonly clock: Clock;
  readonly log: Log;
  /** Keeps the data file's log until it has shipped it. */
  readonly continuous: ContinuousBackup | undefined;
  /** Moves the rows of cursors to temporary files. */
  readonly detachCursors: () => Promise<void>;
}

interface Running {
  readonly worker: Worker;
  readonly channel: RpcChannel<CheckpointMethods, Record<string, never>>;
}

export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #running: Running | undefined;
  #idle: Timer | undefined;
  #calls = 0;
  #isResetting = false;
  #checkedMs = 0;
  #resetNotBeforeMs = 0;
  /** Pause after the next failed attempt to reset the log. */
  #resetPauseMs = LOG_CHECK_MS;
  /** Whether a new store's log still needs to be emptied. */
  #isNew = false;
  #isStopped = false;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    options.clock.every(LOW_DISK_CHECK_MS, () => void this.#shortenLog());
  }

  /**
   * Writes a database's log back as far as its readers permit; null means all logs. `waitMs`: waits for the readers,
   * and empties the logs.
   */
  async checkpoint(database: number | null, waitMs = 0): Promise<LogState> {
    const states: LogState[] = [];
    const { grid } = this.#options;
    const isDiskLow = grid.thread.shared.isDiskLow();
    for (const [number, path] of grid.databasePaths()) {
      if (database !== null && database !== number) continue;
      if (number === DATA_DATABASE && this.#options.continuous?.permitsWriteBack === false && waitMs === 0) {
        // It would checkpoint frames that have not been shipped.
        states.push({ frames: 0, isWrittenBack: false });
        continue;
      }
      const isDurable = number === DATA_DATABASE;
      const mayKeepLength = isDurable && !isDiskLow;
      const keepsLength =
        mayKeepLength && this.#options.continuous?.keepsLength(grid.logBytes().get(number) ?? 0) === true;
      states.push(await this.#writeLogBack({ path, isDurable, waitMs, keepsLength }));
    }
    return {
      frames: Math.max(0, ...states.map(({ frames }) => frames)),
      isWrittenBack: states.every(({ isWrittenBack }) => isWrittenBack),
    };
  }

  /** Writes a new store's log back: immediately, or as soon as the continuous backup has shipped it. */
  writeNewBack(): void {
    const { grid, continuous } = this.#options;
    this.#isNew = grid.writeNewBack() && continuous !== undefined;
  }

  stop(): void {
    this.#isStopped = true;
    this.#end();
  }

  async #writeLogBack(request: LogRequest): Promise<LogState> {
    if (this.#isStopped) return { frames: 0, isWrittenBack: false };
    this.#running ??= this.#start();
    this.#idle?.cancel();
    this.#calls++;
    try {
      return await this.#running.channel.call('writeLogBack', request);
    } finally {
      this.#calls--;
      this.#idle?.cancel();
      if (this.#calls === 0) this.#idle = this.#options.clock.after(IDLE_MS, () => this.#end());
    }
  }

  #start(): Running {
    const { clock, log } = this.#options;
    const worker = new Worker(threadUrl('processes/checkpoint/checkpoint-thread.ts'), { smol: true });
    const { port1, port2 } = new MessageChannel();
    const channel = new RpcChannel<CheckpointMethods, Record<string, never>>(portOf(port1), clock);
    worker.addEventListener('error', (event) => log.error('The checkpoint thread failed', { detail: event.message }));
    worker.addEventListener('close', () => {
      channel.close();
      if (this.#running?.worker === worker) this.#running = undefined;
    });
    worker.postMessage(port2, [port2]);
    return { worker, channel };
  }

  #end(): void {
    this.#idle?.cancel();
    const { worker, channel } = this.#running ?? {};
    this.#running = undefined;
    channel?.close();
    worker?.terminate();
  }

  /**
   * Returns how much of the longest log is in use, in bytes: a log that starts over may keep its length. While the disk
   * is almost full, all of it counts.
   */
  #longestLogBytes(isDiskLow: boolean): number {
    const { grid, continuous } = this.#options;
    let longest = 0;
    for (const [number, bytes] of grid.logBytes()) {
      const used = number === DATA_DATABASE && !isDiskLow ? continuous?.usedLogBytes() : undefined;
      longest = Math.max(longest, used ?? bytes);
    }
    return longest;
  }

  /** Empties a log that has grown: cursors move their rows to temporary files, then writes wait for a moment. */
  async #shortenLog(): Promise<void> {
    const { grid, clock, continuous, detachCursors } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#isResetting || this.#isStopped || nowMs < this.#resetNotBeforeMs) return;
    const isDiskLow = grid.thread.shared.isDiskLow();
    if (!isDiskLow && nowMs - this.#checkedMs < LOG_CHECK_MS) return;
    this.#checkedMs = nowMs;
    const bytes = this.#longestLogBytes(isDiskLow);
    const markBytes = this.#isNew ? 1 : isDiskLow ? LOW_DISK_LOG_MARK_BYTES : LOG_MARK_BYTES;
    const need = { logBytes: bytes, isDiskShort: isDiskLow && grid.isDiskShort() };
    if (bytes < markBytes || grid.areCheckpointsPaused() || continuous?.canRelease(need) === false) return;
    this.#isResetting = true;
    try {
      // Most of it is shipped and checkpointed before writes wait, and then the frames written meanwhile are shipped.
      let isPrepared = await continuous?.prepareRelease(need);
      if (isPrepared === true) {
        await this.checkpoint(DATA_DATABASE);
        isPrepared = await continuous?.prepareRelease(need);
      }
      if (isPrepared === false) {
        this.#resetPauseMs = Math.min(2 * this.#resetPauseMs, MAX_RESET_PAUSE_MS);
        return;
      }
      // Each round reaches the cursors opened during the previous one.
      for (let round = 0, beginMs = clock.monotonicMs(); round < DETACH_ROUNDS; round++) {
        await detachCursors();
        const endMs = clock.monotonicMs();
        if (endMs - beginMs < SHORT_ROUND_MS) break;
        beginMs = endMs;
      }
      const waitMs = Math.min(MAX_RESET_WAIT_MS, Math.ceil(bytes / LOG_MARK_BYTES) * RESET_WAIT_MS);
      let isEmpty = false;
      await grid.whileUnwritten(async () => {
        try {
          if ((await continuous?.release()) !== false) isEmpty = await this.#emptyLog(waitMs);
        } finally {
          await continuous?.keep();
        }
      });
      if (isEmpty) this.#isNew = false;
      this.#resetPauseMs = isEmpty ? LOG_CHECK_MS : Math.min(2 * this.#resetPauseMs, MAX_RESET_PAUSE_MS);
    } catch {
      // The thread has ended, or the service is stopping.
    } finally {
      this.#resetNotBeforeMs = clock.monotonicMs() + this.#resetPauseMs;
      this.#isResetting = false;
    }
  }

  /**
   * Empties the log while nothing is written. The cursors opened before then leave it, so that it can be checkpointed;
   * then those opened in the meantime do. Cursors opened later read from the file.
   */
  async #emptyLog(waitMs: number): Promise<boolean> {
    const { clock, detachCursors } = this.#options;
    const endMs = clock.monotonicMs() + waitMs;
    for (let leftMs = waitMs; leftMs > 0; leftMs = endMs - clock.monotonicMs()) {
      await Promise.race([detachCursors(), sleep(clock, leftMs)]);
      await this.checkpoint(null);
      await Promise.race([detachCursors(), sleep(clock, leftMs)]);
      if ((await this.checkpoint(null, LAST_READERS_MS)).isWrittenBack) return true;
    }
    return false;
  }
}
