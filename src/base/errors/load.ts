/** Errors of bodies, and of requests that the service cannot accept at the moment. */
import { defineErrors, type Text } from './error-entry.ts';

export const LOAD_ERRORS = defineErrors({
  BODY_INCOMPLETE: {
    http: 400,
    text: () => 'The connection ended before the whole body had arrived',
    cause: 'The client closed the connection, or sent fewer bytes than it announced.',
    remedy: 'Send the whole body. An import with an id continues where it stopped.',
  },
  BODY_TOO_LARGE: {
    http: 413,
    text: (limit: Text) => `The request body is too large [limitBytes=${limit}]`,
    cause: 'The body exceeds `limits.requestBodyBytes`.',
    remedy: 'Send less at once, or raise limits.requestBodyBytes.',
  },
  HEAD_TOO_LARGE: {
    http: 431,
    text: (limit: Text) => `The request line and headers are too large [limitBytes=${limit}]`,
    cause: 'The address and the headers exceed `limits.requestHeadBytes`, often because of long parameters.',
    remedy: 'Send the parameters in the body of a POST, or raise limits.requestHeadBytes.',
  },
  OVERLOADED: {
    http: 503,
    httpAlways: true,
    text: (waiting: Text) => `Too many requests are waiting [waiting=${waiting}]`,
    cause: 'Requests arrive faster than the service can answer them, and would wait longer than `limits.queueMs`.',
    remedy: 'Try again later, send fewer requests at once, or raise limits.queueMs or limits.requestsWaiting.',
  },
  RATE_LIMITED: {
    http: 429,
    httpAlways: true,
    text: (subject: string, requests: Text, seconds: Text, retrySeconds: Text) =>
      `Too many requests of this ${subject}, try again in ${retrySeconds} s [limit=${requests} in ${seconds} s]`,
    cause: 'The address, the user or the API key sent more requests than its rate allows.',
    remedy:
      'Wait for the time in the text and in the header Retry-After. The RateLimit header says how many requests are left.',
  },
  BUFFERS_FULL: {
    http: 503,
    text: (limit: Text) => `Too many request bytes are buffered [limitBytes=${limit}]`,
    cause: 'The arriving requests take up `limits.requestBufferBytes`.',
    remedy: 'Send the request again later, or raise limits.requestBufferBytes.',
  },
  STOPPING: {
    http: 503,
    text: () => 'Failed to handle request (received request while stopping grid).',
    cause: 'The service is shutting down, and completes only requests that it has begun.',
    remedy: 'Retry when the service has restarted.',
  },
});
