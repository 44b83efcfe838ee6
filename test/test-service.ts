/**
 * The request pipeline over the model engine, for the tests of commands: from the strings of a request to the JSON of
 * its response, without HTTP and files.
 */

import { describe, expect, test } from 'bun:test';
import type { Compatibility } from '../src/base/compatibility.ts';
import { gridError } from '../src/base/errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../src/base/limits.ts';
import type {
  AccessService,
  ApiKeyService,
  BackupService,
  ConfigurationService,
  LogService,
  MetricsHistoryService,
  NodeService,
  ReadinessService,
  TaskService,
  UserService,
} from '../src/commands/context.ts';
import { METRIC_SERIES } from '../src/commands/metric-series.ts';
import type { CacheDeclaration, RegionDeclaration, TemplateDeclaration } from '../src/grid/declarations.ts';
import type { Queries } from '../src/grid/grid.ts';
import type { Outcome, RawRequest } from '../src/service/request.ts';
import { createSavedQueryService } from '../src/service/saved-queries/saved-query-service.ts';
import { DISABLED_SERVICES } from '../src/service/security/users.ts';
import { createService } from '../src/service/service.ts';
import type { ServiceOptions } from '../src/service/service-options.ts';
import { type ObjectSchema, text } from '../src/values/value.ts';
import { ManualClock } from './fixtures/base/manual-clock.ts';
import { openModelGrid } from './model/model-grid.ts';

/** A response as a client would see it. */
export interface TestResponse extends Omit<Outcome, 'response'> {
  /** JSON text of `response`. */
  readonly text: string;
  readonly response: unknown;
}

export interface TestService {
  /** Sends `put key=a val=1`: a command and its parameters, percent-encoded if they contain blanks or `%`. */
  send(request: string, headers?: Readonly<Record<string, string>>): Promise<TestResponse>;
  readonly clock: ManualClock;
}

export interface TestServiceOptions {
  readonly compatibility?: Compatibility;
  readonly limits?: Partial<Limits>;
  readonly caches?: readonly CacheDeclaration[];
  readonly templates?: readonly TemplateDeclaration[];
  readonly regions?: readonly RegionDeclaration[];
  readonly classes?: readonly ObjectSchema[];
  readonly queries?: Queries;
  readonly log?: LogService;
  readonly users?: UserService;
  readonly apiKeys?: ApiKeyService;
  readonly access?: AccessService;
  readonly tasks?: TaskService;
  readonly nodes?: NodeService;
  readonly readiness?: ReadinessService;
  readonly backups?: BackupService;
  readonly configuration?: ConfigurationService;
  /** Options of the pipeline itself: checks, interceptors, flags. */
  readonly service?: Partial<ServiceOptions>;
}

export function openTestService(options: TestServiceOptions = {}): TestService {
  const clock = new ManualClock();
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { caches = [], templates = [], regions = [], classes = [], queries } = options;
  const grid = openModelGrid({ clock, limits, caches, templates, regions, classes, ...(queries && { queries }) });
  const service = createService({
    grid,
    clock,
    limits,
    compatibility: options.compatibility ?? 'contract',
    serviceName: 'svc',
    defaultCache: 'default',
    getallAsArray: false,
    idempotencyKeepMs: 86_400_000,
    httpStatus: false,
    errorObjects: false,
    json: { types: true, httpStatus: true, errorObjects: true, defaultPageSize: 1_000 },
    pages: { docs: true, console: true, mcp: true },
    strictParameters: false,
    defaultPageSize: undefined,
    onReceive: undefined,
    onSend: undefined,
    signature: undefined,
    authentication: undefined,
    permissions: undefined,
    tasks: options.tasks ?? TASKS,
    users: options.users ?? NO_USERS,
    apiKeys: options.apiKeys ?? DISABLED_SERVICES.apiKeys,
    access: options.access ?? DISABLED_SERVICES.access,
    savedQueries: createSavedQueryService({
      records: grid.records,
      state: () => grid.cluster.state(),
      clock,
      limits,
      manages: undefined,
      accountIdOf: () => undefined,
    }),
    log: options.log ?? NO_LOG,
    nodes: options.nodes ?? NO_NODES,
    readiness: options.readiness ?? READY,
    backups: options.backups ?? BACKUPS,
    configuration: options.configuration ?? { options: () => [] },
    metricsHistory: METRICS_HISTORY,
    compileRegex: async (pattern) => {
      const expression = new RegExp(`^(?:${pattern})$`);
      return (name) => expression.test(name);
    },
    observer: {
      begin() {},
      waits() {},
      end() {},
      ignored() {},
      rejected() {},
      unexpected: (_command, error) => String(error),
    },
    ...options.service,
  });
  return {
    clock,
    async send(request, headers = {}) {
      const { response, ...outcome } = await service.execute(rawRequest(request, headers));
      const json = typeof response === 'string' ? response : await joined(response);
      return { ...outcome, text: json, response: outcome.contentType === undefined ? JSON.parse(json) : json };
    },
  };
}

async function joined(chunks: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const chunk of chunks) all += chunk;
  return all;
}

