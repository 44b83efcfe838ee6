/** One client of the load: sends one request after another, and tracks what the service must hold. */
import { Random } from '../../simulation/random.ts';
import { openConnection } from '../../system/http-connection.ts';
import type { Step } from './step.ts';
import { nextStep } from './steps.ts';

/** An entry with a deadline; it must be there before `earliestMs` and gone after `latestMs`. */
export interface Expiring {
  readonly value: string;
  readonly earliestMs: number;
  readonly latestMs: number;
}

const REJECTED_PAUSE_MS = 4;
/** The fraction of acknowledged steps with a key that are sent again at once. */
const SENT_AGAIN = 0.2;
const UNKNOWN = /its outcome is unknown/;
/** Errors of a service whose state rejects changes: nothing was changed. */
const REJECTION = /read-only mode|cluster is inactive/;

type Connection = Awaited<ReturnType<typeof openConnection>>;

function sendStep(connection: Connection, { params, key }: Step): ReturnType<Connection['sendCommand']> {
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  return connection.sendCommand(new URLSearchParams(params).toString(), headers);
}

export class Client {
  readonly id: number;
  readonly #random: Random;
  /** Acknowledged contents. */
  contents = new Map<string, string>();
  readonly expiring = new Map<string, Expiring>();
  /** Sent but not acknowledged. */
  pending: Step | undefined;
  /** A step with an idempotency key whose answer a crash has taken away, and the contents before it. */
  retry: { readonly step: Step; readonly before: ReadonlyMap<string, string> } | undefined;
  /** The total number of responses that were returned again. */
  replayed = 0;
  /** Descriptions of incorrect responses. */
  readonly wrong: string[] = [];
  acknowledged = 0;
  rejected = 0;
  #count = 0;

  constructor(id: number, seed: number) {
    this.id = id;
    this.#random = new Random(seed * 1009 + id);
  }

  /** Sends requests until the connection ends. */
  async run(port: number): Promise<void> {
    const connection = await openConnection(port);
    try {
      for (;;) await this.#send(connection);
    } catch (error) {
      // Without a pending request, the error is a defect of this program.
      if (this.pending === undefined) throw error;
    } finally {
      connection.close();
    }
  }

  async #send(connection: Connection): Promise<void> {
    const { retry } = this;
    const { id, contents } = this;
    const fresh = (): string => `${id}-${(++this.#count).toString(36)}`;
    const step = retry?.step ?? nextStep({ id, random: this.#random, contents, fresh });
    const sentMs = Date.now();
    this.pending = step;
    const { successStatus, response, error, replayed } = await sendStep(connection, step);
    if (successStatus !== 0) {
      // After a crash between the record of a structural change and the change itself, it is unknown which was the
      // last.
      if (retry !== undefined && UNKNOWN.test(error ?? '')) this.retry = undefined;
      else if (!REJECTION.test(error ?? '')) this.wrong.push(`${describe(step)} fails: ${error}`);
      this.rejected += 1;
      this.pending = undefined;
      await Bun.sleep(REJECTED_PAUSE_MS);
    } else {
      if (replayed) this.replayed += 1;
      if (replayed && retry === undefined) this.wrong.push(`${describe(step)} is answered before it was sent`);
      if (!step.accepts(response)) this.wrong.push(`${describe(step)} answers ${JSON.stringify(response)}`);
      if (retry !== undefined) this.contents = new Map(retry.before);
      this.retry = undefined;
      this.#apply(step, sentMs);
      this.acknowledged += 1;
      this.pending = undefined;
      if (step.key !== undefined && this.#random.fraction() < SENT_AGAIN) await this.#sendAgain(connection, step);
    }
    this.pending = undefined;
  }

  /** Sends an acknowledged step again, which must have the same response and no second effect. */
  async #sendAgain(connection: Connection, step: Step): Promise<void> {
    this.pending = { ...step, effects: {} };
    const { successStatus, response, error, replayed } = await sendStep(connection, step);
    if (successStatus !== 0) {
      if (!REJECTION.test(error ?? '')) this.wrong.push(`${describe(step)} fails when it is sent again: ${error}`);
    } else {
      this.replayed += 1;
      if (!replayed || !step.accepts(response)) {
        this.wrong.push(`${describe(step)} answers ${JSON.stringify(response)} when it is sent again`);
      }
    }
  }

  /** Records after a crash that the pending step must be sent again if it has a key. `found`: the current contents. */
  crashed(found: Map<string, string>): void {
    const { pending, contents } = this;
    // A step that was being sent again had been acknowledged.
    if (this.retry === undefined && pending?.key !== undefined && Object.keys(pending.effects).length > 0) {
      this.retry = { step: pending, before: contents };
    }
    this.contents = found;
    this.pending = undefined;
  }

  #apply({ effects, expiring }: Step, sentMs: number): void {
    this.contents = after(this.contents, effects);
    if (expiring === undefined) return;
    const { key, value, ttlMs } = expiring;
    this.expiring.set(key, { value, earliestMs: sentMs + ttlMs, latestMs: Date.now() + ttlMs });
  }
}

