/** What the request pipeline is built from: the grid, the checks, and the services that handlers use. */
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import type { CompatibilityFlags } from '../commands/compatibility-flags.ts';
import type { BatchService, Caller, CallerKnowledge, CommandServices, DryRunService } from '../commands/context.ts';
import type { Grid } from '../grid/grid.ts';
import type { Value } from '../values/value.ts';
import type { CommandService, FailureForm, Outcome, PreAuthentication, RateUsage, RawRequest } from './request.ts';
import type { RunningRequests } from './running-requests.ts';

/** Checks the signature of a request; throws SIGNATURE_WRONG. */
export interface SignatureCheck {
  check(request: RawRequest): void;
}

/**
 * Authenticates the sender; throws TOKEN_MISSING, TOKEN_UNKNOWN, CREDENTIALS_WRONG, API_KEY_UNKNOWN and
 * TOO_MANY_ATTEMPTS.
 */
export interface AuthenticationCheck {
  authenticate(
    request: RawRequest,
    command: Pick<RegisteredCommand, 'needs' | 'openedBy' | 'params' | 'acceptsOthers'>,
  ): MaybePromise<Caller>;
  /** Returns the caller with the mark of a password, if it is the user's. Throws OLD_PASSWORD_WRONG. */
  confirmPassword(caller: Caller, password: string, request: RawRequest): MaybePromise<Caller>;
  /** Judges the sender by the head of a request; `command` is undefined if the body names it. */
  preAuthenticate(request: RawRequest, command: RegisteredCommand | undefined): MaybePromise<PreAuthentication>;
  /** Returns the authenticated sender if it can be told without waiting and without verifying a password. */
  callerWithoutWaiting(request: RawRequest): Pick<Caller, 'user' | 'key'> | undefined;
}

/** Counts requests against the rates of their senders. */
export interface RateLimiter {
  begin(request: RawRequest): RateUsage;
}

/** Checks permissions; throws PERMISSION_DENIED. */
export interface PermissionCheck {
  /** Returns what a caller may know whose permission has just been checked. */
  knowledgeOf(caller: Caller): CallerKnowledge;
  check(caller: Caller, command: RegisteredCommand, args: Readonly<Record<string, unknown>>): MaybePromise<void>;
}

/** Observes every request that names a command. */
export interface RequestObserver {
  begin(command: RegisteredCommand): void;
  /** Records that the command waits for something, so that the thread goes on with other work. */
  waits(): void;
  end(command: RegisteredCommand, outcome: Outcome, durationMs: number, caller: Caller, request: RawRequest): void;
  /** Records that a request had a parameter that its command does not declare. */
  ignored(command: string, name: string): void;
  /** Records a request that was rejected before its body, which names the command, arrived. */
  rejected(outcome: Outcome, request: RawRequest): void;
  /** Records an error that the error table does not have; returns the id for the error text. */
  unexpected(command: RegisteredCommand, error: unknown): string;
}

/** What the request pipeline adds to its parts. */
export interface PipelineOptions extends ServiceOptions {
  /** Returns what executes the batch of a request. It calls `onReplay` when an earlier request began the batch. */
  readonly batches: (request: RawRequest, caller: Caller, onReplay: () => void) => BatchService;
  /** Returns what tells what a command with the parameters of a request would do. */
  readonly dryRuns: (request: RawRequest, caller: Caller) => DryRunService;
}

/** The parts of the request pipeline. An undefined check is off. */
export interface ServiceOptions extends FailureForm, CommandServices {
  readonly grid: Grid;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly compatibilityFlags: CompatibilityFlags;
  readonly serviceName: string;
  readonly defaultCache: string;
  readonly getallAsArray: boolean;
  /** For how long results are kept by their idempotency keys. */
  readonly idempotencyKeepMs: number;
  /** Header that a GET request must carry to change data; undefined: none. */
  readonly writeHeader?: string | undefined;
  /** Whether parameters that a command does not declare are rejected, whatever their names. */
  readonly strictParameters: boolean;
  /** The page size of queries that name none; undefined: it is required. */
  readonly defaultPageSize: number | undefined;
  readonly onReceive: ((value: Value) => Value) | undefined;
  readonly onSend: ((value: Value) => Value) | undefined;
  readonly signature: SignatureCheck | undefined;
  readonly authentication: AuthenticationCheck | undefined;
  readonly permissions: PermissionCheck | undefined;
  /** Ends requests whose sender may not send them any more. Absent: nobody is authenticated. */
  readonly running?: RunningRequests | undefined;
  /** Absent: no request is counted. */
  readonly rateLimiter?: RateLimiter | undefined;
  /** Returns the grid over the caller's own connections. Absent: all callers use {@link grid}. */
  readonly gridOf?: ((caller: Caller) => MaybePromise<Grid>) | undefined;
  /** Reports whether a user may use the share of limited resources that is reserved for administrators. */
  readonly isAdministrator?: ((user: string, assigned: readonly string[] | undefined) => boolean) | undefined;
  /** Wraps the service, so that requests, and commands of batches, can be executed elsewhere. */
  readonly wrap?: ((service: CommandService) => CommandService) | undefined;
  readonly observer: RequestObserver;
}
