/** The validated configuration, with defaults applied. */
import type { Compatibility } from '../base/compatibility.ts';
import type { Endpoint, TlsOptions } from '../base/endpoints.ts';
import type { Limits } from '../base/limits.ts';
import type { ConfiguredOption } from '../commands/context.ts';
import type { CacheDeclaration, RegionDeclaration, TemplateDeclaration } from '../grid/declarations.ts';
import type { HttpSettings } from '../http/settings.ts';
import type { ShadowSettings } from '../replay/shadow.ts';
import type { LoginLimits } from '../service/security/attempts.ts';
import type { JwtSettings } from '../service/security/jwt/jwt-settings.ts';
import type { PermissionDeclaration } from '../service/security/permissions.ts';
import type { RateSettings } from '../service/security/rate-limits.ts';
import type { TaskDeclarations, TaskProcessDeclaration } from '../service/tasks/task-declaration.ts';
import type { TelemetrySettings } from '../service/telemetry/telemetry.ts';
import type { MessageInterceptor } from '../values/interceptor.ts';
import type { ObjectSchema } from '../values/value.ts';
import type { ScanPredicate, UserDeclaration } from './declaration.ts';
import type { CacheSeed } from './grid-parts.ts';

export interface Configuration extends Declarations {
  readonly serviceName: string;
  /** Absolute path. */
  readonly dataDir: string;
  readonly workers: number;
  readonly compatibility: Compatibility;
  readonly defaultCache: string;
  readonly httpStatus: boolean;
  /** Header that a GET request must carry to change data. */
  readonly csrfHeader: string | undefined;
  readonly strictParameters: boolean;
  /** The page size for queries without one; if undefined, it is required. */
  readonly defaultPageSize: number | undefined;
  readonly engine: EngineSettings;
  readonly http: HttpSettings;
  /** The service's name in the console, and its colour. */
  readonly console: { readonly title: string | undefined; readonly colour: string };
  readonly authentication: boolean;
  readonly adminPassword: string | undefined;
  readonly generatedPasswordFile: string | undefined;
  readonly secretKey: string | undefined;
  readonly signatureMaxAgeMs: number | undefined;
  readonly login: LoginLimits;
  /** Whether users need their old password to change it. */
  readonly needsOldPassword: boolean;
  /** Minimum length of a password that a command sets. */
  readonly minimumPasswordLength: number;
  /** undefined if JSON Web Tokens are not accepted. */
  readonly jwt: JwtSettings | undefined;
  readonly rateLimits: RateSettings;
  readonly sessionTimeoutMs: number;
  readonly consoleSessionTimeoutMs: number;
  /** If undefined, a session lasts as long as it is used. */
  readonly sessionLifetimeMs: number | undefined;
  readonly getallAsArray: boolean;
  readonly queryIdleTimeoutMs: number;
  readonly query: QuerySettings;
  /** Free bytes of the disk below which changes that add data are rejected; the engine's default if undefined. */
  readonly minFreeBytes: number | undefined;
  /** How long, and how many bytes per file, the change feed is kept. */
  readonly changeFeed: { readonly ageMs: number; readonly bytes: number };
  /** How long results are stored by their idempotency keys. */
  readonly idempotencyKeepMs: number;
  readonly backup: BackupSettings;
  readonly taskProcesses: TaskProcessDeclaration;
  readonly log: {
    readonly dir: string;
    readonly level: 'debug' | 'info' | 'warn' | 'error';
    readonly stdout: 'none' | 'text' | 'json';
    /** Statements and requests that take longer are logged as slow; 0 logs none. */
    readonly slowMs: number;
  };
  /** How long a stopping service continues to serve, so load balancers notice that it is not ready. */
  readonly shutdownDelayMs: number;
  readonly shadow: ShadowSettings | undefined;
  /** The data that an OpenTelemetry collector receives, or undefined without one. */
  readonly telemetry: TelemetrySettings | undefined;
  readonly limits: Limits;
  /** Absolute path of the configuration file, or undefined if there is none. */
  readonly file: string | undefined;
  /** Warnings that are logged at startup. */
  readonly warnings: readonly string[];
  /** Returns every option with its value and source. */
  explain(): readonly ConfiguredOption[];
}