function rawRequest(request: string, headers: Readonly<Record<string, string>>): RawRequest {
  const [cmd = '', ...parts] = request.split(' ');
  const params = new Map<string, string>();
  for (const part of parts) {
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    if (!params.has(name)) params.set(name, equals < 0 ? '' : decodeURIComponent(part.slice(equals + 1)));
  }
  return {
    cmd: cmd === '' ? undefined : cmd,
    params,
    header: (name) => headers[name] ?? null,
    peerAddress: () => '127.0.0.1',
    peerNetwork: () => ({ name: '127.0.0.1', isConnection: false }),
    method: 'GET',
    signal: () => new AbortController().signal,
    end: () => {},
  };
}

/** Runs the task `length`: the number of characters of all its arguments. */
const TASKS: TaskService = {
  list: () => [{ id: 'task-3', name: 'length', user: '', startedAt: '2026-01-01T00:00:00.000Z' }],
  cancel(id) {
    if (!id.startsWith('task-')) throw gridError('TASK_NOT_RUNNING', id);
  },
  async run(name, args) {
    if (name !== 'length') throw gridError('TASK_NOT_FOUND', name);
    return { id: 'task-1', finished: true, result: text(String(args.join('').length)) };
  },
  start: () => ({ id: 'task-2', finished: false, result: { type: 'null' } }),
  result(id) {
    if (id !== 'task-2') throw gridError('TASK_ID_INVALID', id);
    return { id, finished: true, result: { type: 'integer', data: 5 } };
  },
};

const rejectUsers = () => Promise.reject(gridError('SECURITY_DISABLED'));
const NO_USERS: UserService = { check: rejectUsers, add: rejectUsers, update: rejectUsers, remove: rejectUsers };
const noLog = (path: string | undefined) => Promise.reject(gridError('LOG_NOT_FOUND', path ?? ''));
const NO_LOG: LogService = { lines: noLog, lastLines: noLog };
const READY: ReadinessService = { isReady: () => true, isDraining: () => false, setDraining() {} };
const BACKUPS: BackupService = {
  create: (name = 'backup.svcbackup') => ({ name, report: null }),
  async *stream() {
    yield new Uint8Array([1, 2, 3]);
  },
  status: () => ({ folder: null, running: null, nextAt: null, lastFailure: null, continuous: null, backups: [] }),
  verify: (name) => ({
    name,
    outcome: 'verified',
    reason: null,
    encrypted: false,
    createdAt: null,
    entries: 3,
    restoredBytes: 4_096,
  }),
};
const METRICS_LIMITS = { slowMs: 1_000, memoryBytes: 8_000, diskBytes: 9_000, diskReserveBytes: 100 };
const METRICS_HISTORY: MetricsHistoryService = {
  since: (afterMs) => {
    const after = <T>(values: readonly T[]): readonly T[] => (afterMs < 10 ? values : []);
    const series = Object.fromEntries(METRIC_SERIES.map(({ name }) => [name, after([1])]));
    return { intervalMs: 5_000, times: after([10]), series, commands: { get: after([2.5]) }, limits: METRICS_LIMITS };
  },
};
const NO_NODES: NodeService = { describe: () => [] };

/** Expects an error whose text contains `text`. */
export class ExpectedError {
  readonly text: string;
  readonly status: number;
  readonly response: unknown;

  constructor(text: string, status: number, response: unknown) {
    this.text = text;
    this.status = status;
    this.response = response;
  }
}

export function failsWith(text: string, status = 1, response: unknown = null): ExpectedError {
  return new ExpectedError(text, status, response);
}

/** Expects the exact JSON text of `response`, where a number must keep every digit. */
export class ExactJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function exactly(text: string): ExactJson {
  return new ExactJson(text);
}

/** A request and its expected response; a number advances the clock by as many ms. */
export type Step = readonly [request: string, expected: unknown] | number;
/** A sentence and the steps that prove it. */
export type CommandCase = readonly [title: string, ...steps: readonly Step[]];

/** Declares a test for each case of a command; each case has a separate grid. */
export function commandCases(title: string, cases: readonly CommandCase[], options: TestServiceOptions = {}): void {
  describe(title, () => {
    for (const [sentence, ...steps] of cases) {
      test(sentence, async () => {
        const service = openTestService(options);
        for (const step of steps) {
          if (typeof step === 'number') service.clock.advance(step);
          else expectResponse(await service.send(step[0]), step[1]);
        }
        expect(steps.length).toBeGreaterThan(0);
      });
    }
  });
}

/** Declares tests of behaviour that differs in compatibility mode `reference`. */
export function compatibilityCases(title: string, cases: readonly CommandCase[]): void {
  commandCases(`${title} in compatibility mode reference`, cases, { compatibility: 'reference' });
}

function expectResponse(answer: TestResponse, expected: unknown): void {
  if (expected instanceof ExpectedError) {
    expect(answer.error ?? `no failure: ${answer.text}`).toContain(expected.text);
    expect(answer.successStatus).toBe(expected.status as Outcome['successStatus']);
    expect(answer.response).toEqual(expected.response);
    return;
  }
  expect(answer.error).toBeNull();
  if (expected instanceof ExactJson) expect(answer.text).toBe(expected.text);
  else expect(answer.response).toEqual(expected);
}
