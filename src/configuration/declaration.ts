/** The configuration file as its writer sees it. The options in it are described in src/configuration/options.ts. */
import type { Limits } from '../base/limits.ts';
import type { RegionDeclaration, TemplateDeclaration } from '../grid/declarations.ts';
import type { CacheMode, WriteSynchronizationMode } from '../grid/grid.ts';
import type { PermissionDeclaration } from '../service/security/permissions.ts';
import type { TaskDeclarations, TaskProcessDeclaration } from '../service/tasks/task-declaration.ts';
import type { MessageInterceptor } from '../values/interceptor.ts';
import type { Value } from '../values/value.ts';
import type { FieldWord } from './field-words.ts';

/** What stands in `svc.config.ts`; everything may be left away. */
export interface SvcConfiguration {
  /** The clients' word for the service: the path, the credentials (`NAME.login`), the UUID type, the default user. */
  readonly name?: string;
  /** Folder of the data, relative to the configuration file. */
  readonly dataDir?: string;
  /** Threads that answer HTTP requests. */
  readonly workers?: number;
  readonly compatibility?: 'contract' | 'reference';
  readonly defaultCache?: string;
  /** Answer failed commands with fitting HTTP codes instead of 200. */
  readonly httpStatus?: boolean;
  readonly engine?: 'embedded' | 'cluster' | { readonly cluster: ClusterPart };
  readonly http?: HttpPart;
  readonly authentication?: boolean;
  /** The default user's password when a new store is begun. Better kept out of files: SVC_ADMIN_PASSWORD. */
  readonly adminPassword?: string;
  /** Listen on a non-loopback address without authentication. */
  readonly allowOpen?: boolean;
  /** Every request must be signed with this key. Better kept out of files: SVC_SECRET_KEY. */
  readonly secretKey?: string;
  /** Seconds that a signature's timestamp may differ from now. */
  readonly signatureMaxAge?: number;
  readonly login?: {
    /** Wrong passwords of a user from one network, after which attempts are rejected for a time that doubles. */
    readonly maxFailures?: number;
    /** Wrong passwords in a minute from one network after which its attempts are checked one per second. */
    readonly maxNetworkFailures?: number;
    /** Most seconds that attempts are rejected after a wrong password. */
    readonly maxBackoff?: number;
  };
  readonly rest?: {
    /** Seconds after its last use that a session ends. */
    readonly sessionTimeout?: number;
    readonly getallAsArray?: boolean;
  };
  readonly query?: {
    /** Seconds after which a cursor that is not fetched is closed. */
    readonly idleTimeout?: number;
    /** Seconds for which a statement may run where the request does not say; 0: any. */
    readonly timeout?: number;
    /** Most seconds that a request may ask for; 0: any. */
    readonly maxTimeout?: number;
    /** Memory that one statement may take; 0: any. */
    readonly maxMemoryBytes?: number;
    /** Bytes that one statement may write into temporary files; 0: any. */
    readonly maxTemporaryBytes?: number;
    /** Milliseconds for which a change may keep others waiting; 0: any. */
    readonly maxWriteLockMs?: number;
    /** Most threads for statements that read. */
    readonly threads?: number;
  };
  readonly log?: { readonly dir?: string; readonly level?: 'debug' | 'info' | 'warn' | 'error' };
  readonly limits?: Partial<Limits>;

  /** Users that a new store begins with; afterwards users are kept in the store. */
  readonly users?: readonly UserDeclaration[];
  /**
   * Subjects of client certificates as in RFC 4514 (`CN=ann,O=Example`, special characters escaped: `CN=Ann\\, Inc.`)
   * and the users they stand for; needs http.tls.ca.
   */
  readonly certificateUsers?: Readonly<Record<string, string>>;
  /** Roles, and who has them. */
  readonly permissions?: PermissionDeclaration;
  readonly regions?: readonly RegionDeclaration[];
  readonly templates?: readonly TemplateDeclaration[];
  readonly caches?: readonly CachePart[];
  /** Custom types by name (docs/spec/contract.md 2.2, step 1). */
  readonly classes?: Readonly<Record<string, ClassPart>>;
  /** Tasks by name: a task, or the path of a module, relative to this file, whose default export is one. */
  readonly tasks?: TaskDeclarations;
  readonly taskProcesses?: TaskProcessDeclaration;
  /** Predicates of qryscanexe by class name. */
  readonly scanPredicates?: Readonly<Record<string, ScanPredicate>>;
  readonly interceptor?: MessageInterceptor;
}

