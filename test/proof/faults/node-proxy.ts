/**
 * A proxy between the service and a node, which delays, loses, cuts off or replaces forwarded data. The treatment of
 * each chunk of bytes follows from a seed.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Random } from '../../simulation/random.ts';

/** Fractions of the chunks of bytes, between 0 and 1. */
export interface Disturbance {
  /** Longest delay of a chunk, in each direction. */
  readonly delayMs?: number;
  /** The fraction at which the connection ends after some of the bytes. */
  readonly cuts?: number;
  /** The fraction that never arrives, in each direction. */
  readonly losses?: number;
  /** The fraction of the node's answers that random bytes replace. */
  readonly garbage?: number;
  /** Whether nothing is passed on until the disturbance ends; connections stay open. */
  readonly hangs?: boolean;
}

/** How many chunks were passed on, and the fate of the others. */
export interface ProxyCounts {
  chunks: number;
  delayed: number;
  /** Chunks that hung. */
  held: number;
  cut: number;
  lost: number;
  replaced: number;
}

const LONGEST_GARBAGE_BYTES = 256;

export class NodeProxy implements AsyncDisposable {
  readonly #random: Random;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly counts: ProxyCounts = { chunks: 0, delayed: 0, held: 0, cut: 0, lost: 0, replaced: 0 };
  #disturbance: Disturbance = {};
  /** Resolves when held chunks are passed on again. */
  #released: PromiseWithResolvers<void> | undefined;

  private constructor(target: { readonly host: string; readonly port: number }, random: Random) {
    this.#target = target;
    this.#random = random;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Listens at an address, and passes on to another. */
  static async listen(
    at: { readonly host: string; readonly port: number },
    target: { readonly host: string; readonly port: number },
    random: Random,
  ): Promise<NodeProxy> {
    const proxy = new NodeProxy(target, random);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    proxy.#server.once('error', reject).listen(at.port, at.host, resolve);
    await promise;
    return proxy;
  }

  /** Disturbs all connections from now on; without an argument nothing is disturbed. */
  disturb(disturbance: Disturbance = {}): void {
    this.#disturbance = disturbance;
    this.#released?.resolve();
    this.#released = disturbance.hangs === true ? Promise.withResolvers<void>() : undefined;
  }

  #accept(client: Socket): void {
    const node = connect(this.#target);
    for (const [from, to] of [
      [client, node],
      [node, client],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => {});
      from.on('close', () => this.#sockets.delete(from));
      // One chunk after another, even late ones: what was sent arrives even if its sender has gone.
      let before = Promise.resolve();
      from.on('data', (chunk: Buffer) => {
        const delay = this.#delay();
        before = before.then(() => delay).then(() => this.#pass(chunk, from, to, from === node));
      });
      from.on('close', () => {
        before = before.then(() => void to.destroy());
      });
    }
  }

  async #delay(): Promise<void> {
    const { delayMs = 0 } = this.#disturbance;
    if (this.#released !== undefined) {
      this.counts.held += 1;
      await this.#released.promise;
    }
    if (delayMs === 0) return;
    this.counts.delayed += 1;
    await Bun.sleep(this.#random.below(delayMs));
  }

  #pass(chunk: Buffer, from: Socket, to: Socket, isAnswer: boolean): void {
    const { cuts = 0, losses = 0, garbage = 0 } = this.#disturbance;
    this.counts.chunks += 1;
    const chance = this.#random.fraction();
    if (chance < cuts) {
      this.counts.cut += 1;
      to.end(chunk.subarray(0, this.#random.below(chunk.length)));
      from.destroy();
    } else if (chance < cuts + losses) this.counts.lost += 1;
    else if (isAnswer && chance < cuts + losses + garbage) {
      this.counts.replaced += 1;
      const length = 1 + this.#random.below(LONGEST_GARBAGE_BYTES);
      to.write(Buffer.from(Array.from({ length }, () => this.#random.below(256))));
    } else to.write(chunk);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disturb();
    for (const socket of this.#sockets) socket.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }
}
