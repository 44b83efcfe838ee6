/** What the request pipeline is built from: the grid, the checks, and the services that handlers use. */
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import type { CompatibilityFlags } from '../commands/compatibility-flags.ts';
import type { Caller, LogService, NodeService, TaskService, UserService } from '../commands/context.ts';
import type { Grid } from '../grid/grid.ts';
import type { Value } from '../values/value.ts';
import type { HeadJudgement, Outcome, RawRequest } from './request.ts';

/** Checks the signature of a request; refuses SIGNATURE_WRONG. */
export interface SignatureCheck {
  check(request: RawRequest): void;
}

/** Finds out who asks; refuses TOKEN_MISSING, TOKEN_UNKNOWN, CREDENTIALS_WRONG, TOO_MANY_ATTEMPTS. */
export interface AuthenticationCheck {
  admit(request: RawRequest, command: RegisteredCommand): MaybePromise<Caller>;
  /** Whether the command is open to all. */
  isOpen(command: RegisteredCommand): boolean;
  /** Judges the sender by the head of a request; `command` is undefined when the body names it. */
  judgeHead(request: RawRequest, command: RegisteredCommand | undefined): MaybePromise<HeadJudgement>;
}

/** Refuses PERMISSION_DENIED. */
export interface PermissionCheck {
  check(caller: Caller, command: RegisteredCommand, args: Readonly<Record<string, unknown>>): MaybePromise<void>;
}

/** Is told of every request that named a command. */
export interface RequestObserver {
  begin(command: RegisteredCommand): void;
  end(command: RegisteredCommand, outcome: Outcome, durationMs: number, caller: Caller, request: RawRequest): void;
  /** A failure that is not of the catalogue; gives the id that the answer names. */
  unexpected(command: RegisteredCommand, error: unknown): string;
}

/** What the gate is made of. Absent checks are switched off. */
export interface ServiceOptions {
  readonly grid: Grid;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly compatibilityFlags: CompatibilityFlags;
  readonly serviceName: string;
  readonly defaultCache: string;
  readonly getallAsArray: boolean;
  /** Answer failures with fitting HTTP codes, as `httpStatus=true` on a request does. */
  readonly httpStatus: boolean;
  readonly onReceive: ((value: Value) => Value) | undefined;
  readonly onSend: ((value: Value) => Value) | undefined;
  readonly signature: SignatureCheck | undefined;
  readonly authentication: AuthenticationCheck | undefined;
  readonly permissions: PermissionCheck | undefined;
  /** The grid over connections of the caller's own; absent: all use {@link grid}. */
  readonly gridOf?: ((caller: Caller) => MaybePromise<Grid>) | undefined;
  /** Who may use what is kept for administrators where something limited runs out; absent: nobody. */
  readonly isAdministrator?: ((user: string) => boolean) | undefined;
  readonly tasks: TaskService;
  readonly users: UserService;
  readonly log: LogService;
  readonly nodes: NodeService;
  readonly observer: RequestObserver;
}
