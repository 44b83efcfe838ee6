/** Information about the process and its machine; the wiring implements the interface. */
export interface ProcessMetrics {
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  upTimeMs(): number;
  memory(): MemoryMetrics;
  processor(): ProcessorMetrics;
  /** Returns the number of threads: current, maximum, and started since startup. */
  threads(): { readonly current: number; readonly maximum: number; readonly started: number };
  /** Returns the number of open files, or undefined if the platform does not report it. */
  openFiles(): Promise<number | undefined>;
  /** Maximum number of files that the process may open, or undefined if the platform does not report it. */
  readonly maxOpenFiles: number | undefined;
  /** Returns the size of the data disk in bytes, or undefined if there is none or it cannot be examined. */
  disk(): { readonly freeBytes: number; readonly totalBytes: number; readonly usableBytes: number } | undefined;
  /** Returns system properties such as `os.name`, without secrets. */
  properties(): Readonly<Record<string, string>>;
  readonly processId: number;
  readonly userName: string;
  readonly totalMemoryBytes: number;
  /** Returns the hardware addresses of the network interfaces. */
  hardwareAddresses(): readonly string[];
  /** Returns the IP addresses of the machine, in order of the interfaces. */
  networkAddresses(): readonly string[];
}

export interface MemoryMetrics {
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  /** Heap that the runtime has reserved. */
  readonly heapCommittedBytes: number;
  /** Memory outside the heap: buffers and the database. */
  readonly externalBytes: number;
}

export interface ProcessorMetrics {
  readonly count: number;
  /** Processor time used since startup. */
  readonly usedMs: number;
  /** Recent load of all processors, 0 to 1. */
  readonly currentLoad: number;
  /** Average load of all processors since startup, 0 to 1. */
  readonly averageLoad: number;
}
