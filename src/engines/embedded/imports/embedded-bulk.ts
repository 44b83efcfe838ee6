/** The port's imports on a request thread: passes the bytes of a source on to the thread that imports. */
import type { ByteSource } from '../../../base/byte-source.ts';
import { GridError } from '../../../base/errors.ts';
import { type Bulk, ImportFailure, type ImportReport, type ImportRequest } from '../../../grid/bulk.ts';
import type { ImportChannel, ImportEnd, SentFailure } from './import-protocol.ts';

export class EmbeddedBulk implements Bulk {
  readonly #channel: () => Promise<ImportChannel>;

  /** `channel` returns the channel to the thread that imports, which it starts when needed. */
  constructor(channel: () => Promise<ImportChannel>) {
    this.#channel = channel;
  }

  async importRows(request: ImportRequest, source: ByteSource): Promise<ImportReport> {
    const channel = await this.#channel();
    const begun = await channel.call('importBegin', request);
    if (typeof begun !== 'number') return resultOf(begun);
    let failure: SentFailure | undefined;
    try {
      await pump(channel, begun, source);
    } catch (error) {
      failure = sentFailure(error);
    }
    return resultOf(await channel.call('importEnd', { number: begun, failure }));
  }

  async importState(id: string, owner: string): Promise<ImportReport> {
    const channel = await this.#channel();
    return channel.call('importState', { id, owner });
  }

  async discardImport(id: string, owner: string): Promise<void> {
    const channel = await this.#channel();
    await channel.call('importDiscard', { id, owner });
  }
}

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
