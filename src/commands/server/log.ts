import { gridError } from '../../base/errors.ts';
import { LOG_BOUNDS } from '../../base/limits.ts';
import { command, ON_SERVICE } from '../command.ts';
import { linesReply } from '../log-lines.ts';
import { audited, optionalInteger, optionalString } from '../params.ts';

export const log = command({
  ...ON_SERVICE,
  name: 'log',
  request: 'LOG',
  group: 'server',
  summary: 'Returns a range of lines, or the last lines, of a log file.',
  access: 'read',
  needs: 'adminLog',
  readsNoData: true,
  audit: 'always',
  params: {
    from: optionalInteger('from', 'First line, counted from 0. Needs `to` or `lines`.'),
    to: optionalInteger('to', 'Last line, inclusive and greater than `from`. Needs `from`.'),
    lines: optionalInteger(
      'lines',
      'Number of lines, starting at `from`; without `from`, the last lines of the file.',
      String(LOG_BOUNDS.defaultLines),
    ),
    path: audited(
      optionalString('path', 'Path of a file inside the log folder (default: the current log file).', true),
    ),
  },
  reply: linesReply('The lines.'),
  errors: ['LOG_PATH_FORBIDDEN', 'LOG_NOT_FOUND', 'LOG_RANGE_INVALID', 'LIMIT_EXCEEDED'],
  example: { query: 'cmd=log&from=0&to=1' },
  run({ lines, path, ...range }, { services: { log }, compatibility }) {
    const [from, to] = [given(range.from), given(range.to)];
    if (from === undefined && to !== undefined) throw gridError('LOG_FROM_MISSING');
    if (from !== undefined && to === undefined && lines === undefined) throw gridError('LOG_TO_MISSING');
    if (lines !== undefined && (lines < 1 || to !== undefined)) throw gridError('LOG_LINES_INVALID', lines);
    if (from === undefined) {
      // Ignite returns the first two lines (docs/spec/ignite-cluster.md 4).
      // Row 19 of docs/differences.md.
      if (compatibility === 'reference' && lines === undefined) return log.lines(path, 0, 1);
      return log.lastLines(path, lines ?? LOG_BOUNDS.defaultLines);
    }
    const last = to ?? from + (lines ?? 1) - 1;
    if (from < 0 || last < 0) throw gridError('LOG_RANGE_NEGATIVE', from, last);
    if (to !== undefined && from >= to) throw gridError('LOG_RANGE_REVERSED');
    return log.lines(path, from, last);
  },
});

/** Returns a line number, or undefined for -1, which Ignite treats as absent (docs/spec/ignite-cluster.md 4). */
function given(line: number | undefined): number | undefined {
  return line === -1 ? undefined : line;
}
