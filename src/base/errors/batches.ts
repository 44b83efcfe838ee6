/** Errors of batches, dry runs and idempotency keys. */
import { defineErrors, type Text } from './error-entry.ts';

export const BATCH_ERRORS = defineErrors({
  BATCH_ABORTED: {
    http: 409,
    text: (number: Text, command: string, reason: string) =>
      `Command ${number} of the batch (${command}) failed, and nothing was changed: ${reason}`,
    cause: 'A command of an atomic batch failed, or its condition was not met.',
    remedy: "The status comes from the command's error. Correct the command, or send the batch again.",
  },
  BATCH_CONDITION: {
    http: 409,
    text: (reason: string) => `The command's condition was not met [${reason}]`,
    cause: 'A command of an atomic batch returned false, or did not change or return `expectedRows` rows.',
    remedy: 'Read the current values, and send the batch again if it still applies.',
  },
  BATCH_PAGE: {
    http: 400,
    text: (pageSize: Text) =>
      `The result exceeds one page, and no cursor outlives an atomic batch [pageSize=${pageSize}]`,
    cause:
      'A statement in an atomic batch has more rows than fit on one page; its cursor would outlive the transaction.',
    remedy: 'Raise pageSize, or limit the rows with maxRows.',
  },
  BATCH_REGIONS: {
    http: 400,
    text: (first: string, second: string) =>
      `An atomic batch cannot change caches in two files, because no commit covers both [regions=${first}, ${second}]`,
    cause: 'The commands of an atomic batch change caches stored in different files.',
    remedy: 'Keep the caches of the batch in one data region, or in regions that are persistent.',
  },
  BATCH_COMMAND: {
    http: 400,
    text: (command: string, reason: string) => `${command} cannot be part of this batch: ${reason}`,
    cause: 'The command cannot be part of a batch, or not of an atomic one, or logs in with its own parameters.',
    remedy: 'Send the command by itself, or change the part that the text names.',
  },
  DRY_RUN_UNSUPPORTED: {
    http: 400,
    text: (what: string, reason: string) => `There is no dry run of ${what}: ${reason}`,
    cause: 'The service can predict the effect of this command only by executing it.',
    remedy: 'Before you send the command, read the entries or rows that it would change.',
  },
  IDEMPOTENCY_KEY_INVALID: {
    http: 400,
    httpAlways: true,
    text: (limit: Text) => `The header Idempotency-Key needs 1 to ${limit} printable ASCII characters`,
    cause: 'The key is empty, too long, or has characters other than printable ASCII.',
    remedy: 'Send a UUID, a new one for each operation and the same one for its retries.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    http: 409,
    httpAlways: true,
    text: () => 'The Idempotency-Key was used with a different request',
    cause: 'The same user sent the key before, with different parameters, a different body or a different command.',
    remedy: 'Send retries exactly like the first request, and a new key with every other request.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    http: 409,
    httpAlways: true,
    text: () => 'A request with this Idempotency-Key is still running',
    cause: 'A retry arrived before the first request ended.',
    remedy: "Retry later; you then get the first request's result.",
  },
  IDEMPOTENCY_UNSUPPORTED: {
    http: 400,
    httpAlways: true,
    text: (command: string, reason: string) => `${command} cannot have an Idempotency-Key: ${reason}`,
    cause: 'The result of the command cannot be stored, such as a stream of rows or a session token.',
    remedy: 'Follow the text, or send the request without the header.',
  },
  IDEMPOTENCY_FULL: {
    http: 503,
    httpAlways: true,
    text: (limit: Text) => `Too many stored idempotency keys: nothing was changed [limit=${limit}]`,
    cause: 'The number of stored keys has reached its limit, and the user has more than a fiftieth of them.',
    remedy: 'Shorten idempotency.retentionSeconds, or raise limits.idempotencyKeys.',
  },
});
