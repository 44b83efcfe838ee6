/**
 * The public keys that verify JSON Web Tokens, from a file or a URL. The process loads them once for all threads: again
 * when they are old, and earlier when a token names a key that they lack, because that is how keys rotate.
 */
import { promises as fs } from 'node:fs';
import type { Clock } from '../../../base/clock.ts';
import { errorText, gridError } from '../../../base/errors.ts';
import { JWT_BOUNDS } from '../../../base/limits.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import { usableKeys } from './usable-keys.ts';

/** A JSON Web Key Set. */
export interface JwtKeySet {
  /** Incremented by each load that returned a different text. */
  readonly version: number;
  readonly text: string;
}

export interface JwtKeys {
  /**
   * Returns the keys, reloaded unless they are newer than version `after`; 0 accepts any. Throws JWT_KEYS_UNAVAILABLE.
   */
  get(after: number): MaybePromise<JwtKeySet>;
}

export interface JwtKeyOptions {
  /** URL or absolute path. */
  readonly keys: string;
  readonly clock: Clock;
  readonly onFailure: (reason: string) => void;
  /** Called with the keys of a new set that cannot verify tokens, and the reasons. */
  readonly onUnusable?: (keys: readonly string[]) => void;
}

export class LoadedJwtKeys implements JwtKeys {
  readonly #options: JwtKeyOptions;
  readonly #isUrl: boolean;
  #current: JwtKeySet | undefined;
  #loadedMs = Number.NEGATIVE_INFINITY;
  #attemptedMs = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  constructor(options: JwtKeyOptions) {
    this.#options = options;
    this.#isUrl = isKeyUrl(options.keys);
  }

  async get(after: number): Promise<JwtKeySet> {
    const { clock } = this.#options;
    const known = this.#current;
    if (known !== undefined && known.version > after) {
      const maxAgeMs = this.#isUrl ? JWT_BOUNDS.urlMaxAgeMs : JWT_BOUNDS.fileMaxAgeMs;
      // Old keys are used until newer ones have arrived.
      if (clock.monotonicMs() - this.#loadedMs >= maxAgeMs) void this.#load();
      return known;
    }
    await this.#load();
    if (this.#current === undefined) throw gridError('JWT_KEYS_UNAVAILABLE');
    return this.#current;
  }

  /** Loads the keys unless that was tried recently. Never rejects. */
  #load(): Promise<void> {
    if (this.#loading !== undefined) return this.#loading;
    const { clock, keys, onFailure, onUnusable } = this.#options;
    const nowMs = clock.monotonicMs();
    const cooldownMs = this.#isUrl ? JWT_BOUNDS.urlCooldownMs : JWT_BOUNDS.fileCooldownMs;
    if (nowMs - this.#attemptedMs < cooldownMs) return Promise.resolve();
    this.#attemptedMs = nowMs;
    const loading = (this.#isUrl ? download(keys) : read(keys))
      .then(async (text) => {
        const loaded = keysIn(text);
        this.#loadedMs = clock.monotonicMs();
        if (text === this.#current?.text) return;
        this.#current = { version: (this.#current?.version ?? 0) + 1, text };
        if (onUnusable === undefined) return;
        const { unusable } = await usableKeys(loaded);
        if (loaded.length === 0) onUnusable(['the list "keys" is empty']);
        else if (unusable.length > 0) onUnusable(unusable);
      })
      .catch((error: unknown) => onFailure(errorText(error)))
      .finally(() => {
        this.#loading = undefined;
      });
    this.#loading = loading;
    return loading;
  }
}

/** Reports whether keys come from a URL rather than a file. */
export function isKeyUrl(keys: string): boolean {
  return /^https?:\/\//i.test(keys);
}

async function read(file: string): Promise<string> {
  const stats = await fs.stat(file).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`there is no file ${file}`) : error;
  });
  if (stats.size > JWT_BOUNDS.keySetBytes) throw tooLong();
  return fs.readFile(file, 'utf8');
}

async function download(url: string): Promise<string> {
  const signal = AbortSignal.timeout(JWT_BOUNDS.downloadMs);
  const response = await fetch(url, { redirect: 'error', signal, headers: { Accept: 'application/json' } });
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > JWT_BOUNDS.keySetBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function tooLong(): Error {
  return new Error(`the key set has more than ${JWT_BOUNDS.keySetBytes} bytes`);
}

/** Parses a JSON Web Key Set and returns its keys. Throws an Error that describes the text if it is not one. */
export function keysIn(text: string): readonly unknown[] {
  const written = text.replace(/^\ufeff/, '').trim();
  if (written === '') throw new Error('it is empty');
  if (written.startsWith('<')) throw new Error('it is a page of HTML or XML, and no JSON Web Key Set');
  if (written.startsWith('-----BEGIN')) throw new Error('it is PEM: convert it to a JSON Web Key Set');
  let set: unknown;
  try {
    set = JSON.parse(written);
  } catch (error) {
    throw new Error(`it is no JSON: ${errorText(error)}`);
  }
  if (Array.isArray(set)) throw new Error('the key set has no list "keys": it is a JSON array');
  if (typeof set !== 'object' || set === null) throw new Error('it is no JSON object');
  if ('keys' in set && Array.isArray(set.keys)) {
    if (set.keys.length > JWT_BOUNDS.keys) throw new Error(`the key set has more than ${JWT_BOUNDS.keys} keys`);
    return set.keys;
  }
  if ('jwks_uri' in set && typeof set.jwks_uri === 'string') {
    throw new Error(`it is the discovery document of the issuer: set jwt.keys to its jwks_uri, ${set.jwks_uri}`);
  }
  if ('kty' in set) throw new Error('it is a single key: write {"keys":[...]}');
  throw new Error('the key set has no list "keys"');
}
