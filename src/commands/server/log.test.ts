import { commandCases, failsWith } from '../../../test/test-service.ts';
import type { LogService } from '../context.ts';

const LINES = ['one\n', 'two\n', 'three\n'];
const log: LogService = {
  lines: async (path, from = 0, to = LINES.length) => (path === undefined ? LINES : [`${path}\n`]).slice(from, to + 1),
  lastLines: async (path, count) => (path === undefined ? LINES : [`${path}\n`]).slice(-count),
};

commandCases(
  'log',
  [
    ['returns the last lines', ['log', LINES], ['log lines=2', ['two\n', 'three\n']]],
    ['returns a single line', ['log lines=1', ['three\n']], ['log from=1 lines=1', ['two\n']]],
    ['returns a number of lines from a line on', ['log from=0 lines=2', ['one\n', 'two\n']]],
    [
      'rejects no lines, and an end beside a number of lines',
      ['log lines=0', failsWith('[lines=0]')],
      ['log from=0 to=1 lines=1', failsWith('cannot be combined with to')],
      ['log from=-2 lines=1', failsWith('[from=-2, to=-2]')],
    ],
    ['returns a range of lines including both ends', ['log from=1 to=2', ['two\n', 'three\n']]],
    ['returns another file', ['log path=old.log', ['old.log\n']]],
    ['treats an empty path as absent', ['log path=', LINES]],
    ['requires both ends of a range', ['log from=1', failsWith("Request parameter 'to' is not set.")]],
    [
      'rejects an end that is not behind the start',
      ['log from=2 to=1', failsWith("Request parameter 'from' must be less than 'to'.")],
      ['log from=0 to=0', failsWith("Request parameter 'from' must be less than 'to'.")],
    ],
    ['rejects a negative line number', ['log from=-2 to=1', failsWith('[from=-2, to=1]')]],
    [
      'treats -1 as absent',
      ['log from=-1 to=1', failsWith("Request parameter 'from' is not set.")],
      ['log from=1 to=-1', failsWith("Request parameter 'to' is not set.")],
      ['log from=-1 to=-1', LINES],
    ],
    [
      'rejects a non-numeric line number',
      ['log from=a to=1', failsWith('Failed to parse parameter of Integer type [from=a]')],
    ],
  ],
  { log },
);

commandCases(
  'log in compatibility mode reference',
  [['returns one string', ['log from=0 to=1', 'one\ntwo\n'], ['log', 'one\ntwo\n']]],
  {
    log,
    compatibility: 'reference',
  },
);

commandCases('log without a file', [
  ['rejects the path', ['log path=none.log', failsWith('Log file is not found [path=none.log]')]],
]);
