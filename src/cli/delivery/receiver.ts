/** Sends batches to one address, signed as in Standard Webhooks, until the receiver accepts or rejects them. */
import { createHmac } from 'node:crypto';
import { type Clock, randomBytes, sleep } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { withoutUrlSecrets } from '../../base/url-secrets.ts';
import { CommandLineError, interruptedError, usageError } from '../failures.ts';
import type { Terminal } from '../program.ts';
import { BATCH_TYPE } from './cloud-events.ts';

export interface ReceiverOptions {
  readonly url: string;
  /** Signing keys. A receiver knows one of them; there are several while a secret is being replaced. */
  readonly secrets: readonly Uint8Array[];
}

/** The receiver has it, or says that it will never accept it. */
export type Verdict = 'accepted' | { readonly status: number; readonly answer: string };

/** Longer than any receiver takes to respond: Standard Webhooks recommends 15 to 30 s. */
const TIMEOUT_MS = 30_000;
/** A receiver that restarts is away for about a second; one that is away for long is found within a minute. */
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 60_000;
/** A receiver that asks for a longer delay is retried earlier. */
const MAX_ASKED_MS = 3_600_000;
/** Statuses for an error in the request itself. Wrong credentials and addresses are fixed at the receiver. */
const REJECTIONS: ReadonlySet<number> = new Set([400, 413, 415, 422]);
const GONE = 410;
/** Maximum number of characters kept of a response. */
const ANSWER_CHARACTERS = 1_000;

export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #clock: Clock;
  readonly #terminal: Pick<Terminal, 'errors' | 'interrupted'>;
  readonly #shownUrl: string;
  #isFailing = false;

  constructor(options: ReceiverOptions, clock: Clock, terminal: Pick<Terminal, 'errors' | 'interrupted'>) {
    this.#options = options;
    this.#clock = clock;
    this.#terminal = terminal;
    this.#shownUrl = withoutUrlSecrets(options.url);
  }

  /** Sends events until the receiver responds to them. Throws CommandLineError if it is gone, or after an interrupt. */
  async send(id: string, events: readonly string[]): Promise<Verdict> {
    const body = `[${events.join(',')}]`;
    for (let attempts = 0; ; attempts++) {
      const response = await this.#attempt(id, body);
      const reason = typeof response === 'string' ? response : `HTTP ${response.status}`;
      if (typeof response !== 'string') {
        const answer = (await response.text().catch(() => '')).slice(0, ANSWER_CHARACTERS);
        if (response.ok || REJECTIONS.has(response.status)) {
          if (this.#isFailing) this.#terminal.errors.write(`svc: ${this.#shownUrl} answers again\n`);
          this.#isFailing = false;
          return response.ok ? 'accepted' : { status: response.status, answer };
        }
        if (response.status === GONE) {
          throw new CommandLineError(EXIT_CODES.failed, `${this.#shownUrl} no longer accepts changes (HTTP ${GONE})`);
        }
      }
      if (this.#terminal.interrupted.aborted) throw interruptedError();
      if (!this.#isFailing) {
        this.#terminal.errors.write(`svc: ${this.#shownUrl} does not accept changes (${reason}); trying again\n`);
      }
      this.#isFailing = true;
      await this.#pause(attempts, typeof response === 'string' ? null : response.headers.get('retry-after'));
    }
  }

  /** Returns the response, or the reason why there is none. */
  async #attempt(id: string, body: string): Promise<Response | string> {
    const { url, secrets } = this.#options;
    const timestamp = String(Math.floor(this.#clock.nowMs() / 1_000));
    const signatures = secrets.map((secret) => `v1,${signature(secret, `${id}.${timestamp}.${body}`)}`);
    const timeout = new AbortController();
    const timer = this.#clock.after(TIMEOUT_MS, () => timeout.abort());
    try {
      return await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': BATCH_TYPE,
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': signatures.join(' '),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([timeout.signal, this.#terminal.interrupted]),
      });
    } catch (error) {
      return timeout.signal.aborted ? `no answer within ${TIMEOUT_MS / 1_000} s` : errorText(error);
    } finally {
      timer.cancel();
    }
  }

  async #pause(attempts: number, retryAfter: string | null): Promise<void> {
    const [random = 0] = randomBytes(1);
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempts, 10), MAX_DELAY_MS) * (0.5 + random / 512);
    const asked = retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : 0;
    const stopped = Promise.withResolvers<void>();
    const { interrupted } = this.#terminal;
    interrupted.addEventListener('abort', () => stopped.resolve(), { once: true });
    await Promise.race([sleep(this.#clock, Math.max(delayMs, Math.min(asked, MAX_ASKED_MS))), stopped.promise]);
    if (interrupted.aborted) throw interruptedError();
  }
}

function signature(secret: Uint8Array, content: string): string {
  return createHmac('sha256', secret).update(content).digest('base64');
}

/** Returns the keys of secrets separated by spaces: base64, with or without `whsec_`. Throws CommandLineError. */
export function readSecrets(text: string): readonly Uint8Array[] {
  return text
    .trim()
    .split(/\s+/)
    .map((each) => {
      const encoded = each.replace(/^whsec_/, '');
      const key = Buffer.from(encoded, 'base64');
      if (key.length < MIN_KEY_BYTES || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) {
        throw usageError(`the secret must be whsec_ and base64 of at least ${MIN_KEY_BYTES} bytes`);
      }
      return key;
    });
}

/** Standard Webhooks requires at least this many. */
const MIN_KEY_BYTES = 24;
