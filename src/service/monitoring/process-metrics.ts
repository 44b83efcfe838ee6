/** What the service asks of the process it runs in; the wiring answers it. */
export interface ProcessMetrics {
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  upTimeMs(): number;
  memory(): MemoryMetrics;
  processor(): ProcessorMetrics;
  /** Threads of the process: now, the most there were, all that were ever started. */
  threads(): { readonly current: number; readonly maximum: number; readonly started: number };
  /** The disk that holds the data, in bytes; undefined where there is none. */
  disk(): { readonly freeBytes: number; readonly totalBytes: number; readonly usableBytes: number } | undefined;
  /** Names and values like `os.name`, without any that may be secret. */
  properties(): Readonly<Record<string, string>>;
  readonly processId: number;
  readonly userName: string;
  readonly totalMemoryBytes: number;
  /** Hardware addresses of the network. */
  hardwareAddresses(): readonly string[];
  /** Addresses of the machine in order of their interfaces. */
  networkAddresses(): readonly string[];
}

export interface MemoryMetrics {
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  /** Heap that the runtime has taken. */
  readonly heapCommittedBytes: number;
  /** Memory of buffers and of the database, outside of the heap. */
  readonly externalBytes: number;
}

export interface ProcessorMetrics {
  readonly count: number;
  /** Used since the start, of all processors. */
  readonly usedMs: number;
  /** Share of all processors lately, 0 to 1. */
  readonly currentLoad: number;
  /** Share of all processors since the start, 0 to 1. */
  readonly averageLoad: number;
}
