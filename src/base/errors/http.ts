/** Errors of requests that no command is found for. */
import { defineErrors } from './error-entry.ts';

export const HTTP_ERRORS = defineErrors({
  REQUEST_MALFORMED: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (reason: string, _typedBy?: string) => `Failed to read the request: ${reason}`,
    parameter: (_reason: string, typedBy?: string) => typedBy,
    cause: 'The request is not HTTP, or its parameters or its body cannot be decoded.',
    remedy: 'Percent-encode parameters as UTF-8; send a form or a JSON object as body.',
    specificRemedy: (_reason: string, typedBy?: string) =>
      typedBy === undefined
        ? undefined
        : `Send ${typedBy}: map for an object, list for an array, or the name of a type of your own for an object.`,
  },
  PATH_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (path: string, place = `commands are sent to ${path}, for example ${path}?cmd=version`) =>
      `Not found, ${place}`,
    cause: 'The service has nothing at this path.',
    remedy: 'Use the path in the text.',
  },
  CONSOLE_NOT_BUILT: {
    status: 1,
    http: 503,
    wrap: 'never',
    text: (reason: string) => `The console cannot be built: ${reason}`,
    cause: 'The packages that the console is built from are not installed, in a clone.',
    remedy: 'Run `npm ci`, then load the page again.',
  },
  METHOD_NOT_ALLOWED: {
    status: 1,
    http: 405,
    wrap: 'never',
    text: (allowed: string) => `Method not allowed, use one of: ${allowed}`,
    cause: 'The path does not accept the method of the request.',
    remedy: 'Use one of the methods in the text. Commands are sent with GET or POST.',
  },
  REQUEST_TIMEOUT: {
    status: 1,
    http: 408,
    wrap: 'never',
    text: () => 'The request did not arrive in time',
    cause: 'The head or the body arrived too slowly.',
    remedy: 'Send the whole request without long pauses.',
  },
});
