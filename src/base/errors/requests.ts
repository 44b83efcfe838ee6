/** Errors of commands and their parameters. */
import type { Limits } from '../settable-limits.ts';
import { defineErrors, notCombined, type Text } from './error-entry.ts';

/** The limit under `limits` in the configuration, or `fixed` if it cannot be changed. */
type LimitSource = keyof Limits | 'fixed';

/** Returns the client's name for a parameter that Ignite's text calls something else. */
const toSend = (name: string, sent?: string): string => (sent === undefined || sent === name ? '' : ` (send ${sent})`);
const missingParameter = (name: string, sent?: string): string =>
  `Failed to find mandatory parameter in request: ${name}${toSend(name, sent)}`;

export const REQUEST_ERRORS = defineErrors({
  COMMAND_MISSING: {
    http: 400,
    text: (hint: string) => `${missingParameter('cmd')}. ${hint}`,
    cause: 'The request has no parameter `cmd`, either in the address or in the body.',
    remedy: 'Name a command, for example ?cmd=version. The reference page lists all commands.',
  },
  COMMAND_UNKNOWN: {
    http: 400,
    text: (name: string, nearest: readonly string[], place?: string) =>
      `Unknown command: ${name}.${nearest.length > 0 ? ` Did you mean ${nearest.join(', ')}?` : ''}` +
      (place === undefined ? '' : ` ${place[0]?.toUpperCase()}${place.slice(1)}, not below the path of commands.`),
    cause: 'No command has the name in `cmd`.',
    remedy: 'Use a command of the reference page. The text suggests similar names.',
  },
  COMMAND_CONFLICT: {
    http: 400,
    text: (path: string, cmd: string) => `The path names the command ${path}, but cmd names ${cmd}`,
    cause: "The request's path names one command, such as `/svc/get`, and its parameter `cmd` a different one.",
    remedy: 'Name the command once: in the path or as cmd.',
  },
  PARAMETER_MISSING: {
    http: 400,
    wrap: 'always',
    text: missingParameter,
    parameter: (_name: string, sent?: string) => sent,
    cause: 'The request lacks a parameter that the command requires.',
    remedy: 'Send the parameter that the text names.',
    specificRemedy: (name: string) =>
      name === 'pageSize'
        ? 'Send pageSize, the rows of a page, such as 100. The option query.defaultPageSize makes it optional.'
        : undefined,
  },
  PARAMETER_NULL: {
    http: 400,
    wrap: 'command',
    text: (name: string, sent?: string) => `Ouch! Argument cannot be null: ${name}${toSend(name, sent)}`,
    parameter: (_name: string, sent?: string) => sent,
    cause: 'A query has no statement or no type, or `repval` has no `val2`.',
    remedy: 'Send the parameter that the text names.',
  },
  PARAMETER_UNKNOWN: {
    http: 400,
    text: (name: string, meant: string | undefined, declared = '') => {
      const others = declared === '' ? '' : ` The command has ${declared}.`;
      return `Unknown parameter "${name}".${meant === undefined ? others : ` Did you mean "${meant}"?`}`;
    },
    parameter: (name: string) => name,
    cause:
      'The command has no such parameter, and the name is close to a declared one, or `parameters.strict` is on. Commands ' +
      'that issue API keys accept only their own parameters.',
    remedy: 'Correct the name. The reference page lists the parameters of each command.',
  },
  PARAMETER_INVALID: {
    http: 400,
    text: (name: string, value: string, allowed: string) => `${name} must be ${allowed} [${name}=${value}]`,
    parameter: (name: string) => name,
    cause: 'The parameter does not accept this value.',
    remedy: 'Send a value that matches the description in the text.',
  },
  PARAMETER_GAP: {
    http: 400,
    text: (missing: string, present: string) =>
      `Failed to find mandatory parameter in request: ${missing} (${present} is present)`,
    parameter: (missing: string) => missing,
    cause: 'A number is missing in a series of numbered parameters, such as `k1` and `k3` without `k2`.',
    remedy: 'Number the parameters from 1 without gaps.',
  },
  PARAMETERS_EXCLUSIVE: {
    http: 400,
    text: notCombined,
    parameter: (_first: string, second: string) => second,
    cause: 'The request has two mutually exclusive parameters, such as `exp` and `ttlMs`.',
    remedy: 'Send one of the two.',
  },
  TTL_NEGATIVE: {
    http: 400,
    text: (value: Text) => `Time to live must not be negative [ttlMs=${value}]`,
    cause: '`ttlMs` is less than 0.',
    remedy: 'Send the time in milliseconds, or 0 for an entry without a deadline.',
  },
  NOT_A_LONG: {
    http: 400,
    text: (name: string, value: string, unit?: string, _milliseconds?: number) =>
      `Failed to parse parameter of Long type [${name}=${value}]` +
      `${unit === undefined ? '' : ` (${name} is a number of ${unit})`}`,
    parameter: (name: string) => name,
    cause: "The parameter's value is not a whole number, or has more than 64 bits.",
    remedy: 'Send a whole number between -9223372036854775808 and 9223372036854775807.',
    // The text is Ignite's; the remedy is not.
    specificRemedy: (name: string, value: string, _unit?: string, milliseconds?: number) =>
      milliseconds === undefined ? undefined : `Send milliseconds: ${name}=${milliseconds} for ${value}.`,
  },
  NOT_AN_INTEGER: {
    http: 400,
    text: (name: string, value: string) => `Failed to parse parameter of Integer type [${name}=${value}]`,
    parameter: (name: string) => name,
    cause: "The parameter's value is not a whole number, or has more than 32 bits.",
    remedy: 'Send a whole number between -2147483648 and 2147483647.',
  },
  NOT_A_BOOLEAN: {
    http: 400,
    text: (name: string, value: string) => `Failed to parse parameter of Boolean type [${name}=${value}]`,
    parameter: (name: string) => name,
    cause: 'The value of a flag is neither true nor false.',
    remedy: 'Send true or false.',
  },
  NOT_A_NUMBER: {
    http: 400,
    text: (value: string, name?: string) =>
      `For input string: "${value}"${name === undefined ? '' : ` (${name} must be a whole number)`}`,
    parameter: (_value: string, name?: string) => name,
    cause: '`pageSize` or `qryId` is not a whole number.',
    remedy: 'Send a whole number for pageSize and qryId.',
  },
  PAGE_SIZE_NEGATIVE: {
    http: 400,
    text: (value: Text) => `Page size must not be negative [pageSize=${value}]`,
    cause: '`pageSize` is less than 0.',
    remedy: 'Send a page size of 0 (columns only) or more.',
  },
  CONVERSION: {
    http: 400,
    text: (type: string, value: string, reason: string, parameter?: string) =>
      `Failed to convert value to specified type [type=${type}, val=${value}, reason=${reason}` +
      `${parameter === undefined ? '' : `, parameter=${parameter}`}]`,
    parameter: (_type: string, _value: string, _reason: string, parameter?: string) => parameter,
    cause: 'A key, value or field cannot be converted to its declared type. Nothing was stored.',
    remedy: 'Send a value of the declared type. The reason says what is wrong with this one.',
  },
  BACKUPS_INVALID: {
    http: 400,
    text: (value: string) => `Failed to parse number of cache backups: ${value}`,
    cause: '`backups` is not a whole number.',
    remedy: 'Send a whole number of 0 or more.',
  },
  WRITE_MODE_INVALID: {
    http: 400,
    text: (value: string, name?: string) =>
      `Failed to parse cache write synchronization mode: ${value}${name === undefined ? '' : ` [${name}=${value}]`}`,
    cause: '`writeSynchronizationMode` is not one of the three modes.',
    remedy: 'Send FULL_SYNC, FULL_ASYNC or PRIMARY_SYNC.',
  },
  MORE_VALUES_THAN_KEYS: {
    http: 400,
    text: () => 'Number of keys must be greater or equals to number of values.',
    cause: 'The request has a value `vN` without the key `kN`.',
    remedy: 'Send a key for every value: k1, v1, k2, v2 ...',
  },
  FEWER_VALUES_THAN_KEYS: {
    http: 400,
    wrap: 'always',
    text: () => 'Failing putAll operation (null values are not allowed).',
    cause: '`putall` has a key `kN` without the value `vN`.',
    remedy: 'Send a value for every key: k1, v1, k2, v2 ...',
  },
  LIMIT_EXCEEDED: {
    http: 400,
    text: (what: string, limit: Text, actual: Text, option: LimitSource) =>
      `Limit exceeded [what=${what}, limit=${limit}, actual=${actual}, ` +
      `${option === 'fixed' ? 'fixed=true' : `option=limits.${option}`}]`,
    cause:
      'Something in the request exceeds a limit; the text names it, the limit, the actual number and, unless the limit is fixed, the option that sets it.',
    remedy: 'Send less at once, or raise the limit that the text names.',
    specificRemedy: (_what: string, _limit: Text, _actual: Text, option: LimitSource) =>
      option === 'fixed' ? 'Send less at once: this limit is fixed.' : `Send less at once, or raise limits.${option}.`,
  },
});
