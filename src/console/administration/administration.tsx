/** The screen Administration: tasks, logs, and, with authentication, users and API keys. */
import { needsLogin } from '../requests/session.ts';
import { ApiKeys } from './api-keys.tsx';
import { LogView } from './log-view.tsx';
import { Tasks } from './tasks.tsx';
import { Users } from './users.tsx';

export function Administration() {
  return (
    <>
      <h1>Administration</h1>
      <Tasks />
      {needsLogin ? (
        <>
          <Users />
          <ApiKeys />
        </>
      ) : (
        <p class="hint">Authentication is off: there are no users and no API keys.</p>
      )}
      <LogView />
    </>
  );
}
