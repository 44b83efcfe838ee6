/** Parameters and replies of the commands on API keys. */
import type { ApiKeyDescription, IssuedApiKey } from '../context.ts';
import { audited, optionalLong, requiredString } from '../params.ts';
import { type JsonSchema, jsonReply, members } from '../reply.ts';

const TEXT: JsonSchema = { type: 'string' };
const TIME: JsonSchema = { type: 'string', format: 'date-time' };
const OPTIONAL_TIME: JsonSchema = { type: ['string', 'null'], format: 'date-time' };

export const apiKeyId = audited(requiredString('id', 'Id of the API key.'));
/** Declares the time until a key expires. */
export const apiKeyTtlMs = (whenAbsent: string) =>
  optionalLong('ttlMs', `Time in milliseconds until the key expires. ${whenAbsent}`, {
    unit: 'milliseconds',
  });

const ISSUED: JsonSchema = {
  type: 'object',
  ...members({
    id: TEXT,
    name: TEXT,
    user: TEXT,
    key: TEXT,
    expiresAt: OPTIONAL_TIME,
    overlapUntil: OPTIONAL_TIME,
  }),
};

/** The reply with a key and its secret. */
export const issuedKeyReply = jsonReply<IssuedApiKey>(
  'issuedApiKey',
  ISSUED,
  'The key. No other response contains its text, `key`.',
);

const DESCRIPTION: JsonSchema = {
  type: 'object',
  ...members({
    id: TEXT,
    name: TEXT,
    user: TEXT,
    scope: { type: ['object', 'null'] },
    addresses: { type: ['array', 'null'], items: TEXT },
    rate: { type: ['string', 'null'] },
    createdBy: TEXT,
    createdAt: TIME,
    rotatedAt: OPTIONAL_TIME,
    overlapUntil: OPTIONAL_TIME,
    expiresAt: OPTIONAL_TIME,
    expired: { type: 'boolean' },
    lastUsedAt: OPTIONAL_TIME,
  }),
};

export const keysReply = jsonReply<readonly ApiKeyDescription[]>(
  'apiKeys',
  { type: 'array', items: DESCRIPTION },
  'The keys, sorted by user and name, without their secrets.',
);

/** Returns milliseconds as a number. Times too long for an exact number exceed every limit. */
export function millisecondsOf(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
