/**
 * The grid of each user where the cluster itself keeps the users: over connections that the user's own password opened,
 * so that the cluster's permissions hold. Opened at the user's first request, closed when nobody used it for long.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import { fail, GridError } from '../../base/errors.ts';
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Caller } from '../../commands/context.ts';
import type { Grid, UserDirectory } from '../../grid/grid.ts';
import type { PasswordCipher } from './password-cipher.ts';
import type { Session, Sessions } from './sessions.ts';

export interface UserGridOptions {
  /** The grid of the service's own user. */
  readonly main: Grid;
  readonly mainUser: string;
  readonly directory: UserDirectory;
  readonly sessions: Sessions;
  readonly cipher: PasswordCipher;
  readonly clock: Clock;
  /** A grid that was not used for so long is closed. Longer than a cursor may idle. */
  readonly idleMs: number;
  /** Users with connections at once; beyond, those of whoever was away longest are closed. */
  readonly mostUsers: number;
}

interface Opened {
  readonly password: string;
  /** The grid once it is there. */
  grid: Grid | undefined;
  readonly opening: Promise<Grid>;
  usedMs: number;
}

const SWEEP_MS = 30_000;

export class UserGrids {
  readonly #options: UserGridOptions;
  /** By user; who was away longest comes first. */
  readonly #opened = new Map<string, Opened>();
  readonly #timer: Timer;

  constructor(options: UserGridOptions) {
    this.#options = options;
    this.#timer = options.clock.every(SWEEP_MS, () => this.#sweep());
  }

  /** The grid for a caller whom the gate has let in. Refuses TOKEN_UNKNOWN when the password is not known here. */
  gridOf(caller: Caller): MaybePromise<Grid> {
    const { main, mainUser, sessions } = this.#options;
    if (caller.user === mainUser || caller.user === '') return main;
    const { token } = caller;
    // A certificate names a user, but opens none of its connections.
    if (token === null) throw fail('CREDENTIALS_WRONG', caller.user);
    return chain(sessions.find(token), (session) => {
      if (session === undefined) throw fail('TOKEN_UNKNOWN', token);
      return this.#gridOf(session);
    });
  }

  async close(): Promise<void> {
    this.#timer.cancel();
    await Promise.all([...this.#opened.keys()].map((user) => this.#close(user)));
  }

  #gridOf(session: Session): MaybePromise<Grid> {
    const { cipher, clock, mostUsers } = this.#options;
    const { user, encrypted } = session;
    const password = encrypted === undefined ? undefined : cipher.open(encrypted);
    if (password === undefined) throw fail('TOKEN_UNKNOWN', session.token);
    const known = this.#opened.get(user);
    if (known?.password === password) {
      known.usedMs = clock.monotonicMs();
      this.#opened.delete(user);
      this.#opened.set(user, known);
      return known.grid ?? known.opening;
    }
    if (known) void this.#close(user);
    for (const longestAway of this.#opened.keys()) {
      if (this.#opened.size < mostUsers) break;
      void this.#close(longestAway);
    }
    return this.#open(session, password);
  }

  #open({ user, token }: Session, password: string): Promise<Grid> {
    const { directory, clock } = this.#options;
    const opening = directory.open(user, password);
    const opened: Opened = { password, grid: undefined, opening, usedMs: clock.monotonicMs() };
    this.#opened.set(user, opened);
    return opening.then(
      (grid) => {
        opened.grid = grid;
        return grid;
      },
      (error: unknown) => {
        if (this.#opened.get(user) === opened) this.#opened.delete(user);
        // The password was changed by somebody else: the session is over.
        const wrong = error instanceof GridError && error.code === 'CREDENTIALS_WRONG';
        throw wrong ? fail('TOKEN_UNKNOWN', token) : error;
      },
    );
  }

  async #close(user: string): Promise<void> {
    const opened = this.#opened.get(user);
    this.#opened.delete(user);
    try {
      await (await opened?.opening)?.close();
    } catch {
      // It never opened: there is nothing to close.
    }
  }

  #sweep(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [user, { usedMs }] of this.#opened) {
      if (nowMs - usedMs > this.#options.idleMs) void this.#close(user);
    }
  }
}
