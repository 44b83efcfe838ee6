/**
 * The users of a service in front of a cluster. They cannot be read while the cluster is inactive, and an in-memory
 * cluster then loses them. The service keeps a copy: users log in with their last known credentials to see and change
 * the state, and a cluster that has lost its users gets them back. A file keeps the copy across restarts.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock, Timer } from '../../base/clock.ts';
import { GridError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { CommandDeclaration } from '../../commands/command.ts';
import type { RecordKind, Records } from '../../grid/grid.ts';
import { type Account, contentOf } from './accounts.ts';
import { SEEDED } from './users.ts';

export interface LastKnownUsersOptions {
  readonly records: Records;
  readonly clock: Clock;
  /** Where the copy is stored, with the password hashes. */
  readonly file: string;
}

export interface UsersStart {
  /** Creates the first users if the cluster has none. */
  readonly prepare: () => Promise<void>;
  /** The configured administrator, who may log in if no users are known yet. */
  readonly initial: Account | undefined;
  /** Performs the startup steps that need an active cluster. Resolves with false if it still cannot. */
  readonly complete: () => Promise<boolean>;
  /** Called when the users can be read again, so that threads read their sessions again. */
  readonly onReadable: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** How often the copy is compared with the cluster: other services' changes take effect within this time. */
const REFRESH_MS = 1_000;
/** All users are listed in every such comparison; in the others, only the known ones are read. */
const LISTED_EVERY = 60;
const RESTORING = 'users.restoring';
/** Time after which another service may restore the users if the first one has not. */
const RESTORING_MS = 10_000;
/**
 * A copy from an earlier run can be older than the copies of services that have run since, with users that have since
 * been removed. These restore theirs within {@link REFRESH_MS}.
 */
const EARLIER_COPY_WAITS_MS = 3 * REFRESH_MS;

export class LastKnownUsers implements Records {
  readonly #records: Records;
  readonly #clock: Clock;
  readonly #file: string;
  /** Contents of the records by user name. */
  #known = new Map<string, string>();
  /** Whether the copy is of the cluster's users, read by this process or an earlier one. */
  #hasCopy = false;
  /** Whether this process has read the cluster's users. */
  #hasRead = false;
  #isReadable = true;
  #isComplete = false;
  #refreshes = 0;
  /** When this process found that the cluster has lost its users and only an earlier run's copy remains. */
  #lostMs: number | undefined;
  #running: Promise<void> | undefined;
  #timer: Timer | undefined;
  #start: UsersStart | undefined;

  constructor({ records, clock, file }: LastKnownUsersOptions) {
    this.#records = records;
    this.#clock = clock;
    this.#file = file;
  }

  /** Whether the copy is in use, because the cluster's users cannot be read. */
  get isInUse(): boolean {
    return !this.#isReadable;
  }

