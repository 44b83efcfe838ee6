/** The running imports of the process, with the files that they store records in. */
import { Imports } from '../../../../bulk/imports.ts';
import { EmbeddedImportStore, type EmbeddedImportStoreOptions } from './import-store.ts';

export interface EmbeddedImportsOptions extends EmbeddedImportStoreOptions {
  /** Called when an import has ended. */
  readonly onEnd: () => void;
}

export class EmbeddedImports extends Imports {
  readonly #store: EmbeddedImportStore;

  constructor(options: EmbeddedImportsOptions) {
    const { thread, clock, onEnd } = options;
    const store = new EmbeddedImportStore(options);
    super({ store, clock, limits: thread.limits, onEnd });
    this.#store = store;
  }

  /** Ends imports to non-persistent regions, before their files are removed. */
  releaseRegions(): void {
    this.#store.releaseRegions();
  }

  override close(): void {
    super.close();
    this.#store.close();
  }
}
