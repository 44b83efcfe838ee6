/**
 * Where the service differs on purpose from Ignite, the HTTP interface of Apache Ignite 2, as its documentation
 * lists it. The numbers of the rows are those that comments in the code name; they are never given anew.
 */

import type { CompatibilityFlags } from '../commands/compatibility-flags.ts';
import { DECIMAL_BOUND } from '../values/decimal-bounds.ts';

export interface KnownDifference {
  readonly row: number;
  readonly reference: string;
  readonly service: string;
  /** What compatibility mode `reference` switches back; absent: nothing. */
  readonly restoredBy?: ReadonlyArray<keyof CompatibilityFlags>;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    row: 1,
    reference: 'An absent cacheName is refused.',
    service:
      'Absent or empty means the default cache. It is always there, also as `cacheName=default`; `node` and `top` show ' +
      'it with an empty name.',
    restoredBy: ['cacheNameRequired'],
  },
  {
    row: 2,
    reference: 'An absent or unknown `cmd` is answered with HTTP 400 and no body.',
    service: 'HTTP 400 with an envelope that names the nearest commands.',
  },
  {
    row: 3,
    reference: 'Every HTTP method runs a command, HEAD and OPTIONS too.',
    service: 'GET and POST run commands. Others are answered with 405; OPTIONS serves browsers of allowed origins.',
  },
  {
    row: 4,
    reference: 'Every path that begins with `/svc` is the endpoint.',
    service: '`/svc` and `/svc/` are.',
  },
  {
    row: 5,
    reference: 'JSON bodies are ignored.',
    service: 'A JSON object as body is read as parameters.',
  },
  {
    row: 6,
    reference: 'At most 8 KiB of head, 200,000 bytes and 1,000 fields of form.',
    service: 'Larger limits, all configurable. More is refused with a text that names the limit.',
  },
  {
    row: 7,
    reference: '`rmvall` without keys empties the cache; `clear` never works.',
    service: '`rmvall` needs keys. `clear` needs a cacheName and empties that cache.',
    restoredBy: ['keysOptional'],
  },
  {
    row: 8,
    reference: '`cas` without `val2` stores where nothing is; without `val` it removes.',
    service: 'Both are needed.',
    restoredBy: ['casArgumentsOptional'],
  },
  {
    row: 9,
    reference: 'A parameter `val1` that nobody documented replaces `val`.',
    service: 'There is no such parameter.',
    restoredBy: ['val1ReplacesVal'],
  },
  {
    row: 10,
    reference:
      'Any text is a boolean; dates and times roll over (`2019-02-30`); UUID groups are filled up or cut; a custom value ' +
      'may be a scalar or have text behind it.',
    service: 'A text that is no value of its type is refused, and nothing is stored.',
  },
  {
    row: 11,
    reference:
      'An object without fields reads back as null; an object shows every field that its type ever had; later values are ' +
      'forced into the types of earlier ones.',
    service:
      'A custom value reads back as it was stored. A query entity or a registered class gives its fields their types. On ' +
      "the cluster engine the cluster's rule stays: a field keeps its type, and a value that does not fit is refused.",
  },
  {
    row: 12,
    reference: "Trailing zeros of the grid UUID's counter vanish.",
    service: 'All digits are kept (embedded engine).',
  },
  {
    row: 13,
    reference:
      '`getall` writes keys of type date, time and timestamp as `Jan 2, 2018, 12:00:00 AM`, custom keys as a dump.',
    service:
      'Keys are written as values are, custom keys as JSON text. `asArray=true` asks one request for the array form.',
    restoredBy: ['longFormDateKeys'],
  },
  {
    row: 14,
    reference: 'Failures carry a stack trace.',
    service: 'The same text without the trace, which goes to the log.',
  },
  {
    row: 15,
    reference: 'In array mode failures of `getall` lose their text.',
    service: 'They keep it.',
  },
  {
    row: 16,
    reference: '`cache` has four counters, which are zero for caches made by getorcreate.',
    service: 'Seven figures, counted for every cache on the embedded engine.',
  },
  {
    row: 17,
    reference: 'An unknown template, negative backups, an unknown data region are accepted or fail without a reason.',
    service: 'They are refused with a text that names what exists.',
  },
  {
    row: 18,
    reference: '`metadata` is an array, fails for a named cache on one node, and lacks `_KEY` and `_VAL`.',
    service:
      'One object for the cache; `cacheName=*` gives an array for all caches. `_KEY` and `_VAL` are among the fields.',
    restoredBy: ['metadataAsArray'],
  },
  {
    row: 19,
    reference: '`log` is one text without line ends; its check of the path lets `..` through.',
    service: 'An array of lines, of files inside the log folder alone.',
    restoredBy: ['logAsString'],
  },
  {
    row: 20,
    reference: '`node` and `top` lack replicaCount and defaultCacheMode.',
    service: 'Both are there.',
  },
  {
    row: 21,
    reference: "A task result's `error` is null.",
    service: 'It is the empty text.',
    restoredBy: ['nullTaskError'],
  },
  {
    row: 22,
    reference: 'Illegal arguments have successStatus 4.',
    service: 'They have 1.',
    restoredBy: ['status4ForIllegalArguments'],
  },
  {
    row: 23,
    reference: '`version` and `probe` need no credentials.',
    service:
      '`version` needs them like every command. `probe`, `/health/live` and `/health/ready` need none and tell nothing ' +
      'but up or down.',
    restoredBy: ['versionWithoutLogin'],
  },
  {
    row: 24,
    reference:
      'A signature is the hash of time and key alone; its age is never checked; a wrong one is answered with 401 and no ' +
      'body.',
    service:
      'The hash of the key alone is accepted too, until `signatureMaxAge` asks for the time. A wrong one is answered ' +
      'with 401 and an envelope of status 3.',
    restoredBy: ['timestampedSignatureOnly'],
  },
  {
    row: 25,
    reference: 'Sessions of a removed user go on; failures are answered without the token; `clientId` binds a session.',
    service:
      'Removing a user ends the sessions at once, a new password ends the other ones. Failures of commands carry the ' +
      'token. There is no `clientId`.',
  },
  {
    row: 26,
    reference: 'Values of unknown classes fail in queries without `keepBinary`, and in scans always.',
    service: 'They are shown as JSON.',
  },
  {
    row: 27,
    reference: 'An INSERT of several rows with a duplicate key stores the others.',
    service: 'A statement happens as a whole or not at all (embedded engine).',
  },
  { row: 28, reference: 'UUID columns have the type `[B`.', service: 'They have the type `java.util.UUID`.' },
  {
    row: 29,
    reference: 'Names of columns without a name are what its optimizer makes of the expression.',
    service: "They are the expression's text in upper case.",
  },
  {
    row: 30,
    reference: 'A negative page size gives empty pages for ever.',
    service: 'It is refused. 0 gives an empty first page with the columns.',
  },
  {
    row: 31,
    reference:
      'There are `quit`, `clustername`, `warmup`, `nodestatebeforestart`, `setbaseline`, `addbaseline`, `removebaseline`.',
    service: 'They are unknown commands.',
  },
  {
    row: 32,
    reference:
      '`updatettl` hangs where authentication is on; the first `incr` of a lost counter fails after an activation.',
    service: 'They work.',
  },
  {
    row: 33,
    reference:
      '`qryfetch` has null for `fieldsMetadata`, the columns of scans hold nulls, `sqlSchema` is a quoted text.',
    service: 'They are `[]`, empty texts and plain text.',
    restoredBy: ['nullDescriptors'],
  },
  {
    row: 34,
    reference: 'CREATE INDEX and ALTER TABLE work while the cluster is read-only.',
    service: 'They are refused like every change.',
  },
  {
    row: 35,
    reference: 'Its description says that `putifabs` stores only where there is a value.',
    service: 'It stores only where there is none, as Ignite really does.',
  },
  {
    row: 36,
    reference: 'Its description of a signature is a fixed word, which whoever saw one request can use for ever.',
    service: 'It is accepted (24), with a warning in the log at its first use.',
  },
  {
    row: 37,
    reference: 'Decimals of any exponent are accepted, and one operation on them can stall a node.',
    service: `A decimal has ${DECIMAL_BOUND}, as a key, a value, an argument, a literal or a result.`,
  },
  {
    row: 38,
    reference: 'A statement has no time limit unless its request sets one.',
    service:
      'It may run for 60 seconds (`query.timeout`); compatibility `reference` has no default. Memory, temporary files and ' +
      'the time with the write lock have limits too (`query.*`).',
  },
];
