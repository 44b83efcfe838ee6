/** The port's imports on a request thread: passes the bytes of a source on to the thread that imports. */
import type { ByteSource } from '../../../base/byte-source.ts';
import { fail, GridError } from '../../../base/errors.ts';
import { type Bulk, ImportFailure, type ImportReport, type ImportRequest } from '../../../grid/bulk.ts';
import type { ImportChannel, ImportEnd, SentFailure } from '../shared/import-protocol.ts';

/** Calls `action` with a channel to what imports, which is started when needed and does not end meanwhile. */
export type UseImports = <T>(action: (channel: ImportChannel) => Promise<T>) => Promise<T>;

export class EmbeddedBulk implements Bulk {
  readonly #use: UseImports;

  constructor(use: UseImports) {
    this.#use = use;
  }

  async importRows(request: ImportRequest, source: ByteSource): Promise<ImportReport> {
    try {
      return await this.#use((channel) => importOver(channel, request, source));
    } catch (error) {
      const { id, owner, isAtomic } = request;
      if (id === undefined || isAtomic || !isLost(error)) throw error;
      // Another process knows what is stored; nothing, if it does not know the import.
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

async function importOver(channel: ImportChannel, request: ImportRequest, source: ByteSource): Promise<ImportReport> {
  const begun = await channel.call('importBegin', request);
  if (typeof begun !== 'number') return resultOf(begun);
  let failure: SentFailure | undefined;
  try {
    await pump(channel, begun, source);
  } catch (error) {
    if (isLost(error)) throw lostFailure(request, false);
    failure = sentFailure(error);
  }
  try {
    return resultOf(await channel.call('importEnd', { number: begun, failure }));
  } catch (error) {
    throw isLost(error) ? lostFailure(request, true) : error;
  }
}

/** Reports whether the process that imports has ended. */
function isLost(error: unknown): error is GridError {
  return error instanceof GridError && error.code === 'QUERY_LOST';
}

/** Returns the error of an import whose process has ended. `isEnding`: after its last record. */
function lostFailure({ id, isAtomic }: ImportRequest, isEnding: boolean): GridError {
  if (isAtomic) return isEnding ? fail('OUTCOME_UNKNOWN', PROCESS_ENDED) : fail('IMPORT_LOST', 'nothing was imported');
  if (id === undefined) return fail('OUTCOME_UNKNOWN', PROCESS_ENDED);
  return fail('IMPORT_LOST', 'send the source from the stored position');
}

const PROCESS_ENDED = 'the process that imported has ended';

/** Sends the bytes of a source until it or the import ends. The next bytes arrive while the last ones are stored. */
async function pump(channel: ImportChannel, number: number, source: ByteSource): Promise<void> {
  let stored: Promise<boolean> = Promise.resolve(true);
  try {
    for (;;) {
      const bytes = await source.read();
      if (!(await stored) || bytes === undefined) return;
      stored = channel.call('importFeed', { number, bytes });
      // Awaited above, but it may fail while the source is being read.
      stored.catch(() => {});
    }
  } finally {
    await stored;
  }
}

function sentFailure(error: unknown): SentFailure {
  if (error instanceof GridError) return { code: error.code, message: error.message };
  throw error;
}

function resultOf({ report, failure }: ImportEnd): ImportReport {
  if (failure === undefined) return report;
  throw new ImportFailure(failure, report);
}
