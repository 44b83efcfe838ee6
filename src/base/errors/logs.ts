/** Errors of the command that reads logs. */
import { defineErrors, defineTexts, type Text } from './error-entry.ts';

export const LOG_ERRORS = defineErrors({
  LOG_PATH_FORBIDDEN: {
    http: 403,
    wrap: 'always',
    text: (path: string) => `File path is not allowed, it must be inside the log folder [path=${path}]`,
    cause: '`path` is outside the log folder.',
    remedy: 'Name a file inside the log folder, or omit path.',
  },
  LOG_RANGE_INVALID: {
    http: 400,
    wrap: 'always',
    text: (reason: string) => reason,
    cause: '`from`, `to` and `lines` do not describe a range of lines in the file.',
    remedy: 'Send from and to with 0 <= from < to, or lines.',
  },
  LOG_NOT_FOUND: {
    http: 404,
    wrap: 'always',
    text: (path: string) => `Log file is not found [path=${path}]`,
    cause: 'The log folder has no such file.',
    remedy: 'Name a file inside the log folder, or omit path.',
  },
});

/** Texts of errors that share their code with others. */
export const LOG_TEXTS = defineTexts({
  LOG_FROM_MISSING: { code: 'LOG_RANGE_INVALID', text: () => "Request parameter 'from' is not set." },
  LOG_TO_MISSING: { code: 'LOG_RANGE_INVALID', text: () => "Request parameter 'to' is not set." },
  LOG_RANGE_NEGATIVE: {
    code: 'LOG_RANGE_INVALID',
    text: (from: Text, to: Text) => `One of the request parameters is invalid [from=${from}, to=${to}]`,
  },
  LOG_RANGE_REVERSED: {
    code: 'LOG_RANGE_INVALID',
    text: () => "Request parameter 'from' must be less than 'to'.",
  },
  LOG_LINES_INVALID: {
    code: 'LOG_RANGE_INVALID',
    text: (lines: Text) => `The parameter lines must be 1 or more, and cannot be combined with to [lines=${lines}]`,
  },
  LOG_LINES_MISSING: {
    code: 'LOG_RANGE_INVALID',
    text: () => "Request parameter 'from' and 'to' are for lines that do not exist in log file.",
  },
});
