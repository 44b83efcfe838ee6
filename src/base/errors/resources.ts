/** Errors of requests that address entries and rows. */
import { defineErrors, defineTexts } from './error-entry.ts';

export const RESOURCE_ERRORS = defineErrors({
  ENTRY_NOT_FOUND: {
    http: 404,
    text: () => 'There is no entry with this key',
    cause:
      'The cache has no entry with the key in the address, or the entry has expired. Keys have types: 1 is not "1".',
    remedy: "Check the key, and name its type in keyType unless it is the cache's.",
  },
  ENTRY_EXISTS: {
    http: 409,
    text: () => 'An entry with this key already exists',
    cause: 'POST creates an entry, and the cache has one with this key.',
    remedy: 'Replace it with PUT, or choose another key.',
  },
  ROW_NOT_FOUND: {
    http: 404,
    text: () => 'There is no row with this key',
    cause: 'The table has no row with the primary key in the address.',
    remedy: 'Check the key. The columns of a composite key are in order, separated by commas.',
  },
  PRECONDITION_FAILED: {
    http: 412,
    text: (header: string) => `The condition of the header ${header} is not met`,
    cause: 'The entry or row does not exist, already exists, or has a value other than the one in the header.',
    remedy: 'Read the current value and try again. To replace only the value that you read, send its ETag in If-Match.',
  },
  NOT_ACCEPTABLE: {
    http: 406,
    text: (types: string) => `Accept allows none of the available types: ${types}`,
    cause: "The `Accept` header names none of the resource's media types.",
    remedy: 'Request one of the media types in the text.',
  },
  MEDIA_TYPE_UNSUPPORTED: {
    http: 415,
    text: (given: string, types: string) => `The resource does not read bodies of the type ${given}; send: ${types}`,
    cause: 'The `Content-Type` header names no media type that the resource accepts, or the body is compressed.',
    remedy:
      'Send one of the media types in the text, and name it in Content-Type. curl -d sends the type for forms: ' +
      "add -H 'Content-Type: application/json', or use --json in curl 7.82 or later.",
  },
  RESOURCE_INVALID: {
    http: 400,
    text: (part: string, reason: string) => `Invalid ${part}: ${reason}`,
    parameter: (part: string) => /^parameter (.*)/s.exec(part)?.[1],
    cause: 'Part of the address, a header or the body of a request for an entry or rows is invalid.',
    remedy: 'Correct the part that the text names.',
  },
});

/** Texts of errors that share their code with others. */
export const BODY_TEXTS = defineTexts({
  CONTENT_ENCODING: {
    code: 'MEDIA_TYPE_UNSUPPORTED',
    text: (coding: string) =>
      `Bodies are read as they are, and this one has Content-Encoding: ${coding}; send it uncompressed, without the header`,
    specificRemedy: () => 'Send the body uncompressed, without the header Content-Encoding.',
  },
  PARAMETER_STRUCTURED: {
    code: 'REQUEST_MALFORMED',
    text: (name: string) => `Failed to read the request: ${name} must be a text, a number, true, false or null`,
    parameter: (name: string) => name,
    specificRemedy: (name: string) =>
      `Send ${name} as a text: names in a list are separated by commas. The reference page has the form of each parameter.`,
  },
  LIST_MALFORMED: {
    code: 'REQUEST_MALFORMED',
    text: (name: string) =>
      `Failed to read the request: ${name} must be an array of strings, none of them empty or with a comma`,
    parameter: (name: string) => name,
    specificRemedy: (name: string) => `Send ${name} as an array, ["a", "b"], or as one string, "a,b".`,
  },
  LIST_EMPTY: {
    code: 'REQUEST_MALFORMED',
    text: (name: string) => `Failed to read the request: the array ${name} is empty`,
    parameter: (name: string) => name,
    specificRemedy: (name: string) => `Send at least one element. Leave ${name} out only if its default is meant.`,
  },
  BODY_NOT_AN_OBJECT: {
    code: 'REQUEST_MALFORMED',
    text: () => 'Failed to read the request: the JSON body must be an object',
    specificRemedy: () => 'Send {"cmd": "NAME", ...}, or an array of such commands to /svc/batch.',
  },
});
