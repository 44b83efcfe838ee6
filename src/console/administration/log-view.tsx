/** The log and the audit log: the last lines, filtered, and followed. */

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Button, bound, SelectField, Status, TextField } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { ReadProblem } from '../elements/read-problem.tsx';
import { formatInstant } from '../elements/times.ts';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { LEVELS, type Level, type LogLine, matchingLines, parseLogLine } from './log-lines.ts';

/** Often enough to follow what happens, without loading the service. */
const FOLLOW_MS = 2_000;
/** More are too many to look through; the filter finds the rest. */
const MAX_SHOWN = 500;

const FILES: ReadonlyArray<readonly [path: string, text: string]> = [
  ['svc.log', 'Log'],
  ['audit.log', 'Audit log: changes'],
  ['audit-failures.log', 'Audit log: failures'],
];

const LINE_COUNTS = [100, 1_000, 5_000].map((count) => [`${count}`, formatNumber(count)] as const);

const LEVEL_TEXTS: Readonly<Record<Level, string>> = {
  error: 'Only errors',
  warn: 'Warnings and errors',
  info: 'Info and above',
  debug: 'All',
};

function Line({ line }: { readonly line: LogLine }) {
  const { timeMs, level, message, fields } = line;
  return (
    <li class="log-line">
      {timeMs !== undefined && (
        <time class="log-time" dateTime={new Date(timeMs).toISOString()}>
          {formatInstant(timeMs)}
        </time>
      )}
      {level !== undefined && <span class={`tag level-${level}`}>{level}</span>}
      <span class="log-message">
        {message}
        {fields.map(([name, value]) => (
          <span key={name} class="log-field">
            {' '}
            <span class="log-name">{name}=</span>
            {value}
          </span>
        ))}
      </span>
    </li>
  );
}

export function LogView() {
  const path = useSignal('svc.log');
  const lines = useSignal('1000');
  const filter = useSignal('');
  const level = useSignal<Level>('debug');
  const follows = useSignal(true);
  const loaded = useLoaded(
    async (signal) => {
      const read = await call('log', { path: path.value, lines: lines.value }, signal);
      const texts = Array.isArray(read) ? read.map(String) : String(read).split('\n');
      return texts.map(parseLogLine);
    },
    `${path.value} ${lines.value}`,
    follows.value ? FOLLOW_MS : 0,
  );
  const { value, isDenied, reload } = loaded;
  const all = value.value;
  const shown = useMemo(() => matchingLines(all ?? [], filter.value, level.value), [all, filter.value, level.value]);
  const beyond = shown.length > MAX_SHOWN ? `; the newest ${formatNumber(MAX_SHOWN)} are shown` : '';
  return (
    <section aria-labelledby="log">
      <div class="part-head">
        <h2 id="log">Log</h2>
        {!isDenied.value && (
          <div class="actions">
            <Button aria-pressed={follows.value} onClick={() => (follows.value = !follows.value)}>
              Follow
            </Button>
            <Button onClick={() => void reload()}>Refresh</Button>
          </div>
        )}
      </div>
      <ReadProblem of={loaded} what="the log" />
      {!isDenied.value && (
        <>
          <div class="form-row short">
            <SelectField label="File" {...bound(path)} options={FILES} />
            <SelectField label="Last lines" {...bound(lines)} options={LINE_COUNTS} />
            {path.value === 'svc.log' && (
              <SelectField
                label="Level"
                options={LEVELS.map((each) => [each, LEVEL_TEXTS[each]] as const)}
                {...bound(level)}
              />
            )}
            <TextField label="Find" {...bound(filter)} />
          </div>
          <Status
            text={
              all === undefined
                ? ''
                : `${formatNumber(shown.length)} of ${formatNumber(all.length)} lines, newest first${beyond}${
                    follows.value ? '; followed' : '; paused'
                  }`
            }
          />
          {shown.length > 0 && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
            <section class="log" aria-label="Lines" tabIndex={0}>
              <ol>
                {shown.slice(0, MAX_SHOWN).map((line, at) => (
                  <Line key={at} line={line} />
                ))}
              </ol>
            </section>
          )}
          {all !== undefined && shown.length === 0 && (
            <p class="hint">{all.length === 0 ? 'The file has no lines yet.' : 'No line matches.'}</p>
          )}
        </>
      )}
    </section>
  );
}