  /** Reads or creates the users; if the cluster does not allow it, does so later. */
  async start(start: UsersStart): Promise<void> {
    this.#start = start;
    this.#known = readCopy(this.#file);
    this.#hasCopy = this.#known.size > 0;
    await this.#refresh();
    const { initial } = start;
    if (this.#known.size === 0 && initial !== undefined) this.#known.set(initial.name, contentOf(initial));
    this.#timer = this.#clock.every(REFRESH_MS, () => void this.#refresh().catch(start.onFailure));
  }

  close(): void {
    this.#timer?.cancel();
  }

  get(kind: RecordKind, id: string): MaybePromise<string | undefined> {
    return kind === 'user' ? this.#user(id) : this.#records.get(kind, id);
  }

  async put(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<void> {
    await this.#records.put(kind, id, content, expiresAtMs);
    if (kind === 'user') this.#replace(new Map(this.#known).set(id, content));
  }

  async add(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean> {
    const added = await this.#records.add(kind, id, content, expiresAtMs);
    if (added && kind === 'user') this.#replace(new Map(this.#known).set(id, content));
    return added;
  }

  async replace(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean> {
    const replaced = await this.#records.replace(kind, id, content, expiresAtMs);
    if (replaced && kind === 'user') this.#replace(new Map(this.#known).set(id, content));
    return replaced;
  }

  async remove(kind: RecordKind, id: string): Promise<string | undefined> {
    const removed = await this.#records.remove(kind, id);
    if (kind === 'user') this.#replace(new Map([...this.#known].filter(([name]) => name !== id)));
    return removed;
  }

  list(kind: RecordKind): ReturnType<Records['list']> {
    return this.#records.list(kind);
  }

  async #user(id: string): Promise<string | undefined> {
    const known = this.#known.get(id);
    try {
      const content = await this.#records.get('user', id);
      if (content !== undefined || known === undefined) return content;
      if ((await this.#records.get('setting', SEEDED)) !== undefined) return undefined;
      // The cluster has lost its users.
      await this.#refresh();
      return this.#isReadable ? await this.#records.get('user', id) : known;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#isReadable = false;
      if (this.#known.size === 0) throw error;
      return known;
    }
  }

  /** Compares the copy with the cluster. Concurrent calls share one comparison. */
  #refresh(): Promise<void> {
    this.#running ??= this.#refreshOnce().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #refreshOnce(): Promise<void> {
    try {
      if (this.#hasCopy && !(await this.#restore())) {
        this.#isReadable = false;
        return;
      }
      if (!this.#hasRead) await this.#start?.prepare();
      // A comparison that overlaps a change by this process would undo it in the copy.
      const before = this.#known;
      const read = await this.#read(before);
      if (before === this.#known) this.#replace(read);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#isReadable = false;
      return;
    }
    this.#hasCopy = true;
    this.#hasRead = true;
    if (!this.#isReadable) this.#start?.onReadable();
    this.#isReadable = true;
    this.#isComplete ||= (await this.#start?.complete()) ?? true;
  }

  async #read(known: ReadonlyMap<string, string>): Promise<Map<string, string>> {
    if (!this.#hasRead || this.#refreshes++ % LISTED_EVERY === 0) {
      return new Map((await this.#records.list('user')).map(({ id, content }) => [id, content]));
    }
    const read = await Promise.all(
      [...known.keys()].map(async (name) => [name, await this.#records.get('user', name)] as const),
    );
    return new Map(read.flatMap(([name, content]) => (content === undefined ? [] : [[name, content] as const])));
  }

  /** Stores the users again if the cluster has lost them. Resolves with false while another service does. */
  async #restore(): Promise<boolean> {
    if ((await this.#records.get('setting', SEEDED)) !== undefined) return true;
    if (!this.#hasRead) {
      const nowMs = this.#clock.monotonicMs();
      this.#lostMs ??= nowMs;
      if (nowMs - this.#lostMs < EARLIER_COPY_WAITS_MS) return false;
    }
    // A slower service must not restore a user that has since been removed.
    const expiresMs = this.#clock.nowMs() + RESTORING_MS;
    if (!(await this.#records.add('setting', RESTORING, 'true', expiresMs))) return false;
    for (const [name, content] of this.#known) await this.#records.add('user', name, content);
    await this.#records.put('setting', SEEDED, 'true');
    return true;
  }

  #replace(users: Map<string, string>): void {
    const isSame =
      users.size === this.#known.size && [...users].every(([name, each]) => this.#known.get(name) === each);
    this.#known = users;
    if (isSame) return;
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    writeFileSync(`${this.#file}.new`, JSON.stringify([...users]), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** Reports whether a command works with the last known users: it logs in, changes the state, or needs no data. */
export function worksWithLastKnownUsers({ group, needs, readsNoData }: CommandDeclaration): boolean {
  if (needs === 'open' || needs === 'login') return true;
  return readsNoData === true || (group === 'cluster' && needs === 'adminState');
}

/** Returns the copy from an earlier run, or an empty one if there is no readable one. */
function readCopy(file: string): Map<string, string> {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!Array.isArray(content)) return new Map();
    return new Map(
      content.flatMap((pair: unknown): [string, string][] => {
        const [name, account] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
        return typeof name === 'string' && typeof account === 'string' ? [[name, account]] : [];
      }),
    );
  } catch {
    return new Map();
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof GridError && (error.code === 'INACTIVE' || error.code === 'READ_ONLY');
}
