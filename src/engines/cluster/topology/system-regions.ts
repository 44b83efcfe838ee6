/** Reads the data regions of the cluster from the system views of one node. */
import type { RegionMetrics } from '../../../grid/grid.ts';
import { text, type Value } from '../../../values/value.ts';
import type { Pool } from '../connections/pool.ts';
import { isSqlMissing } from '../protocol/status.ts';
import { selectAll, stringOf } from './system-sql.ts';

/** Internal regions of the nodes, which cannot contain caches. */
const INTERNAL_REGIONS = new Set(['sysMemPlc', 'metastoreMemPlc', 'TxLog', 'volatileDsMemPlc']);
const PREFIX = 'io.dataregion.';
const FRESH_MS = 1_000;
/** The cluster's default, used when a node does not report its page size. */
const DEFAULT_PAGE_BYTES = 4_096;

interface Settings {
  readonly defaultName: string;
  readonly pageBytes: number;
  readonly persistent: ReadonlyMap<string, boolean>;
}

export class SystemRegions {
  readonly #pool: Pool;
  readonly #nowMs: () => number;
  #isLoaded = false;
  #settings: Settings = { defaultName: 'default', pageBytes: DEFAULT_PAGE_BYTES, persistent: new Map() };
  #metrics: { readonly rows: ReadonlyMap<string, ReadonlyMap<string, number>>; readonly loadedMs: number } | undefined;

  constructor(pool: Pool, nowMs: () => number) {
    this.#pool = pool;
    this.#nowMs = nowMs;
  }

  /** Reads the settings, which do not change while the nodes run. Nodes without SQL report none. */
  async load(): Promise<void> {
    try {
      await this.#load();
    } catch (error) {
      if (!isSqlMissing(error)) throw error;
    }
  }

  async #load(): Promise<void> {
    const sql = "select NAME, VALUE from SYS.CONFIGURATION where NAME like 'DataStorageConfiguration.%'";
    const values = new Map(
      (await selectAll(this.#pool, sql)).map(([name, value]) => [stringOf(name), stringOf(value)]),
    );
    const persistent = new Map<string, boolean>();
    for (const [name, value] of values) {
      const part =
        /^(DataStorageConfiguration\.(?:DefaultDataRegionConfiguration|DataRegionConfigurations\[\d+\]))\.Name$/;
      const owner = part.exec(name)?.[1];
      if (owner !== undefined) persistent.set(value, values.get(`${owner}.PersistenceEnabled`) === 'true');
    }
    this.#settings = {
      defaultName: values.get('DataStorageConfiguration.DefaultDataRegionConfiguration.Name') || 'default',
      pageBytes: Number(values.get('DataStorageConfiguration.PageSize')) || DEFAULT_PAGE_BYTES,
      persistent,
    };
    this.#isLoaded = true;
  }

  defaultName(): string {
    return this.#settings.defaultName;
  }

  /** Reports whether the region is persistent; undefined if the nodes have not reported it. */
  isPersistent(region: string | undefined): boolean | undefined {
    return this.#isLoaded ? this.#settings.persistent.get(region ?? this.#settings.defaultName) === true : undefined;
  }

  /** Returns the names of the regions that can contain caches, or undefined if the nodes cannot report them. */
  async names(): Promise<string[] | undefined> {
    let metrics: ReadonlyMap<string, unknown>;
    try {
      metrics = await this.#loadMetrics();
    } catch (error) {
      if (isSqlMissing(error)) return undefined;
      throw error;
    }
    const known = [...metrics.keys()].filter((name) => !INTERNAL_REGIONS.has(name));
    return known.length > 0 ? known : [this.#settings.defaultName, ...this.#settings.persistent.keys()];
  }

  async metrics(): Promise<RegionMetrics[]> {
    return [...(await this.#loadMetrics())].map(([name, loaded]) => this.#toMetrics(name, loaded));
  }

  async #loadMetrics(): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    // The cluster was inactive at startup and reported no settings.
    if (!this.#isLoaded) await this.#load();
    if (this.#metrics && this.#nowMs() - this.#metrics.loadedMs < FRESH_MS) return this.#metrics.rows;
    const regions = new Map<string, Map<string, number>>();
    const like: Value = text(`${PREFIX}%`);
    for (const [name, value] of await selectAll(this.#pool, 'select NAME, VALUE from SYS.METRICS where NAME like ?', [
      like,
    ])) {
      const path = stringOf(name).slice(PREFIX.length);
      const dot = path.lastIndexOf('.');
      const region = path.slice(0, dot);
      const loaded = regions.get(region) ?? new Map<string, number>();
      loaded.set(path.slice(dot + 1), Number(stringOf(value)));
      regions.set(region, loaded);
    }
    this.#metrics = { rows: regions, loadedMs: this.#nowMs() };
    return regions;
  }

  #toMetrics(name: string, loaded: ReadonlyMap<string, number>): RegionMetrics {
    const metric = (metric: string): number => loaded.get(metric) ?? 0;
    const pages = metric('TotalAllocatedPages');
    const { pageBytes } = this.#settings;
    return {
      name,
      totalAllocatedPages: pages,
      totalAllocatedSize: metric('TotalAllocatedSize'),
      totalUsedPages: metric('TotalUsedPages'),
      totalUsedSize: metric('TotalUsedSize'),
      allocationRate: metric('AllocationRate'),
      evictionRate: metric('EvictionRate'),
      largeEntriesPagesPercentage: pages === 0 ? 0 : metric('LargeEntriesPagesCount') / pages,
      pagesFillFactor: metric('PagesFillFactor'),
      dirtyPages: metric('DirtyPages'),
      physicalMemoryPages: metric('PhysicalMemoryPages'),
      physicalMemorySize: metric('PhysicalMemorySize'),
      usedCheckpointBufferPages: Math.floor(metric('UsedCheckpointBufferSize') / pageBytes),
      usedCheckpointBufferSize: metric('UsedCheckpointBufferSize'),
      checkpointBufferSize: metric('CheckpointBufferSize'),
      pageSize: INTERNAL_REGIONS.has(name) ? 0 : pageBytes,
      offHeapSize: metric('OffHeapSize'),
      pagesReplaceRate: metric('PagesReplaceRate'),
      pagesReplaceAge: metric('PagesReplaceAge'),
      pagesRead: metric('PagesRead'),
      pagesWritten: metric('PagesWritten'),
      pagesReplaced: metric('PagesReplaced'),
      offheapUsedSize: metric('OffheapUsedSize'),
    };
  }
}
