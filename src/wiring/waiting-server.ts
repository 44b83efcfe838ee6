/** Serves pages and health while the service has no engine, and answers every command with one error. */
import type { Clock } from '../base/clock.ts';
import { GridError } from '../base/errors.ts';
import type { FailoverStatus } from '../base/failover-status.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { type Page, servesPage } from '../http/pages/page-handler.ts';
import { type RunningServer, type SharedPorts, startHttpServer } from '../http/server.ts';
import { createResources } from '../resources/resources.ts';
import { BODY_RULES } from '../service/body-rules.ts';
import type { Log } from '../service/monitoring/log.ts';
import {
  type CommandService,
  type FailureForms,
  failedOutcome,
  failureFormOf,
  httpOf,
  type Outcome,
} from '../service/request.ts';
import { tenantOf } from '../service/tenants.ts';
import { type ConsoleSettings, consoleFile } from './console/console-files.ts';

/** The server's settings from the configuration. They can be posted to a thread. */
export type WaitingSettings = ConsoleSettings &
  Pick<Configuration, 'http' | 'httpStatus' | 'limits' | 'defaultCache' | 'compatibility'>;

export interface WaitingServerOptions {
  readonly configuration: WaitingSettings;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly ports: SharedPorts;
  /** Returns the error for every command. It reveals nothing about the data. */
  failure(): GridError;
  metrics(): Outcome;
  /** Returns a standby's report on itself, or undefined if no other service takes over. */
  role?(): FailoverStatus;
  /** Returns the page at `/`; the usual one if undefined. */
  home?(): Page;
}

export function startWaitingServer(options: WaitingServerOptions): Promise<RunningServer> {
  const { configuration, clock, log, ports, failure, metrics, role, home } = options;
  const { httpStatus, http, serviceName } = configuration;
  const service = waitingService({ httpStatus, errorObjects: http.errorObjects, json: http.json }, failure);
  return startHttpServer(
    {
      // The resources below are without /mcp, so no error leads there.
      settings: { ...http, mcp: false },
      serviceName,
      limits: configuration.limits,
      clock,
      unexpected: (error) => (error instanceof GridError ? error : failure()),
      notice: (level, text) => log[level](text),
      pages: {
        ready: () => false,
        ...(role !== undefined && { role }),
        async home(accept) {
          if (home !== undefined) return home();
          const { homePage } = await import('../documentation/home-page.ts');
          return homePage(accept, { serviceName, version: undefined, ready: false, serves: servesPage(http) });
        },
        async openApi() {
          const { openApiDocument } = await import('../documentation/openapi.ts');
          return openApiDocument(serviceName, http);
        },
        errorPage: async (path, accept) => (await import('../documentation/error-page.ts')).errorPage(path, accept),
        metrics,
        consoleFile: (file) => consoleFile(configuration, file),
      },
      ports,
      resources: createResources({ ...configuration, service, caches: NO_CACHES, manyNodes: false }),
    },
    service,
  );
}

/** Nothing is known of caches without an engine. */
const NO_CACHES = { find: () => undefined, list: () => [], cacheOfTable: () => undefined };

function waitingService(options: FailureForms, failureNow: () => GridError): CommandService {
  return {
    ...BODY_RULES,
    tenantOf: (request) => tenantOf(undefined, request, undefined),
    execute(request): Outcome {
      const failure = failureNow();
      const { httpStatus, errorObjects } = failureFormOf(request, options);
      return failedOutcome(failure, errorObjects, httpOf(failure.entry, httpStatus));
    },
  };
}
