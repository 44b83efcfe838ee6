/**
 * Follows the change feed of a recorded history: a consumer that disconnects by itself, is cut off by kills, and
 * resumes at the last position that it has processed. It writes what it receives, one line for each change: position,
 * operation, key of the history, value and old value.
 */
import { rmSync } from 'node:fs';
import type { Random } from '../../simulation/random.ts';
import { changeEvents, eventsUpToNow, type StreamEvent } from '../../system/change-feed/change-stream.fixture.ts';
import type { ServiceProcess } from '../../system/service-process.ts';
import { BUSY } from '../busy.ts';
import type { FeedRecord, StreamRecord } from './feed-check.ts';

const CACHES = 'default,r';
/** Changes after which the consumer disconnects. */
const [FEWEST_CHANGES, MORE_CHANGES] = [100, 4_000];
/** The fraction of streams whose consumer pauses, so changes wait for it. */
const PAUSED = 0.3;
const LONGEST_PAUSE_MS = 100;
/** Time between attempts to connect to a service that is being started. */
const RETRY_MS = 20;
const MAX_ATTEMPTS = 6;

/** Returns the key of the history to which a key of a cache belongs: see `operations.ts`. */
function keyOf(cache: string | undefined, key: unknown): string {
  if (key === undefined) return '';
  return cache === 'r' ? `row:${key}` : `entry:${String(key).slice(1).replace('.', ':')}`;
}

/** Returns the error of an envelope that was received in place of a stream, or undefined for another error. */
function errorOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !thrown.message.startsWith('{')) return undefined;
  return (JSON.parse(thrown.message) as { readonly error: string | null }).error ?? '';
}

/** Sends a request again while the machine is too slow for it. */
async function unlessBusy<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !BUSY.test(errorOf(error) ?? '')) throw error;
    }
  }
}

export class FeedConsumer {
  readonly #random: Random;
  readonly #file: Bun.FileSink;
  readonly #path: string;
  readonly #wrong: string[] = [];
  #position = 'start';
  #changes = 0;
  readonly #streams: StreamRecord[] = [];
  #follows = true;
  #stream = new AbortController();

  constructor(path: string, random: Random) {
    rmSync(path, { force: true });
    this.#path = path;
    this.#file = Bun.file(path).writer({ highWaterMark: 1 << 20 });
    this.#random = random;
  }

  /** Follows the feed until `finish` is called, across kills of the service. */
  async follow({ url }: ServiceProcess): Promise<void> {
    while (this.#follows) {
      this.#stream = new AbortController();
      try {
        const query = { cacheName: CACHES, from: this.#position, oldValue: 'true' };
        await this.#noteStream(() => this.#read(changeEvents(url, query, { signal: this.#stream.signal })));
      } catch (error) {
        // A response in place of a stream means that it cannot be resumed, unless the machine was too slow for it.
        // Anything else is an ended connection.
        const reason = errorOf(error);
        if (reason !== undefined && !BUSY.test(reason)) {
          this.#wrong.push(`the stream cannot go on after ${this.#position}: ${reason}`);
          return;
        }
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  /** Reads the remaining changes, and the contents of the caches. */
  async finish({ url }: ServiceProcess, following: Promise<void>): Promise<FeedRecord> {
    this.#follows = false;
    this.#stream.abort();
    await following;
    const left = { cacheName: CACHES, from: this.#position, oldValue: 'true' };
    await this.#noteStream(async () => {
      for (const event of await unlessBusy(() => eventsUpToNow(url, left))) this.#note(event);
    });
    await this.#file.end();
    const contents = new Map<string, string>();
    for (const cache of CACHES.split(',')) {
      const query = new URLSearchParams({ cmd: 'export', cacheName: cache });
      const rows = await unlessBusy(async () => {
        const text = await (await fetch(`${url}?${query}`)).text();
        if (text.startsWith('{"successStatus"')) throw new Error(text);
        return text;
      });
      for (const line of rows.split('\n').filter((each) => each !== '')) {
        const { key, value } = JSON.parse(line) as { readonly key: unknown; readonly value: unknown };
        contents.set(keyOf(cache, key), String(value));
      }
    }
    const [changes, streams, wrong] = [this.#changes, this.#streams, this.#wrong];
    return { path: this.#path, changes, streams, wrong, contents };
  }

  async #noteStream(read: () => Promise<void>): Promise<void> {
    const [from, start] = [this.#position, Bun.nanoseconds()];
    try {
      await read();
    } finally {
      this.#streams.push({ from, to: this.#position, start, end: Bun.nanoseconds() });
    }
  }

  async #read(events: AsyncIterable<StreamEvent>): Promise<void> {
    let left = FEWEST_CHANGES + this.#random.below(MORE_CHANGES);
    const pauseAt = this.#random.fraction() < PAUSED ? this.#random.below(left) : -1;
    for await (const event of events) {
      if (!this.#follows) return;
      this.#note(event);
      if (event.event === 'change') left -= 1;
      if (left === pauseAt) await Bun.sleep(this.#random.below(LONGEST_PAUSE_MS));
      if (left <= 0) return;
    }
  }

  #note({ event, position, operation, cache, key, value, oldValue, reason, error }: StreamEvent): void {
    if (event === 'end' && reason !== 'complete') this.#wrong.push(`the stream ended: ${reason}, ${error}`);
    if (event !== 'change') return;
    this.#position = position ?? '';
    this.#changes += 1;
    const texts = [value, oldValue].map((each) => JSON.stringify(each === undefined ? null : String(each)));
    this.#file.write(`${[position?.split('.')[1], operation, keyOf(cache, key), ...texts].join('\t')}\n`);
  }
}
