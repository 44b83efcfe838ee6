/** The parts of the request pipeline: the grid, the checks, and the services that handlers use. */
import type { Clock } from '../base/clock.ts';
import type { RequestCompatibility } from '../base/compatibility.ts';
import type { Limits } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { OptionalPages } from '../base/meant-pages.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import type { BatchService, Caller, CallerKnowledge, CommandServices, DryRunService } from '../commands/context.ts';
import type { Decoder } from '../commands/decode.ts';
import type { Grid } from '../grid/grid.ts';
import type { StatementGrant } from '../grid/statement-grant.ts';
import type { Value } from '../values/value.ts';
import type {
  AuthenticationCheck,
  FailureForms,
  JsonOptions,
  Outcome,
  RateUsage,
  RawRequest,
  RequestObserver,
  SignatureCheck,
} from './request.ts';
import type { RunningRequests } from './running-requests.ts';

/** Counts requests against their senders' rates. */
export interface RateLimiter {
  begin(request: RawRequest): RateUsage;
}

/** Checks permissions; throws PERMISSION_DENIED. */
export interface PermissionCheck {
  /** Returns the information that a caller may see, whose permission has just been checked. */
  knowledgeOf(caller: Caller): CallerKnowledge;
  /** Returns the objects that the command's statement may read and change; undefined means everything. */
  check(
    caller: Caller,
    command: RegisteredCommand,
    args: Readonly<Record<string, unknown>>,
  ): MaybePromise<StatementGrant | undefined>;
}

/** A command and its decoder. */
export interface PreparedCommand {
  readonly command: RegisteredCommand;
  readonly decoder: Decoder;
}

/** The parts that the request pipeline adds. */
export interface PipelineOptions extends ServiceOptions {
  /** The same with the contract's flags, for features that Ignite lacks. */
  readonly contract: PipelineOptions;
  /** The same for requests whose command is in a JSON body, or in the path next to one. */
  readonly ofJson: PipelineOptions;
  /** The same as configured. */
  readonly base: PipelineOptions;
  /** Finds a command by its name in any letter case. */
  readonly find: (cmd: string) => PreparedCommand | undefined;
  /** Returns an executor for a request's batch. It calls `onReplay` if an earlier request began the batch. */
  readonly batches: (
    pipeline: PipelineOptions,
    request: RawRequest,
    caller: Caller,
    onReplay: () => void,
  ) => BatchService;
  /** Returns a function that predicts what a command with the request's parameters would do. */
  readonly dryRuns: (pipeline: PipelineOptions, request: RawRequest, caller: Caller) => DryRunService;
}

/** Adds the options for features that Ignite lacks. */
export function withContract(options: Omit<PipelineOptions, 'contract' | 'ofJson' | 'base'>): PipelineOptions {
  type Changing = { -readonly [N in keyof PipelineOptions]: PipelineOptions[N] };
  const { defaultPageSize = options.json.defaultPageSize } = options;
  const base = { ...options } as Changing;
  const contract: Changing = { ...base, compatibility: 'none' };
  const ofJson: Changing = { ...contract, defaultPageSize };
  Object.assign(ofJson, { contract: ofJson, ofJson, base });
  Object.assign(contract, { contract, ofJson, base });
  return Object.assign(base, { contract, ofJson, base });
}

/** The parts of the request pipeline. An undefined check is off. */
export interface ServiceOptions extends FailureForms, CommandServices {
  readonly json: JsonOptions;
  /** The pages next to commands that errors may name. */
  readonly pages: OptionalPages;
  readonly grid: Grid;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly compatibility: RequestCompatibility;
  readonly serviceName: string;
  readonly defaultCache: string;
  readonly getallAsArray: boolean;
  /** How long results are stored by their idempotency keys. */
  readonly idempotencyKeepMs: number;
  /** Whether a failover may undo changes that reads have seen, so that their responses also have a position. */
  readonly marksReads?: boolean;
  /** Header that a GET request must carry to change data, or undefined for none. */
  readonly csrfHeader?: string | undefined;
  /** Whether parameters that a command does not declare are rejected, regardless of their names. */
  readonly strictParameters: boolean;
  /** The page size for queries without one; if undefined, it is required. */
  readonly defaultPageSize: number | undefined;
  readonly onReceive: ((value: Value) => Value) | undefined;
  readonly onSend: ((value: Value) => Value) | undefined;
  readonly signature: SignatureCheck | undefined;
  readonly authentication: AuthenticationCheck | undefined;
  readonly permissions: PermissionCheck | undefined;
  /** Ends requests whose sender may no longer send them. Undefined without authentication. */
  readonly running?: RunningRequests | undefined;
  /** If undefined, no request is counted. */
  readonly rateLimiter?: RateLimiter | undefined;
  /** Returns the grid over the caller's own connections. If undefined, all callers use {@link grid}. */
  readonly gridOf?: ((caller: Caller) => MaybePromise<Grid>) | undefined;
  /** Reports whether a user may use the share of limited resources reserved for administrators. */
  readonly isAdministrator?: ((user: string, assigned: readonly string[] | undefined) => boolean) | undefined;
  /**
   * Executes requests, and commands of batches, where the objects that they name are: `here` does so in this service.
   */
  readonly forward?: ((request: RawRequest, here: () => MaybePromise<Outcome>) => MaybePromise<Outcome>) | undefined;
  readonly observer: RequestObserver;
}
