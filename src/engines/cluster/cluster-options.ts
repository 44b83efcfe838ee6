/** What the cluster engine is given. */
import type { Clock } from '../../base/clock.ts';
import type { Limits } from '../../base/limits.ts';
import type { CacheDeclaration, TemplateDeclaration } from '../../grid/declarations.ts';
import type { ObjectSchema } from '../../values/value.ts';
import type { Endpoint, TlsOptions } from './connections/sockets.ts';

export interface ClusterOptions {
  readonly clock: Clock;
  /** Nodes to begin with, `host:port`; the port is 10800 where it is absent. The others are found from them. */
  readonly endpoints: readonly string[];
  /** Needed where the cluster asks for it. */
  readonly user?: string;
  readonly password?: string;
  readonly tls?: TlsOptions;
  /** Default `default`; created at its first use. */
  readonly defaultCache?: string;
  readonly templates?: readonly TemplateDeclaration[];
  /** Created at the start when there is none of the name. */
  readonly caches?: readonly CacheDeclaration[];
  /** Registered classes: what the service knows of a class of the nodes. */
  readonly classes?: readonly ObjectSchema[];
  /**
   * An object of a class that the nodes have is written as an instance of it: first values of what is not given, no
   * other fields. Default false: with the fields that it has.
   */
  readonly mapsClasses?: boolean;
  /** Notes among the records when a cache was created, for its metrics. Default true. */
  readonly notesCreation?: boolean;
  /** Default: DEFAULT_LIMITS. */
  readonly limits?: Limits;
  /** IANA name; default: what the nodes say of themselves. */
  readonly timeZone?: string;
  /** Cache of sessions and settings, the same for all services in front of a cluster. Default `svc-sys-records`. */
  readonly recordsCache?: string;
  /** Default 5000. */
  readonly connectTimeoutMs?: number;
  /** An operation without an answer is given up. Default 30000. */
  readonly requestTimeoutMs?: number;
  /** Operations wait this long for a node to come back. Default 10000. */
  readonly reconnectTimeoutMs?: number;
  /** Default 2000. */
  readonly heartbeatIntervalMs?: number;
  /** A cursor that is not fetched is closed. Default 600000. */
  readonly queryIdleTimeoutMs?: number;
  /** Connections for statements at once; more wait. Default 32. */
  readonly queryConnections?: number;
  /** Part of the ids of cursors, 0 to 2097151: tells cursors of several services apart. Default: random. */
  readonly cursorTag?: number;
}

export const DEFAULT_PORT = 10_800;

/** Reads `host:port`, `host`, `[address]:port`. Throws RangeError for what is none. */
export function parseEndpoint(text: string): Endpoint {
  const match = /^(?:\[([0-9a-fA-F:.]+(?:%[\w.-]+)?)\]|([^:\s]+))(?::([0-9]{1,5}))?$/.exec(text.trim());
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? DEFAULT_PORT : Number(match[3]);
  if (host === undefined || port < 1 || port > 65_535) {
    throw new RangeError(`An endpoint has the form host:port, this is none: ${text}`);
  }
  return { host, port };
}
