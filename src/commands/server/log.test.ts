import { commandCases, refused } from '../../../test/test-service.ts';
import type { LogService } from '../context.ts';

const LINES = ['one\n', 'two\n', 'three\n'];
const log: LogService = {
  lines: async (path, from = 0, to = LINES.length) => (path === undefined ? LINES : [`${path}\n`]).slice(from, to + 1),
};

commandCases(
  'log',
  [
    ['gives the whole file', ['log', LINES]],
    ['gives the lines asked for, both ends included', ['log from=1 to=2', ['two\n', 'three\n']]],
    ['gives another file', ['log path=old.log', ['old.log\n']]],
    ['takes an empty path as absent', ['log path=', LINES]],
    ['needs both ends', ['log from=1', refused("Request parameter 'to' is not set.")]],
    [
      'refuses an end before the beginning',
      ['log from=2 to=1', refused("Request parameter 'from' must be less than 'to'.")],
    ],
    ['refuses a negative line', ['log from=-1 to=1', refused('[from=-1, to=1]')]],
    [
      'refuses a line that is no number',
      ['log from=a to=1', refused('Failed to parse parameter of Integer type [from=a]')],
    ],
  ],
  { log },
);

commandCases('log in compatibility mode reference', [['is one text', ['log from=0 to=1', 'one\ntwo\n']]], {
  log,
  compatibility: 'reference',
});

commandCases('log without a file', [
  ['says so', ['log path=none.log', refused('Log file is not found [path=none.log]')]],
]);
