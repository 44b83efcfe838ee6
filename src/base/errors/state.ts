/** Errors of the cluster's state, nodes and health, and of operations that fail for other reasons. */
import { defineErrors, invalidUuid, notCombined } from './error-entry.ts';

export const STATE_ERRORS = defineErrors({
  CLUSTER_GROUP_EMPTY: {
    http: 404,
    wrap: 'always',
    text: () => 'Cluster group is empty.',
    cause: 'No node has the id in `destId`.',
    remedy: 'Send a node id from the top command as destId, or omit destId.',
  },
  STATE_MISSING: {
    http: 400,
    wrap: 'command',
    text: () => "State can't be null.",
    cause: '`setstate` was sent without `state`.',
    remedy: 'Send state=ACTIVE, ACTIVE_READ_ONLY or INACTIVE.',
  },
  STATE_INVALID: {
    http: 400,
    text: (value: string) => `Failed to parse parameter of ClusterState type [state=${value}]`,
    cause: '`state` is not one of the three states.',
    remedy: 'Send ACTIVE, ACTIVE_READ_ONLY or INACTIVE, in upper case.',
  },
  READ_ONLY: {
    http: 409,
    wrap: 'command',
    text: (operation: string, cache: string) =>
      `Failed to perform ${operation} (cluster is in read-only mode) [cacheGrp=null, cache=${cache}]`,
    cause: 'The state is ACTIVE_READ_ONLY, in which nothing can be changed.',
    remedy: 'Set the state to ACTIVE with setstate.',
  },
  INACTIVE: {
    http: 503,
    wrap: 'command',
    text: () =>
      'Can not perform the operation because the cluster is inactive. Note, that the cluster is considered inactive ' +
      'by default if Persistent Store is used to let all the nodes join the cluster. To activate the cluster call ' +
      'setstate with state=ACTIVE.',
    cause: 'The state is INACTIVE, in which no data is available.',
    remedy: 'Set the state to ACTIVE with setstate.',
  },
  DEACTIVATION_STOPPED: {
    http: 409,
    wrap: 'command',
    text: (caches: readonly string[]) =>
      'Deactivation stopped. Deactivation clears in-memory caches (without persistence) including the system caches. ' +
      `In memory caches: [${caches.join(', ')}] .To deactivate cluster pass '--force' flag (force=true here).`,
    cause: 'INACTIVE would discard entries of caches that are not persistent.',
    remedy: 'Send force=true if the entries of these caches may be lost.',
  },
  NODE_NOT_FOUND: {
    http: 404,
    wrap: 'always',
    text: (id: string) => `Failed to find a node with this id [nodeId=${id}]`,
    cause: 'No node has the id in `nodeId`.',
    remedy: 'Send a node id from the top command, or omit nodeId.',
  },
  CACHE_LIST_OPTIONS: {
    http: 400,
    wrap: 'always',
    text: notCombined,
    cause: '`cachelist` was sent with two parameters that ask for different lists.',
    remedy: 'Send one of groups, seq and config.',
  },
  PATTERN_INVALID: {
    http: 400,
    wrap: 'always',
    text: (pattern: string) => `Failed to parse the regular expression [regex=${pattern}]`,
    cause: '`regex` is not a regular expression.',
    remedy: 'Send a regular expression in Java syntax.',
  },
  PROBE_KIND_INVALID: {
    http: 400,
    text: (kind: string, known: string) => `Unknown probe kind: ${kind} (expected one of: ${known})`,
    cause: '`kind` is not one of the kinds of probes.',
    remedy: 'Send one of the kinds in the text, or omit kind.',
  },
  NOT_READY: {
    http: 503,
    httpAlways: true,
    text: () => 'grid is not ready',
    cause: 'The service is starting, stopping or draining, or has no usable data or nodes.',
    remedy: 'Try again later. The log and the cluster state show the reason to an administrator.',
  },
  STANDBY: {
    http: 503,
    httpAlways: true,
    text: (primary: string) => `This service is a standby, which answers no commands; the primary is ${primary}`,
    cause: 'The service maintains a copy of the data of another service, and takes over when that one fails.',
    remedy: 'Send the request to the primary, or again after the time in Retry-After: a takeover may be under way.',
  },
  DEPOSED: {
    http: 503,
    httpAlways: true,
    text: () => 'This service is no longer the primary; it is unknown whether the request was executed',
    cause:
      'The service could not renew its lease in the destination of the continuous backup, or another one took over.',
    remedy:
      'Send a read again, to the current primary. Before you repeat a change, read what it changed, unless it had an ' +
      'idempotency key: with the same key, it is made once.',
  },
  DRAIN_ACTION_INVALID: {
    http: 400,
    text: (action: string, known: string) => `Unknown drain action: ${action} (expected one of: ${known})`,
    cause: '`action` is not one of the actions of `drain`.',
    remedy: 'Send one of the actions in the text.',
  },
  NODE_ID_OR_IP_MISSING: {
    http: 400,
    wrap: 'always',
    text: () => 'Failed to handle request (either id or ip should be specified).',
    cause: '`node` was sent with neither `id` nor `ip`.',
    remedy: 'Send id or ip; top lists the nodes.',
  },
  UUID_INVALID: {
    igniteStatus: 4,
    http: 400,
    text: invalidUuid,
    cause: 'A part of the id of a task is not a UUID.',
    remedy: 'Send five groups of hexadecimal digits, separated by dashes.',
  },
  NOT_A_UUID: {
    http: 400,
    text: (name: string, value: string) => `Failed to parse parameter of UUID type [${name}=${value}]`,
    parameter: (name: string) => name,
    cause: 'A group of `id` has digits that are not hexadecimal, or too many of them.',
    remedy: 'Send five groups of hexadecimal digits, separated by dashes.',
  },
  VALUE_REJECTED: {
    http: 400,
    wrap: 'command',
    text: (text: string) => text,
    cause:
      'A key or a value does not fit what its cache or table declares (NOT NULL, a length, a precision, the class or the ' +
      'fields of keys), or cannot be represented in the requested format.',
    remedy: 'The text says what does not fit. Send a value that fits, or request another format.',
  },
  OPERATION_FAILED: {
    http: 500,
    wrap: 'command',
    text: (text: string) => text,
    cause: 'The engine could not execute the command, for a reason that has no separate code.',
    remedy: 'The text says what failed.',
  },
});