/** Contents after a step. */
export function after(contents: ReadonlyMap<string, string>, effects: Step['effects']): Map<string, string> {
  const result = new Map(contents);
  for (const [name, text] of Object.entries(effects)) {
    if (text === null) result.delete(name);
    else result.set(name, text);
  }
  return result;
}

export function describe({ params }: Step): string {
  return new URLSearchParams(params).toString();
}

/** Changes the state of the cluster now and then; the other clients are rejected meanwhile. */
export class StateClient {
  readonly #random: Random;
  state = 'ACTIVE';
  pending: string | undefined;
  acknowledged = 0;

  constructor(seed: number) {
    this.#random = new Random(seed * 1009 + 997);
  }

  async run(port: number): Promise<void> {
    const connection = await openConnection(port);
    try {
      for (;;) {
        await Bun.sleep(this.state === 'ACTIVE' ? 60 + this.#random.below(300) : 2);
        const state = this.state === 'ACTIVE' ? this.#random.pick(['ACTIVE_READ_ONLY', 'INACTIVE']) : 'ACTIVE';
        this.pending = state;
        const { successStatus, error } = await connection.sendCommand(`cmd=setstate&state=${state}&force=true`);
        if (successStatus !== 0) throw new Error(`setstate fails: ${error}`);
        this.state = state;
        this.pending = undefined;
        this.acknowledged += 1;
      }
    } catch (error) {
      if (this.pending === undefined && !/closed/.test(String(error))) throw error;
    } finally {
      connection.close();
    }
  }
}

const BACKUP_PAUSE_MS = 50;

/** Makes backups in the service's folder, one after another. */
export class BackupClient {
  readonly wrong: string[] = [];

  async run(port: number): Promise<void> {
    const connection = await openConnection(port);
    let isWaiting = false;
    try {
      for (;;) {
        isWaiting = true;
        const { successStatus, error } = await connection.sendCommand('cmd=backup');
        isWaiting = false;
        if (successStatus !== 0) this.wrong.push(`backup fails: ${error}`);
        await Bun.sleep(BACKUP_PAUSE_MS);
      }
    } catch (error) {
      if (!isWaiting) throw error;
    } finally {
      connection.close();
    }
  }
}

/** Reads numbers from a shared counter: none is returned twice, none is lower than an acknowledged one. */
export class CounterClient {
  readonly taken = new Set<number>();
  readonly wrong: string[] = [];
  highest = 0;
  sent = 0;
  acknowledged = 0;

  async run(port: number): Promise<void> {
    const connection = await openConnection(port);
    let isWaiting = false;
    try {
      for (;;) {
        const before = this.highest;
        this.sent += 1;
        isWaiting = true;
        const { successStatus, response, error } = await connection.sendCommand('cmd=incr&key=shared&delta=1');
        isWaiting = false;
        if (successStatus !== 0) {
          if (!REJECTION.test(error ?? '')) this.wrong.push(`incr fails: ${error}`);
          await Bun.sleep(REJECTED_PAUSE_MS);
          continue;
        }
        const number = Number(response);
        if (this.taken.has(number)) this.wrong.push(`incr answers ${number} twice`);
        if (number <= before) this.wrong.push(`incr answers ${number} after ${before}`);
        this.taken.add(number);
        this.highest = Math.max(this.highest, number);
        this.acknowledged += 1;
      }
    } catch (error) {
      if (!isWaiting) throw error;
    } finally {
      connection.close();
    }
  }
}
