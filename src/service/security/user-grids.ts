/**
 * Grids by user, for clusters that store the users: each grid has separate connections, logged in as the user, so that
 * the cluster's permissions apply. A grid opens at its user's first request and closes when idle.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import { GridError, gridError } from '../../base/errors.ts';
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Caller } from '../../commands/context.ts';
import type { Grid, UserDirectory } from '../../grid/grid.ts';
import type { PasswordCipher } from './password-cipher.ts';
import type { Session, Sessions } from './sessions.ts';

export interface UserGridOptions {
  /** The service's own user's grid. */
  readonly main: Grid;
  readonly mainUser: string;
  readonly directory: UserDirectory;
  readonly sessions: Sessions;
  readonly cipher: PasswordCipher;
  readonly clock: Clock;
  /** Time in ms after which an unused grid closes; longer than the idle time of a cursor. */
  readonly idleMs: number;
  /** Maximum number of open grids; the least recently used one closes first. */
  readonly maxUsers: number;
}

interface Opened {
  readonly password: string;
  /** The grid, once open. */
  grid: Grid | undefined;
  readonly opening: Promise<Grid>;
  usedMs: number;
}

/** Interval of the search for idle grids, short compared with their idle time of minutes. */
const SWEEP_MS = 30_000;

export class UserGrids {
  readonly #options: UserGridOptions;
  /** By user, least recently used first. */
  readonly #opened = new Map<string, Opened>();
  readonly #timer: Timer;

  constructor(options: UserGridOptions) {
    this.#options = options;
    this.#timer = options.clock.every(SWEEP_MS, () => this.#sweep());
  }

  /** Returns the grid of an authenticated caller. Throws TOKEN_UNKNOWN if this service does not know the password. */
  gridOf(caller: Caller): MaybePromise<Grid> {
    const { main, mainUser, sessions } = this.#options;
    if (caller.user === mainUser || caller.user === '') return main;
    const { token } = caller;
    // A certificate authenticates a user here, but cannot log in to the cluster.
    if (token === null) throw gridError('CREDENTIALS_WRONG', caller.user);
    return chain(sessions.find(token), (session) => {
      if (session === undefined) throw gridError('TOKEN_UNKNOWN', token);
      return this.#gridOf(session);
    });
  }

  async close(): Promise<void> {
    this.#timer.cancel();
    await Promise.all([...this.#opened.keys()].map((user) => this.#close(user)));
  }

  #gridOf(session: Session): MaybePromise<Grid> {
    const { cipher, clock, maxUsers } = this.#options;
    const { user, encrypted } = session;
    const password = encrypted === undefined ? undefined : cipher.decrypt(encrypted);
    if (password === undefined) throw gridError('TOKEN_UNKNOWN', session.token);
    const known = this.#opened.get(user);
    if (known?.password === password) {
      known.usedMs = clock.monotonicMs();
      this.#opened.delete(user);
      this.#opened.set(user, known);
      return known.grid ?? known.opening;
    }
    if (known) void this.#close(user);
    for (const leastRecent of this.#opened.keys()) {
      if (this.#opened.size < maxUsers) break;
      void this.#close(leastRecent);
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
        // Another client changed the password, which ends the session.
        const wrong = error instanceof GridError && error.code === 'CREDENTIALS_WRONG';
        throw wrong ? gridError('TOKEN_UNKNOWN', token) : error;
      },
    );
  }

  async #close(user: string): Promise<void> {
    const opened = this.#opened.get(user);
    this.#opened.delete(user);
    try {
      await (await opened?.opening)?.close();
    } catch {
      // It failed to open, so there is nothing to close.
    }
  }

  #sweep(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [user, { usedMs }] of this.#opened) {
      if (nowMs - usedMs > this.#options.idleMs) void this.#close(user);
    }
  }
}