export interface HttpPart {
  /** `localhost` stands for 127.0.0.1 and ::1. */
  readonly host?: string;
  readonly port?: number;
  readonly portRange?: number;
  readonly idleTimeoutSeconds?: number;
  /** Origins whose web pages may use the service. */
  readonly origins?: readonly string[];
  /** Host names accepted while only loopback addresses are listened on. */
  readonly hosts?: readonly string[];
  readonly metricsPort?: number;
  /** HTTP server configuration file (JSON), relative to the installation folder. */
  readonly config?: string;
  /** Serve plain HTTP beside HTTPS. */
  readonly plain?: boolean;
  readonly tls?: {
    readonly cert?: string;
    readonly key?: string;
    readonly passphrase?: string;
    readonly ca?: string;
    readonly port?: number;
    readonly minimumVersion?: 'TLSv1.2' | 'TLSv1.3';
    readonly clientCertificates?: 'none' | 'optional' | 'required';
  };
}

export interface ClusterPart {
  /** `HOST:PORT` of nodes, thin client port. */
  readonly endpoints?: readonly string[];
  readonly user?: string;
  readonly password?: string;
  readonly tls?: {
    readonly enabled?: boolean;
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly passphrase?: string;
    readonly serverName?: string;
    readonly trustAll?: boolean;
  };
}

export interface UserDeclaration {
  readonly name: string;
  readonly password: string;
}

/** A cache that exists from the start; what is absent is taken from the template. */
export interface CachePart {
  readonly name: string;
  readonly template?: string;
  readonly mode?: CacheMode;
  readonly backups?: number;
  readonly region?: string;
  readonly group?: string;
  readonly writeMode?: WriteSynchronizationMode;
  readonly atomicity?: 'ATOMIC' | 'TRANSACTIONAL';
  /** SQL schema; default: the cache's name when it has entities. */
  readonly schema?: string;
  /** SQL tables over the cache's entries. */
  readonly entities?: readonly EntityPart[];
  /** Entries that the cache begins with; stored when it is empty at a start. */
  readonly entries?: readonly SeedPart[];
}

export interface EntityPart {
  /** Type of the keys as clients name it. */
  readonly keyType: string;
  readonly valueType: string;
  /** Default: the last part of the value type's name. */
  readonly tableName?: string;
  /** Names of those fields that belong to the key; one, the key itself, when the key is a scalar. */
  readonly keyFields?: readonly string[];
  readonly fields: Readonly<Record<string, FieldWord | FieldPart>>;
  /** Names of fields that have an index each, or indexes in full. */
  readonly indexes?: ReadonlyArray<string | IndexPart>;
}

export interface FieldPart {
  readonly type: FieldWord;
  readonly precision?: number;
  readonly scale?: number;
  /** The column's name where it differs from the field's. */
  readonly alias?: string;
  readonly notNull?: boolean;
  /** Default of the column, as a client would write the value. */
  readonly default?: string | number | boolean;
}

export interface IndexPart {
  readonly name?: string;
  readonly fields: ReadonlyArray<string | { readonly name: string; readonly descending?: boolean }>;
  readonly unique?: boolean;
}

/** An entry: a text, number or boolean as a client would write it, an object for custom types. */
export interface SeedPart {
  readonly key: SeedValue;
  readonly keyType?: string;
  readonly value: SeedValue;
  readonly valueType?: string;
}

export type SeedValue = string | number | bigint | boolean | { readonly [member: string]: unknown };

/**
 * A custom type: its fields, or a TypeScript class. A class names its fields in a static member `fields`; without one
 * they are those of a new instance, where a number counts as double and a bigint as long.
 */
export type ClassPart = Readonly<Record<string, FieldWord>> | ClassWithFields | (new () => object);

export interface ClassWithFields {
  new (...args: never[]): object;
  readonly fields: Readonly<Record<string, FieldWord>>;
}

/** Whether a scan shows the entry. */
export type ScanPredicate = (key: Value, value: Value) => boolean;
