/** What an engine offers to the main thread once it is open. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { WriterEnd } from '../engines/embedded/embedded-grid.ts';
import type { ServiceInfo } from '../engines/embedded/system-views/service-info.ts';
import type { ThreadSetup } from '../engines/embedded/thread/engine-thread.ts';
import type { Grid } from '../grid/grid.ts';
import type { OnThreadEnd } from './query-threads.ts';

/** An open engine of the main thread. */
export interface OpenEngine {
  readonly grid: Grid;
  /** Tag in the ids of this process's cursors; undefined where there is only one process. */
  readonly cursorTag?: number;
  /** What other threads share; undefined where each opens its own engine. */
  readonly shares: EngineShares | undefined;
  openCursors(): number;
  /** Cancels all running statements and rejects further ones. */
  cancel(): void;
  close(): Promise<void>;
}

/** What the main thread shares with threads that use its engine. */
export interface EngineShares {
  /** Memory of the shared query state. */
  readonly queryState: SharedArrayBuffer;
  connect(channel: WriterEnd): ThreadSetup;
  disconnect(channel: WriterEnd): void;
  addClient(onThreadEnd: OnThreadEnd): () => void;
  queryPort(index: number): MessagePort;
  /** Sets the source of the system views of the service. */
  showService(info: () => MaybePromise<ServiceInfo>): void;
}
