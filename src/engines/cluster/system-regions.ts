/** Data regions of the cluster, as the system views of the answering node show them. */
import type { RegionMetrics } from '../../grid/grid.ts';
import { text, type Value } from '../../values/value.ts';
import type { Pool } from './pool.ts';
import { selectAll, textCell } from './system-sql.ts';

/** Regions that the nodes keep for themselves; no cache can be put there. */
const INTERNAL_REGIONS = new Set(['sysMemPlc', 'metastoreMemPlc', 'TxLog', 'volatileDsMemPlc']);
const PREFIX = 'io.dataregion.';
const FRESH_MS = 1_000;
/** The cluster's own default where a node does not tell. */
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

  /** Reads what does not change while the nodes run. */
  async load(): Promise<void> {
    const sql = "select NAME, VALUE from SYS.CONFIGURATION where NAME like 'DataStorageConfiguration.%'";
    const values = new Map(
      (await selectAll(this.#pool, sql)).map(([name, value]) => [textCell(name), textCell(value)]),
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

  isPersistent(region: string | undefined): boolean {
    return this.#settings.persistent.get(region ?? this.#settings.defaultName) === true;
  }

  /** Names of the regions that caches can be put into. */
  async names(): Promise<string[]> {
    const known = [...(await this.#measures()).keys()].filter((name) => !INTERNAL_REGIONS.has(name));
    return known.length > 0 ? known : [this.#settings.defaultName, ...this.#settings.persistent.keys()];
  }

  async metrics(): Promise<RegionMetrics[]> {
    return [...(await this.#measures())].map(([name, figures]) => this.#toMetrics(name, figures));
  }

  async #measures(): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    // A cluster that was inactive at the start could not tell its settings then.
    if (!this.#isLoaded) await this.load();
    if (this.#metrics && this.#nowMs() - this.#metrics.loadedMs < FRESH_MS) return this.#metrics.rows;
    const regions = new Map<string, Map<string, number>>();
    const like: Value = text(`${PREFIX}%`);
    for (const [name, value] of await selectAll(this.#pool, 'select NAME, VALUE from SYS.METRICS where NAME like ?', [
      like,
    ])) {
      const path = textCell(name).slice(PREFIX.length);
      const dot = path.lastIndexOf('.');
      const region = path.slice(0, dot);
      const figures = regions.get(region) ?? new Map<string, number>();
      figures.set(path.slice(dot + 1), Number(textCell(value)));
      regions.set(region, figures);
    }
    this.#metrics = { rows: regions, loadedMs: this.#nowMs() };
    return regions;
  }

  #toMetrics(name: string, figures: ReadonlyMap<string, number>): RegionMetrics {
    const figure = (metric: string): number => figures.get(metric) ?? 0;
    const pages = figure('TotalAllocatedPages');
    const { pageBytes } = this.#settings;
    return {
      name,
      totalAllocatedPages: pages,
      totalAllocatedSize: figure('TotalAllocatedSize'),
      totalUsedPages: figure('TotalUsedPages'),
      totalUsedSize: figure('TotalUsedSize'),
      allocationRate: figure('AllocationRate'),
      evictionRate: figure('EvictionRate'),
      largeEntriesPagesPercentage: pages === 0 ? 0 : figure('LargeEntriesPagesCount') / pages,
      pagesFillFactor: figure('PagesFillFactor'),
      dirtyPages: figure('DirtyPages'),
      physicalMemoryPages: figure('PhysicalMemoryPages'),
      physicalMemorySize: figure('PhysicalMemorySize'),
      usedCheckpointBufferPages: Math.floor(figure('UsedCheckpointBufferSize') / pageBytes),
      usedCheckpointBufferSize: figure('UsedCheckpointBufferSize'),
      checkpointBufferSize: figure('CheckpointBufferSize'),
      pageSize: INTERNAL_REGIONS.has(name) ? 0 : pageBytes,
      offHeapSize: figure('OffHeapSize'),
      pagesReplaceRate: figure('PagesReplaceRate'),
      pagesReplaceAge: figure('PagesReplaceAge'),
      pagesRead: figure('PagesRead'),
      pagesWritten: figure('PagesWritten'),
      pagesReplaced: figure('PagesReplaced'),
      offheapUsedSize: figure('OffheapUsedSize'),
    };
  }
}
