/** Sends a source to a host of imports, which may be in another process. */
import type { ByteSource } from '../base/byte-source.ts';
import { GridError } from '../base/errors.ts';
import { ImportFailure, type ImportReport, type ImportRequest } from '../grid/bulk.ts';

/** An error as a message. */
export type SentFailure = Pick<GridError, 'code' | 'message'>;

/** How an import ended, and with which error. */
export interface ImportEnd {
  readonly report: ImportReport;
  readonly failure: SentFailure | undefined;
}

/** Runs imports. Requests and responses are plain data. */
export interface ImportHost {
  /** Begins or continues an import. Returns its number, or its end if it had already ended. */
  begin(request: ImportRequest): Promise<number | ImportEnd>;
  /** Reads bytes of the body and stores their records. Returns false if the import has ended. */
  feed(fed: { readonly number: number; readonly bytes: Uint8Array }): Promise<boolean>;
  /** Ends the body; with `failure`, in its middle. */
  end(ended: { readonly number: number; readonly failure: SentFailure | undefined }): Promise<ImportEnd>;
}

/** Imports the records of a source. Once the import has begun, throws ImportFailure with what was stored. */
export async function importFrom(host: ImportHost, request: ImportRequest, source: ByteSource): Promise<ImportReport> {
  const begun = await host.begin(request);
  if (typeof begun !== 'number') return resultOf(begun);
  try {
    await pump(host, begun, source);
  } catch (error) {
    const isKnown = error instanceof GridError;
    const failure: SentFailure = isKnown
      ? { code: error.code, message: error.message }
      : { code: 'INTERNAL', message: 'the source cannot be read' };
    const ended = await host.end({ number: begun, failure });
    if (!isKnown) throw error;
    return resultOf(ended);
  }
  return resultOf(await host.end({ number: begun, failure: undefined }));
}

/** Sends a source's bytes until it or the import ends. The next bytes arrive while the last ones are stored. */
async function pump(host: ImportHost, number: number, source: ByteSource): Promise<void> {
  let stored: Promise<boolean> = Promise.resolve(true);
  try {
    for (;;) {
      const bytes = await source.read();
      if (!(await stored) || bytes === undefined) return;
      stored = host.feed({ number, bytes });
      // Awaited above, but it may fail while the source is being read.
      stored.catch(() => {});
    }
  } finally {
    await stored;
  }
}

function resultOf({ report, failure }: ImportEnd): ImportReport {
  if (failure === undefined) return report;
  throw new ImportFailure(failure, report);
}
