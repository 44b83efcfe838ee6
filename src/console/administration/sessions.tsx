/** Lists sessions, and ends one or all of a user. */

import { useSignal } from '@preact/signals';
import { useAttempt } from '../elements/attempt.ts';
import { Button, bound, Failure, SelectField, Status, Table } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { ReadProblem } from '../elements/read-problem.tsx';
import { formatMinute } from '../elements/times.ts';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { missingFor } from './access.ts';
import { Instant } from './instant.tsx';

/** More are too many to read; one user's sessions are read separately. */
const SHOWN_SESSIONS = 200;

const EVERYBODY = '';

export function Sessions() {
  const user = useSignal(EVERYBODY);
  /** The users of all lists that were read: a list of one user's names no others. */
  const known = useSignal<readonly string[]>([]);
  const sessions = useLoaded(async (signal) => {
    const params = { limit: SHOWN_SESSIONS, ...(user.value !== EVERYBODY && { user: user.value }) };
    const read = await call('sessionlist', params, signal);
    known.value = [...new Set([...known.peek(), ...read.map((session) => session.user)])].sort();
    return read;
  }, `sessions ${user.value}`);
  const status = useSignal('');
  const { error, attempt } = useAttempt();
  const end = (params: Readonly<Record<string, string>>): Promise<void> =>
    attempt(async () => {
      status.value = '';
      const ended = Number(await call('sessionrmv', params));
      status.value = ended === 1 ? 'One session has ended.' : `${ended} sessions have ended.`;
      await sessions.reload();
    });
  const all = sessions.value.value ?? [];
  const subject = all.length === SHOWN_SESSIONS ? `The ${formatNumber(all.length)} sessions` : 'Sessions';
  const mayEnd = missingFor('sessionrmv') === undefined;
  const endable = user.value !== EVERYBODY && all.some(({ current }) => !current);
  return (
    <section aria-labelledby="sessions">
      <div class="part-head">
        <h2 id="sessions">Sessions</h2>
        {sessions.value.value !== undefined && <Button onClick={() => void sessions.reload()}>Refresh sessions</Button>}
      </div>
      {known.value.length > 1 && (
        <div class="form-row">
          <SelectField
            label="Sessions of"
            {...bound(user)}
            options={[[EVERYBODY, 'everybody'], ...known.value.map((name) => [name, name] as const)]}
          />
          {endable && mayEnd && (
            <p class="actions">
              <Button class="danger" onClick={() => end({ user: user.value })}>
                End all of {user.value}
              </Button>
            </p>
          )}
        </div>
      )}
      <ReadProblem of={sessions} what="the sessions" />
      <Failure text={error.value} />
      <Status text={status.value} />
      {sessions.value.value !== undefined && (
        <Table
          caption={`${subject}, most recently used first`}
          columns={['User', 'Address', 'Began', 'Last used', 'Ends by, if unused', 'Actions']}
          empty="There are no sessions."
          rows={all.map((session) => ({
            key: session.id,
            cells: [
              session.user,
              session.address ?? 'unknown',
              <Instant key="began" at={session.startedAt} />,
              <Instant key="used" at={session.lastUsedAt} isBrief />,
              // Its last use may have been noted later than it was, so how long it still lasts is not exact.
              <time key="ends" dateTime={session.expiresAt} title={session.expiresAt} class="instant">
                {formatMinute(Date.parse(session.expiresAt))}
              </time>,
              session.current ? (
                <span key="current" class="tag">
                  this one
                </span>
              ) : (
                mayEnd && (
                  <Button key="end" class="danger" onClick={() => end({ id: session.id })}>
                    End
                    <span class="hidden">
                      {' '}
                      the session of {session.user} from {session.startedAt}
                    </span>
                  </Button>
                )
              ),
            ],
          }))}
        />
      )}
    </section>
  );
}
