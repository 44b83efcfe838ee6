/** The port's imports on a request thread: forwards a source's bytes to the importing process. */
import type { ByteSource } from '../../../base/byte-source.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import { type ImportHost, importFrom } from '../../../bulk/import-host.ts';
import { type Bulk, ImportFailure, type ImportReport, type ImportRequest } from '../../../grid/bulk.ts';
import type { ImportChannel } from '../shared/import-protocol.ts';

/**
 * Calls `action` with a channel to the importing process, which is started if necessary and does not end
 * in the meantime.
 */
export type UseImports = <T>(action: (channel: ImportChannel) => Promise<T>) => Promise<T>;

export class EmbeddedBulk implements Bulk {
  readonly #use: UseImports;

  constructor(use: UseImports) {
    this.#use = use;
  }

  async importRows(request: ImportRequest, source: ByteSource): Promise<ImportReport> {
    try {
      return await this.#use((channel) => importFrom(hostOver(channel, request), request, source));
    } catch (error) {
      const { id, owner, isAtomic } = request;
      if (id === undefined || isAtomic || !isLost(error)) throw error;
      // Another process knows the stored progress, or nothing if it does not know the import.
      const report = await this.importState(id, owner).catch(() => undefined);
      throw report === undefined ? error : new ImportFailure(error, report);
    }
  }

  importState(id: string, owner: string): Promise<ImportReport> {
    return this.#use((channel) => channel.call('importState', { id, owner }));
  }

  async discardImport(id: string, owner: string): Promise<void> {
    await this.#use((channel) => channel.call('importDiscard', { id, owner }));
  }
}

/** Returns a host that runs an import in a process; the import fails if the process ends. */
function hostOver(channel: ImportChannel, request: ImportRequest): ImportHost {
  let lost: GridError | undefined;
  return {
    begin: (sent) => channel.call('importBegin', sent),
    async feed(sent) {
      try {
        return await channel.call('importFeed', sent);
      } catch (error) {
        if (isLost(error)) lost = lostFailure(request, false);
        throw lost ?? error;
      }
    },
    async end(sent) {
      if (lost !== undefined) throw lost;
      try {
        return await channel.call('importEnd', sent);
      } catch (error) {
        throw isLost(error) ? lostFailure(request, true) : error;
      }
    },
  };
}

/** Reports whether the importing process has ended. */
function isLost(error: unknown): error is GridError {
  return error instanceof GridError && error.code === 'QUERY_LOST';
}

/** Returns the error of an import whose process has ended. `isEnding`: after its last record. */
function lostFailure({ id, isAtomic }: ImportRequest, isEnding: boolean): GridError {
  if (isAtomic)
    return isEnding ? gridError('OUTCOME_UNKNOWN', PROCESS_ENDED) : gridError('IMPORT_LOST', 'nothing was imported');
  if (id === undefined) return gridError('OUTCOME_UNKNOWN', PROCESS_ENDED);
  return gridError('IMPORT_LOST', 'send the source from the stored position');
}

const PROCESS_ENDED = 'the process that imported has ended';
