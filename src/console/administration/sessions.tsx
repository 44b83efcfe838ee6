/** Lists sessions, and ends one or all of a user. */
import { useSignal } from '@preact/signals';
import { Failure, Status, Table } from '../elements/elements.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call, messageOf } from '../requests/request.ts';

/** More are too many to read; the filter of `sessionlist` shows those of one user. */
const SHOWN_SESSIONS = 200;

interface Session {
  readonly id: string;
  readonly user: string;
  readonly address: string | null;
  readonly startedAt: string | null;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string;
  readonly current: boolean;
}

export function Sessions() {
  const sessions = useLoaded(
    async (signal) => (await call('sessionlist', { limit: SHOWN_SESSIONS }, signal)) as unknown as readonly Session[],
    'sessions',
  );
  const status = useSignal('');
  const error = useSignal('');
  const end = async (params: Readonly<Record<string, string>>): Promise<void> => {
    try {
      const ended = Number(await call('sessionrmv', params));
      status.value = ended === 1 ? 'One session has ended.' : `${ended} sessions have ended.`;
      error.value = '';
      await sessions.reload();
    } catch (problem) {
      status.value = '';
      error.value = messageOf(problem);
    }
  };
  const all = sessions.value.value ?? [];
  const subject = all.length === SHOWN_SESSIONS ? `The ${all.length} sessions` : 'Sessions';
  const caption = `${subject}, the most recently used first`;
  const others = [...new Set(all.filter(({ current }) => !current).map(({ user }) => user))];
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <Failure text={error.value || sessions.error.value} />
      <Status text={status.value} />
      {sessions.value.value !== undefined && (
        <Table
          caption={caption}
          columns={['User', 'Address', 'Began', 'Last used', 'Ends if unused', 'Actions']}
          empty="There are no sessions."
          rows={all.map(({ id, user, address, startedAt, lastUsedAt, expiresAt, current }) => ({
            key: id,
            cells: [
              user,
              address ?? 'unknown',
              startedAt ?? 'unknown',
              lastUsedAt ?? 'unknown',
              expiresAt,
              current ? (
                'this one'
              ) : (
                <button key="end" type="button" class="danger" onClick={() => end({ id })}>
                  End
                  <span class="hidden">
                    {' '}
                    the session of {user} from {startedAt}
                  </span>
                </button>
              ),
            ],
          }))}
        />
      )}
      <p class="actions">
        <button type="button" onClick={() => void sessions.reload()}>
          Read sessions again
        </button>
        {others.map((user) => (
          <button key={user} type="button" class="danger" onClick={() => end({ user })}>
            End all of {user}
          </button>
        ))}
      </p>
    </section>
  );
}
