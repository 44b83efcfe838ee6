/**
 * API keys as records of the grid: a client sends `svck_`, the id and the secret.
 *
 * The definition of a key is stored once and removed when the key is revoked. Secrets and last use are separate
 * records, so that neither a rotation nor a use that is still being stored can restore a revoked key.
 *
 * A secret has 256 random bits. Its SHA-256 is stored: no dictionary contains it, so a slow hash would only slow down
 * every request, and no two keys share a secret, so a salt would hide nothing.
 */
import { randomBytes } from '../../../base/clock.ts';
import { chain, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { Records } from '../../../grid/grid.ts';

const PREFIX = 'svck_';
/** 64 random bits distinguish all keys of a service, and 256 cannot be guessed at any rate. */
const ID_BYTES = 8;
const SECRET_BYTES = 32;
const ID_END = PREFIX.length + 2 * ID_BYTES;
const TEXT = new RegExp(`^${PREFIX}[0-9a-f]{${2 * ID_BYTES}}_[0-9a-f]{${2 * SECRET_BYTES}}$`);
const ID = new RegExp(`^[0-9a-f]{${2 * ID_BYTES}}$`);

/** Reports whether a string has the form of an API key. */
export function isApiKey(text: string): boolean {
  return text.startsWith(PREFIX) && TEXT.test(text);
}

/** Reports whether a string has the form of an API key's id. */
export function isApiKeyId(text: string): boolean {
  return ID.test(text);
}

/** Returns the id of an API key. */
export function idOfApiKey(text: string): string {
  return text.slice(PREFIX.length, ID_END);
}

export function newApiKeyId(): string {
  return randomBytes(ID_BYTES).toHex();
}

/** Returns a key with a new secret. */
export function newApiKeyText(id: string): string {
  return `${PREFIX}${id}_${randomBytes(SECRET_BYTES).toHex()}`;
}

/** Returns the hash of an API key. */
export function hashOfApiKey(text: string): Buffer {
  return Bun.CryptoHasher.hash('sha256', text);
}

/** A key's identity and permissions. It never changes. */
export interface ApiKeyDefinition {
  readonly name: string;
  readonly user: string;
  /** Id of the account, so that a user with the same name who is added later does not inherit the key. */
  readonly userId: string;
  /** The scope as JSON. */
  readonly scope?: string;
  readonly addresses?: readonly string[];
  readonly rate?: string;
  readonly createdBy: string;
  readonly createdAtMs: number;
}

/** The secrets by which a key is recognised. The record expires with the key. */
export interface ApiKeySecrets {
  /** Hexadecimal hash of the current one. */
  readonly hash: string;
  /** The one before the last rotation. */
  readonly former?: { readonly hash: string; readonly untilMs: number };
  readonly rotatedAtMs?: number;
  readonly expiresAtMs?: number;
}

/** A definition and its secrets, or undefined if there is none, or if the key has expired. */
export interface StoredApiKey {
  readonly definition: ApiKeyDefinition | undefined;
  readonly secrets: ApiKeySecrets | undefined;
}

/** Records of typical lengths, instead of those that a key does not have. */
const NO_DEFINITION = JSON.stringify({
  name: '-'.repeat(16),
  user: '-'.repeat(8),
  userId: '-'.repeat(36),
  createdBy: '-',
});
const NO_SECRETS = JSON.stringify({ hash: '0'.repeat(64) });

/** Reads a key. It reads and parses as much if there is none, so that the time does not reveal which ids exist. */
export function readApiKey(records: Records, id: string): MaybePromise<StoredApiKey> {
  return chain(records.get('apiKey', id), (definition) =>
    chain(records.get('apiKeySecret', id), (secrets) => {
      // Only this module writes these records.
      const parsedDefinition = JSON.parse(definition ?? NO_DEFINITION) as ApiKeyDefinition;
      const parsedSecrets = JSON.parse(secrets ?? NO_SECRETS) as ApiKeySecrets;
      return {
        definition: definition === undefined ? undefined : parsedDefinition,
        secrets: secrets === undefined ? undefined : parsedSecrets,
      };
    }),
  );
}

/** Returns the definitions of all keys by id. */
export async function listApiKeys(records: Records): Promise<ReadonlyMap<string, ApiKeyDefinition>> {
  return listed(records, 'apiKey', (content) => JSON.parse(content) as ApiKeyDefinition);
}

/** Returns the secrets of all keys that have not expired, by id. */
export async function listApiKeySecrets(records: Records): Promise<ReadonlyMap<string, ApiKeySecrets>> {
  return listed(records, 'apiKeySecret', (content) => JSON.parse(content) as ApiKeySecrets);
}

/** Returns when each key was last used, by id. */
export async function listApiKeyUses(records: Records): Promise<ReadonlyMap<string, number>> {
  return listed(records, 'apiKeyUse', Number);
}

async function listed<T>(
  records: Records,
  kind: 'apiKey' | 'apiKeySecret' | 'apiKeyUse',
  read: (content: string) => T,
): Promise<ReadonlyMap<string, T>> {
  return new Map((await records.list(kind)).map(({ id, content }) => [id, read(content)]));
}

/** Stores a new definition; resolves with false if there is one with this id. */
export function addApiKey(records: Records, id: string, definition: ApiKeyDefinition): Promise<boolean> {
  return records.add('apiKey', id, JSON.stringify(definition));
}

export function putApiKeySecrets(records: Records, id: string, secrets: ApiKeySecrets): Promise<void> {
  return records.put('apiKeySecret', id, JSON.stringify(secrets), secrets.expiresAtMs);
}

/** Removes a key; resolves with false if there was none. */
export async function removeApiKey(records: Records, id: string): Promise<boolean> {
  // The definition first: without it the key is revoked, whatever happens to the others.
  const removed = await records.remove('apiKey', id);
  await Promise.all([records.remove('apiKeySecret', id), records.remove('apiKeyUse', id)]);
  return removed !== undefined;
}

/** Stores when a key was used. */
export function putApiKeyUse(records: Records, id: string, usedAtMs: number, expiresAtMs?: number): Promise<void> {
  return records.put('apiKeyUse', id, String(Math.floor(usedAtMs)), expiresAtMs);
}
