/** The dependencies of subcommands: the terminal, the clock, and the parts of the service that they may need. */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { Endpoint } from '../base/endpoints.ts';
import type { FailoverDetails } from '../base/failover-status.ts';
import type { Configuration } from '../configuration/configuration.ts';

/** The process's streams and environment. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  /** Whether `output` is a terminal. Loads no stream, unlike `output.isTTY`. */
  readonly printsToTerminal: boolean;
  /** Writes to standard output, and waits while its reader is slower. Loads no stream unless `output` is in use. */
  print(chunk: string | Uint8Array): Promise<void>;
  readonly errors: Writable & { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder for relative paths. */
  readonly cwd: string;
  /** Folder of package.json, or of the executable, to which some options of the service are relative. */
  readonly installationFolder: string;
  /** Home folder of the user. */
  readonly home: string;
  /**
   * Aborted by the first SIGINT or SIGTERM. The subcommand then has a short time to end; the second signal ends it
   * immediately. A subcommand that never reads this property is ended by the first signal.
   */
  readonly interrupted: AbortSignal;
}

/** The questions that every subcommand may ask about this machine's services. */
export interface RunningServices {
  /** Returns the service running on a data folder, or undefined if there is none. */
  running(dataDir: string): Promise<RunningProcess | undefined>;
}

/** Parts of the service that subcommands run in this process. Each loads its code when called. */
export interface ServiceDependencies extends RunningServices {
  /** Returns the nodes to which a service with this configuration connects. */
  nodesOf(configuration: Configuration): readonly Endpoint[];
  /** Returns the process of the service whose data folder was removed while it ran, if the system reports it. */
  processOfRemoved(dataDir: string): Promise<number | undefined>;
  /** Asks a process to stop, or kills it. */
  signal(processId: number, signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Reports whether a process with that id exists. */
  isRunning(processId: number): boolean;
  /** Asks a data folder's standby to take over; undefined withdraws the request. */
  promote(dataDir: string, promotion: 'hand-over' | 'force' | undefined): Promise<void>;
  /** Returns the functions for backups and data folders. */
  backups(): Promise<BackupFiles>;
  /** Runs `svc migrate` with the remaining arguments until it ends or is aborted; returns the exit code. */
  migrate(argv: readonly string[], interrupted: AbortSignal): Promise<number>;
  /** Runs a service that the program on the other end of the streams tests with; returns the exit code. */
  serveTests(argv: readonly string[], terminal: Terminal): Promise<number>;
}

/** Functions for backups and for data folders that no service uses. They throw GridError. */
export interface BackupFiles {
  /** Yields a data folder's backup as bytes. */
  ofFolder(folder: string): AsyncIterable<Uint8Array>;
  /** Reads a backup to its end and checks that it is complete and undamaged. */
  check(source: AsyncIterable<Uint8Array>): Promise<BackupContents>;
  /** Restores a backup to a folder. Without `replace`, the folder must be empty. */
  restore(
    source: AsyncIterable<Uint8Array>,
    folder: string,
    replace: boolean,
    onProgress: (writtenBytes: number, totalBytes: number) => void,
  ): Promise<BackupContents>;
  /** Writes the chunks that `read` reads to an object in a bucket, which exists once `read` has succeeded. */
  writtenToObject<T>(
    url: string,
    replace: boolean,
    source: AsyncIterable<Uint8Array>,
    read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<{ readonly bytes: number; readonly contents: T }>;
  /** Yields the bytes of an object of a bucket. */
  ofObject(url: string): AsyncIterable<Uint8Array>;
  /** Returns the error in a continuous backup's URL, or undefined if it is valid. */
  urlMistake(url: string): string | undefined;
  /** Returns the contents of a file with a new key. */
  newKeyFile(): Promise<string>;
  /** Yields the encrypted bytes of a backup. */
  encrypted(source: AsyncIterable<Uint8Array>, keyFile: string): AsyncIterable<Uint8Array>;
  /** Yields the decrypted bytes of a backup. With a key file, one that is not encrypted is rejected. */
  decrypted(source: AsyncIterable<Uint8Array>, keyFile: string | undefined): AsyncIterable<Uint8Array>;
  /** Restores a point of a continuous backup to a folder, and verifies it. */
  restoreContinuous(request: ContinuousRestore): Promise<ContinuousContents & FolderContents>;
  /**
   * Lists the restorable states of a continuous backup, as in JSON; with a key file, only if it decrypts the backup.
   */
  listRestorable(url: string, keyFile: string | undefined): Promise<object>;
  /** Throws the error that prevents a bucket from being a destination: its objects cannot be listed. */
  checkBucket(url: string): Promise<void>;
  /** Throws the error that prevents decrypting a continuous backup's newest object. */
  checkKeys(url: string, keyFile: string): Promise<void>;
  /**
   * Returns pairs of keys in a data folder that are equal in this version, which therefore could not open the folder.
   */
  equalKeys(folder: string): readonly string[];
  /**
   * Yields what a deposed primary has committed but not shipped, line by line: commands as JSON, and notes after `#`.
   * `folder` contains its kept data.
   */
  tailOf(folder: string): Iterable<string>;
  /** Verifies the contents of a data folder. */
  verifyFolder(folder: string): FolderContents;
  /** Restores a backup to a temporary folder inside `temporaryFolder`, and verifies it. */
  verify(source: AsyncIterable<Uint8Array>, temporaryFolder: string): Promise<BackupContents & FolderContents>;
}

/** The requested state of a continuous backup. */
export interface ContinuousRestore {
  readonly url: string;
  readonly keyFile: string | undefined;
  /** The last restored commits were shipped at this time, in ms since 1970, or before. */
  readonly atMs: number | undefined;
  readonly position: bigint | undefined;
  readonly folder: string;
  readonly replace: boolean;
  readonly onProgress: (appliedBytes: number, totalBytes: number) => void;
}

/** The restored state of a continuous backup. */
export interface ContinuousContents {
  readonly position: string;
  /** When that state was shipped, ISO 8601. */
  readonly shippedAt: string;
  readonly objects: number;
  readonly restoredBytes: number;
}

/** The contents of a backup. */
export interface BackupContents {
  /** The snapshot's time, ISO 8601. */
  readonly createdAt: string;
  /** Version of the program that made it. */
  readonly program: string;
  readonly schemaVersion: number;
  /** Names of all regions whose caches it contains. */
  readonly regions: readonly string[];
  /** Bytes of the database files that it restores. */
  readonly restoredBytes: number;
  readonly sha256: string;
}

/** The result of a verification. */
export interface FolderContents {
  /** Whether all bytes were compared with checksums: true for a backup, false for a data folder, which has none. */
  readonly checksums: boolean;
  readonly schemaVersion: number;
  readonly caches: number;
  readonly entries: number;
  readonly indexes: number;
  /** The problems found; empty if the folder is sound. */
  readonly violations: readonly string[];
}

/** A process that uses a data folder. */
export interface RunningProcess {
  readonly processId: number;
  readonly startedAtMs: number;
  readonly version: string;
  /** Address of the service, or undefined while it starts, and for programs that serve nothing. */
  readonly url?: string;
  /** The part of its role that it reveals only here, or undefined if it has none. */
  readonly failover?: FailoverDetails;
  /** Whether this user runs it; otherwise another user may have forged the contents of the folder. */
  readonly isOwn: boolean;
}

/** The dependencies of subcommands that only send requests to a service. */
export interface ClientProgram {
  /** The product's version. */
  readonly version: string;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly service: RunningServices;
}

export interface Program extends ClientProgram {
  readonly service: ServiceDependencies;
}
