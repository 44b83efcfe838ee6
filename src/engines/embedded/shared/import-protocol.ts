/** Messages between request threads and the process that imports. Plain data only. */
import type { ImportHost } from '../../../bulk/import-host.ts';
import type { ImportReport } from '../../../grid/bulk.ts';

type Message<N extends keyof ImportHost> = {
  readonly request: Parameters<ImportHost[N]>[0];
  readonly response: Awaited<ReturnType<ImportHost[N]>>;
};

/** The methods that the process which imports serves. */
export type ImportMethods = {
  readonly importBegin: Message<'begin'>;
  readonly importFeed: Message<'feed'>;
  readonly importEnd: Message<'end'>;
  readonly importState: {
    readonly request: { readonly id: string; readonly owner: string };
    readonly response: ImportReport;
  };
  readonly importDiscard: {
    readonly request: { readonly id: string; readonly owner: string };
    readonly response: null;
  };
};

/** A request thread's channel to the process that imports. */
export interface ImportChannel {
  call<N extends keyof ImportMethods>(
    name: N,
    request: ImportMethods[N]['request'],
  ): Promise<ImportMethods[N]['response']>;
}