/** Backups of the embedded engine. */
export interface BackupSettings {
  /** Absolute path of the backup folder, or URL of a bucket; if undefined, clients can only receive backups. */
  readonly folder: string | undefined;
  /** Time between scheduled backups, or 0 if none are scheduled. */
  readonly intervalMs: number;
  /** Time of day from which the schedule counts, `HH:MM`. */
  readonly timeOfDay: string | undefined;
  /** The number of scheduled backups to keep. */
  readonly keep: number;
  /** Bytes per second to read, or 0 for no limit. */
  readonly bytesPerSecond: number;
  /** Absolute path of the file with the backup keys; if undefined, backups are not encrypted. */
  readonly keyFile: string | undefined;
  /** The continuous backup, or undefined if there is none. */
  readonly continuous: ContinuousSettings | undefined;
}

/** A continuous backup. */
export interface ContinuousSettings {
  readonly url: string;
  /** Whether a store without conditional requests is accepted. */
  readonly assumesSoleWriter: boolean;
  readonly intervalMs: number;
  /** How long all states can be restored and, after that, the state at the end of each interval. */
  readonly pitrWindowMs: number;
  readonly retentionMs: number;
  /** Bytes of the write-ahead log from which it is emptied even if not all of it is in the destination. */
  readonly maxLogBytes: number;
  /** Time between checks that it restores, or undefined for none. */
  readonly verifyIntervalMs: number | undefined;
  /** undefined if no other service takes over. */
  readonly failover: FailoverSettings | undefined;
}

/** Services that take over from each other. */
export interface FailoverSettings {
  /** When a change is acknowledged. */
  readonly acknowledge: 'remote' | 'local';
  /** Whether reads wait until the data that they have seen is in the destination. */
  readonly gatesReads: boolean;
  readonly leaseMs: number;
  /** Maximum age of acknowledged changes that are not shipped; unbounded if undefined. */
  readonly maxLossMs: number | undefined;
  readonly advertisedUrl: string | undefined;
}

/** Limits of statements and scans; 0 is unlimited. */
export interface QuerySettings {
  /** Time limit unless the request sets one. */
  readonly timeMs: number;
  readonly maxTimeMs: number;
  readonly memoryBytes: number;
  /** Maximum memory of all running statements together. */
  readonly totalMemoryBytes: number;
  /** Maximum memory of a statement process beyond its startup memory. */
  readonly processMemoryBytes: number;
  /** Maximum bytes written to temporary files. */
  readonly diskBytes: number;
  /** Maximum bytes of temporary files of all running statements together. */
  readonly totalDiskBytes: number;
  /** Maximum number of bytes of rows in all pages together. */
  readonly resultBytes: number;
  readonly writeLockMs: number;
  /** Maximum number of processes for read-only statements; at least 1. */
  readonly processes: number;
}

/** The parts that only a configuration file can declare. */
export interface Declarations {
  readonly users: readonly UserDeclaration[];
  /** Users by their client certificate's subject. */
  readonly certificateUsers: ReadonlyMap<string, string>;
  readonly permissions: PermissionDeclaration;
  readonly regions: readonly RegionDeclaration[];
  readonly templates: readonly TemplateDeclaration[];
  readonly caches: readonly CacheDeclaration[];
  /** Initial entries of caches that are empty at startup. */
  readonly seeds: readonly CacheSeed[];
  readonly classes: readonly ObjectSchema[];
  /** Module paths are absolute. */
  readonly tasks: TaskDeclarations;
  readonly scanPredicates: ReadonlyMap<string, ScanPredicate>;
  readonly interceptor: MessageInterceptor | undefined;
}

export type EngineSettings = { readonly kind: 'embedded' } | ({ readonly kind: 'cluster' } & ClusterSettings);

export interface ClusterSettings {
  readonly endpoints: readonly Endpoint[];
  /** If false, every request goes to the first reachable endpoint. */
  readonly partitionAwareness: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  /** Whether requests without credentials act as the user of {@link credentials}, although the cluster has users. */
  readonly sharesAccount: boolean;
  /** Contents of the PEM files, not their paths. */
  readonly tls: TlsOptions | undefined;
}
