/** An engine's running imports: their limit, their ids, and where each continues. */
import type { Clock } from '../base/clock.ts';
import { gridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { fitsReserve, TenantUsage } from '../base/shares.ts';
import type { ImportReport, ImportRequest } from '../grid/bulk.ts';
import type { ImportEnd, ImportHost } from './import-host.ts';
import { ImportSession } from './import-session.ts';
import type { ImportStore } from './import-sink.ts';
import { differingParameter, NO_PROGRESS, parametersOf } from './progress.ts';

export interface ImportsOptions {
  readonly store: ImportStore;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Called when an import has ended. */
  readonly onEnd?: () => void;
}

interface Running {
  readonly request: ImportRequest;
  /** undefined while it begins. */
  session: ImportSession | undefined;
}

/** The identity of an import: ids of different owners are independent. */
interface ImportIdentity {
  readonly id: string;
  readonly owner: string;
}

export class Imports implements ImportHost {
  readonly #options: ImportsOptions;
  readonly #running = new Map<number, Running>();
  readonly #shares = new TenantUsage();
  #lastNumber = 0;

  constructor(options: ImportsOptions) {
    this.#options = options;
  }

  get isImporting(): boolean {
    return this.#running.size > 0;
  }

  async begin(request: ImportRequest): Promise<number | ImportEnd> {
    const { store, limits } = this.#options;
    const { id, owner, tenant } = request;
    store.check(request);
    if (!fitsReserve(limits.imports, this.#running.size, this.#shares.of(tenant.key))) {
      throw gridError('IMPORTS_BUSY', limits.imports);
    }
    if (id !== undefined && this.#find({ id, owner }) !== undefined) throw gridError('IMPORT_IN_USE', id);
    const number = ++this.#lastNumber;
    const running: Running = { request, session: undefined };
    this.#running.set(number, running);
    this.#shares.add(tenant.key);
    try {
      const begun = await this.#open(request);
      if (!(begun instanceof ImportSession)) return begun;
      running.session = begun;
      return number;
    } finally {
      if (running.session === undefined) this.#remove(number, running);
    }
  }

  async feed({ number, bytes }: Parameters<ImportHost['feed']>[0]): Promise<boolean> {
    return (await this.#running.get(number)?.session?.feed(bytes)) ?? false;
  }

  async end({ number, failure }: Parameters<ImportHost['end']>[0]): Promise<ImportEnd> {
    const running = this.#running.get(number);
    const session = running?.session;
    if (running === undefined || session === undefined) throw gridError('STOPPING');
    try {
      return await session.end(failure);
    } finally {
      session.close();
      session.discard();
      this.#remove(number, running);
    }
  }

  /** Throws IMPORT_NOT_FOUND. */
  async state({ id, owner }: ImportIdentity): Promise<ImportReport> {
    const session = this.#find({ id, owner })?.session;
    if (session !== undefined) return session.report;
    const stored = await this.#options.store.read(owner, id);
    if (stored === undefined) throw gridError('IMPORT_NOT_FOUND', id);
    return { importId: id, ...stored.progress };
  }

  /** Throws IMPORT_IN_USE, IMPORT_NOT_FOUND. */
  async discard({ id, owner }: ImportIdentity): Promise<void> {
    if (this.#find({ id, owner }) !== undefined) throw gridError('IMPORT_IN_USE', id);
    if (!(await this.#options.store.remove(owner, id))) throw gridError('IMPORT_NOT_FOUND', id);
  }

  close(): void {
    for (const { session } of this.#running.values()) session?.close();
  }

  #find({ id, owner }: ImportIdentity): Running | undefined {
    return [...this.#running.values()].find(({ request }) => request.id === id && request.owner === owner);
  }

  /** Returns an import's session, or its end if it had already ended. */
  async #open(request: ImportRequest): Promise<ImportSession | ImportEnd> {
    const { store, clock, limits } = this.#options;
    const { id, offset } = request;
    const { stored, open } = await store.find(request);
    const differing = stored && differingParameter(stored.parameters, parametersOf(request));
    if (id !== undefined && differing !== undefined) throw gridError('IMPORT_CONFLICT', id, differing);
    // Without an id, only the client knows the position.
    const start = stored?.progress ?? { ...NO_PROGRESS, offset: id === undefined ? offset : 0 };
    if (start.state === 'done') return { report: { importId: id ?? null, ...start }, failure: undefined };
    if (offset > start.offset) throw gridError('IMPORT_POSITION', offset, start.offset);
    const sink = await open();
    try {
      return new ImportSession({ clock, request, recordBytes: limits.importRecordBytes, stored, start }, sink);
    } catch (error) {
      sink.close();
      sink.discard?.();
      throw error;
    }
  }

  #remove(number: number, { request }: Running): void {
    this.#running.delete(number);
    this.#shares.remove(request.tenant.key);
    this.#options.onEnd?.();
  }
}
