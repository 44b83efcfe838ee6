import { fail } from '../../base/errors.ts';
import { command, ON_SERVICE } from '../command.ts';
import { linesReply } from '../log-lines.ts';
import { audited, optionalInteger, optionalString } from '../params.ts';

export const log = command({
  ...ON_SERVICE,
  name: 'log',
  request: 'LOG',
  group: 'server',
  summary: 'Returns lines of a log file.',
  access: 'read',
  needs: 'adminLog',
  audit: 'always',
  params: {
    from: optionalInteger('from', 'First line, counted from 0; required if `to` is present.'),
    to: optionalInteger('to', 'Last line, inclusive; required if `from` is present.'),
    path: audited(
      optionalString('path', 'Path of a file inside the log folder (default: the current log file).', true),
    ),
  },
  reply: linesReply('The lines.'),
  errors: ['LOG_PATH_FORBIDDEN', 'LOG_NOT_FOUND', 'LOG_RANGE_INVALID', 'NOT_AN_INTEGER', 'LIMIT_EXCEEDED'],
  example: { query: 'cmd=log&from=0&to=1' },
  run({ from, to, path }, { log }) {
    if (from === undefined && to !== undefined) throw fail('LOG_FROM_MISSING');
    if (to === undefined && from !== undefined) throw fail('LOG_TO_MISSING');
    if (from !== undefined && to !== undefined) {
      if (from < 0 || to < 0) throw fail('LOG_RANGE_NEGATIVE', from, to);
      if (from >= to) throw fail('LOG_RANGE_REVERSED');
    }
    return log.lines(path, from, to);
  },
});
