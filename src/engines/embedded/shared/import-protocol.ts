/** Messages between request threads and the thread that imports. Plain data only. */
import type { GridError } from '../../../base/errors.ts';
import type { ImportReport, ImportRequest } from '../../../grid/bulk.ts';

/** An error as a message. */
export type SentFailure = Pick<GridError, 'code' | 'message'>;

/** How an import ended, and with which error. */
export interface ImportEnd {
  readonly report: ImportReport;
  readonly failure: SentFailure | undefined;
}

/** The methods that the thread which imports serves. */
export type ImportMethods = {
  /** Begins or continues an import. Returns its number, or its end if it had ended before. */
  readonly importBegin: { readonly request: ImportRequest; readonly response: number | ImportEnd };
  /** Reads bytes of the body and stores their records. Returns false when the import has ended. */
  readonly importFeed: {
    readonly request: { readonly number: number; readonly bytes: Uint8Array };
    readonly response: boolean;
  };
  /** Ends the body; with `failure` in its middle. */
  readonly importEnd: {
    readonly request: { readonly number: number; readonly failure: SentFailure | undefined };
    readonly response: ImportEnd;
  };
  readonly importState: {
    readonly request: { readonly id: string; readonly owner: string };
    readonly response: ImportReport;
  };
  readonly importDiscard: {
    readonly request: { readonly id: string; readonly owner: string };
    readonly response: null;
  };
};

/** A request thread's channel to the thread that imports. */
export interface ImportChannel {
  call<N extends keyof ImportMethods>(
    name: N,
    request: ImportMethods[N]['request'],
  ): Promise<ImportMethods[N]['response']>;
}
