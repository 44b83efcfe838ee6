/** An object store that delays requests, executes them a second time, loses its answers, and fails. */
import { ScriptedObjectStore } from '../../scripted-object-store.ts';
import type { Random } from '../../simulation/random.ts';

/** Fractions of the requests, between 0 and 1. */
export interface StoreDisturbance {
  /** Longest delay before a request is executed, and again before its response. */
  readonly delayMs?: number;
  /** The fraction that is executed a second time, later, like a request repeated by the network. */
  readonly repeats?: number;
  /** The fraction that is executed without a response. */
  readonly losses?: number;
  /** The fraction that is not executed, and fails. */
  readonly failures?: number;
}

const LONGEST_REPEAT_MS = 5_000;
const CHAIN = /\/0000\//;
/** Longer than any client waits. */
const LOST_MS = 30_000;

export class FaultyStore extends ScriptedObjectStore {
  readonly #random: Random;
  #disturbance: StoreDisturbance | undefined;
  /** The owners, by the ids of their keys, whose creations of objects of the chain are held. */
  readonly #holds = new Map<string, PromiseWithResolvers<void>>();
  /** How many creations have been held. */
  held = 0;
  readonly counts = { delayed: 0, repeated: 0, lost: 0, failed: 0 };

  constructor(random: Random) {
    super();
    this.#random = random;
    this.around = (request, execute) => this.#around(request, execute);
  }

  disturb(disturbance?: StoreDisturbance): void {
    this.#disturbance = disturbance;
  }

  /** Holds every request of a key's owner that creates an object of the chain from now on, until {@link release}. */
  hold(keyId: string): void {
    this.#holds.set(keyId, Promise.withResolvers());
  }

  release(keyId: string): void {
    this.#holds.get(keyId)?.resolve();
    this.#holds.delete(keyId);
  }

  /** The number of objects in the chain. */
  get length(): number {
    return [...this.objects.keys()].filter((path) => CHAIN.test(path)).length;
  }

  async #around(request: Request, execute: (request: Request) => Promise<Response>): Promise<Response> {
    const hold = this.#holds.get(keyIdOf(request));
    if (hold !== undefined && request.method === 'PUT' && CHAIN.test(request.url)) {
      const held = await takenOf(request);
      this.held++;
      await hold.promise;
      return execute(held());
    }
    const disturbance = this.#disturbance;
    if (disturbance === undefined) return execute(request);
    const { delayMs = 0, repeats = 0, losses = 0, failures = 0 } = disturbance;
    const chance = this.#random.fraction();
    const [before, after] = [this.#random.below(delayMs + 1), this.#random.below(delayMs + 1)];
    // The bytes are read immediately: the sender may be gone when the request is executed.
    const executed = await takenOf(request);
    if (before > 0) {
      this.counts.delayed++;
      await Bun.sleep(before);
    }
    if (chance < failures) {
      this.counts.failed++;
      return new Response('<Error><Code>SlowDown</Code><Message>m</Message></Error>', { status: 503 });
    }
    if (chance < failures + repeats) {
      this.counts.repeated++;
      setTimeout(() => void execute(executed()), this.#random.below(LONGEST_REPEAT_MS));
    }
    const response = await execute(executed());
    if (chance >= failures + repeats && chance < failures + repeats + losses) {
      this.counts.lost++;
      await Bun.sleep(LOST_MS);
    } else await Bun.sleep(after);
    return response;
  }
}

/** Reads a whole request, and returns a function that sends it again. */
async function takenOf(request: Request): Promise<() => Request> {
  const { method, url } = request;
  const headers = [...request.headers];
  const body = await request.arrayBuffer();
  return () => new Request(url, { method, headers, ...(body.byteLength > 0 && { body }) });
}

function keyIdOf({ headers }: Request): string {
  return /Credential=([^/]*)/.exec(headers.get('authorization') ?? '')?.[1] ?? '';
}
