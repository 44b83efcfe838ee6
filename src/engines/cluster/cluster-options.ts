/** Options of the cluster engine. */
import type { Clock } from '../../base/clock.ts';
import type { RequestCompatibility } from '../../base/compatibility.ts';
import type { Endpoint, TlsOptions } from '../../base/endpoints.ts';
import type { Limits } from '../../base/limits.ts';
import type { BatchedBulkOptions } from '../../bulk/batched/batched-bulk.ts';
import type { Consumers } from '../../grid/change-consumers.ts';
import type { CacheDeclaration, TemplateDeclaration } from '../../grid/declarations.ts';
import type { Grid } from '../../grid/grid.ts';
import type { ReadBudget } from '../../grid/statement-budget.ts';
import type { ObjectSchema, Value } from '../../values/value.ts';
import type { OpenCursors } from './queries/cursors.ts';

export interface ClusterOptions {
  readonly clock: Clock;
  /** The first nodes to connect to. The rest are discovered. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Sends a request for one key to the node with its primary copy. Default true; false sends every request to the node
   * of the first reachable endpoint.
   */
  readonly partitionAwareness?: boolean;
  /** Required when the cluster uses authentication. */
  readonly user?: string;
  readonly password?: string;
  readonly tls?: TlsOptions;
  /** Name of the cache that is created on first use. Default `default`. */
  readonly defaultCache?: string;
  readonly templates?: readonly TemplateDeclaration[];
  /** Caches that startup creates if they do not exist. */
  readonly caches?: readonly CacheDeclaration[];
  /** Called with the parts of its declaration that an existing cache lacks: only missing caches are created. */
  readonly onLacking?: (cache: string, lacking: readonly string[]) => void;
  /** Registered classes of the service. */
  readonly classes?: readonly ObjectSchema[];
  /**
   * Writes an object as an instance of its class if the nodes have the class: missing fields have their initial values,
   * and unknown fields are dropped. Default false: objects are written with their own fields.
   */
  readonly mapsClasses?: boolean;
  /** With `reference`, objects show every field of their type. */
  readonly compatibility?: RequestCompatibility;
  /** Records when a cache was created, for its metrics. Default true. */
  readonly recordsCreation?: boolean;
  /** Budget of a read-only statement or a scan. Default: no limits. */
  readonly budget?: ReadBudget;
  /** Default: DEFAULT_LIMITS. */
  readonly limits?: Limits;
  /** IANA name of the nodes' time zone. Default: the zone that the nodes report. */
  readonly timeZone?: string;
  /** Default 5000. */
  readonly connectTimeoutMs?: number;
  /** Time limit of an operation. Default 30000. */
  readonly requestTimeoutMs?: number;
  /** Time that an operation waits for a node to come back. Default 10000. */
  readonly reconnectTimeoutMs?: number;
  /** Default 2000. */
  readonly heartbeatIntervalMs?: number;
  /** A cursor that is not fetched closes after this. Default 600000. */
  readonly queryIdleTimeoutMs?: number;
  /** Converts every value of a row that is sent (the configured message interceptor). */
  readonly onSend?: ((value: Value) => Value) | undefined;
  /** The parts of the service that imports need, or undefined without imports. */
  readonly imports?: Pick<BatchedBulkOptions, 'serviceName' | 'onReceive'>;
  /** Where the positions of imports are stored. Default: with this grid's records. */
  readonly importRecords?: Grid['records'];
  /** The service's consumers of changes, across its users' grids. Default: only this grid's. */
  readonly allConsumers?: Consumers;
  /** The service's open cursors, across its users' grids. Default: only this grid's. */
  readonly allCursors?: OpenCursors;
}
