/** Errors of requests that match no command. */
import { defineErrors } from './error-entry.ts';

export const HTTP_ERRORS = defineErrors({
  REQUEST_MALFORMED: {
    http: 400,
    text: (reason: string, _typedBy?: string) => `Failed to read the request: ${reason}`,
    parameter: (_reason: string, typedBy?: string) => typedBy,
    cause: 'The request is not HTTP, or its parameters or its body cannot be decoded.',
    remedy: 'Percent-encode parameters as UTF-8; send a form or a JSON object as body.',
    specificRemedy: (_reason: string, typedBy?: string) =>
      typedBy === undefined
        ? undefined
        : `Send ${typedBy}: map for an object, list for an array, or the name of your own type for an object.`,
  },
  PATH_NOT_FOUND: {
    http: 404,
    text: (path: string, place = `commands are sent to ${path}, for example ${path}?cmd=version`) =>
      `Not found, ${place}`,
    cause: 'Nothing is served at this path.',
    remedy: 'Use the path in the text.',
  },
  CONSOLE_NOT_BUILT: {
    http: 503,
    text: (reason: string) => `The console cannot be built: ${reason}`,
    cause: 'In a clone, the packages that the console is built from are not installed.',
    remedy: 'Run `npm ci`, then load the page again.',
  },
  METHOD_NOT_ALLOWED: {
    http: 405,
    text: (allowed: string) => `Method not allowed, use one of: ${allowed}`,
    cause: 'The path does not accept the method of the request.',
    remedy: 'Use one of the methods in the text. Commands are sent with GET or POST.',
  },
  REQUEST_TIMEOUT: {
    http: 408,
    text: () => 'The request did not arrive in time',
    cause: 'The head or the body arrived too slowly.',
    remedy: 'Send the whole request without long pauses.',
  },
});
