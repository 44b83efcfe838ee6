/** Errors of the connection to a cluster, and of operations that an engine does not support. */
import { defineErrors } from './error-entry.ts';

export const ENGINE_ERRORS = defineErrors({
  OUTCOME_UNKNOWN: {
    http: 409,
    httpWithKey: true,
    wrap: 'command',
    text: (reason: string) => `The connection was lost, the outcome of the operation is unknown: ${reason}`,
    cause: 'The connection to a node ended, or the process was killed, between a change and its response.',
    remedy: 'Read what the request should have changed before sending it again.',
  },
  CLUSTER_UNREACHABLE: {
    http: 503,
    wrap: 'command',
    text: (reason: string) => `No node of the cluster can be reached: ${reason}`,
    cause: 'No node in `engine.cluster.endpoints` responds.',
    remedy: 'Check that the nodes are running and that the endpoints are correct.',
  },
  CIRCULAR_REFERENCE: {
    http: 409,
    text: () => 'Failed convert to JSON object for circular references',
    cause: 'A program of the cluster stored an object that contains itself, which JSON cannot represent.',
    remedy: 'Read the entry with a program of the cluster, or store an object that does not contain itself.',
  },
  CLUSTER_ANSWER_INVALID: {
    http: 502,
    wrap: 'command',
    text: (reason: string) => `A node of the cluster sent an unreadable response: ${reason}`,
    cause: 'A node sent bytes that the protocol does not allow, or more than the limit for responses.',
    remedy:
      'Check that the endpoints are nodes of a supported version. If the response is too large, request less at once.',
  },
  NOT_SUPPORTED: {
    http: 400,
    wrap: 'command',
    text: (what: string, reason: string) => `Not supported by this engine: ${what} (${reason})`,
    cause: "The service's engine does not support the command, or this use of it.",
    remedy: 'Use a command that this engine supports. The documentation lists the capabilities of each engine.',
  },
  SQL_MODULE_MISSING: {
    http: 501,
    wrap: 'command',
    text: () => 'The cluster has no SQL: the module ignite-indexing is not on the class path of its nodes',
    cause:
      "A statement, or a command that the service answers from the cluster's system views, was sent to a cluster without SQL.",
    remedy:
      'Add the module ignite-indexing to the class path of all nodes. Commands on entries and counters do not need it.',
  },
  INTERNAL: {
    http: 500,
    wrap: 'command',
    text: (id: string) => `Internal error, the log has the details [id=${id}]`,
    cause: 'The service has a defect.',
    remedy: 'Report the id together with the log lines that contain it.',
  },
});
