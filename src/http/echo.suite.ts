/** A server for tests whose commands are functions of the test; `echo` answers with the parameters. */
import { systemClock } from '../base/clock.ts';
import { fail, GridError } from '../base/errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Outcome, RawRequest } from '../service/request.ts';
import { type HttpServerOptions, type RunningServer, startHttpServer } from './server.ts';
import type { HttpSettings } from './settings.ts';

export type Command = (request: RawRequest) => MaybePromise<Outcome | string | AsyncIterable<string>>;

export interface EchoOptions {
  readonly settings?: Partial<HttpSettings>;
  readonly limits?: Partial<Limits>;
  readonly commands?: Readonly<Record<string, Command>>;
  readonly ready?: () => MaybePromise<boolean>;
  readonly ports?: HttpServerOptions['ports'];
  readonly consoleFile?: HttpServerOptions['pages']['consoleFile'];
  readonly serviceName?: string;
}

export interface EchoServer extends RunningServer, AsyncDisposable {
  readonly notices: string[];
  readonly unexpected: unknown[];
}

export const SETTINGS: HttpSettings = {
  host: '127.0.0.1',
  port: 0,
  portRange: 1,
  idleTimeoutSeconds: 30,
  tls: undefined,
  origins: [],
  hosts: [],
  proxies: { trustedProxies: [], forwardedHeader: 'X-Forwarded-For', proxyProtocol: false },
  compressionMinBytes: 1_024,
  metricsPort: undefined,
  docs: true,
  console: true,
  consolePort: undefined,
};

/** A success with the JSON text of `response`. */
export function success(response: Outcome['response']): Outcome {
  return {
    successStatus: 0,
    http: 200,
    error: null,
    response,
    affinityNodeId: undefined,
    sessionToken: null,
    securitySubjectId: null,
  };
}

export async function startEcho(options: EchoOptions = {}): Promise<EchoServer> {
  const notices: string[] = [];
  const unexpected: unknown[] = [];
  const commands: Readonly<Record<string, Command>> = {
    echo: ({ params }) => JSON.stringify(Object.fromEntries(params)),
    ...options.commands,
  };
  const execute = (request: RawRequest): MaybePromise<Outcome> => {
    const command = commands[request.cmd ?? ''];
    if (command === undefined) throw fail('COMMAND_UNKNOWN', request.cmd ?? '', []);
    const result = command(request);
    const outcomeOf = (done: Awaited<typeof result>) =>
      typeof done === 'object' && 'successStatus' in done ? done : success(done);
    return result instanceof Promise ? result.then(outcomeOf) : outcomeOf(result);
  };
  const server = await startHttpServer(
    {
      settings: { ...SETTINGS, ...options.settings },
      serviceName: options.serviceName ?? 'svc',
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      clock: systemClock,
      pages: {
        ready: options.ready ?? (() => true),
        metrics: () => ({ ...success('svc_up 1\n'), contentType: 'text/plain;version=0.0.4' }),
        consoleFile: options.consoleFile ?? (() => Promise.resolve(undefined)),
        openApi: async () => '{"openapi":"3.1.0"}',
        home: (accept) =>
          Promise.resolve({ type: 'text/plain', body: `home for ${accept}`, headers: { Vary: 'Accept' } }),
        docs: async (path) =>
          path === '/docs/none' ? undefined : { type: 'text/plain', body: `documentation at ${path}`, headers: {} },
      },
      unexpected: (error) => {
        unexpected.push(error);
        return error instanceof GridError ? error : fail('INTERNAL', 'some-id');
      },
      notice: (level, text) => notices.push(`${level}: ${text}`),
      ...(options.ports === undefined ? {} : { ports: options.ports }),
    },
    { execute, claimantOf: (request) => ({ key: request.peerNetwork().name, isAdministrator: false }) },
  );
  return Object.assign(server, {
    notices,
    unexpected,
    [Symbol.asyncDispose]: () => server.stop(0),
  });
}
