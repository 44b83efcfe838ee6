/** `svc watch --post`: delivers changes to an address, in order, each at least once (DESIGN.md). */
import { errorText } from '../../base/errors.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { readOptionFile } from '../connection.ts';
import { CommandLineError, usageError } from '../failures.ts';
import { localPath } from '../local-path.ts';
import type { Terminal } from '../program.ts';
import { type ChangeStreamOptions, changeStream } from '../transfer/change-stream.ts';
import { cloudEvent } from './cloud-events.ts';
import { appendRejected, readPosition, writePosition } from './consumer-files.ts';
import { Receiver, readSecrets } from './receiver.ts';

/** Options of `svc watch` that belong to `--post`. */
export interface PostOptions {
  readonly from?: string;
  readonly post?: string;
  readonly state?: string;
  readonly rejected?: string;
  readonly secretFile?: string;
  readonly batch?: string;
}

interface Delivery {
  readonly url: string;
  readonly secrets: readonly Uint8Array[];
  readonly state: string;
  readonly rejected: string;
  readonly batchEvents: number;
  readonly from: string;
}

const BATCH_EVENTS = 100;
/** Maximum number of characters in a request, unless it has a single event. */
const BATCH_CHARACTERS = 1_048_576;

/** Parses the options. Throws CommandLineError. */
export function deliveryOf(options: PostOptions, terminal: Terminal): Delivery {
  const { post = '', state, rejected, secretFile, batch, from = 'now' } = options;
  if (!/^https?:$/.test(URL.parse(post)?.protocol ?? '')) throw usageError(`--post: ${post} is no address of HTTP`);
  if (state === undefined) throw usageError('--post needs --state FILE, which holds the position of what is delivered');
  const secret =
    secretFile === undefined
      ? terminal.environment.SVC_WEBHOOK_SECRET
      : readOptionFile('--secret-file', localPath(terminal.cwd, secretFile));
  if (secret === undefined || secret.trim() === '') {
    throw usageError('--post needs a secret that signs: --secret-file FILE or SVC_WEBHOOK_SECRET');
  }
  if (batch !== undefined && !/^[1-9]\d{0,4}$/.test(batch)) throw usageError(`--batch: ${batch} is not 1 to 99999`);
  const path = localPath(terminal.cwd, state);
  return {
    url: post,
    secrets: readSecrets(secret),
    state: path,
    rejected: localPath(terminal.cwd, rejected ?? `${state}.rejected`),
    batchEvents: batch === undefined ? BATCH_EVENTS : Number(batch),
    from: readPosition(path) ?? from,
  };
}

/** An item that was read: a position, with the event of the preceding change, if there is one. */
interface Item {
  readonly position: string;
  readonly event: string | undefined;
}

type DeliverOptions = Omit<ChangeStreamOptions, 'from'> & Delivery;

/** Delivers until the feed ends, or the program is interrupted. */
export async function deliver(options: DeliverOptions): Promise<void> {
  const items = new Items(options.batchEvents * 2);
  const reading = read(options, items);
  // Its failure is thrown after everything before it is delivered.
  reading.catch(() => {}).finally(() => items.end());
  const receiver = new Receiver(options, options.clock, options.terminal);
  try {
    for (;;) {
      await items.some();
      // Items that were read together arrive one by one.
      await options.clock.pollDelay();
      const batch = items.take(options.batchEvents, BATCH_CHARACTERS);
      if (batch.length === 0) break;
      await sendBatch(options, receiver, batch);
      const last = batch.at(-1);
      if (last !== undefined) savePosition(options, last.position);
    }
  } finally {
    items.close();
  }
  await reading;
}

async function read(options: DeliverOptions, items: Items): Promise<void> {
  const { pathname } = new URL(options.client.url.split(',', 1)[0] ?? '');
  for await (const [{ event, position }, line] of changeStream(options)) {
    if (position === null) {
      throw new CommandLineError(
        EXIT_CODES.failed,
        'changes in front of a cluster have no positions, so that they cannot be delivered at least once',
      );
    }
    await items.add({ position, event: event === 'change' ? cloudEvent(line, pathname) : undefined });
    if (items.isClosed) return;
  }
}

/** Sends a batch's events; after a rejection one by one, and those rejected then into the file. */
async function sendBatch(
  { rejected, clock }: DeliverOptions,
  receiver: Receiver,
  batch: readonly Item[],
): Promise<void> {
  const events = batch.flatMap(({ event, position }) => (event === undefined ? [] : [{ event, position }]));
  const [first] = events;
  if (first === undefined) return;
  const verdict = await receiver.send(
    idOf(first.position, events.length),
    events.map(({ event }) => event),
  );
  if (verdict === 'accepted') return;
  for (const { event, position } of events) {
    const own = events.length === 1 ? verdict : await receiver.send(idOf(position, 1), [event]);
    if (own === 'accepted') continue;
    try {
      appendRejected(rejected, new Date(clock.nowMs()).toISOString(), own.status, own.answer, event);
    } catch (error) {
      throw new CommandLineError(EXIT_CODES.failed, `--rejected: ${errorText(error)}`);
    }
  }
}

function savePosition({ state }: DeliverOptions, position: string): void {
  try {
    writePosition(state, position);
  } catch (error) {
    throw new CommandLineError(EXIT_CODES.failed, `--state: ${errorText(error)}`);
  }
}

/** The id of a message, the same in each attempt. A dot would end it in the signed text. */
function idOf(position: string, count: number): string {
  return `msg_${position.replace(/[^A-Za-z0-9]+/g, '-')}_${count}`;
}

/** Items that were read but not sent. The reader waits while it is full. */
class Items {
  readonly #limit: number;
  #items: Item[] = [];
  #isEnded = false;
  #changed = Promise.withResolvers<void>();
  isClosed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async add(item: Item): Promise<void> {
    while (this.#items.length >= this.#limit && !this.isClosed) await this.#changed.promise;
    this.#items.push(item);
    this.#notify();
  }

  /** Waits until there are items, or there is an end. */
  async some(): Promise<void> {
    while (this.#items.length === 0 && !this.#isEnded) await this.#changed.promise;
  }

  /** Returns the first items. */
  take(count: number, characters: number): readonly Item[] {
    let size = 0;
    const at = this.#items.findIndex(({ event = '' }, index) => {
      size += event.length;
      return index === count || (index > 0 && size > characters);
    });
    const taken = this.#items.splice(0, at < 0 ? this.#items.length : at);
    this.#notify();
    return taken;
  }

  end(): void {
    this.#isEnded = true;
    this.#notify();
  }

  /** Ends the reader. */
  close(): void {
    this.isClosed = true;
    this.#notify();
  }

  #notify(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }
}
