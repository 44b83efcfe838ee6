/** The parameters with which a service with failover is started. */
import type { Clock } from '../../base/clock.ts';
import type { Configuration, ContinuousSettings, FailoverSettings } from '../../configuration/configuration.ts';
import type { SharedPorts } from '../../http/server.ts';
import type { RecordEvent } from '../../service/monitoring/audit.ts';
import type { Log } from '../../service/monitoring/log.ts';
import type { PrimaryTerm } from '../engine.ts';
import type { RunningService } from '../running-service.ts';

export interface FailoverStart {
  readonly configuration: Configuration;
  readonly continuous: ContinuousSettings;
  readonly failover: FailoverSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly recordEvent: RecordEvent;
  /** Opens the engine for a primary's term, and serves requests on the ports. */
  start(ports: () => SharedPorts | undefined, term: PrimaryTerm): Promise<RunningService>;
}
